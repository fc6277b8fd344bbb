package region

import "math"

// span is the range of a scan line that a part covers, in units of the grid.
type span struct{ low, high int32 }

// coverLine appends to scratch.spans what each convex part of the two regions covers of the scan line at
// height y: from the leftmost crossing of its sides to the rightmost. It returns how many of the spans are of
// the first region, U: these come first.
func (scratch *scratch) coverLine(packed *Packed, y int32) (ofU int) {
	for i := range packed.rowsOfParts {
		part := &packed.rowsOfParts[i]
		if y < part.low || y > part.high {
			continue
		}
		low, high := int32(math.MaxInt32), int32(-1)
		for k := part.first; k < part.end; k++ {
			side := &packed.Sides[k]
			if side.lowY() <= y && y <= side.highY() {
				x := side.at(y)
				low, high = min(low, x), max(high, x)
			}
		}
		if high > low {
			scratch.spans = append(scratch.spans, span{low, high})
			if part.first < packed.SidesU {
				ofU++
			}
		}
	}
	return ofU
}

// lowX and lowY are the place of the end with the lower y, A, on the grid, highX and highY that of the other end.
func (edge *Edge) lowX() int32  { return int32(edge.A & 0xffff) }
func (edge *Edge) lowY() int32  { return int32(edge.A >> 16) }
func (edge *Edge) highX() int32 { return int32(edge.B & 0xffff) }
func (edge *Edge) highY() int32 { return int32(edge.B >> 16) }

// at returns the x of the edge at a height within it, rounded down to the grid. The conversions to float32
// round after the product and after the sum, as every device does, so that results are equal to the last bit.
func (edge *Edge) at(y int32) int32 {
	x0, x1 := edge.lowX(), edge.highX()
	t := float32(float32(y-edge.lowY()) * edge.Slope)
	x := int32(math.Floor(float64(float32(x0) + t)))
	return max(min(x0, x1), min(x, max(x0, x1)))
}

// unionLength returns the length of the union of spans of a scan line, in units of the grid: parts of a region
// may overlap, and their area counts once. It goes along the line as the shader does, in steps: to the farthest
// end of the spans that begin at or before the place, or over a gap to the next start.
func unionLength(list []span) (sum uint32) {
	place := int32(-1) // what is left of it is counted
	for {
		reach, next := place, int32(math.MaxInt32) // the farthest end, and the next start after a gap
		for _, span := range list {
			if span.low <= place {
				reach = max(reach, span.high)
			} else {
				next = min(next, span.low)
			}
		}
		switch {
		case reach > place:
			sum += uint32(reach - place)
			place = reach
		case next != math.MaxInt32:
			place = next
		default:
			return sum
		}
	}
}
