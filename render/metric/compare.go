package metric

import (
	"context"
	"errors"
	"fmt"
	"math"
)

// ErrSize marks two masks that do not lie over the same pixels.
var ErrSize = errors.New("masks differ in size")

// Options of a comparison.
type Options struct {
	// Threshold is the alpha from which a pixel is covered, 1..255; 0 means CoveredFrom.
	Threshold uint8
	// Hausdorff asks for the distance, which costs more than everything else.
	Hausdorff bool
}

// Comparison is what two masks over the same pixels have in common.
type Comparison struct {
	A, B Stats
	Both uint64 // pixels covered in A and in B
	// Far2 is the square of the Hausdorff distance in px: the largest, over the
	// covered pixels of either mask, of the distance between its centre and the
	// nearest centre of a covered pixel of the other. Defined where Measured.
	Far2     int64
	Measured bool // Far2 was asked for, and both masks cover something
}

// Coverage returns the share of A's covered pixels that B covers too, by the
// rule of Tally; ok is false when A covers nothing.
func (c Comparison) Coverage() (share float64, ok bool) {
	return Tally{A: Sums{Covered: c.A.Covered}, Both: c.Both}.Coverage()
}

// IoU returns the intersection over union of two masks: the pixels covered in both over those
// covered in either, in [0, 1]. ok is false when both masks cover nothing.
func (c Comparison) IoU() (iou float64, ok bool) {
	either := c.A.Covered + c.B.Covered - c.Both
	if either == 0 {
		return 0, false
	}
	return float64(c.Both) / float64(either), true
}

// Hausdorff returns the symmetric Hausdorff distance in px; ok is false when it was not asked
// for or a mask covers nothing. See docs/spec/raster.md#r35.
func (c Comparison) Hausdorff() (px float64, ok bool) {
	if !c.Measured {
		return 0, false
	}
	return math.Sqrt(float64(c.Far2)), true // Far2 is the square
}

// Meter compares masks. Oracle is the one in plain Go; a Meter on a device must give the same
// integers.
type Meter interface {
	// Compare measures two masks of one size. Errors wrap ErrSize, or are those
	// of ctx, which stops long ones.
	Compare(ctx context.Context, a, b Mask, o Options) (Comparison, error)
}

// Oracle is the Meter in plain Go.
type Oracle struct{}

// Compare counts the covered pixels of two masks and those that both cover, and, if asked, finds the Hausdorff
// distance by distance transforms. It implements Meter. It takes time and memory in proportion to the pixels of
// the box around everything covered, 4 bytes per pixel of it for the distance.
func (Oracle) Compare(ctx context.Context, a, b Mask, options Options) (Comparison, error) {
	if a.Width != b.Width || a.Height != b.Height {
		return Comparison{}, fmt.Errorf("cannot compare masks: %w: %d x %d px and %d x %d px",
			ErrSize, a.Width, a.Height, b.Width, b.Height)
	}
	options.Threshold = max(options.Threshold, CoveredFrom)
	comparison := Comparison{A: Measure(a, options.Threshold), B: Measure(b, options.Threshold)}
	// Pixels that both cover lie in both boxes.
	shared := comparison.A.Box.Intersect(comparison.B.Box)
	for y := shared.Min.Y; y < shared.Max.Y; y++ {
		ra, rb := a.row(y), b.row(y)
		for x := shared.Min.X; x < shared.Max.X; x++ {
			if ra[x*a.Step+a.First] >= options.Threshold && rb[x*b.Step+b.First] >= options.Threshold {
				comparison.Both++
			}
		}
	}
	if !options.Hausdorff || comparison.A.Covered == 0 || comparison.B.Covered == 0 {
		return comparison, ctx.Err()
	}
	// The distance is the larger of the two directions.
	box := comparison.A.Box.Union(comparison.B.Box)
	transform := distanceTransform{threshold: options.Threshold, box: box}
	fromA, err := transform.farthest(ctx, a, b)
	if err != nil {
		return comparison, err
	}
	fromB, err := transform.farthest(ctx, b, a)
	if err != nil {
		return comparison, err
	}
	comparison.Far2, comparison.Measured = max(fromA, fromB), true
	return comparison, nil
}
