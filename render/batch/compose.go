package batch

import (
	"plumb/render/paint"
	"plumb/render/shapes"
)

// compose walks all tiles in order and writes them to tiled: those that an outline crosses into runs for the
// shader, those that are all interior as solids. A tile that its topmost item hides takes a short way.
func (b *Binner) compose(d *paint.Drawing, tiled *Tiled) {
	w := tileWriter{binner: b, drawing: d, tiled: tiled}
	for r := range b.lists {
		tiled.closeRun()
		lo, hi := b.stackRow(b.lists[r].first)
		for c := lo; c < hi; c++ {
			top := b.top[c]
			if top < 0 {
				continue
			}
			b.top[c] = -1 // for the next row
			if e := &b.entries[top]; e.mask < 0 && b.inks[e.item].hides {
				x, y, cols, rows := b.place(int32(r), c)
				tiled.addSolid(x, y, cols, rows, b.inks[e.item].flat)
				continue
			}
			w.writeTile(int32(r), c, top)
		}
	}
	tiled.closeRun()
}

// stackRow takes the list of a tile row, which begins with the entry first, and links the entries of each tile
// from front to back, with the topmost in b.top. It returns the range of columns [lo, hi) that have some.
func (b *Binner) stackRow(first int32) (lo, hi int32) {
	lo = b.cols
	for i := first; i >= 0; {
		e := &b.entries[i]
		e.below = b.top[e.col]
		b.top[e.col] = i
		lo, hi = min(lo, e.col), max(hi, e.col+1)
		i = e.after
	}
	return lo, hi
}

// tileWriter writes the items of tiles, front to back, without those that cannot be seen.
type tileWriter struct {
	binner  *Binner
	drawing *paint.Drawing
	tiled   *Tiled
	items   int // where the tile began
	tileState
}

// tileState is the state of a tileWriter within a tile.
type tileState struct {
	class  Class
	edge   bool    // some outline crosses the tile
	filled bool    // some item fills it
	inks   [2]bool // per set: it has an item
	full   [2]bool // per set: nothing below can be seen
	clip   int32   // clip in force, -1 for none
	group  int32   // open group, 0 for none
	begun  bool    // the open group has written an item
	hidden int32   // group whose lower items cannot be seen
}

// writeTile writes the tile in tile row r and column c, from its topmost entry top down to where nothing below
// can be seen: as a solid if no outline crosses it, or with AlphaOnly if it is opaque throughout, else as
// items of a run. A tile whose items are all invisible is left out.
func (w *tileWriter) writeTile(r, c, top int32) {
	binner, tiled := w.binner, w.tiled
	binner.stack = binner.stack[:0]
	// The entries of the tile are a linked list from the topmost down.
	for e := top; e >= 0; e = binner.entries[e].below {
		binner.stack = append(binner.stack, e)
	}
	// Both sets of a view are painted until each is opaque throughout.
	w.items, w.tileState = len(tiled.Items), tileState{clip: -1}
	for i := 0; i < len(binner.stack) && !(w.full[0] && w.full[1]); i++ {
		w.paintEntry(&binner.entries[binner.stack[i]], binner.stack[i+1:])
	}
	w.closeGroup()
	if len(tiled.Items) == w.items {
		return
	}
	x, y, cols, rows := binner.place(r, c)
	// Where only the alpha is wanted, an opaque tile has one value in all pixels, whatever its
	// colours.
	if binner.AlphaOnly && w.edge && w.opaque() {
		tiled.Items = tiled.Items[:w.items] // not needed
		tiled.addSolid(x, y, cols, rows, Flat{A0: 255 * flag(w.inks[0]), A1: 255 * flag(w.inks[1])})
		return
	}
	// No outline crosses the tile, so that all pixels are equal.
	if !w.edge {
		tiled.addSolid(x, y, cols, rows, binner.flatten(tiled.Items[w.items:]))
		tiled.Items = tiled.Items[:w.items]
		return
	}
	switch {
	case w.filled && (cols < TileW || rows < TileH):
		w.class = Full // it handles the end of the picture
	case w.class == Double:
		binner.secondSetLast(tiled.Items[w.items:])
	}
	tiled.addTile(w.class, x, y, cols, rows, w.items)
}

// opaque reports whether every pixel of the tile has alpha 255 in each set that has items: one of
// them is opaque and fills the tile, and whatever is painted over it leaves that as it is.
func (w *tileWriter) opaque() bool {
	return (w.full[0] || !w.inks[0]) && (w.full[1] || !w.inks[1])
}

// flag returns 1 for true.
func flag(v bool) uint32 {
	if v {
		return 1
	}
	return 0
}

// place returns where the tile in tile row r and column c lies, and how many of its columns and rows are in
// the picture, px.
func (b *Binner) place(r, c int32) (x, y, cols, rows uint32) {
	x, y = uint32(c)*TileW, uint32(r)*TileH
	return x, y, min(TileW, uint32(b.widthPx)-x), min(TileH, uint32(b.heightPx)-y)
}

// secondSetLast moves the items of the second set behind the others. Sets are composited
// independently, so only the order within each counts.
func (b *Binner) secondSetLast(items []Item) {
	b.second = b.second[:0]
	n := 0
	for _, it := range items {
		if it.Paint&FlagSecond != 0 {
			b.second = append(b.second, it)
			continue
		}
		items[n] = it
		n++
	}
	copy(items[n:], b.second)
}

// itemInk holds the fields Paint and Color that an item has in each of its tiles.
type itemInk struct {
	paint, color uint32
	// hides says that a tile which the item fills shows flat and nothing else, if the item is the
	// topmost: it is opaque, has no clip and no group, and the drawing has one set.
	hides bool
	flat  Flat
}

// markHiding sets hides and flat in the inks of a drawing's items, but of none if the drawing has a second
// set.
func (b *Binner) markHiding(d *paint.Drawing) {
	for k := range d.Items {
		if d.Items[k].Second {
			return
		}
	}
	for k := range d.Items {
		it, ink := &d.Items[k], &b.inks[k]
		if it.Op == paint.OpPaint && it.Opacity == shapes.Opaque && it.Clip < 0 && it.Group == 0 {
			ink.hides, ink.flat = true, b.flatten([]Item{{Paint: ink.paint, Color: ink.color}})
		}
	}
}

// inkOf returns the ink of an item: its alpha and flags, and its colour times the alpha. A clip has none.
func inkOf(it *paint.Item) itemInk {
	if it.Op != paint.OpPaint {
		return itemInk{}
	}
	alpha := shapes.Alpha(it.Opacity)
	k := itemInk{paint: alpha}
	for i, c := range it.Color {
		k.color |= Div255(uint32(c)*alpha) << (8 * i)
	}
	if it.Second {
		k.paint |= FlagSecond
	}
	if it.Round {
		k.paint |= FlagRound
	}
	return k
}

// paintEntry writes an entry to the tile, and before it its clip if that crosses the tile and is not in force
// already. It does nothing if the entry cannot be seen: it is a clip itself or transparent, what is above
// hides it, or its clip covers nothing here. It opens and closes groups, and notes what the entry hides.
// below are the entries further back.
func (w *tileWriter) paintEntry(e *entry, below []int32) {
	k := w.binner.inks[e.item]
	// set is 0 for the view's first set of shapes and 1 for the second.
	set := k.paint / FlagSecond & 1
	if w.full[set] || k.paint&0xff == 0 { // the lowest eight bits are the alpha
		return
	}
	it := &w.drawing.Items[e.item]
	if it.Group != 0 && it.Group == w.hidden {
		return
	}
	clip := (*entry)(nil)
	if it.Clip >= 0 {
		inside, c := w.findClip(it.Clip, below)
		if !inside {
			return
		}
		clip = c
	}
	// A group layer ends where an item of another group follows.
	if it.Group != w.group {
		w.closeGroup()
		w.group, w.begun = it.Group, false
	}
	if clip != nil {
		if w.clip != it.Clip {
			w.appendItem(clip, itemInk{paint: FlagClip})
			w.clip = it.Clip
		}
		k.paint |= FlagClipped
	}
	out := w.appendItem(e, k)
	w.inks[set] = true
	if w.group != 0 {
		w.markGrouped(out, it)
	}
	// An entry without mask covers the whole tile: nothing below it is visible.
	if e.mask < 0 && clip == nil && it.Opacity == shapes.Opaque {
		w.markHidden(it, set)
	}
}

// markHidden records that an item covers all of a tile, so that nothing below it in its group can
// be seen, nor in its set if the group is opaque or there is none.
func (w *tileWriter) markHidden(it *paint.Item, set uint32) {
	if it.Group == 0 {
		w.full[set] = true
		return
	}
	w.hidden = it.Group
	if w.drawing.Groups[it.Group-1] == shapes.Opaque {
		w.full[set] = true
	}
}

// findClip looks for the clip, an item's position, among the entries below. inside is false if it is not there:
// then it covers nothing of the tile. e is its entry, or nil if the clip covers all of the tile.
func (w *tileWriter) findClip(clip int32, below []int32) (inside bool, e *entry) {
	for _, m := range below {
		if c := &w.binner.entries[m]; c.item == clip {
			if c.mask < 0 {
				return true, nil
			}
			return true, c
		}
	}
	return false, nil
}

// appendItem appends entry e with ink k to the items of the tile and returns the item. It notes whether the
// tile has an outline or an item that fills it, and raises the class that it needs.
func (w *tileWriter) appendItem(e *entry, k itemInk) *Item {
	out := Item{Paint: k.paint, Color: k.color}
	if e.mask >= 0 {
		out.Paint |= FlagMask
		if w.drawing.Items[e.item].Paired > 0 {
			out.Paint |= FlagPairs
		}
		out.First = uint32(e.mask)
		w.edge = true
	} else {
		w.filled = true
	}
	w.class = max(w.class, classOf(out.Paint))
	w.tiled.Items = append(w.tiled.Items, out)
	return &w.tiled.Items[len(w.tiled.Items)-1]
}

// markGrouped sets the flags of an item in the open group; the first one that is written, the topmost, gets the
// group's opacity.
func (w *tileWriter) markGrouped(out *Item, it *paint.Item) {
	w.class = Full
	out.Paint |= FlagGrouped
	if it.Clip >= 0 {
		out.Paint |= FlagApart
	}
	if !w.begun {
		out.Paint |= FlagGroupFirst
		out.Group = shapes.Alpha(w.drawing.Groups[w.group-1])
		w.begun = true
	}
}

// closeGroup marks the last written item of the open group as its lowest.
func (w *tileWriter) closeGroup() {
	if w.group != 0 && w.begun {
		w.tiled.Items[len(w.tiled.Items)-1].Paint |= FlagGroupLast
	}
	w.group = 0
}

// classOf returns the class of the tile stage that an item with these flags needs.
func classOf(flags uint32) Class {
	switch {
	case flags&0xff != 255 || flags&(FlagClip|FlagClipped|FlagGrouped|FlagPairs|FlagRound) != 0:
		return Full
	case flags&FlagSecond != 0:
		return Double
	}
	return Plain
}
