package paint

import (
	"encoding/json"
	"math"
	"testing"

	"plumb/render/scene"
	"plumb/render/view"
	"plumb/testdata"
)

// aspireLabel is a case of the label test with the editor's pictures.
type aspireLabel struct {
	ID, Test string
	Shapes   []json.RawMessage
	Applied  struct {
		Create []json.RawMessage
		Delete []string
	}
	Expected struct {
		LabelIDs []string `json:"label_ids"`
		Bounds   [4]float64
	}
	Images struct{ Label, Shape string }
	Task   struct{ Shape string }
}

// TestAspireLabels compares the share of a label that lies on its shape with the
// share in the editor's own pictures. Those were made with font hinting, which
// moves single pixels but hardly the share.
func TestAspireLabels(t *testing.T) {
	var b Builder
	seen := 0
	testdata.Each(t, "aspire/cases.jsonl", func(c *aspireLabel) {
		if c.Test != "label" || c.Images.Label == "" || len(c.Applied.Delete) > 0 {
			return
		}
		seen++
		all, err := json.Marshal(map[string]any{"shapes": append(c.Shapes, c.Applied.Create...)})
		if err != nil {
			t.Fatal(err)
		}
		s, err := scene.Decode(all, scene.DefaultLimits())
		if err != nil {
			t.Fatalf("%s: %v", c.ID, err)
		}
		x := c.Expected.Bounds
		alpha := func(ids []string) []float64 {
			var d Drawing
			if err := b.Build(view.View{Scene: s, Bounds: view.Box{X: x[0], Y: x[1], W: x[2], H: x[3]}, FirstIDs: ids}, Reference, &d); err != nil {
				t.Fatalf("%s: %v", c.ID, err)
			}
			return rasterAlpha(&d)
		}
		label, shape := alpha(c.Expected.LabelIDs), alpha([]string{c.Task.Shape})
		wantLabel, wantShape := testdata.Grey(t, "aspire/"+c.Images.Label), testdata.Grey(t, "aspire/"+c.Images.Shape)
		var got, want [2]float64 // label pixels, those on the shape
		for i, a := range label {
			count(&got, a >= 0.5/255, shape[i] >= 0.5/255)
			count(&want, wantLabel.Pix[i] > 0, wantShape.Pix[i] > 0)
		}
		if want[0] == 0 {
			if got[0] != 0 {
				t.Errorf("%s: got %g label pixels; want none", c.ID, got[0])
			}
			return
		}
		share, wantShare := got[1]/got[0], want[1]/want[0]
		if math.Abs(share-wantShare) > 0.01 {
			t.Errorf("%s: got coverage %.4f; want %.4f", c.ID, share, wantShare)
		}
		t.Logf("%s: coverage %.4f, the editor's %.4f; label pixels %+.2f %%", c.ID, share, wantShare, 100*(got[0]/want[0]-1))
	})
	if seen == 0 {
		t.Error("no case compared")
	}
}

// count adds a pixel to the number of label pixels, and to those on the shape.
func count(n *[2]float64, label, shape bool) {
	if label {
		n[0]++
		if shape {
			n[1]++
		}
	}
}
