// picture.glsl: PICTURE stores the pixels of both sets, the first over the second.
//   twin    render/batch/pixel.go (Pixel.RGBA)
// divided is v / 255, rounded to nearest.
uint divided(uint v) { return (v + 128u) * 257u >> 16u; }

// rgba composites set A over set B and returns 8 bits a channel, not premultiplied. t is alpha, c
// are colours times alpha.
uint rgba(uint ta, uvec3 ca, uint tb, uvec3 cb) {
    uint left = 255u - ta;
    uint alpha = ta + divided(tb * left);
    if (alpha == 0u) return 0u;
    uvec3 c = ca + ((cb * left + 128u) * 257u >> 16u);
    c = min((510u * c + alpha - 1u) / (2u * alpha), 255u);
    return c.x | c.y << 8 | c.z << 16 | alpha << 24;
}

// store4 stores the pixels from .. from+3 of a row, whose first pixel is uPixels[at], but only those below
// valid. t is alpha; r, g and b are colours times alpha. Names that end in a are of set A, in b of set B.
void store4(uint at, uint valid, uint from, uvec4 ta, uvec4 ra, uvec4 ga, uvec4 ba, uvec4 tb, uvec4 rb, uvec4 gb, uvec4 bb) {
    for (uint i = 0u; i < 4u; i++) {
        if (from + i < valid) {
            uPixels[at + from + i] = rgba(ta[i], uvec3(ra[i], ga[i], ba[i]), tb[i], uvec3(rb[i], gb[i], bb[i]));
        }
    }
}

// store stores the sixteen pixels of a row, x over y, at uPixels[at], but only the first valid ones.
void store(uint at, uint valid, Layer x, Layer y) {
    store4(at, valid, 0u, x.t.a, x.r.a, x.g.a, x.b.a, y.t.a, y.r.a, y.g.a, y.b.a);
    store4(at, valid, 4u, x.t.b, x.r.b, x.g.b, x.b.b, y.t.b, y.r.b, y.g.b, y.b.b);
    store4(at, valid, 8u, x.t.c, x.r.c, x.g.c, x.b.c, y.t.c, y.r.c, y.g.c, y.b.c);
    store4(at, valid, 12u, x.t.d, x.r.d, x.g.d, x.b.d, y.t.d, y.r.d, y.g.d, y.b.d);
}
