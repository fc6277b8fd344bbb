package outline

import (
	"math"
	"sync"
)

// The browser maps the coverage of glyphs to alpha by a table that depends on
// how light the text is (tldraw-rendering.md 6.10).
const (
	contrastGamma = 1.13
	contrastBoost = 0.05
	contrastRows  = 8 // lightness is used with three bits
)

// contrastTables holds one table per lightness.
var contrastTables = sync.OnceValue(func() *[contrastRows]ContrastTable {
	t := new([contrastRows]ContrastTable)
	for row := range t {
		for i := range t[row] {
			t[row][i] = contrast(row, i)
		}
	}
	return t
})

// contrast is the alpha, in 1/255, of coverage i/255 in a row of lightness.
func contrast(row, i int) uint8 {
	l := float64(row<<5|row<<2|row>>1) / 255
	d := 1 - l
	x := float64(i) / 255
	linL, linD := math.Pow(l, contrastGamma), math.Pow(d, contrastGamma)
	s := x + float64(x*(1-x)*contrastBoost*linD)
	if math.Abs(l-d) >= 1.0/256 {
		s = (math.Pow(float64(s*linL)+float64((1-s)*linD), 1/contrastGamma) - d) / (l - d)
	}
	return uint8(math.Floor(s*255 + 0.5))
}

// lightness returns the row of a colour.
func lightness(c rgb) int {
	lin := func(v uint8) float64 { return math.Pow(float64(v)/255, contrastGamma) }
	l := float64(0.2126*lin(c[0])) + float64(0.7152*lin(c[1])) + float64(0.0722*lin(c[2]))
	return int(math.Floor(math.Pow(l, 1/contrastGamma)*255+0.5)) >> 5
}

// contrastTable returns the number of a colour's table in the drawing, adding it
// when it is new there.
func (b *Builder) contrastTable(c rgb) uint8 {
	t := &contrastTables()[lightness(c)]
	for i, have := range b.d.Tables {
		if have == t {
			return uint8(i + 1)
		}
	}
	b.d.Tables = append(b.d.Tables, t)
	return uint8(len(b.d.Tables))
}
