package tangram

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"plumb/scoring/tangram/construction"
	"plumb/scoring/tangram/field"
	"plumb/scoring/tangram/plane"
	"plumb/testdata"
)

// targets are the outlines of the reference instances by id.
func targets(t testing.TB) map[string]*plane.Target {
	t.Helper()
	out := map[string]*plane.Target{}
	type instance struct {
		ID     string `json:"instance_id"`
		Target struct {
			Vertices [][2]string
		} `json:"target_outline"`
	}
	testdata.Each(t, "tangram/instances-dev.jsonl", func(in *instance) {
		var list []plane.Point
		for _, v := range in.Target.Vertices {
			x, _, err1 := field.Parse(v[0])
			y, _, err2 := field.Parse(v[1])
			if err1 != nil || err2 != nil {
				t.Fatal(in.ID, err1, err2)
			}
			list = append(list, plane.Point{X: x, Y: y})
		}
		target, ok := plane.NewTarget(list)
		if !ok {
			t.Fatalf("%s: outline is not simple", in.ID)
		}
		out[in.ID] = target
	})
	return out
}

type expected struct {
	TSE     bool     `json:"tse"`
	Reasons []string `json:"tse_reasons"`
	Class   *string  `json:"class"`
	N       int      `json:"n_pieces"`
	Parsed  int      `json:"n_parsed"`
	Pieces  []struct {
		Index     int     `json:"index"`
		ID        *string `json:"id"`
		Type      *string `json:"type"`
		Parsed    bool    `json:"parsed"`
		Simple    bool    `json:"simple"`
		Area      float64 `json:"area"`
		Perimeter float64 `json:"perimeter"`
		RGE       *bool   `json:"rge"`
		Congruent *bool   `json:"congruent"`
	} `json:"pieces"`
	RGE          bool     `json:"rge"`
	RGEParsed    bool     `json:"rge_parsed"`
	RGECongruent bool     `json:"rge_congruent"`
	PE           bool     `json:"pe"`
	PEOverlap    bool     `json:"pe_overlap"`
	PEDis        bool     `json:"pe_disconnected"`
	PEDisP       bool     `json:"pe_disconnected_point"`
	Overlaps     [][]any  `json:"overlaps"`
	VPR          bool     `json:"vpr"`
	Evaluable    bool     `json:"evaluable"`
	Union        *float64 `json:"union_area"`
	Inter        *float64 `json:"intersection_area"`
	IoU          *float64 `json:"iou"`
	Hausdorff    *float64 `json:"hausdorff"`
	Success      bool     `json:"success"`
}

func TestReferencePredictions(t *testing.T) {
	all := targets(t)
	type prediction struct {
		ID, Kind string
		Instance string `json:"instance_id"`
		Response string
		Expected expected
		Repair   *expected `json:"expected_repair"`
	}
	var r construction.Reader
	testdata.Each(t, "tangram/predictions.jsonl", func(in *prediction) {
		p := r.Read(in.Response, false)
		s := Evaluate(&p, all[in.Instance])
		compare(t, in.ID+" "+in.Kind, &s, &in.Expected)
		if in.Repair != nil {
			p := r.Read(in.Response, true)
			s := Evaluate(&p, all[in.Instance])
			compare(t, in.ID+" "+in.Kind+" repaired", &s, in.Repair)
		}
	})
}

func compare(t *testing.T, where string, score *Score, w *expected) {
	t.Helper()
	fail := func(what string, got, want any) { t.Errorf("%s: %s: got %v; want %v", where, what, got, want) }
	eq := func(what string, got, want any) {
		if !reflect.DeepEqual(got, want) {
			fail(what, got, want)
		}
	}
	near := func(what string, got float64, want *float64) {
		if want == nil {
			return
		}
		if math.Abs(got-*want) > 1e-9 {
			fail(what, got, *want)
		}
	}
	if !slices.Equal(score.Reasons, w.Reasons) {
		fail("tse_reasons", score.Reasons, w.Reasons)
	}
	class := ""
	if w.Class != nil {
		class = *w.Class
	}
	eq("class", score.Class, class)
	eq("n_pieces", len(score.Pieces), w.N)
	eq("n_parsed", score.Parsed, w.Parsed)
	for _, f := range []struct {
		name      string
		got, want bool
	}{{"tse", score.SyntaxError, w.TSE}, {"rge", score.RigidError, w.RGE}, {"rge_parsed", score.RigidErrorParsed, w.RGEParsed}, {"rge_congruent", score.RigidErrorCongruent, w.RGECongruent},
		{"pe", score.PhysicsError, w.PE}, {"pe_overlap", score.OverlapError, w.PEOverlap}, {"pe_disconnected", score.Disconnected, w.PEDis},
		{"pe_disconnected_point", score.DisconnectedByPoint, w.PEDisP}, {"vpr", score.Valid, w.VPR}, {"evaluable", score.Evaluable, w.Evaluable}, {"success", score.Success, w.Success}} {
		eq(f.name, f.got, f.want)
	}
	for i := range w.Pieces {
		if i >= len(score.Pieces) {
			break
		}
		g, p := &score.Pieces[i], &w.Pieces[i]
		id, kind := "", ""
		if p.ID != nil {
			id = *p.ID
		}
		if p.Type != nil {
			kind = *p.Type
		}
		eq("id", g.ID, id)
		eq("has id", g.HasID, p.ID != nil)
		eq("type", string(g.Kind), kind)
		eq("parsed", g.Parsed, p.Parsed)
		if !p.Parsed {
			continue
		}
		eq("simple", g.Simple, p.Simple)
		near("area", g.Area, &p.Area)
		near("perimeter", g.Perimeter, &p.Perimeter)
		if p.RGE != nil {
			eq("piece rge", g.RigidError, *p.RGE)
			eq("piece congruent", g.Congruent, *p.Congruent)
		}
	}
	eq("overlaps", len(score.Overlaps), len(w.Overlaps))
	for i, o := range w.Overlaps {
		if i >= len(score.Overlaps) {
			break
		}
		g := score.Overlaps[i]
		a := o[2].(float64)
		eq("overlap", [3]any{float64(g.I), float64(g.J), g.Counts}, [3]any{o[0], o[1], o[3]})
		near("overlap area", g.Area, &a)
	}
	near("union_area", score.Union, w.Union)
	near("intersection_area", score.Shared, w.Inter)
	near("iou", score.IoU, w.IoU)
	near("hausdorff", score.Hausdorff, w.Hausdorff)
}

func BenchmarkPredictions(b *testing.B) {
	all := targets(b)
	type prediction struct {
		Instance string `json:"instance_id"`
		Response string
	}
	var list []*prediction
	testdata.Each(b, "tangram/predictions.jsonl", func(in *prediction) { list = append(list, in) })
	var r construction.Reader
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		o := list[i%len(list)]
		p := r.Read(o.Response, false)
		Evaluate(&p, all[o.Instance])
	}
}
