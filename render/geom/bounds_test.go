package geom

import (
	"testing"

	"plumb/render/vector"
)

// Where the second control point of a cubic is its end, a last bit decides whether the bounds reach beyond
// that end. The cases are ends of the editor's splines; want is whether the editor's box was larger.
func TestCubicBoundsAtTheEnd(t *testing.T) {
	for _, c := range []struct {
		name string
		p    [4]vector.Point
		want bool // the bounds reach left of the end
	}{
		{"beyond", [4]vector.Point{{X: 47, Y: 53}, {X: 6.5833, Y: 37.1667}, {X: -105, Y: -88}, {X: -105, Y: -88}}, true},
		{"not beyond", [4]vector.Point{{X: 12, Y: 0}, {X: -30.7083, Y: 9}, {X: -127, Y: 20}, {X: -127, Y: 20}}, false},
	} {
		var path vector.Path
		path.MoveTo(c.p[0])
		path.CubicTo(c.p[1], c.p[2], c.p[3])
		lo, end := PathBounds(&path).Lo.X, float64(c.p[3].X)
		if beyond := lo < end; beyond != c.want || lo < end-1e-4 {
			t.Errorf("%s: the bounds begin at %v, the end is at %v", c.name, lo, end)
		}
	}
}
