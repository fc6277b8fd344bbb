package paint

import (
	"math"
	"testing"

	"plumb/render/view"
)

// TestSumsOfExports draws single shapes whose sums of alpha were read from exports of tldraw 4.2 in
// Chromium. In each of them a rule decides that few shapes need.
func TestSumsOfExports(t *testing.T) {
	const (
		scrawl = `[{"id":"shape:a","type":"draw","x":5,"y":12,"props":{"dash":"draw","size":"m","isComplete":true,"segments":[
			{"type":"free","points":[{"x":0,"y":0,"z":0.5},{"x":25,"y":18,"z":0.5},{"x":70,"y":-8,"z":0.5},{"x":30,"y":4,"z":0.5}]}]}}]`
		spline = `[{"id":"shape:a","type":"line","x":5,"y":12,"props":{"dash":"solid","size":"m","spline":"cubic","points":{
			"a1":{"id":"a1","index":"a1","x":0,"y":10},"a2":{"id":"a2","index":"a2","x":60,"y":-4},
			"a3":{"id":"a3","index":"a3","x":20,"y":20},"a4":{"id":"a4","index":"a4","x":80,"y":8}}}}]`
		dots = `[{"id":"shape:a","type":"line","x":150.01,"y":130.51,"opacity":0.5,"props":{"dash":"dotted","size":"s","spline":"line","points":{
			"a1":{"id":"a1","index":"a1","x":-27,"y":-86},"a2":{"id":"a2","index":"a2","x":-27,"y":86},"a3":{"id":"a3","index":"a3","x":-8,"y":-10}}}}]`
		turned = `[{"id":"shape:a","type":"line","x":188,"y":51.68,"rotation":0.019,"opacity":0.9,"props":{"dash":"dashed","size":"m","spline":"line","points":{
			"a1":{"id":"a1","index":"a1","x":-92,"y":-73},"a2":{"id":"a2","index":"a2","x":49,"y":72},
			"a3":{"id":"a3","index":"a3","x":-10,"y":-86.08},"a4":{"id":"a4","index":"a4","x":73,"y":-39}}}}]`
		stub = `[{"id":"shape:a","opacity":1,
			"props":{"color":"red","dash":"draw","fill":"lined-fill","isClosed":true,"isComplete":false,"isPen":false,"scale":1,
			"segments":[{"points":[{"x":0,"y":0,"z":0.04},{"x":29.53,"y":102.46,"z":0.5},{"x":41.08,"y":105.04,"z":0.5}],"type":"free"}],"size":"s"},"rotation":0,"type":"draw","x":124,"y":171}]`
		thin = `[{"id":"shape:a","type":"geo","x":274,"y":42.56,"rotation":1.5,"props":{"geo":"ellipse","w":74,"h":2,"dash":"dotted","fill":"fill","color":"orange"}}]`
		cut  = `[{"id":"shape:a","type":"text","x":173,"y":59,"opacity":0.75,"rotation":1.05,
			"props":{"autoSize":false,"color":"light-violet","font":"sans","size":"xl","text":"end. a \n x1\n","textAlign":"middle","w":15.88}}]`
	)
	for _, c := range []struct {
		name, shapes string
		w            float64 // of the picture, which is 40 high; 0 for the content and 32 px around it
		sum          int
		off          int // how far the sum may be off: the test blends layers without the browser's rounding
	}{
		// The rest of a curve that is cut stays at the right side: docs/spec/raster.md#r10.
		{"a scrawl cut at the right side", scrawl, 60, 77760, 0},
		{"a scrawl cut in its bends", scrawl, 48, 61199, 0},
		{"a curve cut at the right side", spline, 50, 92928, 0},
		// The box of a layer ends where it almost does: docs/spec/raster.md#r28.
		{"translucent dots", dots, 0, 25546, 0},
		{"translucent dashes of a turned line", turned, 0, 246969, 200},
		// The last bits of its points decide whether an outline is convex: docs/spec/drawing.md#r85.
		{"a small freehand line", stub, 0, 80270, 10},
		{"a turned ellipse", thin, 0, 52417, 20},
		// The layer of text that is cut ends with its runs: docs/spec/raster.md#r28.
		{"translucent text in a narrow box", cut, 0, 333703, 900},
	} {
		s := board(t, c.shapes)
		bounds := view.Box{W: c.w, H: 40}
		if c.w == 0 {
			b, ok, err := view.ContentBounds(s, nil)
			if !ok || err != nil {
				t.Fatalf("%s: got %t, %v", c.name, ok, err)
			}
			bounds = view.Box{X: b.X - 32, Y: b.Y - 32, W: b.W + 64, H: b.H + 64}
		}
		got, _ := alphaOf(t, view.View{Scene: s, Bounds: bounds}, Reference)
		sum := 0.0
		for _, a := range got {
			sum += a
		}
		if n := int(math.Round(sum * 255)); max(n-c.sum, c.sum-n) > c.off {
			t.Errorf("%s: got a sum of %d; want %d within %d", c.name, n, c.sum, c.off)
		}
	}
}
