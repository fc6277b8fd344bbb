package batch

// Flat is the composited value of a pixel that lies inside of all its items.
type Flat struct {
	A0, A1 uint32 // alpha of the two sets, 0..255
	RGBA   uint32 // of set A then B over it, 8 bits each, r lowest, not premultiplied
}

// flatten composites items that all fill their tile, given front to back, and returns the one value of its
// pixels. It keeps the value of the last single item, because neighbours often have the same.
func (b *Binner) flatten(items []Item) Flat {
	if len(items) > 1 {
		return flatOf(items)
	}
	if items[0] != b.lastItem {
		b.lastItem, b.lastFlat = items[0], flatOf(items)
	}
	return b.lastFlat
}

// flatOf is flatten without the cache of the last single item.
func flatOf(items []Item) Flat {
	var p Pixel
	for i := len(items) - 1; i >= 0; i-- {
		p.Add(&items[i], 255, false)
	}
	var f Flat
	f.A0, f.A1 = p.Alpha()
	f.RGBA = p.RGBA()
	return f
}
