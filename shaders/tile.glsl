// tile.glsl: coverage of boundary tiles, composited in registers.
//   reads   masks, items, tiles, runs, tables (render/batch/layout.go)
//   writes  PLAIN, FULL: one RowSums per (run, row); PICTURE: RGBA8 pixels
//   launch  8 rows x 8 runs a group; groups (1, ceil(runs/8)); a thread is one
//           pixel row of one run, no barrier, no shared memory
//   oracle  render/cpu; sums are integers on the grid of 1/65536, so results
//           must be equal bit for bit
// Nothing that a metric depends on divides, and `precise` forbids fusing, so
// devices agree too. Sixteen columns live in four vec4 each.
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
layout(binding = 4) uniform usamplerBuffer uTables; // r8ui, 256 per table

#ifdef PICTURE
layout(binding = 0, std430) writeonly buffer Pixels { uint uPixels[]; };
#else
layout(binding = 0, std430) writeonly buffer Sums { uvec4 uSums[]; }; // two per RowSums
#endif

const uint CLIP = 1u << 17, CLIPPED = 1u << 18, GROUP_FIRST = 1u << 19, GROUP_LAST = 1u << 20;
const uint GROUPED = 1u << 21, SECOND = 1u << 22, MASK = 1u << 23, TABLE_SHIFT = 24u;
const float ONE = 65536.0;
const vec4 C0 = vec4(0, 1, 2, 3), C1 = vec4(4, 5, 6, 7), C2 = vec4(8, 9, 10, 11), C3 = vec4(12, 13, 14, 15);

// Sixteen columns of one pixel row.
struct Row { vec4 a, b, c, d; };

Row filled(float v) { return Row(vec4(v), vec4(v), vec4(v), vec4(v)); }

// Rounds to 1/65536, halves to even: next to 192 float32 has just that step.
vec4 grid(vec4 v) {
    precise vec4 up = v + 192.0;
    precise vec4 r = up - 192.0;
    return r;
}

// Four coverage bytes as 0..1.
vec4 bytes4(uint v) {
    precise vec4 c = vec4(v & 0xffu, v >> 8 & 0xffu, v >> 16 & 0xffu, v >> 24) * (1.0 / 255.0);
    return grid(c);
}

// Coverage of an item in one pixel row: its mask's, or all of it.
Row coverage(uvec4 it, uint masks, uint row) {
    uvec4 m = (it.y & MASK) != 0u ? MASK_ROW(masks + it.x + row) : uvec4(0xffffffffu);
    return Row(bytes4(m.x), bytes4(m.y), bytes4(m.z), bytes4(m.w));
}

Row times(Row x, Row y) {
    precise Row r = Row(x.a * y.a, x.b * y.b, x.c * y.c, x.d * y.d);
    return r;
}

Row scaled(Row x, float k) {
    precise Row r = Row(x.a * k, x.b * k, x.c * k, x.d * k);
    return r;
}

// A transmittance and, for pictures, the visible colour in 0..255 times alpha.
struct Layer {
    Row t;
#ifdef PICTURE
    Row r, g, b;
#endif
};

Layer clear() {
    Layer l;
    l.t = filled(1.0);
#ifdef PICTURE
    l.r = filled(0.0); l.g = filled(0.0); l.b = filled(0.0);
#endif
    return l;
}

#ifdef PICTURE
void tint(inout Row channel, Row visible, float color) {
    precise Row v = scaled(visible, color);
    channel.a += v.a; channel.b += v.b; channel.c += v.c; channel.d += v.d;
}
#endif

// Takes the visible part of `alpha` out of the layer's transmittance.
void paint(inout Layer l, Row alpha, uint color) {
    Row v = times(l.t, alpha);
    v = Row(grid(v.a), grid(v.b), grid(v.c), grid(v.d));
#ifdef PICTURE
    tint(l.r, v, float(color & 0xffu));
    tint(l.g, v, float(color >> 8 & 0xffu));
    tint(l.b, v, float(color >> 16 & 0xffu));
#endif
    l.t.a -= v.a; l.t.b -= v.b; l.t.c -= v.c; l.t.d -= v.d;
}

#ifndef PLAIN
#ifdef PICTURE
void gather(inout Row channel, Row k, Row from) {
    Row v = times(k, from);
    channel.a += v.a; channel.b += v.b; channel.c += v.c; channel.d += v.d;
}
#endif

// Composites a finished group with its opacity.
void merge(inout Layer l, Layer g, float opacity) {
#ifdef PICTURE
    Row k = scaled(l.t, opacity);
    gather(l.r, k, g.r);
    gather(l.g, k, g.g);
    gather(l.b, k, g.b);
#endif
    Row a = scaled(Row(1.0 - g.t.a, 1.0 - g.t.b, 1.0 - g.t.c, 1.0 - g.t.d), opacity);
    Row v = times(l.t, a);
    l.t.a -= grid(v.a); l.t.b -= grid(v.b); l.t.c -= grid(v.c); l.t.d -= grid(v.d);
}

float looked(uint base, float coverage) {
    precise float scaled = coverage * 255.0;
    precise float index = scaled + 0.5;
    return float(texelFetch(uTables, int(base + uint(index))).x);
}

vec4 contrast4(uint base, vec4 c) {
    precise vec4 v = vec4(looked(base, c.x), looked(base, c.y), looked(base, c.z), looked(base, c.w)) * (1.0 / 255.0);
    return grid(v);
}

Row contrast(uint n, Row c) {
    uint base = (n - 1u) * 256u;
    return Row(contrast4(base, c.a), contrast4(base, c.b), contrast4(base, c.c), contrast4(base, c.d));
}
#endif

#ifdef PICTURE
uint channel8(float premultiplied, float alpha) { return uint(min(premultiplied / alpha + 0.5, 255.0)); }

// Set A over set B, 8 bits a channel, not premultiplied.
uint rgba(float ta, vec3 ca, float tb, vec3 cb) {
    precise float t = ta * tb;
    precise float alpha = 1.0 - t;
    precise float a255 = alpha * 255.0;
    uint a8 = uint(a255 + 0.5);
    if (a8 == 0u) return 0u;
    precise vec3 below = ta * cb;
    precise vec3 c = ca + below;
    return channel8(c.x, alpha) | channel8(c.y, alpha) << 8 | channel8(c.z, alpha) << 16 | a8 << 24;
}

void store4(uint at, uint valid, uint from, vec4 ta, vec4 ra, vec4 ga, vec4 ba, vec4 tb, vec4 rb, vec4 gb, vec4 bb) {
    for (uint i = 0u; i < 4u; i++) {
        if (from + i < valid) {
            uPixels[at + from + i] = rgba(ta[i], vec3(ra[i], ga[i], ba[i]), tb[i], vec3(rb[i], gb[i], bb[i]));
        }
    }
}

void store(uint at, uint valid, Layer x, Layer y) {
    store4(at, valid, 0u, x.t.a, x.r.a, x.g.a, x.b.a, y.t.a, y.r.a, y.g.a, y.b.a);
    store4(at, valid, 4u, x.t.b, x.r.b, x.g.b, x.b.b, y.t.b, y.r.b, y.g.b, y.b.b);
    store4(at, valid, 8u, x.t.c, x.r.c, x.g.c, x.b.c, y.t.c, y.r.c, y.g.c, y.b.c);
    store4(at, valid, 12u, x.t.d, x.r.d, x.g.d, x.b.d, y.t.d, y.r.d, y.g.d, y.b.d);
}
#else
uvec4 alpha4(vec4 t, vec4 column, float valid) {
    vec4 a = (1.0 - t) * ONE;
    return uvec4(mix(vec4(0.0), a, lessThan(column, vec4(valid))));
}

uint sum4(uvec4 v) { return v.x + v.y + v.z + v.w; }

uvec4 covered(uvec4 a) { return uvec4(greaterThanEqual(a, uvec4(129u))); }

// Alpha of one set in the four column groups of a row.
struct Alpha { uvec4 a, b, c, d; };

Alpha alphas(Row t, float valid) {
    return Alpha(alpha4(t.a, C0, valid), alpha4(t.b, C1, valid), alpha4(t.c, C2, valid), alpha4(t.d, C3, valid));
}

// x: sum of alpha, at most 16*65536; y: sum of alpha * column.
uvec2 moments(Alpha s, uint col) {
    uint a = sum4(s.a), b = sum4(s.b), c = sum4(s.c), d = sum4(s.d);
    uvec4 in4 = s.a + s.b + s.c + s.d;
    uint total = a + b + c + d;
    return uvec2(total, total * col + b * 4u + c * 8u + d * 12u + in4.y + in4.z * 2u + in4.w * 3u);
}

uint count(Alpha s) { return sum4(covered(s.a) + covered(s.b) + covered(s.c) + covered(s.d)); }

uint both(Alpha s, Alpha u) {
    return sum4(covered(s.a) * covered(u.a) + covered(s.b) * covered(u.b)
              + covered(s.c) * covered(u.c) + covered(s.d) * covered(u.d));
}
#endif

void main() {
    uint y = gl_LocalInvocationID.x;
    uint local = gl_GlobalInvocationID.y;
    if (local >= uRuns) return;
    uint index = uFirstRun + local;
    uvec4 run = RUN(index * 3u);         // tiles, count, items, masks
    uvec4 place = RUN(index * 3u + 1u);  // x, y, scene, picture
#ifdef PICTURE
    uint stride = RUN(index * 3u + 2u).x;
#else
    uvec4 sums = uvec4(0u);
    uint counts = 0u;
#endif
    for (uint i = 0u; i < run.y; i++) {
        uvec4 tile = TILE(run.x + i); // first item, items, valid columns and rows, column
        Layer first = clear();
#ifndef PLAIN
        Layer second = clear(), group = clear();
        Row clip = filled(1.0);
#endif
        for (uint j = 0u; j < tile.y; j++) {
            uvec4 it = ITEM(run.z + tile.x + j); // first row of its mask, paint, color, group
            Row cover = coverage(it, run.w, y);
            float alpha = float(it.y & 0x1ffffu) * (1.0 / ONE);
#ifdef PLAIN
            paint(first, scaled(cover, alpha), it.z);
#else
            if ((it.y & GROUP_FIRST) != 0u) group = clear();
            if ((it.y & CLIP) != 0u) { clip = cover; continue; }
            uint table = it.y >> TABLE_SHIFT;
            if (table != 0u) cover = contrast(table, cover);
            if ((it.y & CLIPPED) != 0u) cover = times(cover, clip);
            cover = scaled(cover, alpha);
            bool into = (it.y & SECOND) != 0u;
            if ((it.y & GROUPED) != 0u) paint(group, cover, it.z);
            else if (into) paint(second, cover, it.z);
            else paint(first, cover, it.z);
            if ((it.y & GROUP_LAST) != 0u) {
                float opacity = float(it.w) * (1.0 / ONE);
                if (into) merge(second, group, opacity);
                else merge(first, group, opacity);
            }
#endif
        }
        uint columns = y < tile.z >> 16 ? tile.z & 0xffffu : 0u;
#ifdef PICTURE
        store(place.w + (place.y + y) * stride + place.x + tile.w, columns, first, second);
#else
        Alpha a = alphas(first.t, float(columns));
        sums.xy += moments(a, tile.w);
        counts += count(a);
#ifndef PLAIN
        Alpha b = alphas(second.t, float(columns));
        sums.zw += moments(b, tile.w);
        counts += count(b) << 10 | both(a, b) << 20;
#endif
#endif
    }
#ifndef PICTURE
    uSums[(index * 8u + y) * 2u] = sums;
    uSums[(index * 8u + y) * 2u + 1u] = uvec4(counts, 0u, 0u, 0u);
#endif
}
