package paint

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"plumb/render/arrows"
	"plumb/render/geom"
	"plumb/render/scene"
	"plumb/render/shapes"
	"plumb/render/tree"
	"plumb/render/vector"
	"plumb/render/view"
)

// arrowInfo is what the real library says of an arrow.
type arrowInfo struct {
	Type               string
	Start, End         xy
	HandleStart        *xy `json:"handle_start"`
	HandleEnd          *xy `json:"handle_end"`
	HandleArc, BodyArc *arcInfo
	Route              []xy
	Skip               []bool    `json:"skip_when_drawing"`
	HeadStart          *string   `json:"head_start"`
	HeadEnd            *string   `json:"head_end"`
	LabelBox           *view.Box `json:"label_box"`
	PageBounds         *view.Box `json:"page_bounds"`
}

type xy struct{ X, Y float64 }

type arcInfo struct {
	CX, CY       *float64
	Radius, Size float64
	Length       *float64
	Large, Sweep int
}

// sceneOf decodes the shapes and bindings of a test vector.
func sceneOf(t *testing.T, raw json.RawMessage) *scene.Scene {
	t.Helper()
	s, err := scene.Decode(raw, scene.DefaultLimits())
	if err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	return s
}

// storedScene decodes the object {"shapes", "bindings"} as records of a store. Stored arrows may be bound to
// groups, created ones not (docs/spec/drawing.md#r13).
func storedScene(t *testing.T, created string) *scene.Scene {
	t.Helper()
	var in struct{ Shapes, Bindings []map[string]any }
	if err := json.Unmarshal([]byte(created), &in); err != nil {
		t.Fatalf("%v: %s", err, created)
	}
	records := []any{map[string]any{"typeName": "page", "id": "page:page", "name": "", "index": "a1", "meta": map[string]any{}}}
	for i, shape := range in.Shapes {
		shape["typeName"], shape["index"] = "shape", fmt.Sprintf("a%d", i+1)
		if shape["parentId"] == nil {
			shape["parentId"] = "page:page"
		}
		records = append(records, shape)
	}
	for i, binding := range in.Bindings {
		binding["typeName"], binding["id"] = "binding", fmt.Sprintf("binding:%d", i)
		records = append(records, binding)
	}
	raw, err := json.Marshal(map[string]any{"records": records})
	if err != nil {
		t.Fatal(err)
	}
	return sceneOf(t, raw)
}

// solved returns a solver that has solved the arrow with this id.
func solved(t *testing.T, s *scene.Scene, id string) (*arrows.Solver, int32) {
	t.Helper()
	var tr tree.Tree
	if err := tr.Build(s); err != nil {
		t.Fatal(err)
	}
	i := s.Find(id)
	v := new(arrows.Solver)
	if err := v.Solve(s, &tr, i); err != nil {
		t.Fatalf("%s: %v", id, err)
	}
	return v, i
}

func TestArrowInfoVectors(t *testing.T) {
	kinds := map[string]arrows.ArrowKind{"straight": arrows.StraightArrow, "arc": arrows.ArcArrow, "elbow": arrows.ElbowArrow}
	for _, c := range vectorsOf(t, "arrow_info") {
		want := decode[arrowInfo](t, c.Expect)
		tol := decode[float64](t, c.Tolerance)
		s := sceneOf(t, c.Input)
		v, i := solved(t, s, "shape:ar")
		same := func(what string, got geom.Point, want xy) {
			if !(math.Abs(got.X-want.X) <= tol && math.Abs(got.Y-want.Y) <= tol) {
				t.Errorf("%s: %s: got %v; want %v", c.ID, what, got, want)
			}
		}
		if v.Kind != kinds[want.Type] {
			t.Errorf("%s: got kind %d; want %s", c.ID, v.Kind, want.Type)
		}
		same("start", v.Start, want.Start)
		same("end", v.End, want.End)
		if want.HandleStart != nil {
			same("start handle", v.Ends[0].Handle, *want.HandleStart)
			same("end handle", v.Ends[1].Handle, *want.HandleEnd)
		}
		sameArc(t, c.ID+": handle arc", &v.Handle, want.HandleArc, tol)
		sameArc(t, c.ID+": body arc", &v.Body, want.BodyArc, tol)
		if len(v.Route) != len(want.Route) {
			t.Errorf("%s: got route %v; want %v", c.ID, v.Route, want.Route)
		} else {
			for k, p := range want.Route {
				same("route", v.Route[k].Point, p)
				if len(want.Skip) > 0 && v.Route[k].Skipped != want.Skip[k] {
					t.Errorf("%s: corner %d: skipped is %v", c.ID, k, v.Route[k].Skipped)
				}
			}
		}
		for k, d := range []*string{want.HeadStart, want.HeadEnd} {
			var p vector.Path
			h := v.Head(k == 1)
			h.Write(&p)
			if d == nil {
				continue
			}
			if diff := samePathData(t, &p, *d, tol); diff != "" {
				t.Errorf("%s: head %d: %s", c.ID, k, diff)
			}
		}
		if want.LabelBox != nil {
			l, err := v.Label(&s.Shapes[i])
			if err != nil {
				t.Fatal(err)
			}
			if got := view.BoxOf(&l.Box); !sameBox(got, *want.LabelBox, max(tol, 1.0/64)) {
				t.Errorf("%s: label: got %v; want %v", c.ID, got, *want.LabelBox)
			}
		}
		if want.PageBounds != nil {
			if got, ok := view.PageBounds(s, i); !ok || !sameBox(got, *want.PageBounds, tol) {
				t.Errorf("%s: bounds: got %v, %v; want %v", c.ID, got, ok, *want.PageBounds)
			}
		}
	}
}

// sameArc compares a solved arc with the expected one.
func sameArc(t *testing.T, what string, got *arrows.Circle, want *arcInfo, tol float64) {
	t.Helper()
	if want == nil {
		return
	}
	large, sweep := 0, 0
	if got.Large {
		large = 1
	}
	if got.Sweep() {
		sweep = 1
	}
	ok := large == want.Large && sweep == want.Sweep &&
		math.Abs(got.Radius-want.Radius) <= tol && math.Abs(got.Size-want.Size) <= tol
	if want.Length != nil {
		ok = ok && math.Abs(got.Length()-math.Abs(*want.Length)) <= tol
	}
	if want.CX != nil {
		ok = ok && geom.Near(got.Centre, geom.Pt(*want.CX, *want.CY), tol)
	}
	if !ok {
		t.Errorf("%s: got %+v; want %+v", what, got, want)
	}
}

func TestArrowPathVectors(t *testing.T) {
	for _, c := range vectorsOf(t, "arrow_export_paths") {
		in := decode[struct {
			ID    string
			Props json.RawMessage
		}](t, c.Input)
		want := decode[struct {
			ClipD string `json:"clip_d"`
			Paths []struct {
				D string
				dashing
			}
		}](t, c.Expect)
		tol := decode[float64](t, c.Tolerance)
		s := sceneOf(t, []byte(`[{"id":"`+in.ID+`","type":"arrow","props":`+string(in.Props)+`}]`))
		v, _ := solved(t, s, in.ID)
		var clip vector.Path
		v.ClipPath(&arrows.Label{}, &clip)
		if diff := samePathData(t, &clip, want.ClipD, tol); diff != "" {
			t.Errorf("%s: clip: %s", c.ID, diff)
		}
		var l shapes.Maker
		l.Reset()
		if err := v.Draws(&l, &s.Shapes[0]); err != nil {
			t.Fatal(err)
		}
		if len(l.Draws) != len(want.Paths) {
			t.Fatalf("%s: got %d paths; want %d", c.ID, len(l.Draws), len(want.Paths))
		}
		for i, w := range want.Paths {
			if diff := samePathData(t, l.Draws[i].Path, w.D, tol); diff != "" {
				t.Errorf("%s: path %d: %s", c.ID, i, diff)
			}
			w.same(t, fmt.Sprintf("%s: path %d", c.ID, i), l.Draws[i].Dashes)
		}
	}
}
