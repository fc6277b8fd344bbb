// block.glsl: blocks of 16 x 16 px, which SEED, OCCUPY, FLOOD, BOUND and SEARCH share.
// place finds the set, 0 or 1, and the column and row of the block of a thread. It returns false for a thread
// past the last block.
bool place(Job j, out uint set, out uvec2 b) {
    uint t = gl_GlobalInvocationID.x, n = j.across * j.down;
    set = t / n;
    b = uvec2(t % n % j.across, t % n / j.across);
    return set < 2u;
}

// row16 returns the 16 px of a row of a block as bits. The leftmost px is the lowest bit.
uint row16(Job j, uint set, uvec2 b, uint y) {
    return uBits[j.bits + (set * j.height + y) * j.words + (b.x >> 1)] >> ((b.x & 1u) * 16u) & 0xffffu;
}

// index returns the place of a block of a set in the arrays of blocks.
uint index(Job j, uint set, uvec2 b) { return j.blocks + (set * j.down + b.y) * j.across + b.x; }

// square returns the squared length of (x, y).
uint square(int x, int y) { return uint(x * x) + uint(y * y); }
