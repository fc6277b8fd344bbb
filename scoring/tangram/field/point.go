package field

// These limits keep the squares of scaledDifference within an int64: maxOperand bounds numerators
// and denominators of the coordinates, maxNumerator the numerators of their difference.
const (
	maxNumerator = 1 << 28
	maxOperand   = 1 << 14
)

// Within reports whether |x| <= limit, which is at least 2.
func (x Number) Within(limit int64) bool {
	if f := x.Float(); f < float64(limit)-1 && f > 1-float64(limit) {
		return true
	}
	l := Int(limit)
	return x.Cmp(l) <= 0 && x.Neg().Cmp(l) <= 0
}

// Point is a point of the plane with exact coordinates.
type Point struct{ X, Y Number }

// Add returns p + q.
func (p Point) Add(q Point) Point { return Point{p.X.Add(q.X), p.Y.Add(q.Y)} }

// Sub returns p - q.
func (p Point) Sub(q Point) Point { return Point{p.X.Sub(q.X), p.Y.Sub(q.Y)} }

// Equal reports whether two exact points are the same.
func (p Point) Equal(q Point) bool { return p.X.Equal(q.X) && p.Y.Equal(q.Y) }

// Floats returns the coordinates as correctly rounded doubles.
func (p Point) Floats() (x, y float64) { return p.X.Float(), p.Y.Float() }

// Area returns the signed area of a polygon, positive if it runs counter-clockwise.
func Area(poly []Point) Number {
	sum := Int(0)
	for i, p := range poly {
		q := poly[(i+1)%len(poly)]
		sum = sum.Add(p.X.Mul(q.Y)).Sub(p.Y.Mul(q.X))
	}
	return sum.Mul(Ratio(1, 2))
}

// SquaredDistance returns the squared distance of the points (ax, ay) and (bx, by).
func SquaredDistance(ax, ay, bx, by Number) Number {
	if p, q, d, ok := scaledDifference(ax, bx); ok {
		if r, s, e, ok := scaledDifference(ay, by); ok && d == e {
			return Number{ratio(p*p+2*q*q+r*r+2*s*s, d*d), ratio(2*(p*q+r*s), d*d)}
		}
	}
	dx, dy := bx.Sub(ax), by.Sub(ay)
	return dx.Mul(dx).Add(dy.Mul(dy))
}

// scaledDifference returns y - x as (p + q sqrt 2) / d, so small that squares of p and q fit into
// an int64; ok is false if it is larger.
func scaledDifference(x, y Number) (p, q, d int64, ok bool) {
	a, b, c, ok1 := x.Int64s()
	e, f, g, ok2 := y.Int64s()
	if !ok1 || !ok2 || c > maxOperand || g > maxOperand || !smallNumerator(a) || !smallNumerator(b) || !smallNumerator(e) || !smallNumerator(f) {
		return 0, 0, 0, false
	}
	// Halves are by far the most common. With a denominator of at least 2, the differences in x
	// and y mostly have the same one.
	d = c
	if c != g {
		d = c / int64(gcd(uint64(c), uint64(g))) * g
		if d > maxOperand {
			return 0, 0, 0, false
		}
	}
	if d == 1 {
		d = 2
	}
	m, n := d/c, d/g
	if d%c != 0 || d%g != 0 {
		return 0, 0, 0, false
	}
	p, q = e*n-a*m, f*n-b*m
	return p, q, d, p < maxNumerator && p > -maxNumerator && q < maxNumerator && q > -maxNumerator
}

// smallNumerator reports whether n is small enough for scaledDifference.
func smallNumerator(n int64) bool { return n < maxOperand && n > -maxOperand }
