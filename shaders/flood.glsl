// flood.glsl: one step of jump flooding over blocks.
//   twin    render/region/distance.go
// A thread compares the seeds of nine blocks, its own and the neighbours uStep blocks away. It stores the one
// that is nearest to the middle of its block, or NONE if there is no seed.
void main() {
    Job j = job();
    uint set;
    uvec2 b;
    if (!place(j, set, b)) return;
    uint best = NONE, near = NONE;
    for (int k = 0; k < 9; k++) {
        ivec2 n = ivec2(b) + (ivec2(k % 3, k / 3) - 1) * int(uStep);
        if (n.x < 0 || n.y < 0 || n.x >= int(j.across) || n.y >= int(j.down)) continue;
        uint seed = uFrom[index(j, set, uvec2(n))];
        if (seed == NONE) continue;
        uint d = square(int(seed & 0xffffu) - int(b.x * BLOCK + BLOCK / 2u), int(seed >> 16) - int(b.y * BLOCK + BLOCK / 2u));
        if (d < near) {
            near = d;
            best = seed;
        }
    }
    uTo[index(j, set, b)] = best;
}
