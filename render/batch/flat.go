package batch

// Flat is the composited value of a pixel that lies inside of all its items.
type Flat struct {
	A0, A1 uint32 // alpha of the two sets, 0..255
	RGBA   uint32 // of set A then B over it, 8 bits each, r lowest, not premultiplied
}

// flatten composites items that all fill their tile, given front to back, and returns the one value of its
// pixels. It keeps the value of the last single item, because neighbours often have the same.
func (binner *Binner) flatten(items []Item) Flat {
	if len(items) > 1 {
		return flatOf(items)
	}
	if items[0] != binner.lastItem {
		binner.lastItem, binner.lastFlat = items[0], flatOf(items)
	}
	return binner.lastFlat
}

// flatOf returns the colour and the alphas of a pixel that all of the items cover fully. The first item
// lies on top, so they are painted from the last to the first. It is flatten without a cache.
func flatOf(items []Item) Flat {
	var pixel Pixel
	for i := len(items) - 1; i >= 0; i-- {
		const covered, paired = 255, false
		pixel.Add(&items[i], covered, paired)
	}
	var f Flat
	f.A0, f.A1 = pixel.Alpha()
	f.RGBA = pixel.RGBA()
	return f
}
