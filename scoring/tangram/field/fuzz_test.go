package field

import (
	"math"
	"testing"
)

// FuzzPrint checks that a parsed number prints as text that parses as the same number, and that it
// has a double.
func FuzzPrint(f *testing.F) {
	for _, s := range []string{`1+\frac{3\sqrt{2}}{2}`, `\sqrt{3+2\sqrt{2}}`, `$-1.5e3$`, `\frac12 3`, `√(2)·3^{-2}`, `((\sqrt{2}-1)^8)^8`, `\pi/2`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		x, inexact, err := Parse(s)
		if err != nil {
			return
		}
		if v := x.Float(); math.IsNaN(v) || math.Signbit(v) && x.Sign() > 0 {
			t.Fatalf("%q: got double %v of %s", s, v, x.LaTeX())
		}
		out := x.LaTeX()
		if len(out) > maxLength {
			return
		}
		y, rough, err := Parse(out)
		if err != nil || rough || !y.Equal(x) {
			t.Fatalf("%q: printed %s, read back %s, %v, %v; was inexact: %v", s, out, y.LaTeX(), rough, err, inexact)
		}
	})
}
