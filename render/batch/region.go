package batch

import (
	"slices"

	"plumb/render/paint"
)

// Region is a set of tiles of a picture: in each tile row one interval of columns. The zero value
// is empty. See docs/spec/raster.md#r46.
type Region struct {
	first int32 // tile row of rows[0]
	rows  []interval
}

// interval is a range of columns of tiles, empty where from >= to.
type interval struct{ from, to int32 }

// empty is the interval that every other one extends.
var empty = interval{from: 1 << 20}

// join extends the interval to hold another.
func (v *interval) join(o interval) {
	if o.from < o.to {
		v.from, v.to = min(v.from, o.from), max(v.to, o.to)
	}
}

// Reset empties the region and keeps its memory.
func (region *Region) Reset() { region.rows = region.rows[:0] }

// Clone returns a copy that takes no more memory than it needs.
func (region *Region) Clone() Region { return CloneAll([]Region{*region})[0] }

// CloneAll returns copies of regions. The copies share one array, which is just large enough.
func CloneAll(all []Region) []Region {
	n := 0
	for i := range all {
		n += len(all[i].rows)
	}
	rows, copies := make([]interval, 0, n), make([]Region, len(all))
	for i := range all {
		from := len(rows)
		rows = append(rows, all[i].rows...)
		copies[i] = Region{all[i].first, rows[from:len(rows):len(rows)]}
	}
	return copies
}

// Bytes returns about how many bytes the region takes.
func (region *Region) Bytes() int { return 40 + 8*len(region.rows) }

// row returns the columns of a tile row that belong to the region.
func (region *Region) row(y int32) interval {
	if i := y - region.first; i >= 0 && int(i) < len(region.rows) {
		return region.rows[i]
	}
	return interval{}
}

// at returns the interval of tile row y of the region, for the caller to extend. If the region does not reach
// to that row, it first adds the row and all rows between, as empty ones.
func (region *Region) at(y int32) *interval {
	if len(region.rows) == 0 {
		region.first = y
	}
	if n := int(region.first - y); n > 0 {
		region.rows = slices.Insert(region.rows, 0, slices.Repeat([]interval{empty}, n)...)
		region.first = y
	}
	for int(y-region.first) >= len(region.rows) {
		region.rows = append(region.rows, empty)
	}
	return &region.rows[y-region.first]
}

// Join adds the tiles of another region to this one. A tile row is one interval, so the tiles between the two
// intervals of a row are added too.
func (region *Region) Join(o *Region) {
	for i, v := range o.rows {
		if v.from < v.to {
			region.at(o.first + int32(i)).join(v)
		}
	}
}

// Meets reports whether the region and another one share a tile: whether their columns overlap in one of the tile
// rows that both have.
func (region *Region) Meets(o *Region) bool {
	from, to := max(region.first, o.first), min(region.first+int32(len(region.rows)), o.first+int32(len(o.rows)))
	for y := from; y < to; y++ {
		a, b := region.rows[y-region.first], o.rows[y-o.first]
		if max(a.from, b.from) < min(a.to, b.to) {
			return true
		}
	}
	return false
}

// Tiles returns the number of tiles in the region.
func (region *Region) Tiles() (n int) {
	for _, v := range region.rows {
		n += int(max(v.to-v.from, 0))
	}
	return n
}

// EachRow calls f for each row of pixels of the region in a picture of a size, with its columns [from, to), px.
func (region *Region) EachRow(width, height int, f func(y, from, to int)) {
	for i, interval := range region.rows {
		if interval.from >= interval.to {
			continue
		}
		top := int(region.first+int32(i)) * TileH
		for y := top; y < min(top+TileH, height); y++ {
			f(y, int(interval.from)*TileW, min(int(interval.to)*TileW, width))
		}
	}
}

// AddItem adds the tiles of the picture that the coverage of an item of drawing d touches. In each tile row these
// are all tiles from the leftmost to the rightmost one.
func (region *Region) AddItem(d *paint.Drawing, it *paint.Item) {
	width, height := int32(d.Width), int32(d.Height)
	spans := coverageOf(d, it)
	for len(spans) > 0 {
		y := spans[0].Y >> rowShift // tile row, floor also above the picture
		columns := empty
		n := 0
		for n < len(spans) && spans[n].Y>>rowShift == y {
			s := &spans[n]
			n++
			from, to := max(s.X, 0), min(s.X+s.Width, width)
			if from < to && s.Y >= 0 && s.Y < height {
				columns.join(interval{from >> tileShift, (to-1)>>tileShift + 1})
			}
		}
		if columns.from < columns.to {
			region.at(y).join(columns)
		}
		spans = spans[n:]
	}
}
