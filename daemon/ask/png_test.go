package ask

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"testing"

	"plumb/render/scene"
)

func TestEncode(t *testing.T) {
	for _, size := range []image.Point{{1, 1}, {3, 2}, {257, 130}} {
		img := image.NewNRGBA(image.Rectangle{Max: size})
		for y := range size.Y {
			for x := range size.X {
				img.SetNRGBA(x, y, color.NRGBA{uint8(x * 7), uint8(y * 5), uint8(x * y), 255})
			}
		}
		data, err := encode(img)
		if err != nil {
			t.Fatal(err)
		}
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
