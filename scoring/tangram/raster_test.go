package tangram

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/valyala/fastjson"

	"plumb/render/region"
	"plumb/scoring"
	"plumb/scoring/tangram/construction"
	"plumb/testdata"
)

// TestRasterReference checks on all reference predictions that the raster's numbers are within
// their bounds of the exact ones, that success is never missed, and that most bounds are small.
func TestRasterReference(t *testing.T) {
	all := targets(t)
	type prediction struct {
		ID, Kind string
		Instance string `json:"instance_id"`
		Response string
		Expected expected
	}
	var r construction.Reader
	n, tight := 0, 0
	for _, size := range []int{128, 512} {
		by := &rasterMeter{meter: region.Oracle{}, size: size}
		worstIoU, worstFar := 0.0, 0.0
		testdata.Each(t, "tangram/predictions.jsonl", func(in *prediction) {
			p := r.Read(in.Response, false)
			s := evaluate(&p, all[in.Instance], by)
			w := &in.Expected
			if s.Evaluable != w.Evaluable || s.Evaluable == (s.rasterResult == nil) {
				t.Fatalf("%s: evaluable is %v, raster %v; want %v", in.ID, s.Evaluable, s.rasterResult, w.Evaluable)
			}
			if !s.Evaluable {
				return
			}
			n++
			m := s.rasterResult
			if m.err != nil {
				t.Fatal(in.ID, m.err)
			}
			iou, far := math.Abs(s.IoU-*w.IoU), math.Abs(s.Hausdorff-*w.Hausdorff)
			worstIoU, worstFar = max(worstIoU, iou/m.IoUBound), max(worstFar, far/m.FarBound)
			if iou > m.IoUBound+1e-9 || far > m.FarBound+1e-9 {
				t.Errorf("%s %s at %d px: IoU %v, want %v within %v; distance %v, want %v within %v", in.ID, in.Kind, size, s.IoU, *w.IoU, m.IoUBound, s.Hausdorff, *w.Hausdorff, m.FarBound)
			}
			if a, b := math.Abs(s.Union-*w.Union), math.Abs(s.Shared-*w.Inter); max(a, b) > m.AreaBound+1e-9 {
				t.Errorf("%s at %d px: areas are off by %v and %v; bound %v", in.ID, size, a, b, m.AreaBound)
			}
			if w.Success && !s.Success {
				t.Errorf("%s: no success on the raster", in.ID)
			}
			if m.IoUBound < 0.02 && m.FarBound < 0.1 {
				tight++
			}
		})
		t.Logf("%d px: largest share of the bound: IoU %.3f, distance %.3f", size, worstIoU, worstFar)
	}
	if n == 0 || tight*2 < n {
		t.Errorf("%d of %d bounds say something; want most", tight, n)
	}
}

// randomAnswer places pieces of any shape around the big square: on a coarse grid, where many
// touch, or anywhere; some with gaps of a thousandth, far away, or crossing themselves.
func randomAnswer(r *rand.Rand) string {
	coarse, far := r.IntN(2) == 0, r.IntN(10) == 0
	number := func() string {
		switch {
		case far && r.IntN(20) == 0:
			return fmt.Sprint(r.IntN(2000) - 1000)
		case coarse:
			return fmt.Sprintf("%d/2", r.IntN(8)-1)
		case r.IntN(3) == 0:
			return fmt.Sprintf("%d/1000+\\\\sqrt{2}", r.IntN(2000)-500)
		}
		return fmt.Sprintf("%d/1000", r.IntN(4000)-500)
	}
	if r.IntN(3) == 0 {
		number = func() string { return fmt.Sprintf("%.3f", 4*r.Float64()-0.5) }
	}
	var pieces []string
	for range 1 + r.IntN(8) {
		var list []string
		for range 3 + r.IntN(3) {
			list = append(list, `["`+number()+`","`+number()+`"]`)
		}
		pieces = append(pieces, `{"type":"square","vertices":[`+strings.Join(list, ",")+`]}`)
	}
	if r.IntN(4) == 0 { // the square with cracks
		return strings.ReplaceAll(whole(), `["0","0"]`, `["1/1000","0"]`)
	}
	return `{"final_state":{"pieces":[` + strings.Join(pieces, ",") + `]}}`
}

func TestRasterRandom(t *testing.T) {
	target, err := newTarget(fastjson.MustParse(bigSquare).GetArray())
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(11, 12))
	var r construction.Reader
	classes := map[string]int{}
	for i := range 300 {
		text := randomAnswer(random)
		p := r.Read(text, false)
		exact := Evaluate(&p, target)
		s := evaluate(&p, target, &rasterMeter{meter: region.Oracle{}, size: 256})
		if s.Evaluable != exact.Evaluable {
			t.Fatalf("case %d: evaluable is %v; want %v", i, s.Evaluable, exact.Evaluable)
		}
		if !s.Evaluable {
			continue
		}
		classes[s.Class]++
		m := s.rasterResult
		if m.err != nil {
			t.Fatal(i, m.err)
		}
		if math.Abs(s.IoU-exact.IoU) > m.IoUBound+1e-9 || math.Abs(s.Hausdorff-exact.Hausdorff) > m.FarBound+1e-9 || math.Abs(s.Union-exact.Union) > m.AreaBound+1e-9 {
			t.Errorf("case %d: IoU %v, want %v within %v; distance %v, want %v within %v; area %v, want %v within %v; answer %s", i,
				s.IoU, exact.IoU, m.IoUBound, s.Hausdorff, exact.Hausdorff, m.FarBound, s.Union, exact.Union, m.AreaBound, text)
		}
	}
	if classes["exact"] < 50 || classes["decimal"] < 50 {
		t.Errorf("got %v; want many of both classes", classes)
	}
}

// The variant says that a raster measured, and measures with the suite's meter.
func TestRasterVariant(t *testing.T) {
	item := `{` + target + `,"response":` + quoted(whole()) + `}`
	exact := score(t, item, scoring.Variants{MetricBy: "exact"})
	if plain := score(t, item, nil); string(plain.AppendJSON(nil, 0, "")) != string(exact.AppendJSON(nil, 0, "")) {
		t.Error("metric=exact differs from the default")
	}
	if _, ok := exact.Float("raster_size"); ok {
		t.Error("an exact result has raster_size")
	}
	r := score(t, item, scoring.Variants{MetricBy: "raster", RasterSize: "256"})
	size, _ := r.Float("raster_size")
	iou, _ := r.Float("iou")
	bound, ok := r.Float("iou_bound")
	far, _ := r.Float("hausdorff_bound")
	if r.Score != 1 || size != 256 || !ok || iou < 1-bound || bound > 0.02 || far > 0.03 {
		t.Errorf("got %+v; want success on a raster of 256 px, with bounds", r)
	}
	bad := strings.ReplaceAll(whole(), `["0","0"],["2\\sqrt{2}","0"]`, `["0","-1"],["2\\sqrt{2}","0"]`)
	if r := score(t, `{`+target+`,"response":`+quoted(bad)+`}`, scoring.Variants{MetricBy: "raster"}); r.Score != 0 {
		t.Errorf("got %v for a distorted piece; want 0", r.Score)
	}
	if r := score(t, `{`+target+`,"response":"nothing"}`, scoring.Variants{MetricBy: "raster"}); !r.Scored || r.Score != 0 || r.Status != "no_json" {
		t.Errorf("got %+v; want no_json", r)
	}
	for _, v := range []scoring.Variants{{MetricBy: "pixels"}, {MetricBy: "raster", RasterSize: "100"}, {MetricBy: "raster", RasterSize: "big"}} {
		it := scoring.Item{Test: Solution, Fields: fastjson.MustParse(item)}
		if _, err := New().Prepare(&it, v); err == nil || !strings.Contains(err.Error(), "want") {
			t.Errorf("%v: got %v; want an error that says what is wanted", v, err)
		}
	}
}

// broken is a meter that cannot measure.
type broken struct{}

func (broken) Measure(*region.Scene) (region.Result, error) {
	return region.Result{}, fmt.Errorf("cannot measure: out of order")
}

// A meter that fails is no wrong answer.
func TestRasterFails(t *testing.T) {
	it := scoring.Item{ID: "i", Test: Solution, Meter: broken{}, Fields: fastjson.MustParse(`{` + target + `,"response":` + quoted(whole()) + `}`)}
	j, err := New().Prepare(&it, scoring.Variants{MetricBy: "raster"})
	if err != nil {
		t.Fatal(err)
	}
	if r := j.Score(nil); r.Scored || r.Err == nil || r.Err.Code != "backend" {
		t.Errorf("got %+v; want no score and code backend", r)
	}
}
