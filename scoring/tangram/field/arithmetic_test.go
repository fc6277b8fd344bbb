package field

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// edges are integers around the limits of the fast paths.
var edges = func() (list []int64) {
	for _, n := range []int64{0, 1, 2, 3, 7, 1 << 14, 1 << 28, 1 << 31, 1 << 32, 3037000499, 3037000500, 1 << 53, 1 << 62, math.MaxInt64 - 1} {
		for d := int64(-1); d <= 1; d++ {
			list = append(list, n+d, -(n + d))
		}
	}
	return list
}()

// bigNumber is a + b√2 as package math/big computes it.
type bigNumber struct{ a, b *big.Rat }

func (x bigNumber) number() Number { return Number{fromBig(x.a), fromBig(x.b)} }

func (x bigNumber) mul(y bigNumber) bigNumber {
	r := func() *big.Rat { return new(big.Rat) }
	bb := r().Mul(x.b, y.b)
	return bigNumber{r().Add(r().Mul(x.a, y.a), r().Add(bb, bb)), r().Add(r().Mul(x.a, y.b), r().Mul(x.b, y.a))}
}

// isCanonical reports whether a part is held as int64 exactly when it fits, in lowest terms.
func isCanonical(x rat) bool {
	if x.big != nil {
		return x.n == 0 && x.d == 0 && !(x.big.Num().IsInt64() && x.big.Denom().IsInt64() && x.big.Num().Int64() != math.MinInt64)
	}
	return x.d > 0 && gcd(abs(x.n), uint64(x.d)) == 1
}

// made returns a number whose parts are quotients of edges, or short ones.
func made(r *rand.Rand) bigNumber {
	part := func() *big.Rat {
		n, d := edges[r.IntN(len(edges))], edges[r.IntN(len(edges))]
		if r.IntN(3) == 0 {
			n = r.Int64N(41) - 20
		}
		if r.IntN(2) == 0 || d == 0 {
			d = 1 + r.Int64N(6)
		}
		return big.NewRat(n, d)
	}
	x := bigNumber{part(), part()}
	if r.IntN(3) == 0 {
		x.b = new(big.Rat)
	}
	return x
}

// TestArithmetic compares sums, products, quotients, signs and comparisons with those of math/big.
func TestArithmetic(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 60_000 {
		x, y := made(r), made(r)
		a, b := x.number(), y.number()
		check := func(name string, got Number, want bigNumber) {
			t.Helper()
			if got.a.toBig().Cmp(want.a) != 0 || got.b.toBig().Cmp(want.b) != 0 || !got.Equal(want.number()) {
				t.Fatalf("%s of %s and %s: got %s; want %s", name, a.LaTeX(), b.LaTeX(), got.LaTeX(), want.number().LaTeX())
			}
			if !isCanonical(got.a) || !isCanonical(got.b) {
				t.Fatalf("%s of %s and %s: %+v is not in its shortest form", name, a.LaTeX(), b.LaTeX(), got)
			}
		}
		check("sum", a.Add(b), bigNumber{new(big.Rat).Add(x.a, y.a), new(big.Rat).Add(x.b, y.b)})
		check("difference", a.Sub(b), bigNumber{new(big.Rat).Sub(x.a, y.a), new(big.Rat).Sub(x.b, y.b)})
		check("product", a.Mul(b), x.mul(y))
		q, ok := a.Quo(b)
		if ok == b.Zero() {
			t.Fatalf("quotient of %s and %s: got %v", a.LaTeX(), b.LaTeX(), ok)
		}
		if ok {
			check("product with the quotient", q.Mul(b), x)
		}
		if a.Equal(b) != (x.a.Cmp(y.a) == 0 && x.b.Cmp(y.b) == 0) {
			t.Fatalf("%s and %s: got equal %v", a.LaTeX(), b.LaTeX(), a.Equal(b))
		}
		f := a.bigFloat()
		if a.Sign() != f.Sign() {
			t.Fatalf("sign of %s: got %d; want %d", a.LaTeX(), a.Sign(), f.Sign())
		}
		want, _ := f.Float64()
		if got := a.Float(); math.Abs(got-want) > 1e-12*math.Abs(want) {
			t.Fatalf("%s as a double: got %v; want %v", a.LaTeX(), got, want)
		}
		if x.b.Sign() == 0 {
			if want, _ := x.a.Float64(); a.Float() != want {
				t.Fatalf("%s as a double: got %v; want the nearest, %v", a.LaTeX(), a.Float(), want)
			}
		}
		p, q2, d, ok := a.Int64s()
		if ok && (new(big.Rat).SetFrac(big.NewInt(p), big.NewInt(d)).Cmp(x.a) != 0 || new(big.Rat).SetFrac(big.NewInt(q2), big.NewInt(d)).Cmp(x.b) != 0) {
			t.Fatalf("%s as integers: got %d, %d, %d", a.LaTeX(), p, q2, d)
		}
		if !ok && a.a.big == nil && a.b.big == nil && a.a.d == a.b.d {
			t.Fatalf("%s has a common denominator, and is not given as integers", a.LaTeX())
		}
	}
}

// The root of every square of an integer below the limit is exact, and nothing beside it has a root.
func TestIntegerRoots(t *testing.T) {
	for _, root := range []int64{0, 1, 2, 3, 94906265, 94906266, 94906267, 1 << 30, 3037000498, 3037000499} {
		for n := root*root - 1; n <= root*root+1; n++ {
			if n < 0 {
				continue
			}
			got, ok := sqrtInt(n)
			want := new(big.Int).Sqrt(big.NewInt(n)).Int64()
			if got != want || ok != (want*want == n) {
				t.Errorf("root of %d: got %d, %v; want %d", n, got, ok, want)
			}
		}
	}
	if got, ok := sqrtInt(math.MaxInt64); got != 3037000499 || ok {
		t.Errorf("root of the largest integer: got %d, %v", got, ok)
	}
}

// The square of any number has its absolute value as root.
func TestRoots(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 3000 {
		x := made(r).number()
		root, ok := x.Mul(x).Sqrt()
		if x.Sign() < 0 {
			x = x.Neg()
		}
		if !ok || !root.Equal(x) {
			t.Fatalf("root of the square of %s: got %s, %v", x.LaTeX(), root.LaTeX(), ok)
		}
	}
	for _, x := range []Number{Int(-1), Int(-4), Surd(-1, 1), Int(3), Int(1).Sub(Surd(1, 1)), {fromBig(new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(41), nil))), integer(0)},
		{fromBig(new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Exp(big.NewInt(10), big.NewInt(41), nil))), integer(0)}} {
		if root, ok := x.Sqrt(); ok {
			t.Errorf("root of %s: got %s; want none", x.LaTeX(), root.LaTeX())
		}
	}
}

// Parts that are too large for doubles, or whose sum is nearly 0, give the nearest double.
func TestDoublesOfHugeParts(t *testing.T) {
	power := func(n int64) rat {
		return fromBig(new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(n), nil)))
	}
	for _, n := range []int64{10, 149, 150, 151, 160, 300, 308, 400} {
		for _, x := range []Number{{power(n), power(n).neg()}, {power(n), integer(1)}, {integer(1), power(n)}, {power(n), integer(0)}, {power(n), integer(1).quo(power(n))}} {
			want, _ := x.bigFloat().Float64()
			if got := x.Float(); got != want && math.Abs(got-want) > 1e-12*math.Abs(want) {
				t.Errorf("1e%d: got %v; want %v", n, got, want)
			}
		}
	}
	// Such a part has a double, and its product with root 2 has none.
	large := Number{power(307).mul(integer(15)), power(307).mul(integer(-15))}
	if got, want := large.Float(), 1.5e308*(1-math.Sqrt2); math.Abs(got-want) > 1e-12*math.Abs(want) {
		t.Errorf("got %v; want %v", got, want)
	}
	if got := Int(5).sqrtFloat(); got != math.Sqrt(5) {
		t.Errorf("root of 5: got %v", got)
	}
	for _, n := range []int64{1<<53 - 1, 1 << 53, 1<<53 + 1, math.MaxInt64} {
		want, _ := new(big.Float).SetPrec(300).Sqrt(new(big.Float).SetPrec(300).SetInt64(n)).Float64()
		if got := Int(n).sqrtFloat(); got != want {
			t.Errorf("root of %d: got %v; want %v", n, got, want)
		}
	}
	if got, want := Surd(2, 1).sqrtFloat(), math.Sqrt(2*math.Sqrt2); math.Abs(got-want) > 1e-15 {
		t.Errorf("root of 2 root 2: got %v; want %v", got, want)
	}
	if got, want := Ratio(1, 3).sqrtFloat(), math.Sqrt(1.0/3); math.Abs(got-want) > 1e-15 {
		t.Errorf("root of a third: got %v; want %v", got, want)
	}
}

func TestArea(t *testing.T) {
	p := func(x, y Number) Point { return Point{x, y} }
	square := []Point{p(Int(0), Int(0)), p(Surd(1, 1), Int(0)), p(Surd(1, 1), Surd(1, 1)), p(Int(0), Surd(1, 1))}
	triangle := []Point{p(Int(1), Int(1)), p(Int(4), Int(1)), p(Int(1), Int(3))}
	for _, poly := range [][]Point{square, triangle} {
		want := Int(2)
		if len(poly) == 3 {
			want = Int(3)
		}
		for range poly {
			poly = append(poly[1:], poly[0])
			if got := Area(poly); !got.Equal(want) {
				t.Errorf("got %s; want %s", got.LaTeX(), want.LaTeX())
			}
		}
		slices.Reverse(poly)
		if got := Area(poly); !got.Equal(want.Neg()) {
			t.Errorf("clockwise: got %s; want -%s", got.LaTeX(), want.LaTeX())
		}
	}
	for _, c := range []struct {
		x    Number
		want bool
	}{{Ratio(19, 2), true}, {Int(10), true}, {Ratio(21, 2), false}, {Int(-10), true}, {Ratio(-21, 2), false}, {Ratio(-19, 2), true}, {Int(9), true}, {Int(-9), true},
		{Int(11), false}, {Int(-11), false}} {
		if got := c.x.Within(10); got != c.want {
			t.Errorf("%s within 10: got %v", c.x.LaTeX(), got)
		}
	}
	if got := (Number{fromBig(new(big.Rat).SetFrac(new(big.Int).Lsh(big.NewInt(1), 70), big.NewInt(3))), integer(1)}).Bits(); got != 71+2+64 {
		t.Errorf("got %d bits; want %d", got, 71+2+64)
	}
}

// TestScaledDifference: the fast path of squared distances takes numbers up to its limits, and none beyond.
func TestScaledDifference(t *testing.T) {
	num := func(a, b, d int64) Number { return Ratio(a, d).Add(Surd(b, d)) }
	const top = maxOperand - 1
	for _, c := range []struct {
		name    string
		x, y    Number
		p, q, d int64
		ok      bool
	}{
		{"integers get the denominator 2", Int(1), num(4, 5, 1), 6, 10, 2, true},
		{"halves", num(1, 3, 2), num(5, 1, 2), 4, -2, 2, true},
		{"thirds and halves", num(1, 1, 3), num(1, 3, 2), 1, 7, 6, true},
		{"sixths and quarters", num(1, 5, 6), num(1, 3, 4), 1, -1, 12, true},
		{"as large as may be", num(-top, top, 1), num(top, -top, 1), 4 * top, -4 * top, 2, true},
		{"a part too large", num(maxOperand, 1, 1), Int(0), 0, 0, 0, false},
		{"a part too small", num(1, -maxOperand, 1), Int(0), 0, 0, 0, false},
		{"the other's part too large", Int(0), num(1, maxOperand, 1), 0, 0, 0, false},
		{"the other's part too small", Int(0), num(-maxOperand, 1, 1), 0, 0, 0, false},
		{"a denominator as large as may be", num(1, 1, maxOperand), num(3, 5, maxOperand), 2, 4, maxOperand, true},
		{"a denominator too large", num(1, 1, maxOperand+1), num(3, 5, maxOperand+1), 0, 0, 0, false},
		{"the other's denominator too large", Int(0), num(3, 5, maxOperand+1), 0, 0, 0, false},
		{"a common denominator as large as may be", num(1, 1, 1<<13), num(1, 1, 1<<14), -1, -1, 1 << 14, true},
		{"a common denominator too large", num(1, 1, 1<<13), num(1, 1, 3), 0, 0, 0, false},
		{"the largest difference", num(0, top, 1), num(0, -top, maxOperand), 0, -(1<<28 - 1), maxOperand, true},
	} {
		p, q, d, ok := scaledDifference(c.x, c.y)
		if ok != c.ok || ok && (p != c.p || q != c.q || d != c.d) {
			t.Errorf("%s: got %d, %d, %d, %v; want %d, %d, %d, %v", c.name, p, q, d, ok, c.p, c.q, c.d, c.ok)
		}
	}
	if got := Ratio(3, -6); !got.Equal(Ratio(-1, 2)) || got.a.d != 2 {
		t.Errorf("3/-6: got %s", got.LaTeX())
	}
	if got := Surd(-3, -1); !got.Equal(Surd(3, 1)) || got.b.d != 1 {
		t.Errorf("-3/-1: got %s", got.LaTeX())
	}
}

// TestInt64Alone checks that parts that fit into int64s are computed without big numbers, which take
// memory: nearly all coordinates are such.
func TestInt64Alone(t *testing.T) {
	x, y := Ratio(1, 2).Add(Surd(3, 2)), Ratio(-1, 3).Add(Surd(1, 5))
	for name, f := range map[string]func(){
		"sums":              func() { x.Add(y).Sub(x.Neg()) },
		"sums with 0":       func() { integer(0).add(integer(-1)); integer(0).add(integer(1)); integer(0).add(integer(0)) },
		"the largest sum":   func() { integer(maxInt - 1).add(integer(1)); integer(1).add(integer(1)) },
		"products":          func() { x.Mul(y) },
		"largest product":   func() { integer(maxInt).mul(integer(1)); integer(maxInt).mul(integer(-1)) },
		"quotients":         func() { x.Quo(y) },
		"doubles":           func() { x.Float(); y.Float(); Int(3).Float() },
		"whole square root": func() { Int(5).sqrtFloat(); Int(1<<53 - 1).sqrtFloat() },
		"equal":             func() { integer(maxInt).equal(integer(-maxInt)) },
		"signs":             func() { x.Sign(); y.Sign(); x.Cmp(y); x.Within(3) },
	} {
		if n := testing.AllocsPerRun(10, f); n != 0 {
			t.Errorf("%s: got %v allocations; want none", name, n)
		}
	}
}
