// match.glsl: the records of the comparison of regions, with which every stage begins. Stages
// sum areas of two regions by scan lines, and find the Hausdorff distance of two sets of pixels
// by jump flooding over blocks and an exact search.
//   reads   jobs, edges (render/gpu/meter.go), bits where the host brings them
//   writes  sums: U, T, Either, Far2 of each job (match.Sums)
//   launch  groups (ceil(threads/64), jobs); one stage after another:
//           AREA    a thread is LINES scan lines
//           MARK    128 px of a row of one set: sets bits
//           SEED    a block of 16 x 16 px of one set: some pixel of it
//           OCCUPY  32 blocks of one set: which have any pixel
//           FLOOD   a block, once for each step: the nearest seed of its neighbours
//           BOUND   a block: an upper bound of the distance of its pixels from the
//                   other set, and the exact distance of one of them
//           SEARCH  a block whose bound exceeds Far2: the exact distances of its pixels
//           BOUND and SEARCH store NONE in Far2 where a search takes too many iterations.
//   twin    render/region/oracle.go; integers, equal bit for bit. The only floats are the x
//           of an edge at a height: one product and one sum, both `precise`
// No barriers, no shared memory. Atomics are a few per thread at its end; max and
// sum of integers do not depend on their order.
layout(local_size_x = 64) in;

struct Job {
    uint sides, sidesT, sidesEnd, shift;  // parts of U, of T; log2 of units per px
    uint segs, segsT, segsEnd, unused;    // boundary of U, of T
    uint width, height, words, bits;      // px; words of a row; first word of set 0
    uint blocks, across, down, sum;       // first block of set 0; blocks; place in uSums
};

layout(binding = 0, std430) readonly buffer Jobs { Job uJobs[]; };
layout(binding = 1, std430) readonly buffer Edges { uvec4 uEdges[]; };
layout(binding = 2, std430) buffer Bits { uint uBits[]; };
layout(binding = 3, std430) buffer From { uint uFrom[]; }; // seeds x | y<<16
layout(binding = 4, std430) buffer To { uint uTo[]; };     // seeds, or bounds
layout(binding = 5, std430) coherent buffer Sums { uint uSums[]; };
layout(binding = 6, std430) buffer Seeds { uint uSeeds[]; }; // a bit for each block that has any

uniform uint uFirst; // the first job of this dispatch
uniform uint uStep;  // FLOOD: blocks

const uint NONE = 0xffffffffu;
const int FAR = 0x7fffffff;
const uint BLOCK = 16u;

Job job() { return uJobs[uFirst + gl_WorkGroupID.y]; }

// at returns the x of an edge at the height y, which is one of the edge's, rounded down.
int at(uvec4 e, int y) {
    int x0 = int(e.x & 0xffffu), x1 = int(e.y & 0xffffu);
    precise float t = float(y - int(e.x >> 16)) * uintBitsToFloat(e.z);
    precise float x = float(x0) + t;
    return clamp(int(floor(x)), min(x0, x1), max(x0, x1));
}
