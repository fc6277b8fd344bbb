// seed.glsl: some pixel of each block that has any.
//   twin    render/region/distance.go
// A thread stores one pixel of its block, the leftmost of its first row that has any, or NONE.
void main() {
    Job j = job();
    uint set;
    uvec2 b;
    if (!place(j, set, b)) return;
    uint seed = NONE, end = min((b.y + 1u) * BLOCK, j.height);
    for (uint y = b.y * BLOCK; y < end && seed == NONE; y++) {
        uint m = row16(j, set, b, y);
        if (m != 0u) seed = (b.x * BLOCK + uint(findLSB(m))) | y << 16;
    }
    uFrom[index(j, set, b)] = seed;
}
