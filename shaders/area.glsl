// area.glsl: covered lengths of scan lines.
//   twin    render/region/area.go
// ROWS scan lines stand STEP units apart, and a thread takes LINES of them. A scene has at most PARTS
// convex parts (render/region.MaxParts), so one line has at most as many intervals.
const int ROWS = 4096, STEP = 16, LINES = 4, PARTS = 48;
int low[PARTS], high[PARTS]; // the intervals of the scan line that are covered

// cover appends to low and high the intervals of the scan line y that the convex parts in edges [first, end)
// cover, one for each part, from its leftmost crossing to its rightmost. n is the number of intervals before;
// the number after is returned.
int cover(uint first, uint end, int y, int n) {
    int a = FAR, b = -1;
    for (uint i = first; i < end; i++) {
        uvec4 e = uEdges[i]; // ends x | y<<16, slope, 1 on the last edge of a part
        if (int(e.x >> 16) <= y && y <= int(e.y >> 16)) {
            int x = at(e, y);
            a = min(a, x);
            b = max(b, x);
        }
        if (e.w == 1u) {
            if (b > a) {
                low[n] = a;
                high[n] = b;
                n++;
            }
            a = FAR;
            b = -1;
        }
    }
    return n;
}

// covered returns the length of the union of the intervals [first, end). It goes along the line in steps: to
// the farthest end of the intervals that begin at or before pos, or over a gap to the next start.
uint covered(int first, int end) {
    int pos = -1, sum = 0;
    for (;;) {
        int reach = pos, next = FAR;
        for (int i = first; i < end; i++) {
            if (low[i] <= pos) reach = max(reach, high[i]);
            else next = min(next, low[i]);
        }
        if (reach > pos) {
            sum += reach - pos;
            pos = reach;
        } else if (next != FAR) {
            pos = next;
        } else {
            break;
        }
    }
    return uint(sum);
}

// A thread adds what LINES scan lines cover, of U, of T and of both, to the sums of its job.
void main() {
    Job j = job();
    int k = int(gl_GlobalInvocationID.x) * LINES; // its first scan line
    if (k >= ROWS || j.sides == j.sidesEnd) return;
    uvec3 sum = uvec3(0u); // fits: ROWS lines of at most 65,536 are 2^28
    for (int i = 0; i < LINES; i++) {
        int y = (k + i) * STEP + STEP / 2; // the middle of the strip
        int ofU = cover(j.sides, j.sidesT, y, 0);
        int all = cover(j.sidesT, j.sidesEnd, y, ofU);
        sum += uvec3(covered(0, ofU), covered(ofU, all), covered(0, all));
    }
    if (sum.z == 0u) return;
    atomicAdd(uSums[j.sum], sum.x);
    atomicAdd(uSums[j.sum + 1u], sum.y);
    atomicAdd(uSums[j.sum + 2u], sum.z);
}
