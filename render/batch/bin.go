package batch

import (
	"slices"

	"plumb/render/outline"
)

// entry is one item in one tile.
type entry struct {
	next int32 // next entry of the same tile, towards the back
	item int32
	mask int32 // first scratch row of its mask, -1 where it fills the tile
}

// Binner cuts drawings into tiles. It keeps its memory between drawings; it is
// not safe for concurrent use.
type Binner struct {
	widthPx, heightPx int32 // of the picture
	cols, rows        int32

	scratch []MaskRow // of all entries
	entries []entry

	columns  []column // of the tile row that spans are binned into, -1 between rows
	lo, hi   int32    // the columns that they touch
	maskRows int32    // how many rows the item's masks have
	pairs    []outline.Pixel

	// The tile grid is sparse: each tile row has slots only for the columns
	// between its outermost items, so an empty page costs nothing.
	span  []rowSpan
	slots []int32 // first entry of a tile, -1 for none

	visible []bool // per item: it has a part in the picture

	stack []int32 // entries of one tile, front to back

	// What the last tile of one item came to: most interiors have one, the same
	// as their neighbours'.
	lone     Item
	loneFlat Flat
}

type rowSpan struct{ lo, hi, off int32 } // columns [lo, hi), slot of column lo

// Bin cuts a drawing into t, which is reset first. Spans may leave the picture.
// Work and memory are proportional to the tiles that outlines and interiors touch
// inside of it.
func (b *Binner) Bin(d *outline.Drawing, t *Tiled) {
	t.reset(d)
	b.scratch = t.Masks
	b.begin(d)
	for k := range d.Items {
		if b.visible[k] {
			b.spans(int32(k), d, &d.Items[k])
		}
	}
	t.Masks, b.scratch = b.scratch, nil
	b.compose(d, t)
}

// begin sizes the grid from the bounds of all items.
func (b *Binner) begin(d *outline.Drawing) {
	b.widthPx, b.heightPx = int32(d.Width), int32(d.Height)
	b.cols = int32((d.Width + TileW - 1) / TileW)
	b.rows = int32((d.Height + TileH - 1) / TileH)
	b.entries, b.visible = b.entries[:0], b.visible[:0]
	b.span = slices.Grow(b.span[:0], int(b.rows))[:b.rows]
	for i := range b.span {
		b.span[i] = rowSpan{lo: b.cols}
	}
	for len(b.columns) < int(b.cols) {
		b.columns = append(b.columns, column{mask: -1})
	}
	for k := range d.Items {
		b.visible = append(b.visible, b.widen(coverageOf(d, &d.Items[k])))
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

// push puts an entry in front of what its tile holds.
func (b *Binner) push(r, col int32, e entry) {
	s := &b.span[r]
	if col < s.lo || col >= s.hi {
		panic("BUG: span outside the bounds of its item")
	}
	slot := &b.slots[s.off+col-s.lo]
	e.next = *slot
	*slot = int32(len(b.entries))
	b.entries = append(b.entries, e)
}
