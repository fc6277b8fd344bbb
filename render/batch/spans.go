package batch

import (
	"plumb/render/outline"
	"plumb/render/scan"
)

// spans bins the coverage of one item: tiles that it fills become solid, others
// that it touches get a mask.
func (b *Binner) spans(k int32, d *outline.Drawing, it *outline.Item) {
	all, bytes, pairs := coverageOf(d, it), d.Coverage.Bytes, d.Pairs[it.Pairs:it.Pairs+it.Paired]
	for len(all) > 0 {
		r := all[0].Y >> 3 // floor also where a glyph begins above the picture
		n := 1
		for n < len(all) && all[n].Y>>3 == r {
			n++
		}
		if r >= 0 && r < b.rows {
			b.spanRow(k, r, all[:n], bytes, it.Paired > 0)
			pairs = b.markPairs(r, pairs)
		}
		all = all[n:]
	}
}

// clipped returns the columns [from, to) of a span inside the picture.
func (b *Binner) clipped(s *scan.Span) (from, to int32) {
	return max(s.X, 0), min(s.X+s.N, b.widthPx)
}

// spanRow bins the spans of one tile row.
func (b *Binner) spanRow(k, r int32, spans []scan.Span, bytes []byte, paired bool) {
	b.lo, b.hi = 0, 0
	lo, hi := b.countColumns(r, spans)
	if lo >= hi {
		return
	}
	rows := min(TileH, b.heightPx-r*TileH)
	b.lo, b.hi = lo, hi
	more := 0 // rows that masks have for pairs
	if paired {
		more = 1
	}
	touched, full := int32(0), int32(0)
	for c := lo; c < hi; c++ {
		n := &b.columns[c]
		touched, full = touched+n.touch, full+n.full
		n.touch, n.full, n.mask = 0, 0, -1
		switch {
		case touched == 0:
		case full == rows:
			b.push(r, c, entry{item: k, mask: -1})
		default:
			n.mask = int32(len(b.scratch))
			var empty [TileH + 1]MaskRow
			b.scratch = append(b.scratch, empty[:TileH+more]...)
			b.push(r, c, entry{item: k, mask: n.mask})
		}
	}
	b.columns[hi].touch, b.columns[hi].full = 0, 0
	for i := range spans {
		b.fillMasks(r, &spans[i], bytes)
	}
}

// markPairs notes the pairs of the tile row that was binned last, and returns those
// of the rows below.
func (b *Binner) markPairs(r int32, pairs []outline.Pixel) []outline.Pixel {
	for len(pairs) > 0 && pairs[0].Y>>3 <= r {
		p := pairs[0]
		pairs = pairs[1:]
		if c := p.X >> tileShift; p.Y>>3 == r && c >= b.lo && c < b.hi && b.columns[c].mask >= 0 {
			bit := (p.Y&7)*TileW + p.X&(TileW-1)
			b.scratch[b.columns[c].mask+TileH][bit>>3] |= 1 << (bit & 7)
		}
	}
	return pairs
}

// countColumns notes where spans begin and end to touch tiles, and to fill a
// whole row of one; it returns the range of columns.
func (b *Binner) countColumns(r int32, spans []scan.Span) (lo, hi int32) {
	lo = b.cols
	for i := range spans {
		s := &spans[i]
		from, to := b.clipped(s)
		if from >= to || s.Y >= b.heightPx {
			continue
		}
		first, last := from>>tileShift, (to-1)>>tileShift
		b.columns[first].touch++
		b.columns[last+1].touch--
		lo, hi = min(lo, first), max(hi, last+1)
		if s.At != scan.Full {
			continue
		}
		first, last = (from+TileW-1)>>tileShift, to>>tileShift
		if to == b.widthPx {
			last = b.cols
		}
		if first < last {
			b.columns[first].full++
			b.columns[last].full--
		}
	}
	return lo, hi
}

// tileShift divides by TileW.
const tileShift = 4

// fillMasks writes one span into the masks of the tiles it touches.
func (b *Binner) fillMasks(r int32, s *scan.Span, bytes []byte) {
	from, to := b.clipped(s)
	if from >= to || s.Y >= b.heightPx {
		return
	}
	row := s.Y - r*TileH
	if s.At != scan.Full && (s.X|s.N)&(TileW-1) == 0 && s.X >= 0 {
		b.copyCells(row, s, bytes)
		return
	}
	for c := from >> tileShift; from < to; c++ {
		end := min(to, (c+1)<<tileShift)
		if mask := b.columns[c].mask; mask >= 0 {
			x := from & (TileW - 1)
			pixels := b.scratch[mask+row][x : x+end-from]
			if s.At != scan.Full {
				fill(pixels, bytes[s.At+from-s.X:])
			} else {
				fill(pixels, opaqueRow[:])
			}
		}
		from = end
	}
}

// copyCells is fillMasks for bytes in whole cells, as most come.
func (b *Binner) copyCells(row int32, s *scan.Span, bytes []byte) {
	src := bytes[s.At : s.At+s.N]
	columns := b.columns[s.X>>tileShift : (min(s.X+s.N, b.cols*TileW))>>tileShift]
	for i := range columns {
		if mask := columns[i].mask; mask >= 0 {
			b.scratch[mask+row] = MaskRow(src[i*TileW:])
		}
	}
}

// fill copies what dst takes. Most spans are a few pixels long, for which a loop
// is faster than the runtime's copy.
func fill(dst, src []byte) {
	if len(dst) > 8 {
		copy(dst, src)
		return
	}
	src = src[:len(dst)]
	for i := range dst {
		dst[i] = src[i]
	}
}

// opaqueRow is a row of a mask that is all covered.
var opaqueRow = [TileW]byte{255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255}

// widen makes the grid hold the spans of one item; false when none lies in
// the picture.
func (b *Binner) widen(spans []scan.Span) bool {
	visible := false
	for i := 0; i < len(spans); {
		r := spans[i].Y >> 3
		lo, hi := b.widthPx, int32(0)
		for ; i < len(spans) && spans[i].Y>>3 == r; i++ {
			if from, to := b.clipped(&spans[i]); from < to && spans[i].Y < b.heightPx {
				lo, hi = min(lo, from), max(hi, to)
			}
		}
		if r < 0 || lo >= hi {
			continue
		}
		visible = true
		s := &b.span[r]
		s.lo, s.hi = min(s.lo, lo/TileW), max(s.hi, (hi-1)/TileW+1)
	}
	return visible
}

// column is what a tile row's sweep knows of one tile.
type column struct {
	touch, full int32 // changes from the column before: spans in it, rows filled
	mask        int32 // scratch record of its mask, -1 for none
}

// coverageOf returns the spans of an item.
func coverageOf(d *outline.Drawing, it *outline.Item) []scan.Span {
	return d.Coverage.Spans[it.First : it.First+it.Count]
}
