// pixel.glsl: what FULL and PICTURE paint on sixteen pixels at once: colours, images, the
// two-pixel rule and groups.
//   twin    render/batch/pixel.go
// Layer is sixteen pixels of a set or a group: t is alpha, and for pictures r, g and b are colours times alpha.
struct Layer {
    Row t;
#ifdef PICTURE
    Row r, g, b;
#endif
};

// clear returns an empty layer.
Layer clear() {
    Layer l;
    l.t = filled(0u);
#ifdef PICTURE
    l.r = filled(0u); l.g = filled(0u); l.b = filled(0u);
#endif
    return l;
}

// paint composites a colour, premultiplied, with a row's coverage on the layer. See
// docs/spec/raster.md#r25.
void paint(inout Layer l, Row cover, uint alpha, uint color) {
    Row a = shade(alpha, cover);
#ifdef PICTURE
    l.r = over(l.r, shade(color & 0xffu, cover), a);
    l.g = over(l.g, shade(color >> 8 & 0xffu, cover), a);
    l.b = over(l.b, shade(color >> 16 & 0xffu, cover), a);
#endif
    l.t = over(l.t, a, a);
}

// pair4 composites channel c of a premultiplied colour with that alpha over v by the two-pixel rule
// in the pixels that bits chooses, and keeps other, what the usual rule makes, in the rest; pair does
// it for a row. By that rule the browser draws two pixels at once where an edge crosses just these in
// a row: it adds the products of the colour and of v before it rounds the sum down, while over and
// shade round each down. See docs/spec/raster.md#r22.
uvec4 pair4(uvec4 v, uint c, uint alpha, uvec4 cover, uvec4 other, uint bits) {
    uvec4 chosen = uvec4(bits, bits >> 1, bits >> 2, bits >> 3) & 1u;
    uvec4 rest = 0xffffu - alpha * (cover + 1u);
    uvec4 left = (rest + (rest >> 8u)) >> 8u; // share of what is below, in 1/256
    return other + chosen * (((c * (cover + 1u) + v * left) >> 8u) - other);
}

Row pair(Row v, uint c, uint alpha, Row cover, Row other, uint bits) {
    return Row(pair4(v.a, c, alpha, cover.a, other.a, bits), pair4(v.b, c, alpha, cover.b, other.b, bits >> 4),
               pair4(v.c, c, alpha, cover.c, other.c, bits >> 8), pair4(v.d, c, alpha, cover.d, other.d, bits >> 12));
}

// paired returns a bit for each pixel of a mask's row that the two-pixel rule composites. it is the
// record of the item, masks the first mask of its run.
uint paired(uvec4 it, uint masks, uint row) {
    if ((it.y & PAIRS) == 0u) return 0u;
    uvec4 all = MASK_ROW(masks + it.x + 8u); // behind the eight rows of the mask, 16 bits for each row
    uint two = row < 4u ? (row < 2u ? all.x : all.y) : (row < 6u ? all.z : all.w);
    return two >> (row & 1u) * 16u & 0xffffu;
}

// divided4 is v / 255, rounded to nearest.
uvec4 divided4(uvec4 v) { return (v + 128u) * 257u >> 16u; }

// times multiplies two rows of values 0..255, where 255 stands for 1.
Row times(Row x, Row y) {
    return Row(divided4(x.a * y.a), divided4(x.b * y.b), divided4(x.c * y.c), divided4(x.d * y.d));
}

// scaled multiplies a row by a value 0..255, where 255 stands for 1.
Row scaled(Row x, uint v) { return Row(divided4(x.a * v), divided4(x.b * v), divided4(x.c * v), divided4(x.d * v)); }

// laid composites s with that alpha over v, rounded to nearest.
Row laid(Row v, Row s, Row alpha) {
    return Row(s.a + divided4(v.a * (255u - alpha.a)), s.b + divided4(v.b * (255u - alpha.b)),
               s.c + divided4(v.c * (255u - alpha.c)), s.d + divided4(v.d * (255u - alpha.d)));
}

// lay composites a colour with a row's coverage on the layer as the browser does with images:
// products are rounded to nearest.
void lay(inout Layer l, Row cover, uint alpha, uint color) {
    Row a = scaled(cover, alpha);
#ifdef PICTURE
    l.r = laid(l.r, scaled(cover, color & 0xffu), a);
    l.g = laid(l.g, scaled(cover, color >> 8 & 0xffu), a);
    l.b = laid(l.b, scaled(cover, color >> 16 & 0xffu), a);
#endif
    l.t = laid(l.t, a, a);
}

// draw paints a colour on the layer: all by lay if rounded, else the pixels that bits chooses by the
// two-pixel rule and the others by paint. A driver that runs the threads of a vector together executes
// both sides of every branch, but skips a loop that no thread of the vector enters. So the rare cases are
// loops of at most one step.
void draw(inout Layer l, Row cover, uint alpha, uint color, uint bits, bool rounded) {
    Layer was = l;
    paint(l, cover, alpha, color);
    for (bool some = bits != 0u; some; some = false) {
#ifdef PICTURE
        l.r = pair(was.r, color & 0xffu, alpha, cover, l.r, bits);
        l.g = pair(was.g, color >> 8 & 0xffu, alpha, cover, l.g, bits);
        l.b = pair(was.b, color >> 16 & 0xffu, alpha, cover, l.b, bits);
#endif
        l.t = pair(was.t, alpha, alpha, cover, l.t, bits);
    }
    for (bool some = rounded; some; some = false) {
        l = was;
        lay(l, cover, alpha, color);
    }
}

// pick returns x where first, else y.
Layer pick(bool first, Layer x, Layer y) {
    if (first) return x;
    return y;
}

// upon4 composites a group's value s over v; t is the group's alpha, k its opacity in 1/256. The
// browser rounds the two products down apart through a clip, else their sum (observed). upon does
// it for a row.
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

// merge composites a finished group on the layer below; alpha is the group's opacity, 0..255.
void merge(inout Layer l, Layer g, uint alpha, bool apart) {
#ifdef PICTURE
    l.r = upon(l.r, g.r, g.t, alpha + 1u, apart);
    l.g = upon(l.g, g.g, g.t, alpha + 1u, apart);
    l.b = upon(l.b, g.b, g.t, alpha + 1u, apart);
#endif
    l.t = upon(l.t, g.t, g.t, alpha + 1u, apart);
}
