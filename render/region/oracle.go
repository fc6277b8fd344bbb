package region

import (
	"sync"
)

// Oracle is the Meter in plain Go.
type Oracle struct{}

// oracleMemory is the memory for one scene.
type oracleMemory struct {
	packed  Packed
	scratch scratch
}

var oracleMemories = sync.Pool{New: func() any { return new(oracleMemory) }}

// Measure compares the two regions of a scene in plain Go. It implements Meter.
func (Oracle) Measure(s *Scene) (Result, error) {
	t := oracleMemories.Get().(*oracleMemory)
	defer oracleMemories.Put(t)
	if err := t.packed.Pack(s); err != nil {
		return Result{}, err
	}
	return t.packed.Result(t.scratch.sums(&t.packed)), nil
}

// Count returns the areas and distances of packed scenes as integer sums. Every device must return
// the same.
func Count(list []*Packed) []Sums {
	t := oracleMemories.Get().(*oracleMemory)
	defer oracleMemories.Put(t)
	out := make([]Sums, len(list))
	for i, p := range list {
		out[i] = t.scratch.sums(p)
	}
	return out
}

// scratch is the memory for the sums of a scene: spans of a scan line, boundary pixels of U and T.
type scratch struct {
	spans []span
	a, b  Bits
}

// sums computes the areas and the distance of a pair of regions, as integers.
func (w *scratch) sums(p *Packed) Sums {
	var s Sums
	for k := range Rows {
		y := int32(k*RowStep + RowStep/2) // the middle of the strip
		w.spans = w.spans[:0]
		ofU := w.coverLine(p, y)
		s.U += unionLength(w.spans[:ofU])
		s.T += unionLength(w.spans[ofU:])
		s.Either += unionLength(w.spans)
	}
	w.a.mark(p.Size, p.Segments[:p.SegsU])
	w.b.mark(p.Size, p.Segments[p.SegsU:])
	s.Far2 = Farthest(&w.a, &w.b)
	return s
}
