// sums.glsl: PLAIN, DOUBLE and FULL sum alpha, its moments and covered pixels of a row.
//   twin    render/cpu/sums.go
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
