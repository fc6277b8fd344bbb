package ask

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math"
	"testing"

	"plumb/render/scene"
)

// TestEncode checks pictures of all kinds of rows: noise, equal ones, and a flat area with an edge.
func TestEncode(t *testing.T) {
	for _, size := range []image.Point{{1, 1}, {3, 2}, {257, 130}} {
		img := image.NewNRGBA(image.Rectangle{Max: size})
		for y := range size.Y {
			for x := range size.X {
				img.SetNRGBA(x, y, color.NRGBA{uint8(x * 7), uint8(y * 5), uint8(x * y), 255})
				if y%32 > 16 {
					img.SetNRGBA(x, y, color.NRGBA{uint8(x * 7), 0, uint8(min(x, y) / 20), 255})
				}
			}
		}
		data := encode(img, ground)
		cfg, err := png.DecodeConfig(bytes.NewReader(data))
		if err != nil || cfg.ColorModel != color.RGBAModel { // RGB; with alpha it would be NRGBA
			t.Errorf("%v: got %v, %v; want RGB", size, cfg, err)
		}
		got, err := png.Decode(bytes.NewReader(data))
		if err != nil {
			t.Fatalf("%v: %v", size, err)
		}
		for y := range size.Y {
			for x := range size.X {
				if r, g, b, _ := got.At(x, y).RGBA(); color.NRGBAModel.Convert(got.At(x, y)) != img.NRGBAAt(x, y) {
					t.Fatalf("%v: pixel %d,%d: got %d %d %d; want %v", size, x, y, r>>8, g>>8, b>>8, img.NRGBAAt(x, y))
				}
			}
		}
	}
}

// TestKept checks that a picture that is not in memory any more is taken from where it was kept, and is
// drawn again where the bytes there are not its own.
func TestKept(t *testing.T) {
	b, err := NewBoards(scene.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	task := &Task{ID: "a", Test: "maze", Line: []byte(`{"shapes":[{"id":"shape:s","type":"geo","x":100,"y":100,"props":{"fill":"solid"}}]}`)}
	first, err := b.Picture(task, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, kept := range [][]byte{first.Data, []byte("damaged"), nil} {
		asked := ""
		b.Kept = func(sum string) []byte { asked = sum; return kept }
		clear(b.drawn)
		again, err := b.Picture(task, false)
		if err != nil || asked != first.SHA256() || !bytes.Equal(again.Data, first.Data) {
			t.Errorf("kept %d bytes: asked for %q, got %v; want the same picture", len(kept), asked, err)
		}
	}
}

// TestEncodeOver checks that pixels are laid over the ground, rounded.
func TestEncodeOver(t *testing.T) {
	img := image.NewNRGBA(image.Rect(0, 0, 256, 4))
	for x := range 256 {
		img.SetNRGBA(x, 0, color.NRGBA{0, 100, 255, uint8(x)})
		img.SetNRGBA(x, 2, color.NRGBA{10, 20, 30, uint8(x)})
		img.SetNRGBA(x, 3, color.NRGBA{10, 20, 30, uint8(x & 1)})
	}
	got, err := png.Decode(bytes.NewReader(encode(img, ground)))
	if err != nil {
		t.Fatal(err)
	}
	for y := range 4 {
		for x := range 256 {
			c := img.NRGBAAt(x, y)
			a := float64(c.A) / 255
			mix := func(v, g uint8) uint8 { return uint8(math.Floor(float64(v)*a + float64(g)*(1-a) + 0.5)) }
			want := color.NRGBA{mix(c.R, ground.R), mix(c.G, ground.G), mix(c.B, ground.B), 255}
			if is := color.NRGBAModel.Convert(got.At(x, y)); is != want {
				t.Fatalf("pixel %d,%d: got %v; want %v over %v, which is %v", x, y, is, c, ground, want)
			}
		}
	}
}
