package scan

import "slices"

// ranked is an edge's place in the order of walking: by top, then x there, then
// slope (reference-raster.md 5).
type ranked struct {
	key   uint64 // top and x
	slope int64
	edge  int32
}

func rankedLess(a, b ranked) int {
	switch {
	case a.key != b.key:
		if a.key < b.key {
			return -1
		}
		return 1
	case a.slope != b.slope:
		if a.slope < b.slope {
			return -1
		}
		return 1
	}
	return int(a.edge) - int(b.edge)
}

// sort fills s.order. Edges begin on a grid of 1/256 px within 2^20 px.
func (s *Scanner) sort() {
	const topBias, xBias = 1 << 23, 1 << 29
	s.order = s.order[:0]
	for i := range s.edges.List {
		e := &s.edges.List[i]
		key := uint64(e.Top+topBias)<<30 | uint64(e.X>>8+xBias)
		s.order = append(s.order, ranked{key, e.Slope, int32(i)})
	}
	slices.SortFunc(s.order, rankedLess)
}
