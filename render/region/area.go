package region

import "math"

// span is the range of a scan line that a part covers, in units of the grid.
type span struct{ low, high int32 }

// coverLine appends to w.spans what each convex part of the two regions covers of the scan line at
// height y, and returns how many of the spans are of region U.
func (w *scratch) coverLine(p *Packed, y int32) (own int) {
	for i := range p.spans {
		part := &p.spans[i]
		if y < part.low || y > part.high {
			continue
		}
		low, high := int32(math.MaxInt32), int32(-1)
		for k := part.first; k < part.end; k++ {
			e := &p.Sides[k]
			if int32(e.A>>16) <= y && y <= int32(e.B>>16) {
				x := e.at(y)
				low, high = min(low, x), max(high, x)
			}
		}
		if high > low {
			w.spans = append(w.spans, span{low, high})
			if part.first < p.SidesU {
				own++
			}
		}
	}
	return own
}

// at returns the x of the edge at a height within it, rounded down to the grid. The float32 is
// rounded after the product and after the sum, as on every device.
func (e *Edge) at(y int32) int32 {
	x0, x1 := int32(e.A&0xffff), int32(e.B&0xffff)
	t := float32(float32(y-int32(e.A>>16)) * e.Slope)
	x := int32(math.Floor(float64(float32(x0) + t)))
	return max(min(x0, x1), min(x, max(x0, x1)))
}

// unionLength returns the length of the union of spans of a scan line, in units of the grid: parts
// of a region may overlap, and their area counts once.
func unionLength(list []span) (sum uint32) {
	at := int32(-1)
	for {
		reach, next := at, int32(math.MaxInt32)
		for _, s := range list {
			if s.low <= at {
				reach = max(reach, s.high)
			} else {
				next = min(next, s.low)
			}
		}
		switch {
		case reach > at:
			sum += uint32(reach - at)
			at = reach
		case next != math.MaxInt32:
			at = next
		default:
			return sum
		}
	}
}
