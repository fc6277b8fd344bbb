package scene

import (
	"reflect"
	"strings"
	"testing"
)

func TestDecodeLine(t *testing.T) {
	const shapes = `"shapes":[{"id":"shape:a","type":"geo"},{"id":"shape:b","type":"geo"}]`
	for _, c := range []struct {
		in   string
		want Input
	}{
		{`{` + shapes + `}`, Input{}},
		{`{"id":"x y",` + shapes + `,"bounds":[-1.5,2,30.25,40]}`, Input{ID: "x y", Bounds: [4]float64{-1.5, 2, 30.25, 40}, HasBounds: true}},
		{`{"id":17,` + shapes + `,"only":[]}`, Input{ID: "17", Only: []string{}}},
		{`{"id":"x","only":["shape:b"],` + shapes + `}`, Input{ID: "x", Only: []string{"shape:b"}}},
		{`[{"id":"shape:a","type":"geo"},{"id":"shape:b","type":"geo"}]`, Input{}},
		{`{"store":{"shape:a":{"typeName":"shape","id":"shape:a","type":"geo"},"shape:b":{"typeName":"shape","id":"shape:b","type":"geo"}}}`, Input{}},
	} {
		got, err := DecodeLine([]byte(c.in), Limits{})
		if err != nil || len(got.Scene.Shapes) != 2 {
			t.Errorf("%s: got %+v, %v; want two shapes", c.in, got.Scene, err)
			continue
		}
		got.Scene = nil
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %+v; want %+v", c.in, got, c.want)
		}
	}
}

// Faults keep the line's id, so that its result can carry it.
func TestDecodeLineFaults(t *testing.T) {
	for _, c := range []struct{ in, id, text string }{
		{`{"id":"x"}`, "x", "cannot read scene: got an object; want shapes"},
		{`{"id":"x","shapes":[{"type":"geo","x":"?"}]}`, "x", `shapes[0].x: got "?"`},
		{`{"id":"x","shapes":[],"bounds":[0,0,10]}`, "x", "bounds: got a list; want [x, y, w, h]"},
		{`{"id":"x","shapes":[],"bounds":[0,0,"10",10]}`, "x", `bounds[2]: got "10"; want a finite number`},
		{`{"id":"x","shapes":[],"bounds":[0,1e300,10,10]}`, "x", `bounds[1]: got 1e+300; want a magnitude`},
		{`{"id":"x","shapes":[],"only":"shape:a"}`, "x", "only: got \"shape:a\"; want a list of ids"},
		{`{"id":"x","shapes":[],"only":[1]}`, "x", "only[0]: got 1; want a string"},
		{`{"id":"x","shapes":[],"only":["shape:a"]}`, "x", `only[0]: got "shape:a"; want the id of a shape of the scene`},
		{`{"id":1.5,"shapes":[]}`, "", "id: got 1.5; want a string or an integer"},
		{`{"id":"x","shapes":[`, "", "JSON at byte"},
	} {
		got, err := DecodeLine([]byte(c.in), Limits{})
		if err == nil || !strings.Contains(err.Error(), c.text) || got.ID != c.id {
			t.Errorf("%s: got id %q, %v; want %q and an error with %q", c.in, got.ID, err, c.id, c.text)
		}
	}
}
