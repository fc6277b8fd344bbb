package region

import (
	"sync"
)

// Oracle is the Meter in plain Go.
type Oracle struct{}

// twin is the scratch of one scene.
type twin struct {
	p Packed
	s scratch
}

var twins = sync.Pool{New: func() any { return new(twin) }}

// Measure implements Meter.
func (Oracle) Measure(s *Scene) (Result, error) {
	t := twins.Get().(*twin)
	defer twins.Put(t)
	if err := t.p.Pack(s); err != nil {
		return Result{}, err
	}
	return t.p.Result(t.s.sums(&t.p)), nil
}

// Count returns the sums of packed scenes, what every device must return.
func Count(list []*Packed) []Sums {
	t := twins.Get().(*twin)
	defer twins.Put(t)
	out := make([]Sums, len(list))
	for i, p := range list {
		out[i] = t.s.sums(p)
	}
	return out
}

// scratch is memory.
type scratch struct {
	spans []span
	a, b  Bits
}

func (w *scratch) sums(p *Packed) Sums {
	var s Sums
	for k := range Rows {
		y := int32(k*RowStep + RowStep/2)
		w.spans = w.spans[:0]
		own := w.cover(p, y)
		s.U += covered(w.spans[:own])
		s.T += covered(w.spans[own:])
		s.Either += covered(w.spans)
	}
	w.a.mark(p.Size, p.Segments[:p.SegsU])
	w.b.mark(p.Size, p.Segments[p.SegsU:])
	s.Far2 = Farthest(&w.a, &w.b)
	return s
}
