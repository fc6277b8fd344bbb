package render

import (
	"testing"

	"plumb/render/view"
)

// TestTextLayer: translucent texts have the sums of alpha of the editor's pictures. They are drawn in a layer, whose
// box ends around the letters' halo, and behind a line along the last spaces without one. Copies of the halo are
// displaced before they are counted from the layer's corner, which decides where letters go that lie at half of a
// quarter px.
func TestTextLayer(t *testing.T) {
	e := open(t, BackendCPU)
	for _, c := range []struct {
		name, shapes string
		alpha        uint64 // of the editor's picture, in 1/255
		off          uint64
	}{
		{"a struck space", `{"id":"shape:a","type":"text","x":32.51,"y":3,"rotation":0,"opacity":0.75,"props":{"autoSize":false,"color":"orange","font":"draw","size":"l","scale":1,"w":187,"textAlign":"start",
			"richText":{"type":"doc","content":[{"type":"paragraph","content":[{"type":"text","text":"gypsy, ","marks":[{"type":"strike"}]}]},{"type":"paragraph","content":[{"type":"text","text":"a "}]},{"type":"paragraph","content":[{"type":"text","text":"and/or"}]}]}}}`, 929002, 0},
		{"a struck word at the right side", `{"id":"shape:a","type":"text","x":32.51,"y":3,"rotation":0,"opacity":0.75,"props":{"autoSize":false,"color":"black","font":"sans","size":"m","scale":1,"w":187,"textAlign":"end",
			"richText":{"type":"doc","content":[{"type":"paragraph","content":[{"type":"text","text":"a ","marks":[{"type":"strike"}]}]}]}}}`, 40201, 0},
		{"letters at half of a quarter px", `{"id":"shape:a","type":"text","x":32.51,"y":3,"rotation":0,"opacity":0.75,"props":{"autoSize":false,"color":"orange","font":"serif","size":"xl","scale":1,"w":187,"textAlign":"middle",
			"richText":{"type":"doc","content":[{"type":"paragraph","content":[{"type":"text","text":"word"},{"type":"text","text":"x1 x1 x1 "}]}]}}}`, 798131, 16},
	} {
		s := sceneOf(t, c.shapes)
		b, ok, err := view.ContentBounds(s, nil)
		if !ok || err != nil {
			t.Fatalf("%s: got %t, %v", c.name, ok, err)
		}
		bounds := view.Box{X: b.X - 32, Y: b.Y - 32, W: b.W + 64, H: b.H + 64}
		got, err := e.Measure(nil, prepared(t, e, view.View{Scene: s, Bounds: bounds}))
		if err != nil {
			t.Fatal(err)
		}
		if a := got[0].A.Alpha; max(a, c.alpha)-min(a, c.alpha) > c.off {
			t.Errorf("%s: got alpha %d; want %d within %d", c.name, a, c.alpha, c.off)
		}
	}
}
