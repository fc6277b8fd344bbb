package paint

import (
	"fmt"
	"math"
	"testing"

	"plumb/render/view"
)

// TestSumsOfExports draws single shapes whose sums of alpha were read from exports of tldraw 4.2 in
// Chromium. Each is a case in which a rule that was found late makes a difference.
func TestSumsOfExports(t *testing.T) {
	scrawl := `{"id":"shape:a","type":"draw","x":5,"y":12,"props":{"dash":"draw","size":"m","isComplete":true,"segments":[
		{"type":"free","points":[{"x":0,"y":0,"z":0.5},{"x":25,"y":18,"z":0.5},{"x":70,"y":-8,"z":0.5},{"x":30,"y":4,"z":0.5}]}]}}`
	spline := `{"id":"shape:a","type":"line","x":5,"y":12,"props":{"dash":"solid","size":"m","spline":"cubic","points":{
		"a1":{"id":"a1","index":"a1","x":0,"y":10},"a2":{"id":"a2","index":"a2","x":60,"y":-4},
		"a3":{"id":"a3","index":"a3","x":20,"y":20},"a4":{"id":"a4","index":"a4","x":80,"y":8}}}}`
	for _, c := range []struct {
		name, shape string
		w           float64 // of the picture, which is 40 high
		sum         int
	}{
		{"a scrawl cut at the right side", scrawl, 60, 77760},
		{"a scrawl cut in its bends", scrawl, 48, 61199},
		{"a curve cut at the right side", spline, 50, 92928},
	} {
		got, _ := alphaOf(t, view.View{Scene: board(t, fmt.Sprintf("[%s]", c.shape)), Bounds: view.Box{W: c.w, H: 40}}, Reference)
		sum := 0.0
		for _, a := range got {
			sum += a
		}
		if n := int(math.Round(sum * 255)); n != c.sum {
			t.Errorf("%s: got a sum of %d; want %d", c.name, n, c.sum)
		}
	}
}
