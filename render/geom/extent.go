package geom

import "math"

// Extent is a bounding box that grows to hold points. The zero value is not empty: use NewExtent.
type Extent struct{ Lo, Hi Point }

// NewExtent returns an empty extent.
func NewExtent() Extent {
	inf := math.Inf(1)
	return Extent{Point{inf, inf}, Point{-inf, -inf}}
}

// Add grows the extent to hold p.
func (e *Extent) Add(p Point) {
	e.Lo = Point{min(e.Lo.X, p.X), min(e.Lo.Y, p.Y)}
	e.Hi = Point{max(e.Hi.X, p.X), max(e.Hi.Y, p.Y)}
}

// Join grows the extent to hold o.
func (e *Extent) Join(o Extent) { e.Add(o.Lo); e.Add(o.Hi) }

// Empty reports whether no point was added.
func (e *Extent) Empty() bool { return !(e.Lo.X <= e.Hi.X && e.Lo.Y <= e.Hi.Y) }

// Finite reports whether both coordinates of p are finite.
func Finite(p Point) bool { return p.X-p.X == 0 && p.Y-p.Y == 0 }

// Holds reports whether o lies strictly inside of e.
func (e Extent) Holds(o Extent) bool {
	return e.Lo.X < o.Lo.X && e.Lo.Y < o.Lo.Y && e.Hi.X > o.Hi.X && e.Hi.Y > o.Hi.Y
}

// Contains reports whether p lies inside of e or on its border.
func (e Extent) Contains(p Point) bool {
	return e.Lo.X <= p.X && p.X <= e.Hi.X && e.Lo.Y <= p.Y && p.Y <= e.Hi.Y
}
