package field

import (
	"math/rand/v2"
	"testing"
)

// TestSquare compares the int64 fast path of squared distances with exact arithmetic, for numbers
// of all sizes.
func TestSquare(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	number := func(size int64) Number {
		n := func() int64 { return rng.Int64N(2*size+1) - size }
		d := func() int64 { return 1 + rng.Int64N(min(size, 40)) }
		return Ratio(n(), d()).Add(Surd(n(), d()))
	}
	for i := range 20000 {
		size := int64(1) << (1 + i%40)
		ax, ay, bx, by := number(size), number(size), number(size), number(size)
		if i%7 == 0 {
			bx, by = ax, ay.Add(Surd(1, 2))
		}
		dx, dy := bx.Sub(ax), by.Sub(ay)
		want := dx.Mul(dx).Add(dy.Mul(dy))
		if got := SquaredDistance(ax, ay, bx, by); !got.Equal(want) {
			t.Fatalf("square of (%s, %s) to (%s, %s): got %s; want %s", ax.LaTeX(), ay.LaTeX(), bx.LaTeX(), by.LaTeX(), got.LaTeX(), want.LaTeX())
		}
	}
}

func TestWithin(t *testing.T) {
	for _, c := range []struct {
		x    Number
		want bool
	}{{Int(1000), true}, {Int(1001), false}, {Int(-1000), true}, {Ratio(-10001, 10), false}, {Int(0), true}, {Ratio(9999999, 10000), true},
		{Surd(707, 1), true}, {Surd(708, 1), false}} {
		if got := c.x.Within(1000); got != c.want {
			t.Errorf("%s: got %v; want %v", c.x.LaTeX(), got, c.want)
		}
	}
}

// TestShort checks that the fast path reads a text as the parser does, or leaves it to the parser.
func TestShort(t *testing.T) {
	texts := []string{"0", "-0", "7", "-12", "007", `\sqrt{2}`, `-\sqrt{2}`, `3\sqrt{2}`, `\frac{1}{2}`, `-\frac{3\sqrt{2}}{2}`, `\frac{\sqrt{2}}{2}`,
		`2+\frac{\sqrt{2}}{2}`, `2-\frac{\sqrt{2}}{2}`, `-\frac{1}{2}+3\sqrt{2}-1`, "1+", "+1", "--1", "1+-2", "", "-", `\frac{1}{0}`, `\frac{}{2}`, `\frac{1}{2}3`,
		`2\frac{1}{2}`, `\sqrt{2}2`, `\sqrt{3}`, "1234567890123", "1 2", "1.5", `\frac{1.5}{2}`, `\frac12`, `3\sqrt{2}\sqrt{2}`, `\frac{2}{4}`}
	decimals := []string{"1.5", "-0.25", "0.0", "-0.0", "007.50", "1.41421356237309505", "1.4142135623730951", "-99999999999999.999", "1.", ".5", "-.5", "1.2.3", "1.5e3", "--1.5", "1.5 ", "", "-", "15"}
	for i, text := range append(decimals, texts...) {
		read, rough := parseShort, false
		if i < len(decimals) {
			read, rough = parseShortDecimal, true
		}
		got, ok := read(text)
		p := parser{}
		want, wantOK := Number{}, false
		if text != "" && p.tokenize(text) && p.stripDelimiters() {
			want, wantOK = p.expression()
			wantOK = wantOK && p.next == len(p.tokens)
		}
		if ok && (!wantOK || !got.Equal(want) || p.inexact != rough) {
			t.Errorf("%q: the fast path reads %s; the parser %s, %v", text, got.LaTeX(), want.LaTeX(), wantOK)
		}
	}
	for _, text := range []string{"0", `-\frac{3\sqrt{2}}{2}`, `2-\frac{\sqrt{2}}{2}`} {
		if _, ok := parseShort(text); !ok {
			t.Errorf("%q is not read by the fast path", text)
		}
	}
	for _, text := range decimals[:7] {
		if _, ok := parseShortDecimal(text); !ok && len(text) <= 18 {
			t.Errorf("%q is not read by the fast path", text)
		}
	}
}
