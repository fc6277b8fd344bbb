package scan

import (
	"cmp"
	"math/bits"
	"slices"
)

// orderedEdge is one edge in the order of walking: the row where it begins and its index.
type orderedEdge struct{ top, edge int32 }

// sortEdges fills scanner.order with all edges, sorted by top, then x there, then slope
// (docs/spec/raster.md#r11). To be fast it sorts keys of 64 bits: from the highest bit on the edge's top, its x
// in 1/256 px, both less the smallest of all, and its index. For huge paths, where these take more than 64 bits,
// the lowest bits of x are left out. Edges whose keys differ in the index alone are then sorted in full by
// sortEqualKeys. There must be an edge.
func (scanner *Scanner) sortEdges() {
	list := scanner.edges.List
	top, x := list[0].Top, list[0].X>>8
	lastTop, lastX := top, x
	for i := range list {
		e := &list[i]
		top, lastTop = min(top, e.Top), max(lastTop, e.Top)
		x, lastX = min(x, e.X>>8), max(lastX, e.X>>8)
	}
	indexBits := bits.Len(uint(len(list))) // bits of an index
	xBits := bits.Len64(uint64(lastX - x)) // bits of an x
	// drop is how many of the lowest bits of x do not fit into 64.
	drop := max(0, bits.Len32(uint32(lastTop-top))+xBits+indexBits-64)
	scanner.keys = scanner.keys[:0]
	for i := range list {
		e := &list[i]
		scanner.keys = append(scanner.keys, (uint64(e.Top-top)<<xBits|uint64(e.X>>8-x))>>drop<<indexBits|uint64(i))
	}
	scanner.spareKeys = slices.Grow(scanner.spareKeys[:0], len(scanner.keys))[:len(scanner.keys)]
	scanner.keys, scanner.spareKeys, scanner.runs = sortKeys(scanner.keys, scanner.spareKeys, scanner.runs)
	// The lowest bits of a sorted key are the index of its edge.
	scanner.order = scanner.order[:0]
	for _, k := range scanner.keys {
		i := int32(k & (1<<indexBits - 1))
		scanner.order = append(scanner.order, orderedEdge{list[i].Top, i})
	}
	scanner.sortEqualKeys(indexBits)
}

// sortEqualKeys sorts each group of edges in scanner.order whose keys differ in the index alone, which takes the
// lowest indexBits bits of a key: by top, exact x, slope and index.
func (scanner *Scanner) sortEqualKeys(indexBits int) {
	for i := 1; i < len(scanner.keys); i++ {
		if scanner.keys[i]>>indexBits != scanner.keys[i-1]>>indexBits {
			continue
		}
		first := i - 1
		for i < len(scanner.keys) && scanner.keys[i]>>indexBits == scanner.keys[first]>>indexBits {
			i++
		}
		slices.SortFunc(scanner.order[first:i], func(a, b orderedEdge) int {
			l, r := &scanner.edges.List[a.edge], &scanner.edges.List[b.edge]
			return cmp.Or(cmp.Compare(l.Top, r.Top), cmp.Compare(l.X, r.X), cmp.Compare(l.Slope, r.Slope),
				int(a.edge-b.edge))
		})
	}
}
