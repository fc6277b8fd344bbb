// sums.glsl: PLAIN, DOUBLE and FULL sum alpha, its moments and covered pixels of a row.
//   twin    render/cpu/sums.go
#ifdef FULL
// valid4 sets to 0 the bytes of columns from valid on.
uvec4 valid4(uvec4 a, uvec4 column, uint valid) { return a & -uvec4(lessThan(column, uvec4(valid))); }

// shown is valid4 for a row of sixteen columns: those from valid on are off the picture.
Row shown(Row t, uint valid) {
    return Row(valid4(t.a, C0, valid), valid4(t.b, C1, valid), valid4(t.c, C2, valid), valid4(t.d, C3, valid));
}
#endif

// sum4 returns the sum of four values.
uint sum4(uvec4 v) { return v.x + v.y + v.z + v.w; }

// covered is 1 for each pixel whose alpha is not 0.
uvec4 covered(uvec4 a) { return min(a, uvec4(1u)); }

// moments returns in x the sum of the alpha of a row, at most 16*255, and in y the sum of alpha * column, where
// col is the column of the row's first pixel.
uvec2 moments(Row s, uint col) {
    uint a = sum4(s.a), b = sum4(s.b), c = sum4(s.c), d = sum4(s.d);
    uvec4 in4 = s.a + s.b + s.c + s.d;
    uint total = a + b + c + d;
    return uvec2(total, total * col + b * 4u + c * 8u + d * 12u + in4.y + in4.z * 2u + in4.w * 3u);
}

// count returns how many pixels of a row are covered.
uint count(Row s) { return sum4(covered(s.a) + covered(s.b) + covered(s.c) + covered(s.d)); }

// both returns how many pixels are covered in both rows.
uint both(Row s, Row u) {
    return sum4(covered(s.a) * covered(u.a) + covered(s.b) * covered(u.b)
              + covered(s.c) * covered(u.c) + covered(s.d) * covered(u.d));
}
