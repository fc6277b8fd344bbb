package field

import (
	"math"
	"math/big"
	"strings"
	"testing"

	"plumb/testdata"
)

func TestReferenceExpressions(t *testing.T) {
	type example struct {
		ID, Text string
		Expected struct {
			OK, Exact   bool
			A, B, LaTeX string
			Value       float64
		}
	}
	testdata.Each(t, "tangram/expressions.jsonl", func(c *example) {
		x, inexact, err := Parse(c.Text)
		if (err == nil) != c.Expected.OK {
			t.Errorf("%s %q: got error %v; want ok %v", c.ID, c.Text, err, c.Expected.OK)
			return
		}
		if err != nil {
			return
		}
		a, b := x.a.toBig().RatString(), x.b.toBig().RatString()
		if a != c.Expected.A || b != c.Expected.B || inexact == c.Expected.Exact {
			t.Errorf("%s %q: got %s, %s, inexact %v; want %s, %s, exact %v", c.ID, c.Text, a, b, inexact, c.Expected.A, c.Expected.B, c.Expected.Exact)
		}
		if v := x.Float(); math.Abs(v-c.Expected.Value) > 1e-14*math.Abs(c.Expected.Value) {
			t.Errorf("%s %q: got %v; want %v", c.ID, c.Text, v, c.Expected.Value)
		}
		if l := c.Expected.LaTeX; l != "" && x.LaTeX() != l {
			t.Errorf("%s %q: printed %s; want %s", c.ID, c.Text, x.LaTeX(), l)
		}
		if again, _, err := Parse(x.LaTeX()); err != nil || !again.Equal(x) {
			t.Errorf("%s %q: printed %s, read back %s, %v", c.ID, c.Text, x.LaTeX(), again.LaTeX(), err)
		}
	})
}

func TestParse(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`\frac12`, `\frac{1}{2}`}, {`\sqrt12`, `2`}, {`\sqrt12`, `2`}, {`2\frac{1}{2}`, `1`}, {`1/2\sqrt{2}`, `\frac{\sqrt{2}}{2}`},
		{`\sqrt{2}2`, `2\sqrt{2}`}, {`2^3`, `8`}, {`2^{-1}`, `\frac{1}{2}`}, {`2^31`, `8`}, {`$1+1$`, `2`}, {`$$1$$`, `1`}, {`\(1\)`, `1`},
		{`\[1\]`, `1`}, {`1 2`, ``}, {`1**2`, ``}, {`\pm1`, ``}, {`x`, ``}, {`\text{1}`, ``}, {`\sqrt[3]{8}`, ``}, {``, ``}, {`{1`, ``},
		{`1/0`, ``}, {`\sqrt{-1}`, ``}, {`$1`, ``}, {`1$`, ``}, {`(1]`, ``}, {`2^9`, ``}, {`1e31`, ``}, {`+-+1`, `-1`}, {`1--1`, `2`},
		{strings.Repeat("(", 64) + "1" + strings.Repeat(")", 64), `1`}, {strings.Repeat("(", 65) + "1" + strings.Repeat(")", 65), ``},
		{strings.Repeat(`\sqrt`, 64) + "1", `1`}, {strings.Repeat(`\sqrt`, 66) + "1", ``},
		{`\frac12 3`, `\frac{3}{2}`}, {`\sqrt4 3`, `6`}, {`(2) 3`, `6`}, {`-2 3`, ``}, {`2^3 4`, `32`}, {`2^3 4 5`, ``}, {`2^2e5`, ``}, {`\sqrt1e5`, ``},
		{`\sqrt1.5`, `\frac{1}{2}`}, {`2^1.5`, `1`}, {`\frac1.5`, ``}, {`2^{-1}^2`, ``}, {`0^0`, `1`}, {`0^{-1}`, ``}, {"1\f2", ``}, {`1 000`, ``},
		{strings.Repeat("1+", 300) + "1", ``}, {`((((9^8)^8)^8)^8)^8`, ``}, {`\frac`, ``}, {`\`, ``}, {`.`, ``}, {`1.`, `1`}, {`.5`, `\frac{1}{2}`},
		{`sqrt(8)`, `2\sqrt{2}`}, {`√2`, `\sqrt{2}`}, {`√12`, `2\sqrt{3}`}, {`2·3`, `6`}, {`6÷4`, `\frac{3}{2}`}, {`−1`, `-1`},
	} {
		x, _, err := Parse(c.text)
		switch {
		case c.want == "" && err == nil:
			t.Errorf("%q: got %s; want an error", c.text, x.LaTeX())
		case c.want == `2\sqrt{3}`: // outside of K: the nearest double
			if err != nil || x.Float() != math.Sqrt(12) {
				t.Errorf("%q: got %v, %v", c.text, x.Float(), err)
			}
		case c.want != "" && (err != nil || x.LaTeX() != c.want):
			t.Errorf("%q: got %s, %v; want %s", c.text, x.LaTeX(), err, c.want)
		}
	}
}

func TestSignOfNearZero(t *testing.T) {
	// 665857/470832 is larger than sqrt 2 by 1.6e-12.
	x := Ratio(665857, 470832).Sub(Surd(1, 1))
	if x.Sign() != 1 || math.Abs(x.Float()-1.5948618246068547e-12) > 1e-26 {
		t.Errorf("got sign %d, %v", x.Sign(), x.Float())
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{`\frac{3\sqrt{2}}{2}`, `$1+\pi^2$`, `(2^{-3})/.5e2`, `√(2)·−1`, strings.Repeat("7", 30) + "+", strings.Repeat("7", 30) + "-", strings.Repeat("7", 30) + "/"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		x, _, err := Parse(s)
		if err != nil {
			return
		}
		if y, _, err := Parse(x.LaTeX()); len(x.LaTeX()) < maxLength && (err != nil || !y.Equal(x)) {
			t.Errorf("%q is %s, which reads as %s, %v", s, x.LaTeX(), y.LaTeX(), err)
		}
	})
}

// TestDoubles compares with arithmetic of 2,000 bits: values far smaller than their parts, and
// square roots outside of Q(sqrt 2).
func TestDoubles(t *testing.T) {
	precise := func(x Number) *big.Float {
		f := func() *big.Float { return new(big.Float).SetPrec(20000) }
		a, b := f().SetRat(x.a.toBig()), f().SetRat(x.b.toBig())
		return a.Add(a, b.Mul(b, f().Sqrt(f().SetInt64(2))))
	}
	for _, text := range []string{`(\sqrt{2}-1)^8`, `((\sqrt{2}-1)^8)^8`, `(((\sqrt{2}-1)^8)^8)^8`, `(((\sqrt{2}-1)^8)^8)^8 \cdot 10^8`,
		`((((\sqrt{2}-1)^8)^8)^8)^2(((10^7)^7)^8)`, `665857-470832\sqrt{2}`, `\frac{1}{665857-470832\sqrt{2}}`, `1/3+\sqrt{2}/7`} {
		x, _, err := Parse(text)
		if err != nil {
			t.Fatal(text, err)
		}
		want, _ := precise(x).Float64()
		if got := x.Float(); math.Abs(got-want) > 4e-16*math.Abs(want) {
			t.Errorf("%s: got %g; want %g", text, got, want)
		}
	}
	for _, text := range []string{`3`, `1/3`, `7/11`, `2+\sqrt{2}`, `5-\sqrt{2}`, `0.37`, `3-2\sqrt{2}+0.0001`, `123456789.123`} {
		x, _, err1 := Parse(text)
		r, inexact, err2 := Parse(`\sqrt{` + text + `}`)
		if err1 != nil || err2 != nil || !inexact {
			t.Fatal(text, err1, err2, inexact)
		}
		p := precise(x)
		if want, _ := p.Sqrt(p).Float64(); r.Float() != want {
			t.Errorf("root of %s: got %v; want %v", text, r.Float(), want)
		}
	}
}
