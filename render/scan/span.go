package scan

// Full as Span.At: all pixels of the span are 255.
const Full = -1

// Span is part of one pixel row. The spans of a path come row by row from top to bottom, in a
// row from left to right, and never overlap.
type Span struct {
	X, Y, N int32 // px; N >= 1
	// At is the place of N coverage bytes in Coverage.Bytes, or Full.
	At int32
}

// Coverage is a sparse coverage mask, 0..255 per pixel. Pixels outside all spans have
// coverage 0.
type Coverage struct {
	Spans []Span
	Bytes []byte
}

// Reset empties the coverage and keeps its memory.
func (coverage *Coverage) Reset() {
	coverage.Spans, coverage.Bytes = coverage.Spans[:0], coverage.Bytes[:0]
}
