package scan

// Full as Span.FirstByte: all pixels of the span are 255.
const Full = -1

// Span is part of one pixel row. The spans of a path come row by row from top to bottom, in a
// row from left to right, and never overlap.
type Span struct {
	X, Y, Width int32 // px; Width >= 1
	// FirstByte is the place of Width coverage bytes in Coverage.Bytes, or Full.
	FirstByte int32
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
