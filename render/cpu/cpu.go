// Package cpu is the tile stage in plain Go: the oracle that every shader is compared with, the
// backend where no GL context opens, and the place where drawings that devices die of are
// evaluated on every backend. In: a *batch.Batch. Out: row sums or pixels, bit for bit what
// shaders/tile.glsl gives. It is written for clarity. See docs/spec/raster.md#r39.
package cpu

import "plumb/render/batch"

// Rows evaluates the runs [from, to) of a batch and stores their row sums at the
// same positions of dst, TileH per run.
func Rows(b *batch.Batch, from, to int, dst []batch.RowSums) {
	for i := from; i < to; i++ {
		r := &b.Runs[i]
		for y := range batch.TileH {
			dst[i*batch.TileH+y] = rowSums(b, r, y)
		}
	}
}

// Pixels evaluates the runs [from, to) of a batch into the picture buffer:
// RGBA8 as in batch.Flat, each picture at its offset, row 0 on top.
func Pixels(b *batch.Batch, from, to int, dst []uint32) {
	for i := from; i < to; i++ {
		r := &b.Runs[i]
		for y := range batch.TileH {
			eachPixel(b, r, y, func(col uint32, p *batch.Pixel) {
				dst[r.Picture+(r.Y+uint32(y))*r.Stride+r.X+col] = p.RGBA()
			})
		}
	}
}

// rowSums evaluates one pixel row of a run. A row has at most 128 pixels, so
// every sum fits 32 bits (batch.RunSpan).
func rowSums(b *batch.Batch, r *batch.Run, y int) (s batch.RowSums) {
	eachPixel(b, r, y, func(col uint32, p *batch.Pixel) {
		a0, a1 := p.Alpha()
		s.A0 += a0
		s.AX0 += a0 * col
		s.A1 += a1
		s.AX1 += a1 * col
		s.Counts += covered(a0) | covered(a1)<<10 | covered(a0)*covered(a1)<<20
	})
	return s
}

// eachPixel composites the pixels of one row of a run, left to right; col is
// relative to the run's X.
func eachPixel(b *batch.Batch, r *batch.Run, y int, f func(col uint32, p *batch.Pixel)) {
	for _, t := range b.Tiles[r.Tiles : r.Tiles+r.Count] {
		if y >= int(t.Valid>>16) {
			continue
		}
		pixels := composite(b, r, b.Items[r.Items+t.First:][:t.Count], y)
		for c := range pixels[:t.Valid&0xffff] {
			f(t.Col+uint32(c), &pixels[c])
		}
	}
}

// composite paints the items of a tile, which stand front to back, in row y.
func composite(b *batch.Batch, r *batch.Run, items []batch.Item, y int) (pixels [batch.TileW]batch.Pixel) {
	clipped := len(items) // items from here on have had their clip looked up
	var clip [batch.TileW]uint32
	for i := len(items) - 1; i >= 0; i-- {
		it := &items[i]
		if it.Paint&batch.FlagClip != 0 {
			continue
		}
		mask := b.Mask(r, it)
		cover := coverage(mask, y)
		if it.Paint&batch.FlagClipped != 0 {
			if clipped > i { // the nearest clip before the item
				for clipped = i - 1; items[clipped].Paint&batch.FlagClip == 0; clipped-- {
				}
				clip = coverage(b.Mask(r, &items[clipped]), y)
			}
			for c := range cover {
				cover[c] = batch.Div255(cover[c] * clip[c])
			}
		}
		for c := range pixels {
			pixels[c].Add(it, cover[c], paired(it, mask, y, c))
		}
	}
	return pixels
}
