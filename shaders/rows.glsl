// rows.glsl: a thread composites one pixel row of a run, tile by tile, and sums or stores it.
//   twin    render/cpu/rows.go, composite.go
// A thread composites row y of every tile of a run, back to front. PICTURE stores the pixels; the other
// variants store the sums of the row over all tiles of the run.
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
        // As PLAIN; the items of the second set stand behind those of the first.
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
            bool toSecond = (it.y & SECOND) != 0u, grouped = (it.y & GROUPED) != 0u;
            if ((it.y & GROUP_LAST) != 0u) group = clear();
            uint bits = paired(it, run.w, y);
            bool rounded = (it.y & ROUND) != 0u;
            // The layer that the item is painted on: the open group's, or its set's.
            Layer l = pick(grouped, group, pick(toSecond, second, first));
            draw(l, cover, alpha, it.z, bits, rounded);
            group = pick(grouped, l, group);
            second = pick(toSecond && !grouped, l, second);
            first = pick(toSecond || grouped, first, l);
            if ((it.y & GROUP_FIRST) != 0u) {
                bool apart = (it.y & APART) != 0u;
                if (toSecond) merge(second, group, it.w, apart);
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
