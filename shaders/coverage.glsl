// coverage.glsl: the records of the tile stage, and the coverage of an item in one pixel row.
// Every variant of the stage begins with this file. A thread keeps its sixteen columns in registers, as
// four uvec4 of bytes.
//   reads   masks, items, tiles, runs (render/batch/layout.go)
//   writes  PLAIN, DOUBLE, FULL: one RowSums per (run, row); PICTURE: RGBA8 pixels
//   launch  8 rows x 8 runs a group; groups (1, ceil(runs/8)); a thread is one
//           pixel row of one run, no barrier, no shared memory
//   twin    render/cpu/coverage.go; everything is integers, so results must be equal bit for
//           bit on any device
layout(local_size_x = 8, local_size_y = 8) in;

uniform uint uFirstRun; // this dispatch covers runs [uFirstRun, uFirstRun + uRuns)
uniform uint uRuns;

#ifdef TEXTURE_BUFFERS
layout(binding = 0) uniform usamplerBuffer uMasks;
layout(binding = 1) uniform usamplerBuffer uItems;
layout(binding = 2) uniform usamplerBuffer uTiles;
layout(binding = 3) uniform usamplerBuffer uRunRecords;
#define MASK_ROW(i) texelFetch(uMasks, int(i))
#define ITEM(i) texelFetch(uItems, int(i))
#define TILE(i) texelFetch(uTiles, int(i))
#define RUN(i) texelFetch(uRunRecords, int(i))
#else
layout(binding = 1, std430) readonly buffer Masks { uvec4 uMasks[]; };
layout(binding = 2, std430) readonly buffer Items { uvec4 uItems[]; };
layout(binding = 3, std430) readonly buffer Tiles { uvec4 uTiles[]; };
layout(binding = 4, std430) readonly buffer Runs { uvec4 uRunRecords[]; };
#define MASK_ROW(i) uMasks[i]
#define ITEM(i) uItems[i]
#define TILE(i) uTiles[i]
#define RUN(i) uRunRecords[i]
#endif

#ifdef PICTURE
layout(binding = 0, std430) writeonly buffer Pixels { uint uPixels[]; };
#else
layout(binding = 0, std430) writeonly buffer Sums { uvec4 uSums[]; }; // two per RowSums
#endif

// Bits of an item's second word, as render/batch/layout.go names them; its lowest byte is the item's alpha.
const uint CLIP = 1u << 8, CLIPPED = 1u << 9, GROUP_FIRST = 1u << 10, GROUP_LAST = 1u << 11;
const uint GROUPED = 1u << 12, SECOND = 1u << 13, MASK = 1u << 14, PAIRS = 1u << 15, ROUND = 1u << 16, APART = 1u << 17;
// The columns of the four uvec4 of a Row.
const uvec4 C0 = uvec4(0, 1, 2, 3), C1 = uvec4(4, 5, 6, 7), C2 = uvec4(8, 9, 10, 11), C3 = uvec4(12, 13, 14, 15);

// Sixteen columns of one pixel row, 0..255 each.
struct Row { uvec4 a, b, c, d; };

// filled returns a row whose sixteen values are v.
Row filled(uint v) { return Row(uvec4(v), uvec4(v), uvec4(v), uvec4(v)); }

// bytes4 returns the four bytes of v, the lowest one first.
uvec4 bytes4(uint v) { return uvec4(v, v >> 8, v >> 16, v >> 24) & 0xffu; }

// coverage returns an item's coverage of one pixel row: that of its mask, or 255 without a mask.
Row coverage(uvec4 it, uint masks, uint row) {
    uvec4 m = (it.y & MASK) != 0u ? MASK_ROW(masks + it.x + row) : uvec4(0xffffffffu);
    return Row(bytes4(m.x), bytes4(m.y), bytes4(m.z), bytes4(m.w));
}

// shade4 multiplies v, alpha or a premultiplied channel, by coverage, rounded down as the browser
// does; shade does it for a row.
uvec4 shade4(uint v, uvec4 cover) { return v * (cover + 1u) >> 8u; }

Row shade(uint v, Row c) { return Row(shade4(v, c.a), shade4(v, c.b), shade4(v, c.c), shade4(v, c.d)); }

// over4 composites s with that alpha over v, rounded down; over does it for a row.
uvec4 over4(uvec4 v, uvec4 s, uvec4 alpha) { return s + (v * (256u - alpha) >> 8u); }

Row over(Row v, Row s, Row alpha) {
    return Row(over4(v.a, s.a, alpha.a), over4(v.b, s.b, alpha.b), over4(v.c, s.c, alpha.c), over4(v.d, s.d, alpha.d));
}
