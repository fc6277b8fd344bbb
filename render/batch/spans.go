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
	spans, bytes := coverageOf(d, it), d.Coverage.Bytes // spans are sorted by row
	binner.pairs, binner.maskRows = d.PairPixels[it.FirstPairPixel:it.FirstPairPixel+it.PairPixelCount], TileH
	if it.PairPixelCount > 0 { // one more row of the mask marks the pixels of the two-pixel rule
		binner.maskRows++
	}
	for len(spans) > 0 {
		r := spans[0].Y >> rowShift // floor also where a glyph begins above the picture
		binner.firstCol, binner.endCol = binner.cols, 0
		binner.beginRow(r)
		for len(spans) > 0 && spans[0].Y>>rowShift == r {
			if s := &spans[0]; r >= 0 && s.Y < binner.heightPx {
				binner.binSpan(s, bytes)
			}
			spans = spans[1:]
		}
		if binner.firstCol < binner.endCol {
			if binner.reaches != nil && binner.reaches[k] != nil {
				binner.reaches[k].at(r).join(interval{binner.firstCol, binner.endCol})
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
	return max(s.X, binner.left), min(s.X+s.Width, binner.right)
}

// binSpan copies one span of an item's coverage, whose bytes are in bytes, into the masks of the tiles of the
// current tile row, and extends binner.firstCol and binner.endCol.
func (binner *Binner) binSpan(span *scan.Span, bytes []byte) {
	from, to := binner.clipped(span)
	if from >= to {
		return
	}
	row := span.Y & (TileH - 1)
	first, last := from>>tileShift, (to-1)>>tileShift+1
	binner.firstCol, binner.endCol = min(binner.firstCol, first), max(binner.endCol, last)
	startsAndEndsAtTileEdges := span.X&(TileW-1) == 0 && span.Width&(TileW-1) == 0 // as most do
	isInside := to-from == span.Width                                              // nothing of the span is outside
	switch {
	case span.FirstByte == scan.Full: // opaque throughout, without bytes
		binner.binFull(row, from, to)
	case startsAndEndsAtTileEdges && isInside:
		src := bytes[span.FirstByte:][:span.Width]
		columns := binner.columns[first:last]
		for i := range columns {
			mask := columns[i].maskAt
			if mask < 0 {
				mask = binner.openMask(&columns[i])
			}
			binner.masks[mask+row] = MaskRow(src[i*TileW:]) // the next TileW bytes
		}
	default:
		binner.binPixels(row, from, to, bytes[span.FirstByte+from-span.X:])
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
		columns[i].fullRows |= 1 << row
	}
}

// binPixels copies the coverage of the columns [from, to) into the masks of their tiles.
func (binner *Binner) binPixels(row, from, to int32, bytes []byte) {
	for from < to {
		column := &binner.columns[from>>tileShift]
		if column.maskAt < 0 {
			binner.openMask(column)
		}
		x := from & (TileW - 1)
		n := min(to-from, TileW-x)
		copyShort(binner.masks[column.maskAt+row][x:x+n], bytes)
		from, bytes = from+n, bytes[n:]
	}
}

// openMask gives a tile an empty mask and returns its first row.
func (binner *Binner) openMask(column *column) int32 {
	column.maskAt = int32(len(binner.masks))
	var empty [TileH + 1]MaskRow
	binner.masks = append(binner.masks, empty[:binner.maskRows]...)
	return column.maskAt
}

// endRow makes an entry for each tile of a row of tiles that an item, given by its index, touches, and clears
// binner.columns for the next row of tiles. A tile that the item covers in all rows of pixels needs no mask. In
// the masks of others the rows that it covers as a whole are filled in.
func (binner *Binner) endRow(item, tileRow int32) {
	allRows := uint32(1)<<min(TileH, binner.heightPx-tileRow*TileH) - 1 // a bit for each row of pixels that the picture has
	for x := binner.firstCol; x < binner.endCol; x++ {
		tile := &binner.columns[x]
		switch {
		case tile.fullRows == allRows:
			// Without a mask the item fills the tile. It may still have one, from other spans over the same
			// pixels, which is then filled in below.
		case tile.maskAt < 0 && tile.fullRows == 0: // between spans
			continue
		case tile.maskAt < 0: // some rows are covered, all of them as a whole
			binner.openMask(tile)
		}
		if tile.maskAt >= 0 {
			covered := opaqueRow
			if x == binner.cols-1 { // it may reach beyond the picture
				covered = binner.lastRow
			}
			// tile.fullRows has a bit for each row of pixels that the item covers as a whole.
			for rows := tile.fullRows; rows != 0; rows &= rows - 1 {
				binner.masks[tile.maskAt+int32(bits.TrailingZeros32(rows))] = covered
			}
		}
		binner.addEntry(tileRow, entry{item: item, col: x, maskAt: tile.maskAt})
	}
	binner.markPairs(tileRow)
	for x := binner.firstCol; x < binner.endCol; x++ {
		binner.columns[x] = column{maskAt: -1}
	}
}

// markPairs takes the pixels of tile row r, and any above it, from binner.pairs: the item's pixels for the
// two-pixel rule (see FlagPairs), sorted by row. It sets their bits in the additional row after the mask of their
// tile. Pixels outside of the tiles that the item touches are dropped.
func (binner *Binner) markPairs(r int32) {
	for len(binner.pairs) > 0 && binner.pairs[0].Y>>rowShift <= r {
		p := binner.pairs[0]
		binner.pairs = binner.pairs[1:]
		if x := p.X >> tileShift; p.Y>>rowShift == r && x >= binner.firstCol && x < binner.endCol && binner.columns[x].maskAt >= 0 {
			// The additional row has a word of TileW bits for each row of pixels, in little-endian order: the bit
			// with number k is bit k&7 of byte k>>3.
			bit := (p.Y&(TileH-1))*TileW + (p.X & (TileW - 1))
			binner.masks[binner.columns[x].maskAt+TileH][bit>>3] |= 1 << (bit & 7)
		}
	}
}

// tileShift and rowShift are the binary logarithms of TileW and TileH.
const tileShift, rowShift = 4, 3

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
	maskAt   int32  // first row of its mask in Binner.masks, -1 for none
	fullRows uint32 // a bit for each row that is 255 throughout
}

// coverageOf returns the spans of an item.
func coverageOf(d *paint.Drawing, it *paint.Item) []scan.Span {
	return d.Coverage.Spans[it.FirstSpan : it.FirstSpan+it.SpanCount]
}
