// mark.glsl: pixels that the boundaries of both sets meet.
//   twin    render/region/mark.go
// below has the lowest n bits set, 0 to 32 of them.
uint below(int n) {
    n = clamp(n, 0, 32);
    return n == 32 ? NONE : (1u << uint(n & 31)) - 1u;
}

uvec4 below(ivec4 n) { return uvec4(below(n.x), below(n.y), below(n.z), below(n.w)); }

// A thread writes four words, 128 px of a row of one set. It sets the bits of the pixels that the segments of
// the set's boundary meet.
void main() {
    Job j = job();
    uint quads = (j.words + 3u) / 4u, t = gl_GlobalInvocationID.x;
    uint row = t / quads % j.height, set = t / quads / j.height, word = t % quads * 4u;
    if (set > 1u || j.segs == j.segsEnd) return;
    int low = int(row << j.shift), high = int((row + 1u) << j.shift); // heights of the row, in units
    ivec4 base = (int(word) + ivec4(0, 1, 2, 3)) * 32;
    uvec4 bits = uvec4(0u);
    uint end = set == 0u ? j.segsT : j.segsEnd;
    for (uint i = set == 0u ? j.segs : j.segsT; i < end; i++) {
        uvec4 e = uEdges[i];
        int y0 = int(e.x >> 16), y1 = int(e.y >> 16);
        if (int(row) < y0 >> j.shift || int(row) > y1 >> j.shift) continue;
        int a = low > y0 ? at(e, low) : int(e.x & 0xffffu);
        int b = high < y1 ? at(e, high) : int(e.y & 0xffffu);
        int from = min(a, b) >> j.shift, to = max(a, b) >> j.shift; // its columns in the row
        bits |= below(to + 1 - base) & ~below(from - base);
    }
    uint first = j.bits + (set * j.height + row) * j.words + word;
    for (uint i = 0u; i < 4u && word + i < j.words; i++) uBits[first + i] = bits[i];
}
