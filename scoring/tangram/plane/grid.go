package plane

import (
	"cmp"
	"math"
	"math/bits"
)

// gridLimit bounds the coordinates of a gridKernel, so that differences fit into an int64.
const gridLimit = 1 << 61

// gridKernel holds points with integer coordinates: the kernel for long decimals and for rounded
// points.
type gridKernel struct{ x, y []int64 }

// int128 is a signed integer of 128 bits in two's complement.
type int128 struct{ hi, lo uint64 }

// exactCross returns the cross product (b - a) x (d - c) of grid points exactly.
func (kernel *gridKernel) exactCross(a, b, c, d int32) int128 {
	first, second := product128(kernel.x[b]-kernel.x[a], kernel.y[d]-kernel.y[c]), product128(kernel.y[b]-kernel.y[a], kernel.x[d]-kernel.x[c])
	lo, borrow := bits.Sub64(first.lo, second.lo, 0)
	hi, _ := bits.Sub64(first.hi, second.hi, borrow)
	return int128{hi, lo}
}

// product128 returns the product of two differences of grid coordinates. Differences can be as large as
// 1<<62 (see gridLimit), so a product needs 128 bits.
func product128(x, y int64) int128 {
	hi, lo := bits.Mul64(magnitude(x), magnitude(y))
	if (x < 0) != (y < 0) {
		return int128{hi, lo}.neg()
	}
	return int128{hi, lo}
}

// neg returns -x.
func (x int128) neg() int128 {
	lo, carry := bits.Add64(^x.lo, 1, 0)
	return int128{^x.hi + carry, lo}
}

// sign returns the sign of a 128-bit integer, -1, 0 or 1, with which exact comparisons of polygons
// are decided.
func (x int128) sign() int {
	switch {
	case x.hi|x.lo == 0:
		return 0
	case int64(x.hi) < 0:
		return -1
	}
	return 1
}

// abs returns the absolute value of a 128-bit integer of the grid kernel.
func (x int128) abs() int128 {
	if int64(x.hi) >= 0 {
		return x
	}
	return x.neg()
}

// float returns x as a double.
func (x int128) float() float64 {
	a := x.abs()
	v := float64(a.hi)*(1<<64) + float64(a.lo)
	return math.Copysign(v, float64(x.sign()))
}

// mulMagnitudes returns the 256-bit product of two 128-bit integers of the grid kernel, which must
// not be negative, in four words with the lowest first. Long multiplication: the products of the low
// and of the high words are laid down, then the two mixed products are added one word higher.
func (x int128) mulMagnitudes(y int128) (p [4]uint64) {
	var carry uint64
	p[1], p[0] = bits.Mul64(x.lo, y.lo)
	p[3], p[2] = bits.Mul64(x.hi, y.hi)
	for _, mixed := range [2][2]uint64{{x.hi, y.lo}, {x.lo, y.hi}} {
		hi, lo := bits.Mul64(mixed[0], mixed[1])
		p[1], carry = bits.Add64(p[1], lo, 0)
		p[2], carry = bits.Add64(p[2], hi, carry)
		p[3] += carry
	}
	return p
}

// int128Of returns n in 128 bits.
func int128Of(n int64) int128 {
	return int128{uint64(n >> 63), uint64(n)}
}

// side, same and hash implement kernel for integer coordinates.
func (kernel *gridKernel) side(a, b, c int32) int { return kernel.exactCross(a, b, a, c).sign() }

func (kernel *gridKernel) same(a, b int32) bool {
	return kernel.x[a] == kernel.x[b] && kernel.y[a] == kernel.y[b]
}

func (kernel *gridKernel) hash(a int32) uint64 {
	return hashWords(uint64(kernel.x[a]), uint64(kernel.y[a]))
}

// cross is in units of the squared grid step: callers only use ratios.
func (kernel *gridKernel) cross(a, b, c, d int32) float64 {
	return kernel.exactCross(a, b, c, d).float()
}

// paramOf returns the place of vertex c on a polygon's edge from a to b, 0 at a and 1 at b. It uses
// x coordinates, or y where the edge is vertical.
func (kernel *gridKernel) paramOf(a, b, c int32) float64 {
	if ux := kernel.x[b] - kernel.x[a]; ux != 0 {
		return float64(kernel.x[c]-kernel.x[a]) / float64(ux)
	}
	return float64(kernel.y[c]-kernel.y[a]) / float64(kernel.y[b]-kernel.y[a])
}

// paramQuotient returns the place of a point on a polygon's edge, 0 at its start and 1 at its end,
// as an exact quotient of grid numbers; the denominator may be negative. The point is an end of the
// edge, a crossing with another line, or a vertex on the edge.
func (kernel *gridKernel) paramQuotient(param edgeParam) (num, den int128) {
	switch {
	case param.isEnd():
		return int128Of(int64(param.value)), int128Of(1) // 0 or 1
	case param.isCrossing(): // (c - a) x (d - c) over (b - a) x (d - c)
		return kernel.exactCross(param.a, param.c, param.c, param.d), kernel.exactCross(param.a, param.b, param.c, param.d)
	}
	// the vertex c: by x coordinates, or by y where the edge is vertical
	if ux := kernel.x[param.b] - kernel.x[param.a]; ux != 0 {
		return int128Of(kernel.x[param.c] - kernel.x[param.a]), int128Of(ux)
	}
	return int128Of(kernel.y[param.c] - kernel.y[param.a]), int128Of(kernel.y[param.b] - kernel.y[param.a])
}

// order returns -1, 0 or 1 for the order of two points on a polygon's edge, exactly. Each point is a
// quotient of grid numbers: their signs are compared, then the magnitudes of the quotients after
// cross-multiplication, which takes 256 bits.
func (kernel *gridKernel) order(s, t edgeParam) int {
	numS, denS := kernel.paramQuotient(s)
	numT, denT := kernel.paramQuotient(t)
	signS, signT := numS.sign()*denS.sign(), numT.sign()*denT.sign()
	if signS != signT {
		return cmp.Compare(signS, signT)
	}
	left, right := numS.abs().mulMagnitudes(denT.abs()), numT.abs().mulMagnitudes(denS.abs())
	for i := 3; i >= 0; i-- { // from the highest word
		if left[i] != right[i] {
			if left[i] > right[i] {
				return signS
			}
			return -signS
		}
	}
	return 0
}

// toGridUnits returns the grid coordinate nearest to v, for a grid with scale steps per
// unit.
func toGridUnits(v, scale float64) int64 { return int64(math.RoundToEven(v * scale)) }
