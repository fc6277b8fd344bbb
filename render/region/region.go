// Package region compares two regions of the plane on a raster: the areas of both and of their
// union, and the Hausdorff distance of their boundaries. In: regions as convex parts, and their
// boundaries as segments. Out: integers, the same on every device and for every batch, and
// measures in the scene's unit, each with an error bound that follows from the raster alone. The
// caller gives the boundary, because a raster does not show cracks narrower than its pixels.
//
// The raster is a square around both regions. Pack rounds corners to a grid of Grid x Grid; all
// further steps use integers, or floats that every device rounds in the same way.
//
// Areas are sums over Rows scan lines: of each the length that the parts cover, to whole units of
// the grid, exact along the line. With f(y) the covered length, a line in the middle of a strip of
// height h errs by at most h/2 times the variation of f in the strip, together h/2 * V, where V is
// the sum of |dx| over all sides of all parts. Rounding corners (0.75 of a unit e) and lengths
// (half a unit at each end) changes a part of perimeter p by at most 1.3 p e + 2 pi e^2. So
//
//	area bound  E   = h/2 * sum |dx| + sum (1.3 p e + 2 pi e^2)
//	IoU bound       = (E + IoU * E) / (union - E), at most 1
//
// the second since I/V - I'/V' = ((V' - V) I/V + I - I') / V'.
//
// Distances are between pixels of Size x Size. A pixel belongs to a boundary when a segment meets
// its closed square: every point of the boundary has a centre within half a diagonal, and every
// centre a point of the boundary. The largest distance is exact in integers, however it is searched
// for. So, with p the side of a pixel, of either boundary half a diagonal, and rounding beside it,
//
//	Hausdorff bound = sqrt 2 * (p + 1.3 e)
//
// A device finds the distance by jump flooding over blocks of pixels, which gives each block a near
// pixel of the other boundary and so an upper bound, and then an exact search where that bound
// exceeds what is known to be reached; jump flooding may miss the nearest, but the search does not,
// and errors of the former cost time only.
package region

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

const (
	// Grid is the number of units along a side of the raster.
	Grid = 1 << 16
	// Rows is the number of scan lines for areas.
	Rows = 4096
	// RowStep is the height of a strip, in units.
	RowStep = Grid / Rows
	// DefaultSize is the side of the raster in pixels unless it is chosen.
	DefaultSize = 512
	// MaxParts, MaxSides and MaxSegments are what a device takes of one scene, of
	// both regions together; larger ones are left to the Oracle. They keep a
	// thread's loops below the 65,535 iterations after which llvmpipe ends them.
	MaxParts    = 48
	MaxSides    = 4096
	MaxSegments = 32768
)

// Sizes are the sides that a raster may have, in pixels.
var Sizes = []int{128, 256, 512, 1024, 2048}

// ErrInvalid marks a scene that cannot be measured.
var ErrInvalid = errors.New("invalid scene")

// Point is a place, in any unit of length.
type Point struct{ X, Y float64 }

// Segment is a straight piece of a boundary.
type Segment struct{ A, B Point }

// Region is a region of the plane: the union of Parts, convex polygons in either direction. Edges
// are the boundary for distances, of this region or of one that represents it.
type Region struct {
	Parts [][]Point
	Edges []Segment
}

// Scene is a pair of regions.
type Scene struct {
	U, T Region
	Size int // pixels along a side, one of Sizes; 0 for DefaultSize
}

// Sums are the integers that a device counts. Lengths are in units of the grid, one per scan line.
type Sums struct {
	U, T, Either uint32 // of the regions and of their union: at most Rows * Grid = 2^28
	// Far2 is the square of the Hausdorff distance in pixels. A side of 2,048 px
	// keeps it below 2^23.
	Far2 uint32
}

// Result holds the measures of a scene. Areas and lengths are in the scene's unit.
type Result struct {
	Sums
	Size                int     // pixels along a side
	Pixel               float64 // side of a pixel
	Union, Shared       float64 // area of U, which is the union of its parts, and of what U shares with T
	AreaBound           float64 // how far each area may be off
	IoU, IoUBound       float64
	Hausdorff, FarBound float64
}

// Edge is a side of a part, or a segment of a boundary, in units of the grid.
type Edge struct {
	A, B  uint32  // ends, x | y<<16, the lower y first
	Slope float32 // dx/dy, 0 for level ones
	Last  uint32  // 1 on the last side of a part
}

// Packed is a scene on the grid. It may be reused.
type Packed struct {
	Size     int
	Sides    []Edge // of the parts of U, then of T
	SidesU   int    // of them, those of U
	Segments []Edge // of the boundary of U, then of T
	SegsU    int
	Parts    int

	rowsOfParts []partRows
	unit        float64 // length of a unit of the grid, in the scene's unit
	variation   float64 // sum of |dx| over Sides, in units of the grid: for the error bounds
	perimeters  float64 // sum of the parts' perimeters, in the scene's unit: for the error bounds
	x0, y0      float64 // the scene's least x and y
}

// partRows is the range of heights of a part, both ends included, and of its sides.
type partRows struct {
	low, high  int32
	first, end int
}

// box is the bounding box of both regions.
type box struct{ x0, y0, x1, y1 float64 }

// add extends the box to a point.
func (b *box) add(p Point) {
	b.x0, b.x1 = min(b.x0, p.X), max(b.x1, p.X)
	b.y0, b.y1 = min(b.y0, p.Y), max(b.y1, p.Y)
}

// Pack puts a scene on the grid, which is a square around both regions, with a free unit on each side. Errors
// wrap ErrInvalid: no such size, a region without parts or edges, coordinates that are not finite, regions that
// are a point.
func (packed *Packed) Pack(scene *Scene) error {
	packed.Size = scene.Size
	if packed.Size == 0 {
		packed.Size = DefaultSize
	}
	if !slices.Contains(Sizes, packed.Size) {
		return fmt.Errorf("cannot measure scene: %w: size is %d px; want one of %v", ErrInvalid, packed.Size, Sizes)
	}
	b := box{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
	for i, region := range []*Region{&scene.U, &scene.T} {
		if len(region.Parts) == 0 || len(region.Edges) == 0 {
			return fmt.Errorf("cannot measure scene: %w: region %d has %d parts and %d edges; want some",
				ErrInvalid, i, len(region.Parts), len(region.Edges))
		}
		for _, part := range region.Parts {
			for _, q := range part {
				b.add(q)
			}
		}
		for _, e := range region.Edges {
			b.add(e.A)
			b.add(e.B)
		}
	}
	side := max(b.x1-b.x0, b.y1-b.y0)
	if !(side > 0 && side < 1e300) { // NaN too; squares of greater ones are not finite
		return fmt.Errorf("cannot measure scene: %w: it spans %g; want a finite length above 0", ErrInvalid, side)
	}
	packed.unit, packed.x0, packed.y0 = side/(Grid-2), b.x0, b.y0
	packed.Sides, packed.Segments, packed.rowsOfParts = packed.Sides[:0], packed.Segments[:0], packed.rowsOfParts[:0]
	packed.Parts, packed.variation, packed.perimeters = 0, 0, 0
	packed.appendParts(&scene.U)
	packed.SidesU = len(packed.Sides)
	packed.appendParts(&scene.T)
	packed.appendEdges(scene.U.Edges)
	packed.SegsU = len(packed.Segments)
	packed.appendEdges(scene.T.Edges)
	return nil
}

// toGrid rounds a point to the grid; a unit on each side stays free.
func (packed *Packed) toGrid(q Point) (x, y int32) {
	return 1 + int32(math.Round((q.X-packed.x0)/packed.unit)), 1 + int32(math.Round((q.Y-packed.y0)/packed.unit))
}

// edge puts a side or segment onto the grid, with its lower y first, or its lower x if it is level.
func (packed *Packed) edge(a, b Point) Edge {
	x0, y0 := packed.toGrid(a)
	x1, y1 := packed.toGrid(b)
	if y1 < y0 || y1 == y0 && x1 < x0 {
		x0, y0, x1, y1 = x1, y1, x0, y0
	}
	edge := Edge{A: uint32(x0) | uint32(y0)<<16, B: uint32(x1) | uint32(y1)<<16}
	if y1 > y0 {
		edge.Slope = float32(float64(x1-x0) / float64(y1-y0))
	}
	return edge
}

// appendParts appends the sides of a region's convex parts, on the grid, and the rows of each part, and adds to
// the sums from which the error bounds follow.
func (packed *Packed) appendParts(r *Region) {
	for _, part := range r.Parts {
		rows := partRows{low: math.MaxInt32, first: len(packed.Sides)}
		for i, a := range part {
			b := part[(i+1)%len(part)]
			e := packed.edge(a, b)
			packed.Sides = append(packed.Sides, e)
			rows.low, rows.high = min(rows.low, e.lowY()), max(rows.high, e.highY())
			packed.variation += math.Abs(float64(e.highX()) - float64(e.lowX()))
			packed.perimeters += math.Hypot(b.X-a.X, b.Y-a.Y)
		}
		if len(part) > 0 {
			packed.Sides[len(packed.Sides)-1].Last = 1
			packed.Parts++
			rows.end = len(packed.Sides)
			packed.rowsOfParts = append(packed.rowsOfParts, rows)
		}
	}
}

// appendEdges appends the segments of a region's boundary, on the grid.
func (packed *Packed) appendEdges(list []Segment) {
	for _, e := range list {
		packed.Segments = append(packed.Segments, packed.edge(e.A, e.B))
	}
}

// Fits reports whether the scene is small enough for a device.
func (packed *Packed) Fits() bool {
	return packed.Parts <= MaxParts && len(packed.Sides) <= MaxSides && len(packed.Segments) <= MaxSegments
}

// Result converts the sums of the grid to areas, IoU and distance in the scene's units, with the
// error bounds of the package comment.
func (packed *Packed) Result(sums Sums) Result {
	area := packed.unit * packed.unit * RowStep // of a unit of length in a strip
	result := Result{Sums: sums, Size: packed.Size, Pixel: packed.unit * Grid / float64(packed.Size)}
	result.Union, result.Shared = float64(sums.U)*area, float64(sums.U+sums.T-sums.Either)*area
	// The terms are those of E in the package comment.
	result.AreaBound = packed.unit*packed.unit*RowStep/2*packed.variation + 1.3*packed.unit*packed.perimeters + float64(packed.Parts)*2*math.Pi*packed.unit*packed.unit
	result.IoUBound = 1
	if sums.Either > 0 {
		result.IoU = float64(sums.U+sums.T-sums.Either) / float64(sums.Either)
		if least := float64(sums.Either)*area - result.AreaBound; least > 0 {
			result.IoUBound = min(1, (1+result.IoU)*result.AreaBound/least)
		}
	}
	result.Hausdorff = math.Sqrt(float64(sums.Far2)) * result.Pixel
	result.FarBound = math.Sqrt2 * (result.Pixel + 1.3*packed.unit)
	return result
}

// Meter measures scenes. Oracle is the one in plain Go; a device's gives the same
// integers. Implementations are safe for concurrent use.
type Meter interface {
	// Measure measures one scene. Errors wrap ErrInvalid, or say that nothing could measure it.
	Measure(s *Scene) (Result, error)
}
