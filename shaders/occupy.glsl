// occupy.glsl: which blocks have any pixel, 32 blocks a thread.
//   twin    render/region/distance.go
// A thread stores a word with a bit for each of 32 blocks of a row, set where the block has a seed.
void main() {
    Job j = job();
    uint t = gl_GlobalInvocationID.x, words = (j.across + 31u) / 32u;
    uint row = t / words, word = t % words, m = 0u; // rows of both sets
    if (row >= 2u * j.down) return;
    for (uint i = 0u; i < 32u && word * 32u + i < j.across; i++)
        if (uFrom[j.blocks + row * j.across + word * 32u + i] != NONE) m |= 1u << i;
    uSeeds[j.blocks + row * words + word] = m;
}
