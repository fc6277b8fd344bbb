package paint

import (
	"fmt"
	"plumb/render/view"
	"testing"
)

// TestFreehandBounds holds the boxes of lines that hardly move, of incomplete
// ones and of pens to those that tldraw 4.2 gives in the browser.
func TestFreehandBounds(t *testing.T) {
	const free, straight = "free", "straight"
	for _, row := range []struct {
		name, kind, segment, points, props string
		want                               view.Box
	}{
		{"dot", "draw", free, `{"x":0,"y":0,"z":0.5}`, `"size":"m","isComplete":true`, view.Box{X: 95.5, Y: 195.5, W: 9, H: 9}},
		{"dot elsewhere", "draw", free, `{"x":10,"y":20,"z":0.5}`, `"size":"m","isComplete":true`, view.Box{X: 95.5, Y: 195.5, W: 9, H: 9}},
		{"dot that is dashed", "draw", free, `{"x":0,"y":0,"z":0.5}`, `"size":"m","dash":"dashed"`, view.Box{X: 95.5, Y: 195.5, W: 9, H: 9}},
		{"dot of a pen", "draw", free, `{"x":0,"y":0,"z":0.5}`, `"size":"m","isPen":true`, view.Box{X: 95.5, Y: 195.5, W: 9, H: 9}},
		{"disc of 9 corners", "draw", free, `{"x":0,"y":0,"z":0.5}`, `"size":"xl","scale":4`, view.Box{X: 56, Y: 157.10317186, W: 88, H: 85.79365627}},
		{"just a dot", "draw", free, `{"x":0,"y":0,"z":0.5},{"x":8.9,"y":8.9,"z":0.5}`, `"size":"m","isComplete":true`, view.Box{X: 95.5, Y: 195.5, W: 9, H: 9}},
		{"just a line", "draw", free, `{"x":0,"y":0,"z":0.5},{"x":9,"y":0,"z":0.5}`, `"size":"m","isComplete":true`, view.Box{X: 100, Y: 200, W: 9, H: 0}},
		{"wide dot", "draw", free, `{"x":0,"y":0,"z":0.5},{"x":20,"y":2,"z":0.5}`, `"size":"xl","isComplete":true`, view.Box{X: 89, Y: 189, W: 22, H: 22}},
		{"too tall", "draw", free, `{"x":0,"y":0,"z":0.5},{"x":1,"y":20,"z":0.5}`, `"size":"m","isComplete":true`, view.Box{X: 100, Y: 200, W: 1, H: 20}},
		{"back where it began", "draw", free, `{"x":0,"y":0,"z":0.5},{"x":9.5,"y":0,"z":0.5},{"x":0,"y":0,"z":0.5}`, `"size":"m","isComplete":true`, view.Box{X: 95.5, Y: 195.5, W: 9, H: 9}},
		{"incomplete", "draw", free, `{"x":0,"y":0,"z":0.5},{"x":5,"y":0,"z":0.5},{"x":9.5,"y":0,"z":0.5}`, `"size":"m","isComplete":false`, view.Box{X: 100, Y: 200, W: 6.688608, H: 0}},
		{"straight dot", "draw", straight, `{"x":0,"y":0,"z":0.5},{"x":8,"y":0,"z":0.5}`, `"size":"m","isComplete":true`, view.Box{X: 95.5, Y: 195.5, W: 9, H: 9}},
		{"pen without pressure", "draw", free, `{"x":0,"y":0,"z":0.01},{"x":50,"y":0,"z":0.01}`, `"size":"m","isPen":true,"isComplete":true`, view.Box{X: 95.5, Y: 195.5, W: 9, H: 9}},
		{"highlighted dot", "highlight", free, `{"x":10,"y":20,"z":0.5}`, `"size":"m"`, view.Box{X: 86.56, Y: 186.56, W: 26.88, H: 26.88}},
		{"highlighted disc of 9 corners", "highlight", free, `{"x":0,"y":0,"z":0.5}`, `"size":"m","scale":2`, view.Box{X: 74.74106235, Y: 173.5283676, W: 52.13893765, H: 52.9432648}},
		{"highlight of two points", "highlight", free, `{"x":0,"y":0,"z":0.5},{"x":10,"y":3,"z":0.5}`, `"size":"m"`, view.Box{X: 80.321684, Y: 180.608181, W: 39.069424, H: 39.069897}},
		{"short highlight", "highlight", free, `{"x":0,"y":0,"z":0.5},{"x":-0.87,"y":-7.92,"z":0.5},{"x":-4.68,"y":-14.84,"z":0.5},{"x":-0.34,"y":-8.79,"z":0.5},{"x":-4.97,"y":0.39,"z":0.5},{"x":-5.04,"y":-3.2,"z":0.5},{"x":-12.95,"y":-0.72,"z":0.5},{"x":-9.3,"y":1.02,"z":0.5}`, `"size":"m","isComplete":false`, view.Box{X: 74.968199, Y: 180.403376, W: 44.628533, H: 39.783190}},
		{"highlight", "highlight", free, `{"x":0,"y":0,"z":0.5},{"x":100,"y":0,"z":0.5},{"x":200,"y":0,"z":0.5},{"x":200,"y":200,"z":0.5}`, `"size":"s","isComplete":true`, view.Box{X: 89.42, Y: 189.42, W: 221.154927, H: 221.157214}},
		{"incomplete highlight", "highlight", free, `{"x":0,"y":0,"z":0.5},{"x":100,"y":0,"z":0.5},{"x":200,"y":0,"z":0.5},{"x":200,"y":200,"z":0.5}`, `"size":"s","isComplete":false`, view.Box{X: 89.42, Y: 189.42, W: 210.215826, H: 185.032214}},
	} {
		s := board(t, fmt.Sprintf(`[{"id":"shape:a","type":%q,"x":100,"y":200,"props":{%s,"segments":[{"type":%q,"points":[%s]}]}}]`, row.kind, row.props, row.segment, row.points))
		if got, ok := view.PageBounds(s, 0); !ok || !sameBox(got, row.want, 1e-5) {
			t.Errorf("%s: got %v, %v; want %v", row.name, got, ok, row.want)
		}
	}
}
