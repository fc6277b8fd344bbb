package gpu

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"

	"plumb/render/batch"
	"plumb/shaders"
)

// fakeStage is a stage of the tests' own with the tile stage's bindings: it
// mixes everything that a run refers to, so that one word read from the wrong
// place changes the result. fakeRow and fakePixel are its twins in Go.
const fakeStage = `
layout(local_size_x = 8, local_size_y = 8) in;
uniform uint uFirstRun, uRuns;
#ifdef TEXTURE_BUFFERS
layout(binding = 0) uniform usamplerBuffer uMasks;
layout(binding = 1) uniform usamplerBuffer uItems;
layout(binding = 2) uniform usamplerBuffer uTiles;
layout(binding = 3) uniform usamplerBuffer uRunRecords;
#define AT(buf, i) texelFetch(buf, int(i))
#else
layout(binding = 1, std430) readonly buffer Masks { uvec4 uMasks[]; };
layout(binding = 2, std430) readonly buffer Items { uvec4 uItems[]; };
layout(binding = 3, std430) readonly buffer Tiles { uvec4 uTiles[]; };
layout(binding = 4, std430) readonly buffer Runs { uvec4 uRunRecords[]; };
#define AT(buf, i) buf[i]
#endif
layout(binding = 0, std430) writeonly buffer Output { uint uOut[]; };

uint mixed(uint h, uint v) { return (h ^ v) * 16777619u; }
uint mixed4(uint h, uvec4 v) { return mixed(mixed(mixed(mixed(h, v.x), v.y), v.z), v.w); }

void main() {
    uint y = gl_LocalInvocationID.x;
    if (gl_GlobalInvocationID.y >= uRuns) return;
    uint index = uFirstRun + gl_GlobalInvocationID.y;
    uvec4 run = AT(uRunRecords, index * 3u), place = AT(uRunRecords, index * 3u + 1u);
    uint stride = AT(uRunRecords, index * 3u + 2u).x;
    uint h = VARIANT + y;
    for (uint i = 0u; i < run.y; i++) {
        uvec4 tile = AT(uTiles, run.x + i);
        h = mixed(mixed(mixed(h, tile.y), tile.z), tile.w);
        for (uint j = 0u; j < tile.y; j++) {
            uvec4 it = AT(uItems, run.z + tile.x + j);
            h = mixed(mixed(mixed(h, it.y), it.z), it.w);
            for (uint k = 0u; k < 8u && (it.y & 0x4000u) != 0u; k++) h = mixed4(h, AT(uMasks, run.w + it.x + k));
        }
#ifdef PICTURE
        for (uint x = 0u; x < (tile.z & 0xffffu) && y < tile.z >> 16; x++)
            uOut[place.w + (place.y + y) * stride + place.x + tile.w + x] = h + x;
#endif
    }
#ifndef PICTURE
    h = mixed(mixed(mixed(mixed(h, place.x), place.y), place.z), stride);
    for (uint i = 0u; i < 8u; i++) uOut[(index * 8u + y) * 8u + i] = h + i;
#endif
}
`

func fakeSource(v shaders.Variant, texture bool) string {
	s := fmt.Sprintf("#version 430 core\n#define VARIANT %du\n#define %s\n", uint32(v)*100, v)
	if texture {
		s += "#define TEXTURE_BUFFERS\n"
	}
	return s + fakeStage
}

func mixed(h uint32, vs ...uint32) uint32 {
	for _, v := range vs {
		h = (h ^ v) * 16777619
	}
	return h
}

// fakeRun evaluates one row of a run; pixel is called for each pixel.
func fakeRun(b *batch.Batch, r *batch.Run, v shaders.Variant, y uint32, pixel func(at, value uint32)) batch.RowSums {
	h := uint32(v)*100 + y
	for _, t := range b.Tiles[r.FirstTile : r.FirstTile+r.TileCount] {
		h = mixed(h, t.ItemCount, t.Valid, t.Col)
		for _, it := range b.Items[r.FirstItem+t.FirstItem : r.FirstItem+t.FirstItem+t.ItemCount] {
			h = mixed(h, it.Paint, it.Color, it.Group)
			for _, m := range b.Mask(r, &it) {
				for w := range 4 {
					h = mixed(h, binary.LittleEndian.Uint32(m[4*w:]))
				}
			}
		}
		for x := uint32(0); x < t.Valid&0xffff && y < t.Valid>>16; x++ {
			pixel(r.Picture+(r.Y+y)*r.Stride+r.X+t.Col+x, h+x)
		}
	}
	h = mixed(h, r.X, r.Y, r.Scene, r.Stride)
	return batch.RowSums{A0: h, AX0: h + 1, A1: h + 2, AX1: h + 3, Counts: h + 4}
}

func fakeRows(b *batch.Batch) []batch.RowSums {
	out := make([]batch.RowSums, b.ShaderRuns()*batch.TileH)
	for i := range b.ShaderRuns() {
		class := batch.Plain
		for i >= b.Ends[class] {
			class++
		}
		v := variantOf[class]
		for y := range batch.TileH {
			out[i*batch.TileH+y] = fakeRun(b, &b.Runs[i], v, uint32(y), func(_, _ uint32) {})
		}
	}
	return out
}

func fakePixels(b *batch.Batch) []uint32 {
	out := make([]uint32, b.PixelCount)
	for i := range b.ShaderRuns() {
		for y := range batch.TileH {
			fakeRun(b, &b.Runs[i], shaders.Picture, uint32(y), func(at, v uint32) { out[at] = v })
		}
	}
	return out
}

// sameRows compares the words that are not padding.
func sameRows(got, want []batch.RowSums) error {
	if len(got) != len(want) {
		return fmt.Errorf("got %d rows; want %d", len(got), len(want))
	}
	for i := range got {
		g, w := got[i], want[i]
		if g.A0 != w.A0 || g.AX0 != w.AX0 || g.A1 != w.A1 || g.AX1 != w.AX1 || g.Counts != w.Counts {
			return fmt.Errorf("row %d of run %d: got %v; want %v", i%batch.TileH, i/batch.TileH, g, w)
		}
	}
	return nil
}

func samePixels(got, want []uint32) error {
	if len(got) != len(want) {
		return fmt.Errorf("got %d px; want %d", len(got), len(want))
	}
	for i := range got {
		if got[i] != want[i] {
			return fmt.Errorf("px %d: got %08x; want %08x", i, got[i], want[i])
		}
	}
	return nil
}

// fakeBatch makes scenes pictures whose tile rows all hold one run of random
// tiles, items and masks. A tenth of the runs is left to the CPU.
func fakeBatch(seed uint64, scenes int) *batch.Batch {
	rng := rand.New(rand.NewPCG(seed, 1))
	b := new(batch.Batch)
	for s := range scenes {
		p := batch.Picture{Offset: b.PixelCount, Width: 1 + rng.IntN(200), Height: 1 + rng.IntN(60)}
		b.Pictures = append(b.Pictures, p)
		b.PixelCount += p.Width * p.Height
		fakeScene(b, rng, s, p)
	}
	rng.Shuffle(len(b.Runs), func(i, j int) { b.Runs[i], b.Runs[j] = b.Runs[j], b.Runs[i] })
	n := len(b.Runs)
	b.Ends = [batch.Classes]int{n / 3, n / 2, n - n/10}
	return b
}

func fakeScene(b *batch.Batch, rng *rand.Rand, scene int, p batch.Picture) {
	base := batch.Run{
		FirstItem: uint32(len(b.Items)), FirstMask: uint32(b.Rows()),
		Scene: uint32(scene), Picture: uint32(p.Offset), Stride: uint32(p.Width),
	}
	b.Masks = append(b.Masks, nil)
	for y := 0; y < p.Height; y += batch.TileH {
		run := base
		run.FirstTile, run.Y = uint32(len(b.Tiles)), uint32(y)
		for x := 0; x < min(p.Width, batch.RunTiles*batch.TileW); x += batch.TileW {
			first := len(b.Items)
			for range rng.IntN(4) {
				fakeItem(b, rng, base)
			}
			cols, rows := min(batch.TileW, p.Width-x), min(batch.TileH, p.Height-y)
			b.Tiles = append(b.Tiles, batch.Tile{
				FirstItem: uint32(first) - base.FirstItem, ItemCount: uint32(len(b.Items) - first),
				Valid: uint32(cols | rows<<16), Col: uint32(x),
			})
			run.TileCount++
		}
		b.Runs = append(b.Runs, run)
	}
}

func fakeItem(b *batch.Batch, rng *rand.Rand, base batch.Run) {
	masks := &b.Masks[base.Scene]
	it := batch.Item{
		FirstRow: uint32(len(*masks)), Paint: rng.Uint32() & (batch.FlagMask - 1),
		Color: rng.Uint32(), Group: rng.Uint32(),
	}
	if rng.IntN(4) > 0 {
		it.Paint |= batch.FlagMask
		for range batch.TileH {
			var m batch.MaskRow
			for i := range m {
				m[i] = byte(rng.Uint32())
			}
			*masks = append(*masks, m)
		}
	}
	b.Items = append(b.Items, it)
}
