package batch

import (
	"plumb/render/paint"
	"plumb/render/shapes"
)

// compose walks all tiles in order and writes them to tiled: those that an outline crosses into runs for the
// shader, those that are all interior as solids. A tile that its topmost item hides takes a short way.
func (binner *Binner) compose(d *paint.Drawing, tiled *Tiled) {
	writer := tileWriter{binner: binner, drawing: d, tiled: tiled}
	for r := range binner.lists {
		tiled.closeRun()
		lo, hi := binner.stackRow(binner.lists[r].first)
		for c := lo; c < hi; c++ {
			top := binner.top[c]
			if top < 0 { // nothing touches the tile
				continue
			}
			binner.top[c] = -1 // for the next row
			if e := &binner.entries[top]; e.fillsTile() && binner.inks[e.item].hides {
				x, y, cols, rows := binner.place(int32(r), c)
				tiled.addSolid(x, y, cols, rows, binner.inks[e.item].flat)
				continue
			}
			writer.writeTile(int32(r), c, top)
		}
	}
	tiled.closeRun()
}

// stackRow sorts the entries of a tile row by tile. The row's list begins with the entry first and goes from
// back to front; afterwards the entries of each tile are linked from front to back, with the topmost in
// binner.top. The result is the range of columns [lo, hi) that have entries.
func (binner *Binner) stackRow(first int32) (lo, hi int32) {
	lo = binner.cols
	for i := first; i >= 0; {
		entry := &binner.entries[i]
		entry.below = binner.top[entry.col]
		binner.top[entry.col] = i
		lo, hi = min(lo, entry.col), max(hi, entry.col+1)
		i = entry.after
	}
	return lo, hi
}

// tileWriter writes the items of tiles, front to back, without those that cannot be seen.
type tileWriter struct {
	binner    *Binner
	drawing   *paint.Drawing
	tiled     *Tiled
	firstItem int // where the tile began
	tileState
}

// tileState is the state of a tileWriter within a tile. Groups and clips are numbered as in paint.Drawing.
type tileState struct {
	class       Class
	hasOutline  bool    // some outline crosses the tile
	hasFullItem bool    // some item fills it
	painted     [2]bool // per set: it has an item
	hidesBelow  [2]bool // per set: nothing below can be seen
	lastClip    int32   // the clip that was written last, -1 for none
	openGroup   int32   // the group whose items are being written, 0 for none
	groupBegun  bool    // an item of that group is written
	hiddenGroup int32   // the group whose lower items cannot be seen, 0 for none
}

// writeTile writes the tile in tile row r and column c, from its topmost entry top down to where nothing below
// can be seen: as a solid if no outline crosses it, or with AlphaOnly if it is opaque throughout, else as
// items of a run. A tile whose items are all invisible is left out.
func (writer *tileWriter) writeTile(r, c, top int32) {
	binner, tiled := writer.binner, writer.tiled
	binner.stack = binner.stack[:0]
	// The entries of the tile are a linked list from the topmost down.
	for e := top; e >= 0; e = binner.entries[e].below {
		binner.stack = append(binner.stack, e)
	}
	// Entries are written until each of the two sets is opaque throughout.
	writer.firstItem, writer.tileState = len(tiled.Items), tileState{lastClip: -1}
	for i := 0; i < len(binner.stack) && !(writer.hidesBelow[0] && writer.hidesBelow[1]); i++ {
		writer.paintEntry(&binner.entries[binner.stack[i]], binner.stack[i+1:])
	}
	writer.closeGroup()
	if len(tiled.Items) == writer.firstItem {
		return
	}
	x, y, cols, rows := binner.place(r, c)
	// Where only the alpha is wanted, an opaque tile has one value in all pixels, whatever its
	// colours.
	if binner.AlphaOnly && writer.hasOutline && writer.opaque() {
		tiled.Items = tiled.Items[:writer.firstItem] // not needed
		const opaque = 255
		tiled.addSolid(x, y, cols, rows, Flat{A0: opaque * flag(writer.painted[0]), A1: opaque * flag(writer.painted[1])})
		return
	}
	// No outline crosses the tile, so that all pixels are equal.
	if !writer.hasOutline {
		tiled.addSolid(x, y, cols, rows, binner.flatten(tiled.Items[writer.firstItem:]))
		tiled.Items = tiled.Items[:writer.firstItem]
		return
	}
	switch {
	case writer.hasFullItem && (cols < TileW || rows < TileH):
		// Plain and Double would paint an item that fills the tile over all of it, beyond the picture.
		// Full paints only what is inside, and takes the sets in any order.
		writer.class = Full
	case writer.class == Double:
		binner.secondSetLast(tiled.Items[writer.firstItem:])
	}
	tiled.addTile(writer.class, x, y, cols, rows, writer.firstItem)
}

// opaque reports whether every pixel of the tile has alpha 255 in each set that has items: one of
// them is opaque and fills the tile, and whatever is painted over it leaves that as it is.
func (writer *tileWriter) opaque() bool {
	return (writer.hidesBelow[0] || !writer.painted[0]) && (writer.hidesBelow[1] || !writer.painted[1])
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
func (binner *Binner) place(r, c int32) (x, y, cols, rows uint32) {
	x, y = uint32(c)*TileW, uint32(r)*TileH
	return x, y, min(TileW, uint32(binner.widthPx)-x), min(TileH, uint32(binner.heightPx)-y)
}

// secondSetLast moves the items of the second set after the others. Sets are composited
// independently, so only the order within each counts.
func (binner *Binner) secondSetLast(items []Item) {
	binner.second = binner.second[:0]
	n := 0
	for _, item := range items {
		if item.Paint&FlagSecond != 0 {
			binner.second = append(binner.second, item)
			continue
		}
		items[n] = item
		n++
	}
	copy(items[n:], binner.second)
}

// itemInk holds the fields Paint and Color that an item has in each of its tiles.
type itemInk struct {
	paint, color uint32
	// hides says that a tile which the item fills shows flat and nothing else, if the item is the
	// topmost: it is opaque, has no clip and no group, and the drawing has one set.
	hides bool
	flat  Flat
}

// markHiding marks the inks of the drawing's items that hide all below them in a tile that they fill: opaque ones
// without a clip or a group. It also computes the one value of the pixels of such a tile. It marks none if the
// drawing has a second set of shapes, because an item hides nothing of the other set.
func (binner *Binner) markHiding(drawing *paint.Drawing) {
	for k := range drawing.Items {
		if drawing.Items[k].InSecondSet {
			return
		}
	}
	for k := range drawing.Items {
		it, ink := &drawing.Items[k], &binner.inks[k]
		isPlain := it.Op == paint.OpPaint && it.Clip < 0 && it.Group == 0
		if isPlain && it.Opacity == shapes.Opaque {
			ink.hides, ink.flat = true, binner.flatten([]Item{{Paint: ink.paint, Color: ink.color}})
		}
	}
}

// inkOf returns the ink of an item: its alpha and flags, and its colour times the alpha. A clip has none.
func inkOf(item *paint.Item) itemInk {
	if item.Op != paint.OpPaint {
		return itemInk{}
	}
	alpha := shapes.Alpha(item.Opacity)
	ink := itemInk{paint: alpha}
	for i, c := range item.Color {
		ink.color |= Div255(uint32(c)*alpha) << (8 * i)
	}
	if item.InSecondSet {
		ink.paint |= FlagSecond
	}
	if item.Round {
		ink.paint |= FlagRoundNearest
	}
	return ink
}

// paintEntry writes an entry of the tile as an item. below are the entries further back; the clip of the entry
// is one of them, since a drawing has a clip before the items that it clips. If the outline of the clip crosses
// the tile, the clip is written before the entry, where the tile stage looks for it (see Item), unless it was
// the last clip written. An entry that cannot be seen is left out. paintEntry also opens and closes groups, and
// records what the entry hides.
func (writer *tileWriter) paintEntry(e *entry, below []int32) {
	ink := writer.binner.inks[e.item]
	set := setOf(ink.paint)
	// Left out if the set is already opaque, or if the item is invisible, as a clip is.
	const alphaBits = 0xff
	if writer.hidesBelow[set] || ink.paint&alphaBits == 0 {
		return
	}
	item := &writer.drawing.Items[e.item]
	// Left out if an item above it in its group hides it.
	if item.Group != 0 && item.Group == writer.hiddenGroup {
		return
	}
	clip := (*entry)(nil)
	if item.Clip >= 0 {
		inside, c := writer.findClip(item.Clip, below)
		if !inside { // the clip covers nothing of the tile
			return
		}
		clip = c
	}
	// A group layer ends where an item of another group follows.
	if item.Group != writer.openGroup {
		writer.closeGroup()
		writer.openGroup, writer.groupBegun = item.Group, false
	}
	if clip != nil {
		if writer.lastClip != item.Clip {
			writer.appendItem(clip, itemInk{paint: FlagClip})
			writer.lastClip = item.Clip
		}
		ink.paint |= FlagClipped
	}
	out := writer.appendItem(e, ink)
	writer.painted[set] = true
	if writer.openGroup != 0 {
		writer.markGrouped(out, item)
	}
	// If an opaque item fills the tile, nothing below it is visible.
	if e.fillsTile() && clip == nil && item.Opacity == shapes.Opaque {
		writer.markHidden(item, set)
	}
}

// markHidden records that an item covers all of a tile, so that nothing below it in its group can
// be seen, nor in its set if the group is opaque or there is none.
func (writer *tileWriter) markHidden(item *paint.Item, set uint32) {
	if item.Group == 0 {
		writer.hidesBelow[set] = true
		return
	}
	writer.hiddenGroup = item.Group
	if writer.drawing.Groups[item.Group-1] == shapes.Opaque {
		writer.hidesBelow[set] = true
	}
}

// findClip looks for the clip with that position among the drawing's items in the entries below. inside is
// false if it is not there: then the clip covers nothing of the tile. e is its entry, or nil if the clip covers
// all of the tile, so that it need not be written.
func (writer *tileWriter) findClip(clip int32, below []int32) (inside bool, e *entry) {
	for _, m := range below {
		if entry := &writer.binner.entries[m]; entry.item == clip {
			if entry.fillsTile() {
				return true, nil
			}
			return true, entry
		}
	}
	return false, nil
}

// appendItem appends an entry with its ink, which is its colour and flags, to the items of the tile and returns
// the item. It records whether the tile has an outline or an item that fills it, and raises the class that the
// tile needs.
func (writer *tileWriter) appendItem(entry *entry, ink itemInk) *Item {
	out := Item{Paint: ink.paint, Color: ink.color}
	if !entry.fillsTile() {
		out.Paint |= FlagMask
		if writer.drawing.Items[entry.item].PairPixelCount > 0 {
			out.Paint |= FlagPairs
		}
		out.FirstRow = uint32(entry.maskAt)
		writer.hasOutline = true
	} else {
		writer.hasFullItem = true
	}
	writer.class = max(writer.class, classOf(out.Paint))
	writer.tiled.Items = append(writer.tiled.Items, out)
	return &writer.tiled.Items[len(writer.tiled.Items)-1]
}

// markGrouped sets the flags of out, an item in the open group that was made of an item of the drawing. The
// first item that is written, which is the topmost, gets the group's opacity. FlagRoundEach counts only on that
// one, whose clip stands for the group's. The class is Full, as only that one handles groups.
func (writer *tileWriter) markGrouped(out *Item, item *paint.Item) {
	writer.class = Full
	out.Paint |= FlagGrouped
	if item.Clip >= 0 {
		out.Paint |= FlagRoundEach
	}
	if !writer.groupBegun {
		out.Paint |= FlagGroupFirst
		out.Group = shapes.Alpha(writer.drawing.Groups[writer.openGroup-1])
		writer.groupBegun = true
	}
}

// closeGroup marks the last written item of the open group as its lowest.
func (writer *tileWriter) closeGroup() {
	if writer.openGroup != 0 && writer.groupBegun {
		writer.tiled.Items[len(writer.tiled.Items)-1].Paint |= FlagGroupLast
	}
	writer.openGroup = 0
}

// setOf returns the set of shapes to which an item with those flags belongs: 0 for the view's first set, 1 for the
// second.
func setOf(flags uint32) uint32 { return flags / FlagSecond & 1 }

// classOf returns the class, which is the variant of the tile stage's shader, that an item needs: the fastest
// one that can draw it. Plain draws opaque items of the first set of shapes, Double those of both sets, and Full
// everything: translucent items, clips, groups, pixels that are drawn in pairs, and other rounding. flags are
// Item.Paint, whose lowest eight bits are the alpha.
func classOf(flags uint32) Class {
	const alpha, opaque = 0xff, 255
	const beyondDouble = FlagClip | FlagClipped | FlagGrouped | FlagPairs | FlagRoundNearest
	switch {
	case flags&alpha != opaque || flags&beyondDouble != 0:
		return Full
	case flags&FlagSecond != 0:
		return Double
	}
	return Plain
}
