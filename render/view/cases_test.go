package view

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"testing"

	"plumb/render/scene"
	"plumb/testdata"
)

// applied is a case of aspire/cases.jsonl: a scene, what an answer did to it, and
// the boxes that the editor measured afterwards.
type applied struct {
	ID      string
	Shapes  []map[string]any
	Applied struct {
		Create, Update []map[string]any
		Delete         []string
	}
	Geometry map[string]struct{ PageBounds [4]float64 } `json:"geometry_after"`
}

// scene returns the scene after the answer.
func (a *applied) scene(t *testing.T) *scene.Scene {
	t.Helper()
	// A created shape takes the place of one that has its id.
	all := append(slices.Clone(a.Shapes), a.Applied.Create...)
	var shapes []map[string]any
	for i, m := range all {
		if !slices.ContainsFunc(all[i+1:], func(c map[string]any) bool { return c["id"] == m["id"] }) {
			shapes = append(shapes, m)
		}
	}
	shapes = slices.DeleteFunc(shapes, func(m map[string]any) bool {
		return slices.Contains(a.Applied.Delete, m["id"].(string))
	})
	for _, u := range a.Applied.Update {
		i := slices.IndexFunc(shapes, func(m map[string]any) bool { return m["id"] == u["id"] })
		if i < 0 {
			continue
		}
		m := maps.Clone(shapes[i])
		props := map[string]any{}
		for _, from := range []map[string]any{m, u} {
			if p, ok := from["props"].(map[string]any); ok {
				maps.Copy(props, p)
			}
		}
		maps.Copy(m, u)
		m["props"] = props
		shapes[i] = m
	}
	b, err := json.Marshal(shapes)
	if err != nil {
		t.Fatal(err)
	}
	s, err := scene.Decode(b, scene.DefaultLimits())
	if err != nil {
		t.Fatalf("%s: %v", a.ID, err)
	}
	return s
}

// TestPageBoundsOfCases compares the page bounds of all native shapes with the editor's.
func TestPageBoundsOfCases(t *testing.T) {
	compared, left := 0, map[scene.Kind]int{}
	testdata.Each(t, "aspire/cases.jsonl", func(a *applied) {
		s := a.scene(t)
		for i := range s.Shapes {
			sh := &s.Shapes[i]
			g, ok := a.Geometry[sh.ID]
			if !ok {
				continue
			}
			got, ok := PageBounds(s, int32(i))
			if !ok {
				left[sh.Kind]++
				continue
			}
			want := Box{g.PageBounds[0], g.PageBounds[1], g.PageBounds[2], g.PageBounds[3]}
			tol := 1e-6
			if sh.Kind == scene.Text || sh.Grow && sh.Rich != nil {
				tol = 1.0/64 + 1e-6 // text widths are right to 1/64 px
			}
			if !closeBox(got, want, tol) {
				t.Errorf("%s: %s %s %q: got %v; want %v", a.ID, sh.Kind, sh.Geo, sh.ID, got, want)
			}
			compared++
		}
	})
	t.Logf("%d boxes compared, not native: %v", compared, left)
	if compared < 200 {
		t.Errorf("only %d boxes compared", compared)
	}
}

// closeBox reports whether two boxes differ by at most tol in each number.
func closeBox(a, b Box, tol float64) bool {
	near := func(x, y float64) bool { return math.Abs(x-y) <= tol }
	return near(a.X, b.X) && near(a.Y, b.Y) && near(a.W, b.W) && near(a.H, b.H)
}
