// tile.glsl: coverage of boundary tiles, composited in registers.
//   reads   masks, items, tiles, runs (render/batch/layout.go)
//   writes  PLAIN, DOUBLE, FULL: one RowSums per (run, row); PICTURE: RGBA8 pixels
//   launch  8 rows x 8 runs a group; groups (1, ceil(runs/8)); a thread is one
//           pixel row of one run, no barrier, no shared memory
//   oracle  render/cpu; everything is integers, so results must be equal bit for
//           bit on any device
// Sixteen columns live in four uvec4 of bytes.
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

const uint CLIP = 1u << 8, CLIPPED = 1u << 9, GROUP_FIRST = 1u << 10, GROUP_LAST = 1u << 11;
const uint GROUPED = 1u << 12, SECOND = 1u << 13, MASK = 1u << 14, PAIRS = 1u << 15, ROUND = 1u << 16, APART = 1u << 17;
const uvec4 C0 = uvec4(0, 1, 2, 3), C1 = uvec4(4, 5, 6, 7), C2 = uvec4(8, 9, 10, 11), C3 = uvec4(12, 13, 14, 15);

// Sixteen columns of one pixel row, 0..255 each.
struct Row { uvec4 a, b, c, d; };

Row filled(uint v) { return Row(uvec4(v), uvec4(v), uvec4(v), uvec4(v)); }

uvec4 bytes4(uint v) { return uvec4(v, v >> 8, v >> 16, v >> 24) & 0xffu; }

// Coverage of an item in one pixel row: its mask's, or all of it.
Row coverage(uvec4 it, uint masks, uint row) {
    uvec4 m = (it.y & MASK) != 0u ? MASK_ROW(masks + it.x + row) : uvec4(0xffffffffu);
    return Row(bytes4(m.x), bytes4(m.y), bytes4(m.z), bytes4(m.w));
}

// What a value of the colour times its alpha adds to the canvas, which floors.
uvec4 shade4(uint v, uvec4 cover) { return v * (cover + 1u) >> 8u; }

Row shade(uint v, Row c) { return Row(shade4(v, c.a), shade4(v, c.b), shade4(v, c.c), shade4(v, c.d)); }

uvec4 over4(uvec4 v, uvec4 s, uvec4 alpha) { return s + (v * (256u - alpha) >> 8u); }

Row over(Row v, Row s, Row alpha) {
    return Row(over4(v.a, s.a, alpha.a), over4(v.b, s.b, alpha.b), over4(v.c, s.c, alpha.c), over4(v.d, s.d, alpha.d));
}

#if defined(FULL) || defined(PICTURE)
// Alpha, and for pictures colours times alpha.
struct Layer {
    Row t;
#ifdef PICTURE
    Row r, g, b;
#endif
};

Layer clear() {
    Layer l;
    l.t = filled(0u);
#ifdef PICTURE
    l.r = filled(0u); l.g = filled(0u); l.b = filled(0u);
#endif
    return l;
}

// Paints a colour, which is times its alpha, on the canvas. See docs/spec/raster.md#r25.
void paint(inout Layer l, Row cover, uint alpha, uint color) {
    Row a = shade(alpha, cover);
#ifdef PICTURE
    l.r = over(l.r, shade(color & 0xffu, cover), a);
    l.g = over(l.g, shade(color >> 8 & 0xffu, cover), a);
    l.b = over(l.b, shade(color >> 16 & 0xffu, cover), a);
#endif
    l.t = over(l.t, a, a);
}

// Where bits says so, the two-pixel rule (docs/spec/raster.md#r22), else what is
// there: of a channel of an opaque colour.
uvec4 pair4(uvec4 v, uint c, uvec4 cover, uvec4 other, uint bits) {
    uvec4 chosen = uvec4(bits, bits >> 1, bits >> 2, bits >> 3) & 1u;
    return other + chosen * (((c * (cover + 1u) + v * (255u - cover)) >> 8u) - other);
}

Row pair(Row v, uint c, Row cover, Row other, uint bits) {
    return Row(pair4(v.a, c, cover.a, other.a, bits), pair4(v.b, c, cover.b, other.b, bits >> 4),
               pair4(v.c, c, cover.c, other.c, bits >> 8), pair4(v.d, c, cover.d, other.d, bits >> 12));
}

// The two-pixel rule's bits of a mask's row, 0 where it has none.
uint paired(uvec4 it, uint masks, uint row) {
    if ((it.y & PAIRS) == 0u) return 0u;
    uvec4 all = MASK_ROW(masks + it.x + 8u);
    uint two = row < 4u ? (row < 2u ? all.x : all.y) : (row < 6u ? all.z : all.w);
    return two >> (row & 1u) * 16u & 0xffffu;
}

// v/255 to the nearest.
uvec4 divided4(uvec4 v) { return (v + 128u) * 257u >> 16u; }

Row times(Row x, Row y) {
    return Row(divided4(x.a * y.a), divided4(x.b * y.b), divided4(x.c * y.c), divided4(x.d * y.d));
}

Row scaled(Row x, uint v) { return Row(divided4(x.a * v), divided4(x.b * v), divided4(x.c * v), divided4(x.d * v)); }

// What is left of v under alpha, with s added.
Row laid(Row v, Row s, Row alpha) {
    return Row(s.a + divided4(v.a * (255u - alpha.a)), s.b + divided4(v.b * (255u - alpha.b)),
               s.c + divided4(v.c * (255u - alpha.c)), s.d + divided4(v.d * (255u - alpha.d)));
}

// Paints a colour as an image is, with products rounded.
void lay(inout Layer l, Row cover, uint alpha, uint color) {
    Row a = scaled(cover, alpha);
#ifdef PICTURE
    l.r = laid(l.r, scaled(cover, color & 0xffu), a);
    l.g = laid(l.g, scaled(cover, color >> 8 & 0xffu), a);
    l.b = laid(l.b, scaled(cover, color >> 16 & 0xffu), a);
#endif
    l.t = laid(l.t, a, a);
}

// Paints a colour: rounded, or by the two-pixel rule where bits say so. Drivers
// that run all lanes of a vector together skip neither side of a branch but leave
// loops early, so what is rare is a loop of one step.
void draw(inout Layer l, Row cover, uint alpha, uint color, uint bits, bool rounded) {
    Layer was = l;
    paint(l, cover, alpha, color);
    for (bool some = bits != 0u; some; some = false) {
#ifdef PICTURE
        l.r = pair(was.r, color & 0xffu, cover, l.r, bits);
        l.g = pair(was.g, color >> 8 & 0xffu, cover, l.g, bits);
        l.b = pair(was.b, color >> 16 & 0xffu, cover, l.b, bits);
#endif
        l.t = pair(was.t, 255u, cover, l.t, bits);
    }
    for (bool some = rounded; some; some = false) {
        l = was;
        lay(l, cover, alpha, color);
    }
}

Layer pick(bool first, Layer x, Layer y) {
    if (first) return x;
    return y;
}

// A layer's value s on v of the canvas; t is the layer's alpha, k its opacity in
// 1/256. Through a clip products are floored apart, else together (observed).
uvec4 upon4(uvec4 v, uvec4 s, uvec4 t, uint k, bool apart) {
    uvec4 rest = 0xffffu - t * k;
    uvec4 left = apart ? 256u - (t * k >> 8u) : (rest + (rest >> 8u)) >> 8u;
    uvec4 x = s * k, y = v * left;
    return apart ? (x >> 8u) + (y >> 8u) : (x + y) >> 8u;
}

Row upon(Row v, Row s, Row t, uint k, bool apart) {
    return Row(upon4(v.a, s.a, t.a, k, apart), upon4(v.b, s.b, t.b, k, apart),
               upon4(v.c, s.c, t.c, k, apart), upon4(v.d, s.d, t.d, k, apart));
}

// Draws a finished group on the canvas, with its opacity as alpha.
void merge(inout Layer l, Layer g, uint alpha, bool apart) {
#ifdef PICTURE
    l.r = upon(l.r, g.r, g.t, alpha + 1u, apart);
    l.g = upon(l.g, g.g, g.t, alpha + 1u, apart);
    l.b = upon(l.b, g.b, g.t, alpha + 1u, apart);
#endif
    l.t = upon(l.t, g.t, g.t, alpha + 1u, apart);
}
#endif

#ifdef PICTURE
uint divided(uint v) { return (v + 128u) * 257u >> 16u; }

// Set A over set B, 8 bits a channel, not premultiplied.
uint rgba(uint ta, uvec3 ca, uint tb, uvec3 cb) {
    uint left = 255u - ta;
    uint alpha = ta + divided(tb * left);
    if (alpha == 0u) return 0u;
    uvec3 c = ca + ((cb * left + 128u) * 257u >> 16u);
    c = min((510u * c + alpha - 1u) / (2u * alpha), 255u);
    return c.x | c.y << 8 | c.z << 16 | alpha << 24;
}

void store4(uint at, uint valid, uint from, uvec4 ta, uvec4 ra, uvec4 ga, uvec4 ba, uvec4 tb, uvec4 rb, uvec4 gb, uvec4 bb) {
    for (uint i = 0u; i < 4u; i++) {
        if (from + i < valid) {
            uPixels[at + from + i] = rgba(ta[i], uvec3(ra[i], ga[i], ba[i]), tb[i], uvec3(rb[i], gb[i], bb[i]));
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
#ifdef FULL
uvec4 valid4(uvec4 a, uvec4 column, uint valid) { return a & -uvec4(lessThan(column, uvec4(valid))); }

Row shown(Row t, uint valid) {
    return Row(valid4(t.a, C0, valid), valid4(t.b, C1, valid), valid4(t.c, C2, valid), valid4(t.d, C3, valid));
}
#endif

uint sum4(uvec4 v) { return v.x + v.y + v.z + v.w; }

uvec4 covered(uvec4 a) { return min(a, uvec4(1u)); }

// x: sum of alpha, at most 16*255; y: sum of alpha * column.
uvec2 moments(Row s, uint col) {
    uint a = sum4(s.a), b = sum4(s.b), c = sum4(s.c), d = sum4(s.d);
    uvec4 in4 = s.a + s.b + s.c + s.d;
    uint total = a + b + c + d;
    return uvec2(total, total * col + b * 4u + c * 8u + d * 12u + in4.y + in4.z * 2u + in4.w * 3u);
}

uint count(Row s) { return sum4(covered(s.a) + covered(s.b) + covered(s.c) + covered(s.d)); }

uint both(Row s, Row u) {
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
#if defined(PLAIN)
        // Of opaque colours: alpha is coverage.
        uint back = run.z + tile.x + tile.y - 1u;
        Row first = coverage(ITEM(back), run.w, y);
        for (uint j = 1u; j < tile.y; j++) { // back to front
            Row cover = coverage(ITEM(back - j), run.w, y);
            first = over(first, cover, cover);
        }
#elif defined(DOUBLE)
        Row first = filled(0u), second = filled(0u);
        uint j = tile.y, items = run.z + tile.x;
        for (; j > 0u; j--) {
            uvec4 it = ITEM(items + j - 1u);
            if ((it.y & SECOND) == 0u) break;
            Row cover = coverage(it, run.w, y);
            second = over(second, cover, cover);
        }
        for (; j > 0u; j--) {
            Row cover = coverage(ITEM(items + j - 1u), run.w, y);
            first = over(first, cover, cover);
        }
#else
        Layer first = clear(), second = clear(), group = clear();
        Row clip = filled(255u);
        uint clipped = tile.y; // items from here on have had their clip looked up
        for (uint j = tile.y; j > 0u; j--) {
            uint at = run.z + tile.x + j - 1u;
            uvec4 it = ITEM(at); // first row of its mask, paint, color, group
            if ((it.y & CLIP) != 0u) continue;
            Row cover = coverage(it, run.w, y);
            if ((it.y & CLIPPED) != 0u) {
                if (clipped >= j) { // the nearest clip before the item
                    clipped = j - 1u;
                    while (clipped > 0u && (ITEM(run.z + tile.x + clipped - 1u).y & CLIP) == 0u) clipped--;
                    clip = coverage(ITEM(run.z + tile.x + clipped - 1u), run.w, y);
                }
                cover = times(cover, clip);
            }
            uint alpha = it.y & 0xffu;
            bool into = (it.y & SECOND) != 0u, grouped = (it.y & GROUPED) != 0u;
            if ((it.y & GROUP_LAST) != 0u) group = clear();
            uint bits = paired(it, run.w, y);
            bool rounded = (it.y & ROUND) != 0u;
            Layer l = pick(grouped, group, pick(into, second, first));
            draw(l, cover, alpha, it.z, bits, rounded);
            group = pick(grouped, l, group);
            second = pick(into && !grouped, l, second);
            first = pick(into || grouped, first, l);
            if ((it.y & GROUP_FIRST) != 0u) {
                bool apart = (it.y & APART) != 0u;
                if (into) merge(second, group, it.w, apart);
                else merge(first, group, it.w, apart);
            }
        }
#endif
#if defined(PLAIN)
        sums.xy += moments(first, tile.w);
        counts += count(first);
#elif defined(PICTURE)
        uint columns = y < tile.z >> 16 ? tile.z & 0xffffu : 0u;
        store(place.w + (place.y + y) * stride + place.x + tile.w, columns, first, second);
#else
#ifdef FULL
        uint columns = y < tile.z >> 16 ? tile.z & 0xffffu : 0u;
        Row a = shown(first.t, columns), b = shown(second.t, columns);
#else
        Row a = first, b = second;
#endif
        sums += uvec4(moments(a, tile.w), moments(b, tile.w));
        counts += count(a) | count(b) << 10 | both(a, b) << 20;
#endif
    }
#ifndef PICTURE
    uSums[(index * 8u + y) * 2u] = sums;
    uSums[(index * 8u + y) * 2u + 1u] = uvec4(counts, 0u, 0u, 0u);
#endif
}
