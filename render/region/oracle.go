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
	memory := oracleMemories.Get().(*oracleMemory)
	defer oracleMemories.Put(memory)
	if err := memory.packed.Pack(s); err != nil {
		return Result{}, err
	}
	return memory.packed.Result(memory.scratch.sums(&memory.packed)), nil
}

// Count returns the areas and distances of packed scenes as integer sums. Every device must return
// the same.
func Count(list []*Packed) []Sums {
	memory := oracleMemories.Get().(*oracleMemory)
	defer oracleMemories.Put(memory)
	out := make([]Sums, len(list))
	for i, p := range list {
		out[i] = memory.scratch.sums(p)
	}
	return out
}

// scratch is the memory for the sums of a scene: spans of a scan line, boundary pixels of U and T.
type scratch struct {
	spans []span
	a, b  Bits
}

// sums computes the areas of a pair of regions and of their union, and the distance of their boundaries, all
// as integers. Areas are sums of covered lengths over scan lines.
func (scratch *scratch) sums(packed *Packed) Sums {
	var sums Sums
	for k := range Rows {
		y := int32(k*RowStep + RowStep/2) // the middle of the strip
		scratch.spans = scratch.spans[:0]
		ofU := scratch.coverLine(packed, y)
		sums.U += unionLength(scratch.spans[:ofU])
		sums.T += unionLength(scratch.spans[ofU:])
		sums.Either += unionLength(scratch.spans)
	}
	scratch.a.mark(packed.Size, packed.Segments[:packed.SegsU])
	scratch.b.mark(packed.Size, packed.Segments[packed.SegsU:])
	sums.Far2 = Farthest(&scratch.a, &scratch.b)
	return sums
}
