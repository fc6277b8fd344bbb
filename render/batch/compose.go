package batch

import "plumb/render/outline"

// compose walks all tiles in order and writes those that need the shader as
// runs, those that are all interior as solids.
func (b *Binner) compose(d *outline.Drawing, t *Tiled) {
	for r := range b.lists {
		t.closeRun()
		lo, hi := b.stackRow(b.lists[r].first)
		for c := lo; c < hi; c++ {
			if top := b.top[c]; top >= 0 {
				b.top[c] = -1
				b.tile(d, t, int32(r), c, top)
			}
		}
	}
	t.closeRun()
}

// stackRow puts the entries of a tile row upon each other, and returns the range
// of columns that have some.
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

// tile writes one tile.
func (b *Binner) tile(d *outline.Drawing, t *Tiled, r, c, top int32) {
	b.stack = b.stack[:0]
	for e := top; e >= 0; e = b.entries[e].below {
		b.stack = append(b.stack, e)
	}
	w := writer{b: b, d: d, t: t, items: len(t.Items), clip: -1}
	for i := 0; i < len(b.stack) && !(w.full[0] && w.full[1]); i++ {
		if e := &b.entries[b.stack[i]]; d.Items[e.item].Op == outline.OpPaint {
			w.paint(e, b.stack[i+1:])
		}
	}
	w.closeGroup()
	if len(t.Items) == w.items {
		return
	}
	x, y := uint32(c)*TileW, uint32(r)*TileH
	cols, rows := min(TileW, uint32(d.Width)-x), min(TileH, uint32(d.Height)-y)
	if !w.edge {
		t.solid(x, y, cols, rows, b.flat(t.Items[w.items:]))
		t.Items = t.Items[:w.items]
		return
	}
	t.tile(w.class, x, y, cols, rows, w.items)
}

// writer writes the items of one tile, front to back.
type writer struct {
	b      *Binner
	d      *outline.Drawing
	t      *Tiled
	items  int // where the tile began
	class  Class
	edge   bool    // some outline crosses the tile
	full   [2]bool // per set: nothing below can be seen
	clip   int32   // clip in force, -1 for none
	group  int32   // open group, 0 for none
	begun  bool    // the open group has written an item
	hidden int32   // group whose lower items cannot be seen
}

// paint writes an entry. Below are the entries further back.
func (w *writer) paint(e *entry, below []int32) {
	it := &w.d.Items[e.item]
	set := 0
	if it.Second {
		set = 1
	}
	alpha := outline.Alpha(it.Opacity)
	if w.full[set] || alpha == 0 || it.Group != 0 && it.Group == w.hidden {
		return
	}
	clip := (*entry)(nil)
	if it.Clip >= 0 {
		inside, c := w.clipOf(it.Clip, below)
		if !inside {
			return
		}
		clip = c
	}
	if it.Group != w.group {
		w.closeGroup()
		w.group, w.begun = it.Group, false
	}
	if clip != nil && w.clip != it.Clip {
		w.write(clip, FlagClip, nil)
		w.clip = it.Clip
	}
	flags := alpha | uint32(it.Table)<<TableShift
	if clip != nil {
		flags |= FlagClipped
	}
	if it.Second {
		flags |= FlagSecond
	}
	if it.Round {
		flags |= FlagRound
	}
	w.write(e, flags, it)
	if e.mask < 0 && clip == nil && it.Opacity == outline.Opaque {
		w.cover(it, set)
	}
}

// cover notes that nothing below an opaque interior can be seen: of its group,
// and of its set where the group is opaque too.
func (w *writer) cover(it *outline.Item, set int) {
	if it.Group == 0 {
		w.full[set] = true
		return
	}
	w.hidden = it.Group
	if w.d.Groups[it.Group-1] == outline.Opaque {
		w.full[set] = true
	}
}

// clipOf finds the tile's entry of a clip. inside is false where the clip is
// empty; e is nil where it is full.
func (w *writer) clipOf(clip int32, below []int32) (inside bool, e *entry) {
	for _, m := range below {
		if c := &w.b.entries[m]; c.item == clip {
			if c.mask < 0 {
				return true, nil
			}
			return true, c
		}
	}
	return false, nil
}

// write appends one item.
func (w *writer) write(e *entry, flags uint32, it *outline.Item) {
	out := Item{}
	if e.mask >= 0 {
		flags |= FlagMask
		if w.d.Items[e.item].Paired > 0 {
			flags |= FlagPairs
		}
		out.First = uint32(e.mask)
		w.edge = true
	}
	if it != nil && w.group != 0 { // clips stand between the items of a group
		flags |= FlagGrouped
		if it.Clip >= 0 {
			flags |= FlagApart
		}
		if !w.begun {
			flags |= FlagGroupFirst
			out.Group = outline.Alpha(w.d.Groups[w.group-1])
			w.begun = true
		}
	}
	out.Paint = flags
	if it != nil {
		for i, c := range it.Color {
			out.Color |= Div255(uint32(c)*(flags&0xff)) << (8 * i)
		}
	}
	w.class = max(w.class, classOf(flags))
	w.t.Items = append(w.t.Items, out)
}

// closeGroup marks the lowest item of the open group.
func (w *writer) closeGroup() {
	if w.group != 0 && w.begun {
		w.t.Items[len(w.t.Items)-1].Paint |= FlagGroupLast
	}
	w.group = 0
}

// classOf says which variant of the tile stage an item needs.
func classOf(flags uint32) Class {
	if flags&0xff != 255 || flags&(FlagClip|FlagClipped|FlagGrouped|FlagSecond|FlagPairs|FlagRound) != 0 || flags>>TableShift != 0 {
		return Full
	}
	return Plain
}
