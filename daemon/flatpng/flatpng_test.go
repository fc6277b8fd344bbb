package flatpng

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math"
	"math/rand/v2"
	"testing"
)

// ground is an opaque colour with three different channels.
var ground = color.NRGBA{R: 249, G: 250, B: 251, A: 255}

// decoded returns the picture of a PNG, and what its pixels hold.
func decoded(t *testing.T, data []byte) (image.Image, color.Model) {
	t.Helper()
	c, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return img, c.ColorModel
}

// pictures are pictures of all kinds of rows: noise, equal ones, flat areas with edges, clear and
// translucent pixels, in several sizes.
func pictures() (all []*image.NRGBA) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, size := range []image.Point{{1, 1}, {3, 2}, {257, 130}} {
		img := image.NewNRGBA(image.Rectangle{Max: size})
		noise := image.NewNRGBA(image.Rectangle{Max: size})
		shapes := image.NewNRGBA(image.Rectangle{Max: size})
		for y := range size.Y {
			for x := range size.X {
				img.SetNRGBA(x, y, color.NRGBA{uint8(x * 7), uint8(y * 5), uint8(x * y), 255})
				if y%32 > 16 {
					img.SetNRGBA(x, y, color.NRGBA{uint8(x * 7), 0, uint8(min(x, y) / 20), 255})
				}
				noise.SetNRGBA(x, y, color.NRGBA{uint8(r.Uint32()), uint8(r.Uint32()), uint8(r.Uint32()), uint8(r.Uint32())})
				if d := math.Hypot(float64(x-90), float64(y-60)) - 50; d < 0 {
					shapes.SetNRGBA(x, y, color.NRGBA{200, 30, 40, uint8(min(255, -40*d))})
				}
			}
		}
		all = append(all, img, noise, shapes)
	}
	large := image.NewNRGBA(image.Rect(0, 0, 700, 600)) // not flat, and beyond the room for small pictures
	for i := range large.Pix {
		large.Pix[i] = uint8(r.Uint32())
	}
	return append(all, large, all[len(all)-1].SubImage(image.Rect(3, 5, 200, 101)).(*image.NRGBA))
}

// TestRGBA: a PNG with alpha holds the pixels of the picture, flat or not.
func TestRGBA(t *testing.T) {
	for i, img := range pictures() {
		got, model := decoded(t, RGBA(img))
		if model != color.NRGBAModel && !img.Opaque() {
			t.Errorf("picture %d: got %v; want pixels with alpha", i, model)
		}
		for y := range img.Rect.Dy() {
			for x := range img.Rect.Dx() {
				want := img.NRGBAAt(img.Rect.Min.X+x, img.Rect.Min.Y+y)
				if c := color.NRGBAModel.Convert(got.At(x, y)); c != want {
					t.Fatalf("picture %d, pixel %d,%d: got %v; want %v", i, x, y, c, want)
				}
			}
		}
	}
}

// TestAlpha: a grey PNG holds the alpha of the picture, flat or not.
func TestAlpha(t *testing.T) {
	for i, img := range pictures() {
		got, model := decoded(t, Alpha(img))
		if model != color.GrayModel {
			t.Errorf("picture %d: got %v; want grey", i, model)
		}
		for y := range img.Rect.Dy() {
			for x := range img.Rect.Dx() {
				want := color.Gray{Y: img.NRGBAAt(img.Rect.Min.X+x, img.Rect.Min.Y+y).A}
				if c := got.At(x, y); c != want {
					t.Fatalf("picture %d, pixel %d,%d: got %v; want %v", i, x, y, c, want)
				}
			}
		}
	}
}

// TestNotFlat: only a picture that is not flat goes through the standard writer.
func TestNotFlat(t *testing.T) {
	all := pictures()
	noise, shapes := all[9], all[8]
	if got := RGBA(noise); !bytes.Equal(got, encodeStandard(noise)) {
		t.Errorf("noise takes %d bytes, in the standard way %d; want equal", len(got), len(encodeStandard(noise)))
	}
	if got := RGBA(shapes); bytes.Equal(got, encodeStandard(shapes)) || len(got) > 2*len(encodeStandard(shapes)) {
		t.Errorf("a flat picture takes %d bytes; want other ones than in the standard way, and not twice the %d of that", len(got), len(encodeStandard(shapes)))
	}
}

// TestOver checks pictures that are laid over a ground: PNGs without alpha, with rounded pixels.
func TestOver(t *testing.T) {
	img := image.NewNRGBA(image.Rect(0, 0, 256, 4))
	for x := range 256 {
		img.SetNRGBA(x, 0, color.NRGBA{0, 100, 255, uint8(x)})
		img.SetNRGBA(x, 2, color.NRGBA{10, 20, 30, uint8(x)})
		img.SetNRGBA(x, 3, color.NRGBA{10, 20, 30, uint8(x & 1)})
	}
	for i, img := range append(pictures(), img) {
		got, model := decoded(t, Over(img, ground))
		if model != color.RGBAModel { // RGB; with alpha it would be NRGBA
			t.Errorf("picture %d: got %v; want RGB", i, model)
		}
		for y := range img.Rect.Dy() {
			for x := range img.Rect.Dx() {
				c := img.NRGBAAt(img.Rect.Min.X+x, img.Rect.Min.Y+y)
				a := float64(c.A) / 255
				mix := func(v, g uint8) uint8 { return uint8(math.Floor(float64(v)*a + float64(g)*(1-a) + 0.5)) }
				want := color.NRGBA{mix(c.R, ground.R), mix(c.G, ground.G), mix(c.B, ground.B), 255}
				if is := color.NRGBAModel.Convert(got.At(x, y)); is != want {
					t.Fatalf("picture %d, pixel %d,%d: got %v; want %v over %v, which is %v", i, x, y, is, c, ground, want)
				}
			}
		}
	}
}

func TestGrey(t *testing.T) {
	img := image.NewNRGBA(image.Rect(0, 0, 2, 1))
	img.Pix = []byte{1, 2, 3, 4, 5, 6, 7, 8}
	if g := Grey(img); g.Pix[0] != 4 || g.Pix[1] != 8 {
		t.Errorf("got %v; want the alpha bytes", g.Pix)
	}
}
