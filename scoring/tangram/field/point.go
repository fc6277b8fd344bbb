package field

// maxOperand bounds the numerators and denominators of the coordinates that scaledDifference takes. The
// numerators of a difference are then below 2^29, and the sum of their squares fits an int64.
const maxOperand = 1 << 14

// Within reports exactly whether |x| <= limit for a coordinate x in Q(sqrt 2). limit must be at
// least 2.
func (x Number) Within(limit int64) bool {
	if approx := x.Float(); approx < float64(limit)-1 && approx > 1-float64(limit) { // fast path
		return true
	}
	exactLimit := Int(limit)
	return x.Cmp(exactLimit) <= 0 && x.Neg().Cmp(exactLimit) <= 0
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

// Area returns the exact signed area of a polygon by the shoelace formula, positive if it
// runs counter-clockwise.
func Area(poly []Point) Number {
	sum := Int(0)
	for i, p := range poly {
		q := poly[(i+1)%len(poly)]
		sum = sum.Add(p.X.Mul(q.Y)).Sub(p.Y.Mul(q.X))
	}
	return sum.Mul(Ratio(1, 2))
}

// SquaredDistance returns the exact squared distance, in Q(sqrt 2), of the points (ax, ay) and
// (bx, by). Small numbers, which are the usual ones, are computed in int64s.
func SquaredDistance(ax, ay, bx, by Number) Number {
	// Fast path: bx-ax = (p + q sqrt 2)/d and by-ay = (r + s sqrt 2)/d in small integers.
	if p, q, d, ok := scaledDifference(ax, bx); ok {
		if r, s, e, ok := scaledDifference(ay, by); ok && d == e {
			return Number{ratio(p*p+2*q*q+r*r+2*s*s, d*d), ratio(2*(p*q+r*s), d*d)}
		}
	}
	dx, dy := bx.Sub(ax), by.Sub(ay)
	return dx.Mul(dx).Add(dy.Mul(dy))
}

// scaledDifference returns y - x as (p + q sqrt 2) / d with p, q and d so small that
// SquaredDistance computes in int64s; ok is false if they are not.
func scaledDifference(x, y Number) (p, q, d int64, ok bool) {
	ax, bx, dx, ok1 := x.Int64s()
	ay, by, dy, ok2 := y.Int64s()
	if !ok1 || !ok2 || dx > maxOperand || dy > maxOperand || !smallNumerator(ax) || !smallNumerator(bx) ||
		!smallNumerator(ay) || !smallNumerator(by) {
		return 0, 0, 0, false
	}
	// Halves are by far the most common. With a denominator of at least 2, the differences in x
	// and y mostly have the same one.
	d = dx
	if dx != dy {
		d = dx / int64(gcd(uint64(dx), uint64(dy))) * dy
		if d > maxOperand {
			return 0, 0, 0, false
		}
	}
	if d == 1 {
		d = 2 // any multiple will do
	}
	factorX, factorY := d/dx, d/dy
	return ay*factorY - ax*factorX, by*factorY - bx*factorX, d, true
}

// smallNumerator reports whether n is small enough for scaledDifference.
func smallNumerator(n int64) bool { return n < maxOperand && n > -maxOperand }
