// loops.glsl: how many iterations of its loops a driver lets a thread run.
//   writes  what was counted, and a value that each iteration changes
//   launch  one thread
// Some drivers end loops early and report no error. See docs/spec/raster.md#r42.
#version 430 core
layout(local_size_x = 1) in;
layout(binding = 0, std430) writeonly buffer Counted { uint uCounted[]; };
uniform uint uWanted;

void main() {
    uint n = 0u, v = 1u;
    for (; n < uWanted; n++) v = v * 1664525u + 1013904223u;
    uCounted[0] = n;
    uCounted[1] = v;
}
