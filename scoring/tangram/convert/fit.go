package convert

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"plumb/scoring/plural"
	"plumb/scoring/tangram/assembly"
)

// The tolerances of a drawing, in legs of the small triangle; maxAngle is in
// radians. See docs/spec/tangram.md#r60 for the angle and docs/spec/tangram.md#r61
// for the vertices.
const (
	maxAngle  = 4 * math.Pi / 180
	maxMisfit = 0.2
	maxMove   = 0.2
)

// sortPieces returns the drawn polygons in the order of assembly.IDs: triangles by area,
// quadrilaterals by the difference of their diagonals, which are equal only for the square. It
// refuses polygons that are not five triangles and two quadrilaterals.
func sortPieces(polys [][]Point) (sorted [assembly.Count][]Point, err error) {
	if len(polys) != assembly.Count {
		return sorted, fmt.Errorf("%w: %s; want %d", assembly.ErrInventory, plural.Of(len(polys), "polygon"), assembly.Count)
	}
	var triangles, quadrilaterals [][]Point
	for i, p := range polys {
		switch len(p) {
		case 3:
			triangles = append(triangles, p)
		case 4:
			quadrilaterals = append(quadrilaterals, p)
		default:
			return sorted, fmt.Errorf("%w: polygon %d has %s; want 3 or 4", assembly.ErrInventory, i, plural.Of(len(p), "corner"))
		}
	}
	if len(triangles) != 5 { // so there are two quadrilaterals
		return sorted, fmt.Errorf("%w: %s; want 5", assembly.ErrInventory, plural.Of(len(triangles), "triangle"))
	}
	slices.SortStableFunc(triangles, func(p, q []Point) int { // the largest first
		return cmp.Compare(math.Abs(area(q)), math.Abs(area(p)))
	})
	slices.SortStableFunc(quadrilaterals, func(p, q []Point) int { return cmp.Compare(diagonalSkew(p), diagonalSkew(q)) })
	copy(sorted[:5], triangles)
	copy(sorted[5:], quadrilaterals)
	return sorted, nil
}

// diagonalSkew returns the relative difference of a quadrilateral's diagonals, 0 for squares.
func diagonalSkew(p []Point) float64 {
	first, second := p[0].distance(p[2]), p[1].distance(p[3])
	return math.Abs(first-second) / max(first+second, math.SmallestNonzeroFloat64)
}

// normalizeFrame scales the drawn polygons to the total area 8, that of the seven pieces, and rotates
// them so that edges lie along multiples of 45 degrees. It replaces the polygons in place. To find the
// angle, it multiplies the direction of each edge by 8, which makes all multiples of 45 degrees one
// direction, and takes the mean weighted by length. See docs/spec/tangram.md#r60.
func normalizeFrame(polys *[assembly.Count][]Point) error {
	totalArea := 0.0
	var sumCos, sumSin float64
	for _, poly := range polys {
		totalArea += math.Abs(area(poly))
		for i, p := range poly {
			edge := poly[(i+1)%len(poly)].sub(p)
			sin, cos := math.Sincos(8 * math.Atan2(edge.Y, edge.X))
			sumCos, sumSin = sumCos+float64(edge.length()*cos), sumSin+float64(edge.length()*sin)
		}
	}
	if !(totalArea > 0) {
		return fmt.Errorf("%w: the polygons have no area", ErrMisfit)
	}
	angle := math.Atan2(sumSin, sumCos) / 8
	sin, cos := math.Sincos(-angle)
	scale := math.Sqrt(8 / totalArea)
	toFrame := matrix{scale * cos, scale * sin, -scale * sin, scale * cos, 0, 0}
	for i, poly := range polys {
		out := make([]Point, len(poly))
		for k, p := range poly {
			out[k] = toFrame.apply(p)
		}
		polys[i] = out
	}
	return checkAngles(polys)
}

// checkAngles returns an error if an edge of a drawn tangram piece is not near a multiple of 45
// degrees.
func checkAngles(polys *[assembly.Count][]Point) error {
	for i, poly := range polys {
		for k, p := range poly {
			d := poly[(k+1)%len(poly)].sub(p)
			off := math.Abs(math.Remainder(math.Atan2(d.Y, d.X), math.Pi/4)) // radians from the nearest multiple
			if off > maxAngle {
				return fmt.Errorf("%w: an edge of %s is %.1f degrees off; want at most 4", ErrAngle,
					assembly.IDs[i], off*180/math.Pi)
			}
		}
	}
	return nil
}

// piece is a piece of the drawing with its exact orientation and its approximate position.
type piece struct {
	turn   int              // in assembly.Turns
	exact  []assembly.Point // the turned canonical polygon, counter-clockwise
	floats []Point          // exact in doubles
	at     Point            // the shift of floats in the drawing
}

// fitOrientation returns tangram piece i in the orientation that is closest to the drawn polygon,
// with the centroids aligned. Only the parallelogram needs mirrored orientations. It refuses a
// polygon that fits none. See docs/spec/tangram.md#r61.
func fitOrientation(i int, poly []Point) (piece, error) {
	kind := assembly.Kinds[i]
	turns := 8 // the first eight of assembly.Turns are rotations, the others are mirrored
	if kind == assembly.Parallelogram {
		turns = 16
	}
	if area(poly) < 0 { // compare counter-clockwise polygons
		poly = slices.Clone(poly)
		slices.Reverse(poly)
	}
	centre := centroid(poly)
	best, bestOff := piece{}, math.Inf(1)
	for t := range turns {
		candidate := piece{turn: t, exact: assembly.Turned(kind, t)}
		if assembly.Turns[t].Mirror { // runs clockwise
			candidate.exact = slices.Clone(candidate.exact)
			slices.Reverse(candidate.exact)
		}
		for _, v := range candidate.exact {
			x, y := v.Floats()
			candidate.floats = append(candidate.floats, Point{x, y})
		}
		candidate.at = centre.sub(centroid(candidate.floats))
		if off := misfit(candidate.floats, candidate.at, poly); off < bestOff-1e-9 { // symmetric orientations are equal; the first one wins
			best, bestOff = candidate, off
		}
	}
	if !(bestOff <= maxMisfit) {
		return best, fmt.Errorf("%w: a vertex of %s is %.2f away from the %s; want at most %g", ErrMisfit,
			assembly.IDs[i], bestOff, kind, maxMisfit)
	}
	return best, nil
}

// misfit returns the largest distance between corresponding vertices of an exact piece, shifted by
// at, and a drawn polygon. It tries each starting vertex and takes the one that makes the distance
// smallest. It is infinite for another number of vertices.
func misfit(base []Point, at Point, poly []Point) float64 {
	best := math.Inf(1)
	n := len(base)
	if len(poly) != n {
		return best
	}
	for shift := range n {
		worst := 0.0
		for k, p := range base {
			worst = max(worst, p.add(at).distance(poly[(k+shift)%n]))
		}
		best = min(best, worst)
	}
	return best
}
