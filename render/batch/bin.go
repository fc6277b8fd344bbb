package batch

import (
	"slices"

	"plumb/render/outline"
)

// Tile sides in the unit of segments.
const (
	unitW = TileW * outline.Unit
	unitH = TileH * outline.Unit
)

// piece is what lies of one segment in one tile. Coordinates are tile-local in
// 1/1024 px and keep the segment's direction.
type piece struct {
	next           int32 // next piece of the same tile row, -1 at the end
	col            int32
	x0, y0, x1, y1 int32
}

// entry is one item in one tile: a range of scratch segments and the winding
// at the tile's top left corner.
type entry struct {
	next     int32 // next entry of the same tile, towards the back
	item     int32
	first    int32
	count    int32
	backdrop int32
	mask     bool // the segments are the records of a mask
}

// Binner cuts drawings into tiles. It keeps its memory between drawings; it is
// not safe for concurrent use.
type Binner struct {
	width, height     int64 // of the picture, in 1/Unit px
	widthPx, heightPx int32
	cols, rows        int32

	pieces   []piece
	rowHead  []int32 // first piece of a tile row, -1 for none
	top, end int32   // tile rows that the current item touches: [top, end)
	order    []int32 // pieces of one row by column

	events   []event   // inside the current tile row, by height
	backdrop int32     // winding at the current tile's top left corner
	scratch  []Segment // of all entries; a tile's segments are copied out at the end
	entries  []entry

	columns []column // of the tile row that spans are binned into

	// The tile grid is sparse: each tile row has slots only for the columns
	// between its outermost items, so an empty page costs nothing.
	span  []rowSpan
	slots []int32 // first entry of a tile, -1 for none

	visible []bool // per item: it has a part in the picture

	paint []int32 // per item: the OpPaint item that composites its coverage
	stack []int32 // entries of one tile, front to back
}

type rowSpan struct{ lo, hi, off int32 } // columns [lo, hi), slot of column lo

// Bin cuts a drawing into t, which is reset first. Bin accepts any closed
// outline with coordinates within +-2^30 units: parts left of the picture count
// for the winding inside, parts elsewhere outside drop out. Work and memory are proportional to the tiles that outlines
// and interiors touch inside the picture.
func (b *Binner) Bin(d *outline.Drawing, t *Tiled) {
	t.reset(d)
	b.scratch = t.Segments
	b.begin(d)
	for k := range d.Items {
		switch it := &d.Items[k]; {
		case !b.visible[k]:
		case it.Scanned:
			b.spans(int32(k), coverageOf(d, it), d.Coverage.Bytes)
		default:
			b.item(int32(k), it.EvenOdd, d.Segments[it.First:it.First+it.Count])
		}
	}
	t.Segments, b.scratch = b.scratch, nil
	b.chain(d)
	b.compose(d, t)
}

// begin sizes the grid from the bounds of all items.
func (b *Binner) begin(d *outline.Drawing) {
	b.width, b.height = int64(d.Width)*outline.Unit, int64(d.Height)*outline.Unit
	b.widthPx, b.heightPx = int32(d.Width), int32(d.Height)
	b.cols = int32((d.Width + TileW - 1) / TileW)
	b.rows = int32((d.Height + TileH - 1) / TileH)
	b.entries, b.visible = b.entries[:0], b.visible[:0]
	b.span = slices.Grow(b.span[:0], int(b.rows))[:b.rows]
	b.rowHead = slices.Grow(b.rowHead[:0], int(b.rows))[:b.rows]
	for i := range b.span {
		b.span[i] = rowSpan{lo: b.cols}
		b.rowHead[i] = -1
	}
	b.columns = slices.Grow(b.columns[:0], int(b.cols)+1)[:b.cols+1]
	for k := range d.Items {
		if it := &d.Items[k]; it.Scanned {
			b.visible = append(b.visible, b.widenSpans(coverageOf(d, it)))
		} else {
			b.visible = append(b.visible, b.widen(d.Segments[it.First:it.First+it.Count]))
		}
	}
	n := int32(0)
	for i := range b.span {
		s := &b.span[i]
		s.off = n
		if s.hi > s.lo {
			n += s.hi - s.lo
		}
	}
	b.slots = slices.Grow(b.slots[:0], int(n))[:n]
	for i := range b.slots {
		b.slots[i] = -1
	}
}

// widen makes the grid hold the bounds of one item; false when the item has no
// part in the picture. What lies wholly left of the picture closes there, so it
// adds nothing inside.
func (b *Binner) widen(segs []outline.Segment) bool {
	if len(segs) == 0 {
		return false
	}
	const far = 1<<31 - 1
	x0, y0, x1, y1 := int32(far), int32(far), int32(-far), int32(-far)
	for _, s := range segs {
		x0, x1 = min(x0, s.X0, s.X1), max(x1, s.X0, s.X1)
		y0, y1 = min(y0, s.Y0, s.Y1), max(y1, s.Y0, s.Y1)
	}
	if int64(x0) >= b.width || int64(y0) >= b.height || y1 <= 0 || x1 <= 0 {
		return false
	}
	lo, hi := max(x0, 0)/unitW, min(x1/unitW+1, b.cols)
	for r := max(y0, 0) / unitH; r <= min(y1/unitH, b.rows-1); r++ {
		s := &b.span[r]
		s.lo, s.hi = min(s.lo, lo), max(s.hi, hi)
	}
	return true
}

// item bins one outline.
func (b *Binner) item(k int32, evenOdd bool, segs []outline.Segment) {
	b.pieces = b.pieces[:0]
	b.top, b.end = b.rows, 0
	for i := range segs {
		b.segment(&segs[i])
	}
	for r := b.top; r < b.end; r++ {
		if b.rowHead[r] >= 0 {
			b.sweep(k, r, evenOdd)
			b.rowHead[r] = -1
		}
	}
}

// segment clips a segment to the picture and cuts it at tile rows. All cuts are
// computed from the end with the smaller y, so they do not depend on the
// direction of the segment.
func (b *Binner) segment(s *outline.Segment) {
	l := line{int64(s.X0), int64(s.Y0), int64(s.X1), int64(s.Y1), false}
	if l.y0 > l.y1 {
		l = line{l.x1, l.y1, l.x0, l.y0, true}
	}
	if l.y1 <= 0 || l.y0 >= b.height || l.y0 == l.y1 {
		return
	}
	ya, xa := l.y0, l.x0
	if ya < 0 {
		ya, xa = 0, l.xAt(0)
	}
	end, xEnd := l.y1, l.x1
	if end > b.height {
		end, xEnd = b.height, l.xAt(b.height)
	}
	r := int32(ya / unitH)
	b.top = min(b.top, r)
	for ya < end {
		yb, xb := (int64(r)+1)*unitH, xEnd
		if yb >= end {
			yb = end
		} else {
			xb = l.xAt(yb)
		}
		b.row(&l, r, xa, ya, xb, yb)
		xa, ya = xb, yb
		r++
	}
	b.end = max(b.end, r)
}

// line runs downwards; up tells that the segment it stands for runs upwards.
type line struct {
	x0, y0, x1, y1 int64
	up             bool
}

// xAt is the x at height y, rounded to the nearest unit. Coordinates are below
// 2^31, so the product fits 63 bits.
func (l *line) xAt(y int64) int64 {
	return l.x0 + divRound((l.x1-l.x0)*(y-l.y0), l.y1-l.y0)
}

// divRound is a/b to the nearest integer, halves towards plus infinity; b > 0.
func divRound(a, b int64) int64 {
	q, r := a/b, a%b
	if r < 0 {
		q, r = q-1, r+b
	}
	if r >= b-r {
		q++
	}
	return q
}

// row cuts the part of a line inside one tile row at tile columns. Parts left
// of the picture become verticals at its left edge, parts right of it drop out.
func (b *Binner) row(l *line, r int32, xa, ya, xb, yb int64) {
	if xa == xb {
		if xa < b.width {
			b.add(l.up, r, max(xa, 0), ya, max(xb, 0), yb)
		}
		return
	}
	if xa > xb {
		b.leftward(l.up, r, xa, ya, xb, yb)
		return
	}
	if xb <= 0 {
		b.add(l.up, r, 0, ya, 0, yb)
		return
	}
	dx, dy := xb-xa, yb-ya
	x, y := xa, ya
	if xa < 0 {
		x, y = 0, ya+divRound(-xa*dy, dx)
		b.add(l.up, r, 0, ya, 0, y)
	}
	for x < xb && x < b.width {
		nx := (x/unitW + 1) * unitW
		ny := yb
		if nx < xb {
			ny = ya + divRound((nx-xa)*dy, dx)
		} else {
			nx = xb
		}
		b.add(l.up, r, x, y, nx, ny)
		x, y = nx, ny
	}
}

// leftward is row for a line whose x decreases with y.
func (b *Binner) leftward(up bool, r int32, xa, ya, xb, yb int64) {
	if xa <= 0 {
		b.add(up, r, 0, ya, 0, yb)
		return
	}
	dx, dy := xa-xb, yb-ya
	x, y := xb, yb
	if xb < 0 {
		x, y = 0, yb-divRound(-xb*dy, dx)
		b.add(up, r, 0, y, 0, yb)
	}
	for x < xa && x < b.width {
		nx := (x/unitW + 1) * unitW
		ny := ya
		if nx < xa {
			ny = yb - divRound((nx-xb)*dy, dx)
		} else {
			nx = xa
		}
		b.add(up, r, nx, ny, x, y)
		x, y = nx, ny
	}
}

// add stores one piece, from (xa, ya) down to (xb, yb), all in one tile.
func (b *Binner) add(up bool, r int32, xa, ya, xb, yb int64) {
	if ya == yb {
		return
	}
	col := int32(min(xa, xb) / unitW)
	if col >= b.cols {
		return
	}
	ox, oy := int64(col)*unitW, int64(r)*unitH
	p := piece{b.rowHead[r], col, int32(xa - ox), int32(ya - oy), int32(xb - ox), int32(yb - oy)}
	if up {
		p.x0, p.y0, p.x1, p.y1 = p.x1, p.y1, p.x0, p.y0
	}
	b.rowHead[r] = int32(len(b.pieces))
	b.pieces = append(b.pieces, p)
}
