// tile.glsl: exact-area coverage of boundary tiles, composited in registers.
//   reads   segments, items, tiles, runs, tables (render/batch/layout.go)
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
layout(binding = 0) uniform usamplerBuffer uSegments;
layout(binding = 1) uniform usamplerBuffer uItems;
layout(binding = 2) uniform usamplerBuffer uTiles;
layout(binding = 3) uniform usamplerBuffer uRunRecords;
#define SEGMENT(i) texelFetch(uSegments, int(i))
#define ITEM(i) texelFetch(uItems, int(i))
#define TILE(i) texelFetch(uTiles, int(i))
#define RUN(i) texelFetch(uRunRecords, int(i))
#else
layout(binding = 1, std430) readonly buffer Segments { uvec4 uSegments[]; };
layout(binding = 2, std430) readonly buffer Items { uvec4 uItems[]; };
layout(binding = 3, std430) readonly buffer Tiles { uvec4 uTiles[]; };
layout(binding = 4, std430) readonly buffer Runs { uvec4 uRunRecords[]; };
#define SEGMENT(i) uSegments[i]
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

const uint EVEN_ODD = 1u << 17, UNITE = 1u << 18, CLIP = 1u << 19, CLIPPED = 1u << 20;
const uint GROUP_FIRST = 1u << 21, GROUP_LAST = 1u << 22, GROUPED = 1u << 23, SECOND = 1u << 24;
const uint MASK = 1u << 25, TABLE_SHIFT = 26u;
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

// Area between a segment and x = v, signed: k is half its steepness.
vec4 right(vec4 v, float lo, float hi, float w, float k, float dy) {
    precise vec4 q = clamp(v - lo, 0.0, w);
    precise vec4 near = k * q;
    near = near * q;
    precise vec4 far = dy * max(v - hi, 0.0);
    precise vec4 r = near + far;
    return r;
}

// Adds the signed area of one segment in pixel row `row` of its tile.
void cut(inout Row sum, uvec4 s, float row) {
    precise float x0 = float(s.x & 0xffffu) * (1.0 / 1024.0);
    precise float y0 = float(s.x >> 16) * (1.0 / 1024.0);
    precise float y1 = float(s.y >> 16) * (1.0 / 1024.0);
    precise float slope = uintBitsToFloat(s.z);
    precise float a = clamp(y0 - row, 0.0, 1.0);
    precise float b = clamp(y1 - row, 0.0, 1.0);
    precise float dy = b - a;
    precise float da = (a + row) - y0;
    precise float db = (b + row) - y0;
    da = da * slope;
    db = db * slope;
    precise float xa = x0 + da;
    precise float xb = x0 + db;
    float lo = min(xa, xb), hi = max(xa, xb);
    precise float w = hi - lo;
    precise float k = uintBitsToFloat(s.w) * 0.5;
    // Rows that the segment does not reach have dy = 0 and w = 0, so all is 0.
    k = dy < 0.0 ? -k : k;
    vec4 r0 = right(C0, lo, hi, w, k, dy);
    vec4 r1 = right(C1, lo, hi, w, k, dy);
    vec4 r2 = right(C2, lo, hi, w, k, dy);
    vec4 r3 = right(C3, lo, hi, w, k, dy);
    float r4 = right(vec4(16.0), lo, hi, w, k, dy).x;
    precise vec4 d0 = vec4(r0.yzw, r1.x) - r0;
    precise vec4 d1 = vec4(r1.yzw, r2.x) - r1;
    precise vec4 d2 = vec4(r2.yzw, r3.x) - r2;
    precise vec4 d3 = vec4(r3.yzw, r4) - r3;
    sum.a += grid(d0);
    sum.b += grid(d1);
    sum.c += grid(d2);
    sum.d += grid(d3);
}

vec4 ruled(vec4 w, bool evenOdd) {
    return evenOdd ? abs(w - 2.0 * floor(w * 0.5 + 0.5)) : min(abs(w), 1.0);
}

// Four coverage bytes as 0..1.
vec4 bytes4(uint v) {
    precise vec4 c = vec4(v & 0xffu, v >> 8 & 0xffu, v >> 16 & 0xffu, v >> 24) * (1.0 / 255.0);
    return grid(c);
}

// Coverage of an item in one pixel row by its mask.
Row masked(uvec4 it, uint segments, uint row) {
    uvec4 m = SEGMENT(segments + it.x + row);
    return Row(bytes4(m.x), bytes4(m.y), bytes4(m.z), bytes4(m.w));
}

#ifdef PLAIN
// Items without a mask fill their tile.
Row coverage(uvec4 it, uint segments, uint row) {
    Row m = masked(it, segments, row);
    return (it.z & MASK) != 0u ? m : filled(1.0);
}
#else
// Coverage of an item in one pixel row: its mask's, or the signed areas of its
// segments. Drivers that run all lanes of a vector together skip neither side of
// a branch but leave loops early, so the mask is a loop of one step.
Row coverage(uvec4 it, uint segments, uint line) {
    float row = float(line);
    bool isMask = (it.z & MASK) != 0u;
    Row w = filled(float(int(it.y) >> 16));
    uint first = segments + it.x, count = it.y & 0xffffu;
    for (uint i = 0u; i < count; i++) cut(w, SEGMENT(first + i), row);
    bool evenOdd = (it.z & EVEN_ODD) != 0u;
    w = Row(ruled(w.a, evenOdd), ruled(w.b, evenOdd), ruled(w.c, evenOdd), ruled(w.d, evenOdd));
    for (bool m = isMask; m; m = false) w = masked(it, segments, line);
    return w;
}
#endif

Row greater(Row x, Row y) { return Row(max(x.a, y.a), max(x.b, y.b), max(x.c, y.c), max(x.d, y.d)); }

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
    uvec4 run = RUN(index * 3u);         // tiles, count, items, segments
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
        Row united = filled(0.0);
        for (uint j = 0u; j < tile.y; j++) {
            uint at = (run.z + tile.x + j) * 2u;
            uvec4 it = ITEM(at); // first segment, count and backdrop, paint, color
            Row cover = greater(coverage(it, run.w, y), united);
            bool unite = (it.z & UNITE) != 0u;
            float alpha = float(it.z & 0x1ffffu) * (1.0 / ONE);
#ifdef PLAIN
            united = unite ? cover : filled(0.0);
            paint(first, scaled(cover, unite ? 0.0 : alpha), it.w);
#else
            if ((it.z & GROUP_FIRST) != 0u) group = clear();
            if (unite) { united = cover; continue; }
            united = filled(0.0);
            if ((it.z & CLIP) != 0u) { clip = cover; continue; }
            uint table = it.z >> TABLE_SHIFT;
            if (table != 0u) cover = contrast(table, cover);
            if ((it.z & CLIPPED) != 0u) cover = times(cover, clip);
            cover = scaled(cover, alpha);
            bool into = (it.z & SECOND) != 0u;
            if ((it.z & GROUPED) != 0u) paint(group, cover, it.w);
            else if (into) paint(second, cover, it.w);
            else paint(first, cover, it.w);
            if ((it.z & GROUP_LAST) != 0u) {
                float opacity = float(ITEM(at + 1u).x) * (1.0 / ONE);
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
