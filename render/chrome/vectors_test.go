package chrome

import (
	"context"
	"encoding/json"
	"math"
	"testing"

	"plumb/render/view"
	"plumb/testdata"
)

// TestRasterVectors: the small scenes of vectors.json have in this browser
// exactly the alpha that they had in the one that made the vectors, which fitted
// text to the pixel grid.
func TestRasterVectors(t *testing.T) {
	type numbers struct {
		Width, Height int
		Sum           float64 `json:"alpha_sum"` // an opaque pixel is 1
		X             float64 `json:"com_x"`
		Y             float64 `json:"com_y"`
		Nonzero       int
	}
	var file struct {
		Vectors []struct {
			ID, Kind string
			Input    struct {
				Shapes json.RawMessage
				Bounds [4]float64
			}
			Expect numbers
		}
	}
	testdata.JSON(t, "tldraw/vectors.json", &file)
	p, n := open(t, Config{Hinted: true}), 0
	for _, v := range file.Vectors {
		if v.Kind != "raster_alpha" {
			continue
		}
		n++
		box := v.Input.Bounds
		res, err := p.Export(context.Background(), Request{Source: v.Input.Shapes,
			View: view.View{Bounds: view.Box{X: box[0], Y: box[1], W: box[2], H: box[3]}}})
		if err != nil {
			t.Errorf("%s: %v", v.ID, err)
			continue
		}
		got := numbers{Width: res.Image.Rect.Dx(), Height: res.Image.Rect.Dy()}
		for i, a := range alphaOf(res.Image) {
			if a != 0 {
				got.Nonzero++
				got.Sum += float64(a) / 255
				got.X += float64(a) / 255 * (float64(i%got.Width) + 0.5)
				got.Y += float64(a) / 255 * (float64(i/got.Width) + 0.5)
			}
		}
		got.X, got.Y = got.X/got.Sum, got.Y/got.Sum
		w := v.Expect
		off := max(math.Abs(got.Sum-w.Sum), math.Abs(got.X-w.X), math.Abs(got.Y-w.Y))
		if got.Width != w.Width || got.Height != w.Height || got.Nonzero != w.Nonzero || !(off <= 1e-6) {
			t.Errorf("%s: got %+v; want %+v", v.ID, got, w)
		}
	}
	if n == 0 {
		t.Error("no vector was drawn; want some")
	}
}
