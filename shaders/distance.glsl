// distance.glsl: BOUND and SEARCH, how far the pixels of one set are from the other.
//   twin    render/region/distance.go
// llvmpipe ends the loops of a vector of up to 16 threads after 65,535 iterations in all, and reports no
// error. So a thread counts the iterations of its searches, and a search that needs more than are left
// returns NONE. The loops of main take at most 16 + 256 more, and 16 * (3500 + 272) is below the limit.
int left = 3500; // iterations that this thread's searches may still take

// within returns the squared distance of p from the nearest pixel of block b of a set, or best if that is
// less. In each row of the block it looks at the first pixel at or right of p and at the last one at or left
// of p.
uint within(Job j, uint set, uvec2 b, ivec2 p, uint best) {
    int x = p.x - int(b.x * BLOCK);
    uint up = NONE << uint(clamp(x, 0, 16)), down = (1u << uint(clamp(x + 1, 0, 16))) - 1u;
    uint end = min((b.y + 1u) * BLOCK, j.height);
    for (uint y = b.y * BLOCK; y < end; y++) {
        uint m = row16(j, set, b, y);
        if ((m & up) != 0u) best = min(best, square(findLSB(m & up) - x, int(y) - p.y));
        if ((m & down) != 0u) best = min(best, square(x - findMSB(m & down), int(y) - p.y));
    }
    left -= 16;
    return best;
}

// gap returns how far coordinate p lies outside of the block with the index b on that axis, px.
int gap(int p, int b) { return max(0, max(b * int(BLOCK) - p, p - b * int(BLOCK) - int(BLOCK) + 1)); }

// nearest returns the squared distance from p of the nearest pixel of a set. The set must have one at the
// squared distance best. It looks at the blocks with pixels within that distance, row by row, and may end
// early with any distance that is at most enough. It returns NONE if the search takes more iterations than
// are left.
uint nearest(Job j, uint set, ivec2 p, uint best, uint enough) {
    int reach = int(sqrt(float(best))) + 2, words = int(j.across + 31u) / 32; // 2 px more, as sqrt is rounded
    int last = min(int(j.down) - 1, (p.y + reach) / int(BLOCK));
    for (int y = max(0, p.y - reach) / int(BLOCK); y <= last && best > enough && left >= 0; y++) {
        left--;
        int dy = gap(p.y, y);
        if (square(0, dy) >= best) continue;
        reach = int(sqrt(float(best - square(0, dy)))) + 2;
        int from = max(0, p.x - reach) / int(BLOCK), to = min(int(j.across) - 1, (p.x + reach) / int(BLOCK));
        for (int w = from >> 5; w <= to >> 5; w++) {
            left--;
            uint m = uSeeds[int(j.blocks) + (int(set * j.down) + y) * words + w]; // a bit for each block
            if (w == from >> 5) m &= NONE << uint(from & 31);
            if (w == to >> 5) m &= NONE >> uint(31 - (to & 31));
            for (; m != 0u && left >= 0; m &= m - 1u) {
                int x = 32 * w + findLSB(m);
                left--;
                if (square(gap(p.x, x), dy) < best) best = within(j, set, uvec2(x, y), p, best);
            }
        }
    }
    return left < 0 ? NONE : best;
}

// A thread looks at the pixels of a block that are not in the other set. BOUND stores an upper bound of their
// distance from the other set: the distance from the seed that the flooding found near the block. It also finds
// the exact distance of the pixel that is farthest from the seed, and raises the job's distance to that if it
// is greater. SEARCH does the same with the exact distances of all pixels in blocks whose bound exceeds the
// job's distance.
void main() {
    Job j = job();
    uint set;
    uvec2 b;
    if (!place(j, set, b)) return;
    uint seed = uFrom[index(j, 1u - set, b)], end = min((b.y + 1u) * BLOCK, j.height);
    ivec2 s = ivec2(seed & 0xffffu, seed >> 16);
    uint sum = j.sum + 3u, far = 0u;
#ifdef SEARCH
    far = uSums[sum];
    if (uTo[index(j, set, b)] <= far) return;
#endif
    ivec2 farthest = ivec2(0);
    uint found = 0u;
    if (seed != NONE)
        for (uint y = b.y * BLOCK; y < end; y++) {
            uint m = row16(j, set, b, y) & ~row16(j, 1u - set, b, y);
            for (; m != 0u; m &= m - 1u) {
                ivec2 p = ivec2(b.x * BLOCK + uint(findLSB(m)), y);
                uint d = square(p.x - s.x, p.y - s.y); // at least the distance to the nearest pixel
                if (d <= far) continue;
#ifdef SEARCH
                d = nearest(j, 1u - set, p, d, far);
#endif
                if (d > far) {
                    far = d;
                    farthest = p;
                    found = 1u;
                }
            }
        }
#ifdef BOUND
    uTo[index(j, set, b)] = far;
    if (found == 1u) atomicMax(uSums[sum], nearest(j, 1u - set, farthest, far, 0u));
#else
    if (found == 1u) atomicMax(uSums[sum], far);
#endif
}
