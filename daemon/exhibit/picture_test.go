package exhibit

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math"
	"testing"
)

// TestShrinkAndEncode averages blocks of pixels, and reduces many colours to 256.
func TestShrinkAndEncode(t *testing.T) {
	img := image.NewRGBA(image.Rect(0, 0, 5, 3))
	for i := range img.Pix {
		img.Pix[i] = 255
	}
	img.SetRGBA(0, 0, color.RGBA{3, 255, 255, 255})
	img.SetRGBA(4, 2, color.RGBA{0, 0, 0, 255})
	s := Shrink(img, 2)
	if s.Bounds() != image.Rect(0, 0, 3, 2) || s.RGBAAt(0, 0).R != 192 || s.RGBAAt(2, 1) != (color.RGBA{0, 0, 0, 255}) {
		t.Errorf("shrunk to %v with %v and %v", s.Bounds(), s.RGBAAt(0, 0), s.RGBAAt(2, 1))
	}
	many := image.NewRGBA(image.Rect(0, 0, 64, 64)) // 4096 colours
	for i := range 4096 {
		many.SetRGBA(i%64, i/64, color.RGBA{uint8(i % 64 * 4), uint8(i / 64 * 4), 100, 255})
	}
	b, err := Encode(many)
	if err != nil {
		t.Fatal(err)
	}
	back, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 4096 {
		c := color.RGBAModel.Convert(back.At(i%64, i/64)).(color.RGBA)
		if d := max(math.Abs(float64(c.R)-float64(i%64*4)), math.Abs(float64(c.G)-float64(i/64*4))); d > 8 {
			t.Fatalf("colour %d is off by %g; want at most half a bucket of 16", i, d)
		}
	}
}
