package batch

import (
	"math/bits"

	"plumb/render/paint"
	"plumb/render/scan"
)

// binItem sorts the coverage of item k into tiles, tile row by tile row: each tile that it touches
// gets an entry, with a mask unless the item fills the tile. Spans outside of the picture, or of
// the part that is cut, count for nothing. The columns of each row are added to the item's reach,
// if that is wanted.
func (binner *Binner) binItem(k int32, d *paint.Drawing, it *paint.Item) {
	all, bytes := coverageOf(d, it), d.Coverage.Bytes
	binner.pairs, binner.maskRows = d.PairPixels[it.FirstPairPixel:it.FirstPairPixel+it.PairPixelCount], TileH
	if it.PairPixelCount > 0 { // one more row of the mask marks the pixels of the two-pixel rule
		binner.maskRows++
	}
	for len(all) > 0 {
		r := all[0].Y >> 3 // floor also where a glyph begins above the picture
		binner.lo, binner.hi = binner.cols, 0
		binner.beginRow(r)
		for len(all) > 0 && all[0].Y>>3 == r {
			if s := &all[0]; r >= 0 && s.Y < binner.heightPx {
				binner.binSpan(s, bytes)
			}
			all = all[1:]
		}
		if binner.lo < binner.hi {
			if binner.reaches != nil && binner.reaches[k] != nil {
				binner.reaches[k].at(r).join(interval{binner.lo, binner.hi})
			}
			binner.endRow(k, r)
		}
	}
}

// beginRow sets which columns, in px, of tile row r are cut into tiles: all of the picture, or those
// of the part of it that is wanted.
func (binner *Binner) beginRow(r int32) {
	binner.left, binner.right = 0, binner.widthPx
	if binner.part != nil {
		v := binner.part.row(r)
		binner.left, binner.right = v.from<<tileShift, min(v.to<<tileShift, binner.widthPx)
	}
}

// clipped returns the columns [from, to) of a span inside the picture, or the part of it that is
// cut.
func (binner *Binner) clipped(s *scan.Span) (from, to int32) {
	return max(s.X, binner.left), min(s.X+s.N, binner.right)
}

// binSpan copies one span of an item's coverage, whose bytes are in bytes, into the masks of the tiles of the
// current tile row, and extends binner.lo and binner.hi.
func (binner *Binner) binSpan(span *scan.Span, bytes []byte) {
	from, to := binner.clipped(span)
	if from >= to {
		return
	}
	row := span.Y & (TileH - 1)
	first, last := from>>tileShift, (to-1)>>tileShift+1
	binner.lo, binner.hi = min(binner.lo, first), max(binner.hi, last)
	// Most spans begin and end at edges of tiles.
	aligned := span.X&(TileW-1) == 0 && span.N&(TileW-1) == 0
	whole := to-from == span.N // nothing of the span is outside
	switch {
	case span.At == scan.Full: // opaque throughout, without bytes
		binner.binFull(row, from, to)
	case aligned && whole:
		src := bytes[span.At:][:span.N]
		columns := binner.columns[first:last]
		for i := range columns {
			mask := columns[i].mask
			if mask < 0 {
				mask = binner.openMask(&columns[i])
			}
			binner.scratch[mask+row] = MaskRow(src[i*TileW:]) // the next TileW bytes
		}
	default:
		binner.binPixels(row, from, to, bytes[span.At+from-span.X:])
	}
}

// binFull puts pixels that an item covers wholly, columns [from, to) of a pixel row of the tile row, into the
// tiles: a bit for each tile that they cross, and bytes of a mask in tiles at the ends.
func (binner *Binner) binFull(row, from, to int32) {
	// The tiles [first, last) are crossed from edge to edge: first is rounded up, last down.
	first, last := (from+TileW-1)>>tileShift, to>>tileShift
	if to == binner.widthPx { // the last tile counts as crossed, although it may reach beyond the picture
		last = binner.cols
	}
	if first > last { // inside of one tile, at neither of its edges
		binner.binPixels(row, from, to, opaqueRow[:])
		return
	}
	// What is left of the first edge and right of the last one. If first is last, it may be either or both.
	if x := min(first<<tileShift, to); from < x {
		binner.binPixels(row, from, x, opaqueRow[:])
	}
	if x := last << tileShift; x < to {
		binner.binPixels(row, x, to, opaqueRow[:])
	}
	columns := binner.columns[first:last]
	for i := range columns {
		columns[i].full |= 1 << row
	}
}

// binPixels copies the coverage of the columns [from, to) into the masks of their tiles.
func (binner *Binner) binPixels(row, from, to int32, bytes []byte) {
	for from < to {
		column := &binner.columns[from>>tileShift]
		if column.mask < 0 {
			binner.openMask(column)
		}
		x := from & (TileW - 1)
		n := min(to-from, TileW-x)
		copyShort(binner.scratch[column.mask+row][x:x+n], bytes)
		from, bytes = from+n, bytes[n:]
	}
}

// openMask gives a tile an empty mask and returns its first row.
func (binner *Binner) openMask(column *column) int32 {
	column.mask = int32(len(binner.scratch))
	var empty [TileH + 1]MaskRow
	binner.scratch = append(binner.scratch, empty[:binner.maskRows]...)
	return column.mask
}

// endRow makes an entry for each tile of a row of tiles that an item, given by its index, touches, and clears
// binner.columns for the next row of tiles. A tile that the item covers in all rows of pixels needs no mask. In
// the masks of others the rows that it covers as a whole are filled in.
func (binner *Binner) endRow(item, tileRow int32) {
	all := uint32(1)<<min(TileH, binner.heightPx-tileRow*TileH) - 1 // a bit for each row of pixels that the picture has
	for x := binner.lo; x < binner.hi; x++ {
		tile := &binner.columns[x]
		switch {
		case tile.full == all:
			// Without a mask the item fills the tile. It may still have one, from other spans over the same
			// pixels, which is then filled in below.
		case tile.mask < 0 && tile.full == 0: // between spans
			continue
		case tile.mask < 0: // some rows are covered, all of them as a whole
			binner.openMask(tile)
		}
		if tile.mask >= 0 {
			covered := opaqueRow
			if x == binner.cols-1 { // it may reach beyond the picture
				covered = binner.lastRow
			}
			// tile.full has a bit for each row of pixels that the item covers as a whole.
			for rows := tile.full; rows != 0; rows &= rows - 1 {
				binner.scratch[tile.mask+int32(bits.TrailingZeros32(rows))] = covered
			}
		}
		binner.addEntry(tileRow, entry{item: item, col: x, mask: tile.mask})
	}
	binner.markPairs(tileRow)
	for x := binner.lo; x < binner.hi; x++ {
		binner.columns[x] = column{mask: -1}
	}
}

// markPairs takes the pixels of tile row r, and any above it, from binner.pairs: the item's pixels for the
// two-pixel rule (see FlagPairs), sorted by row. It sets their bits in the additional row after the mask of their
// tile. Pixels outside of the tiles that the item touches are dropped.
func (binner *Binner) markPairs(r int32) {
	for len(binner.pairs) > 0 && binner.pairs[0].Y>>3 <= r {
		p := binner.pairs[0]
		binner.pairs = binner.pairs[1:]
		if x := p.X >> tileShift; p.Y>>3 == r && x >= binner.lo && x < binner.hi && binner.columns[x].mask >= 0 {
			// The words of 16 bits, one for each row of pixels, are little-endian: bit k of all is bit k&7 of byte k>>3.
			bit := (p.Y&(TileH-1))*TileW + (p.X & (TileW - 1))
			binner.scratch[binner.columns[x].mask+TileH][bit>>3] |= 1 << (bit & 7)
		}
	}
}

// tileShift is the binary logarithm of TileW.
const tileShift = 4

// shortCopy is the number of bytes up to which a loop is faster than the runtime's copy.
const shortCopy = 8

// copyShort copies len(dst) bytes. Most spans are a few pixels long, so short ones take a loop.
func copyShort(dst, src []byte) {
	if len(dst) > shortCopy {
		copy(dst, src)
		return
	}
	src = src[:len(dst)]
	for i := range dst {
		dst[i] = src[i]
	}
}

// opaqueRow is a row of a mask that is all covered.
var opaqueRow = MaskRow{255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255}

// column is the state of one tile of the current row while an item is binned.
type column struct {
	mask int32  // scratch record of its mask, -1 for none
	full uint32 // a bit for each row that is 255 throughout
}

// coverageOf returns the spans of an item.
func coverageOf(d *paint.Drawing, it *paint.Item) []scan.Span {
	return d.Coverage.Spans[it.First : it.First+it.Count]
}
