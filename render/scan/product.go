package scan

// Product appends coverage a clipped by coverage b to dst and returns the range of its spans. a and b
// must hold one path each, so that their spans are sorted and do not overlap. The coverage of a pixel is the
// product of both, as the browser has it with antialiased clips; a part where one of the two is Full is a copy
// of the other. See docs/spec/raster.md#r29.
func Product(dst, a, b *Coverage) (first, count int) {
	first = len(dst.Spans)
	isBefore := func(t, s Span) bool { return t.Y < s.Y || t.Y == s.Y && t.X+t.Width <= s.X }
	next := 0 // first span of b that is not before the current one of a
	for _, span := range a.Spans {
		for next < len(b.Spans) && isBefore(b.Spans[next], span) {
			next++
		}
		// Each span of b that overlaps this one gives a span of the product.
		for i := next; i < len(b.Spans) && b.Spans[i].Y == span.Y && b.Spans[i].X < span.X+span.Width; i++ {
			t := b.Spans[i]
			lo, hi := max(span.X, t.X), min(span.X+span.Width, t.X+t.Width)
			p := Span{X: lo, Y: span.Y, Width: hi - lo, FirstByte: Full}
			switch {
			case span.FirstByte == Full && t.FirstByte == Full: // p is Full
			case span.FirstByte == Full:
				p.FirstByte = int32(len(dst.Bytes))
				dst.Bytes = append(dst.Bytes, b.Bytes[t.FirstByte+lo-t.X:t.FirstByte+hi-t.X]...)
			case t.FirstByte == Full:
				p.FirstByte = int32(len(dst.Bytes))
				dst.Bytes = append(dst.Bytes, a.Bytes[span.FirstByte+lo-span.X:span.FirstByte+hi-span.X]...)
			default:
				p.FirstByte = int32(len(dst.Bytes))
				for k := lo; k < hi; k++ {
					dst.Bytes = append(dst.Bytes, Share(a.Bytes[span.FirstByte+k-span.X], b.Bytes[t.FirstByte+k-t.X]))
				}
			}
			dst.Spans = append(dst.Spans, p)
		}
	}
	return first, len(dst.Spans) - first
}

// Share returns the product of two alphas, in 1/255, rounded.
func Share(a, b byte) byte { return byte((uint32(a)*uint32(b) + 127) / 255) }
