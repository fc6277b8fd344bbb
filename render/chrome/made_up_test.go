package chrome

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"plumb/render/outline"
	"plumb/render/scene"
)

// perKind is how many shapes of each kind are made up.
const perKind = 60

// TestMeasureMadeUp: the boxes of made-up shapes are the editor's.
func TestMeasureMadeUp(t *testing.T) {
	p := open(t, Config{})
	for _, m := range madeUp {
		t.Run(m.kind, func(t *testing.T) {
			r := rand.New(rand.NewPCG(7, 7))
			for range perKind {
				source := fmt.Sprintf(`[{"id":"shape:a","type":%q,"x":%.2f,"y":%.2f,"rotation":%.3f,"props":%s}]`,
					m.kind, r.Float64()*300, r.Float64()*300, one(r, 0, 0, 0.3, 1.5, 3), text(m.props(r)))
				sameBounds(t, p, source)
			}
		})
	}
}

// sameBounds holds the box of the scene's first shape to the editor's.
func sameBounds(t *testing.T, p *Pool, source string) {
	t.Helper()
	s, err := scene.Decode([]byte(source), scene.DefaultLimits())
	if err != nil {
		t.Fatalf("%s: %v", source, err)
	}
	want, err := p.Export(context.Background(), Request{View: outline.View{Scene: s}, Source: []byte(source), Measure: true})
	if err != nil {
		t.Fatalf("%s: %v", source, err)
	}
	// The browser measures text in 1/64 px; sums of advances that lie on one of
	// those fall to either side.
	const tol = 2.0/64 + 1e-3
	got, ok := outline.PageBounds(s, 0)
	w := want.Bounds
	off := max(math.Abs(got.X-w.X), math.Abs(got.Y-w.Y), math.Abs(got.W-w.W), math.Abs(got.H-w.H))
	if want.Empty == ok || !(off <= tol) {
		t.Errorf("%s: got %v, %v; want %v", source, got, ok, want.Bounds)
	}
}

// one picks one of the values.
func one[T any](r *rand.Rand, values ...T) T { return values[r.IntN(len(values))] }

func text(o object) string {
	b, err := json.Marshal(o)
	if err != nil {
		panic(err)
	}
	return string(b)
}

type object = map[string]any

// madeUp makes the properties of shapes.
var madeUp = []struct {
	kind  string
	props func(r *rand.Rand) object
}{
	{"draw", func(r *rand.Rand) object {
		o := freehand(r)
		o["isClosed"], o["dash"] = one(r, true, false), one(r, "draw", "solid", "dashed", "dotted")
		return o
	}},
	{"highlight", func(r *rand.Rand) object { return freehand(r) }},
	{"geo", func(r *rand.Rand) object {
		return object{
			"geo": one(r, "rectangle", "ellipse", "triangle", "diamond", "pentagon", "hexagon", "octagon", "star", "rhombus", "rhombus-2", "oval", "trapezoid", "arrow-right", "arrow-left", "arrow-up", "arrow-down", "x-box", "check-box", "cloud", "heart"),
			"w":   around(r, 200) + 1, "h": around(r, 200) + 1, "growY": one(r, 0, 0, 30.0),
			"size": one(r, "s", "m", "l", "xl"), "dash": one(r, "draw", "solid", "dashed", "dotted"), "scale": one(r, 1, 1, 2, 0.5),
			"text": one(r, "", "", "one", "several words"),
		}
	}},
	{"line", func(r *rand.Rand) object {
		points := object{}
		for i := range 2 + r.IntN(5) {
			k := fmt.Sprintf("a%d", i+1)
			points[k] = object{"id": k, "index": k, "x": around(r, 200) - 100, "y": around(r, 200) - 100}
		}
		return object{"points": points, "spline": one(r, "line", "cubic"), "size": one(r, "s", "m", "l", "xl"), "scale": one(r, 1, 1, 2, 0.5)}
	}},
	{"arrow", func(r *rand.Rand) object {
		end := func() object { return object{"x": around(r, 300) - 150, "y": around(r, 300) - 150} }
		heads := []string{"none", "arrow", "triangle", "dot", "diamond", "bar", "square", "pipe", "inverted"}
		return object{
			"start": end(), "end": end(), "bend": one(r, 0, 0, around(r, 200)-100),
			"arrowheadStart": one(r, heads...), "arrowheadEnd": one(r, heads...), "size": one(r, "s", "m", "l", "xl"),
			"dash": one(r, "draw", "solid", "dashed", "dotted"), "scale": one(r, 1, 1, 2, 0.5), "text": one(r, "", "", "one", "several words of a label"),
		}
	}},
	{"text", func(r *rand.Rand) object {
		return object{
			"text": words(r), "autoSize": one(r, true, false), "w": around(r, 300) + 400, "size": one(r, "s", "m", "l", "xl"),
			"font": one(r, "draw", "sans", "serif", "mono"), "scale": one(r, 1, 1, 2, 0.5),
		}
	}},
	{"note", func(r *rand.Rand) object {
		return object{
			"text": words(r), "size": one(r, "s", "m", "l", "xl"), "font": one(r, "draw", "sans", "serif", "mono"),
			"growY": one(r, 0, 0, 40), "scale": one(r, 1, 1, 2, 0.5),
		}
	}},
}

// around is a length up to most px, often a whole one, seldom tiny.
func around(r *rand.Rand, most float64) float64 {
	v := r.Float64() * most
	return math.Round(v*one(r, 1, 1, 100.0))/100 + one(r, 0, 1, 20.0)
}

func words(r *rand.Rand) string {
	var w []string
	for range 1 + r.IntN(9) {
		w = append(w, one(r, "a", "to", "word", "Writing", "punctuation,", "(brackets)", "extraordinarily", "AVAWA", "x1\n", "end.", " two", "x1\n  ", "\n"))
	}
	return strings.Join(w, " ")
}

func freehand(r *rand.Rand) object {
	reach := one(r, 10, 25, 60, 120.0)
	x, y := 0.0, 0.0
	points := []object{}
	for range 1 + r.IntN(10) {
		points = append(points, object{"x": math.Round(x*100) / 100, "y": math.Round(y*100) / 100, "z": one(r, 0.5, r.Float64())})
		x, y = x+(2*r.Float64()-1)*reach, y+(2*r.Float64()-1)*reach
	}
	segments := []object{{"type": "free", "points": points}}
	if r.IntN(4) == 0 {
		segments = append(segments, object{"type": "straight", "points": []object{points[len(points)-1], {"x": 10, "y": -60, "z": 0.5}}})
	}
	return object{
		"segments": segments, "isComplete": one(r, true, false), "isPen": one(r, true, false),
		"size": one(r, "s", "m", "l", "xl"), "scale": one(r, 1, 1, 2, 0.5),
	}
}
