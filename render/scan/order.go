package scan

import (
	"cmp"
	"math/bits"
	"slices"
)

// ranked is one edge in the order of walking.
type ranked struct{ top, edge int32 }

// sort fills s.order: by top, then x there, then slope. See docs/spec/raster.md#r11. Tops, x on
// the grid of 1/256 px where edges begin, and numbers of edges fit into one word for all but
// monstrous paths; those lose digits of x.
func (s *Scanner) sort() {
	list := s.edges.List
	top, x := list[0].Top, list[0].X>>8
	lastTop, lastX := top, x
	for i := range list {
		e := &list[i]
		top, lastTop = min(top, e.Top), max(lastTop, e.Top)
		x, lastX = min(x, e.X>>8), max(lastX, e.X>>8)
	}
	number := bits.Len(uint(len(list)))
	width := bits.Len64(uint64(lastX - x))
	drop := max(0, bits.Len32(uint32(lastTop-top))+width+number-64)
	s.keys = s.keys[:0]
	for i := range list {
		e := &list[i]
		s.keys = append(s.keys, (uint64(e.Top-top)<<width|uint64(e.X>>8-x))>>drop<<number|uint64(i))
	}
	s.spareKeys = slices.Grow(s.spareKeys[:0], len(s.keys))[:len(s.keys)]
	s.keys, s.spareKeys, s.runs = sortKeys(s.keys, s.spareKeys, s.runs)
	s.order = s.order[:0]
	for _, k := range s.keys {
		i := int32(k & (1<<number - 1))
		s.order = append(s.order, ranked{list[i].Top, i})
	}
	s.bySlope(number)
}

// bySlope sorts edges that begin in one place, whose keys agree but for the
// number.
func (s *Scanner) bySlope(number int) {
	for i := 1; i < len(s.keys); i++ {
		if s.keys[i]>>number != s.keys[i-1]>>number {
			continue
		}
		first := i - 1
		for i < len(s.keys) && s.keys[i]>>number == s.keys[first]>>number {
			i++
		}
		slices.SortFunc(s.order[first:i], func(a, b ranked) int {
			l, r := &s.edges.List[a.edge], &s.edges.List[b.edge]
			return cmp.Or(cmp.Compare(l.Top, r.Top), cmp.Compare(l.X, r.X), cmp.Compare(l.Slope, r.Slope), int(a.edge-b.edge))
		})
	}
}
