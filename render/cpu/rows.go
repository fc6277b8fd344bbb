// Package cpu is the tile stage in plain Go: the oracle that every shader is compared with, the
// backend where no GL context opens, and the place where drawings over which a device was lost are
// evaluated on every backend. In: a *batch.Batch. Out: row sums or pixels, bit for bit what
// shaders/rows.glsl gives. It is written for clarity. See docs/spec/raster.md#r39.
package cpu

import "plumb/render/batch"

// Rows evaluates the runs [from, to) of a batch in plain Go, a run being a few tiles of one tile row. The
// sums of its TileH pixel rows go to dst[i*TileH:] for run i.
func Rows(b *batch.Batch, from, to int, dst []batch.RowSums) {
	var pixels tileRow
	for i := from; i < to; i++ {
		r := &b.Runs[i]
		for y := range batch.TileH {
			dst[i*batch.TileH+y] = rowSums(b, r, y, &pixels)
		}
	}
}

// Pixels evaluates the tile runs [from, to) of a batch in plain Go into the picture buffer: RGBA8
// as in batch.Flat, each picture at its offset, row 0 on top.
func Pixels(b *batch.Batch, from, to int, dst []uint32) {
	var pixels tileRow
	for i := from; i < to; i++ {
		r := &b.Runs[i]
		for y := range batch.TileH {
			eachPixel(b, r, y, &pixels, func(col uint32, p *batch.Pixel) {
				dst[r.Picture+(r.Y+uint32(y))*r.Stride+r.X+col] = p.RGBA()
			})
		}
	}
}
