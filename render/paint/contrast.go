package paint

import (
	"math"
	"plumb/render/shapes"
	"sync"
)

// The browser maps the coverage of glyphs to alpha by a table that depends on the lightness of
// the text. The two constants were found by drawing text in many colours with it: all 8 x 256
// entries are equal. See docs/spec/drawing.md#r57.
const (
	contrastGamma = 1.1875
	contrastBoost = 0.2
	contrastRows  = 8 // lightness is used with three bits
)

// contrastTable maps coverage in 1/255 to alpha in 1/255: 0 and 255 to themselves.
type contrastTable [256]uint8

// contrastTables holds one table per lightness.
var contrastTables = sync.OnceValue(func() *[contrastRows]contrastTable {
	t := new([contrastRows]contrastTable)
	for row := range t {
		for i := range t[row] {
			t[row][i] = contrast(row, i)
		}
	}
	return t
})

// contrast is the alpha, in 1/255, of coverage i/255 in a row of lightness.
func contrast(row, i int) uint8 {
	l := float64(threeBits(uint8(row<<5))) / 255
	d := 1 - l
	x := float64(i) / 255
	linL, linD := math.Pow(l, contrastGamma), math.Pow(d, contrastGamma)
	s := x + float64(x*(1-x)*contrastBoost*linD)
	out := math.Pow(max(0, float64(s*linL)+float64((1-s)*linD)), 1/contrastGamma)
	return uint8(math.Floor(255*(out-d)/(l-d) + 0.5))
}

// threeBits keeps the upper three bits of a channel and spreads them to 0..255.
func threeBits(v uint8) uint8 {
	v >>= 5
	return v<<5 | v<<2 | v>>1
}

// lightness returns the row of the contrast tables for a text colour.
func lightness(c shapes.RGB) int {
	r, g, b := float64(threeBits(c[0])), float64(threeBits(c[1])), float64(threeBits(c[2]))
	return int(float64(0.2126*r)+float64(0.7152*g)+float64(0.0722*b)+0.5) >> 5
}
