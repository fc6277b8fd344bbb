package text

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"plumb/render/scene"
	"plumb/testdata"
)

func TestVectors(t *testing.T) {
	var file struct {
		Vectors []struct {
			ID, Kind  string
			Input     json.RawMessage
			Expect    json.RawMessage
			Tolerance json.RawMessage
		}
	}
	testdata.JSON(t, "tldraw/vectors.json", &file)
	l, seen := layouter(t), 0
	for _, v := range file.Vectors {
		if v.Kind != "text_size" && v.Kind != "geo_label_growth" && v.Kind != "note_fit" {
			continue
		}
		var in struct {
			Font, Size, Text string
			W                *float64
			H                float64
			AutoSize         bool
		}
		var want struct{ W, H, GrowY, FontSizeAdjustment float64 }
		var tolerance float64
		if err := json.Unmarshal(v.Tolerance, &tolerance); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(v.Input, &in); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(v.Expect, &want); err != nil {
			t.Fatal(err)
		}
		seen++
		r := record{}
		r.Props.Font, r.Props.Size = in.Font, in.Size
		sh := r.shape()
		sh.Rich, sh.Auto, sh.H = plain(strings.Split(in.Text, "\n")...), in.AutoSize, in.H
		if in.W != nil {
			sh.W = *in.W
		}
		got := want
		var err error
		switch v.Kind {
		case "text_size":
			got.W, got.H, err = l.TextSize(sh)
		case "geo_label_growth":
			got.GrowY, err = l.GeoGrowth(sh)
		case "note_fit":
			got.FontSizeAdjustment, got.GrowY, err = l.NoteFit(sh)
			got.H = noteSide + got.GrowY
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range []float64{got.W - want.W, got.H - want.H, got.GrowY - want.GrowY, got.FontSizeAdjustment - want.FontSizeAdjustment} {
			if math.Abs(d) > tolerance {
				t.Errorf("%s: got %+v; want %+v", v.ID, got, want)
				break
			}
		}
	}
	if seen == 0 {
		t.Error("no vector of the three kinds; want some")
	}
}

func TestTextSizes(t *testing.T) {
	var file struct {
		TextSizes map[string]map[string][2]float64
	}
	testdata.JSON(t, "tldraw/constants.json", &file)
	l, total := layouter(t), 0
	for word, sizes := range file.TextSizes {
		for key, want := range sizes {
			r := record{}
			r.Props.Font, r.Props.Size, _ = strings.Cut(key, "/")
			sh := r.shape()
			sh.Rich = plain(strings.Split(word, "\n")...)
			w, h, err := l.TextSize(sh)
			if err != nil {
				t.Fatal(err)
			}
			total++
			if w != want[0] || h != want[1] {
				t.Errorf("%q %s: got %v x %v; want %v x %v", word, key, w, h, want[0], want[1])
			}
		}
	}
	if total == 0 {
		t.Error("nothing compared")
	}
}

// TestMeasured compares boxes and growth with what the editor stored: widths are
// sums of binary32 numbers and equal in every bit.
func TestMeasured(t *testing.T) {
	type line struct {
		ID       string
		Records  []record
		Geometry map[string]struct{ Measured *struct{ W, H float64 } }
	}
	l, boxes, grown := layouter(t), 0, 0
	testdata.Each(t, "tldraw/scenes.jsonl", func(s *line) {
		for i := range s.Records {
			sh := s.Records[i].shape()
			if sh.Rich == nil {
				continue
			}
			if g := s.Geometry[sh.ID].Measured; g != nil {
				w, h, err := l.TextSize(sh)
				if err != nil {
					t.Fatal(err)
				}
				boxes++
				if w != g.W || h != g.H {
					t.Errorf("%s %s: got %v x %v; want %v x %v", s.ID, sh.ID, w, h, g.W, g.H)
				}
			}
			got, size, err := sh.GrowY, sh.FontPx, error(nil)
			switch s.Records[i].Type {
			case "geo":
				got, err = l.GeoGrowth(sh)
				grown++
			case "note":
				size, got, err = l.NoteFit(sh)
				grown++
			}
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(got-sh.GrowY) > 1e-9 || size != sh.FontPx {
				t.Errorf("%s %s: got growY %v, font %v; want %v, %v", s.ID, sh.ID, got, size, sh.GrowY, sh.FontPx)
			}
		}
	})
	t.Logf("%d boxes of text, %d labels of geo shapes and notes", boxes, grown)
	if boxes == 0 || grown == 0 {
		t.Error("nothing compared")
	}
}

func TestMeasuredAspire(t *testing.T) {
	type line struct {
		ID       string
		Applied  struct{ Create []record }
		Geometry map[string]struct{ Measured *struct{ W, H float64 } } `json:"geometry_after"`
	}
	l, boxes := layouter(t), 0
	testdata.Each(t, "aspire/cases.jsonl", func(s *line) {
		for i := range s.Applied.Create {
			sh := s.Applied.Create[i].shape()
			g := s.Geometry[sh.ID].Measured
			if g == nil {
				continue
			}
			w, h, err := l.TextSize(sh)
			if err != nil {
				t.Fatal(err)
			}
			boxes++
			if w != g.W || h != g.H {
				t.Errorf("%s %s: got %v x %v; want %v x %v", s.ID, sh.ID, w, h, g.W, g.H)
			}
		}
	})
	if boxes == 0 {
		t.Error("nothing compared")
	}
}

func TestLineMetrics(t *testing.T) {
	for _, c := range []struct {
		size, want float64
	}{{24, 32.390625}, {22, 29.6875}, {18, 24.296875}, {36, 48.59375}, {44, 59.390625}, {20, 27}} {
		if got := LineHeight(c.size); got != c.want {
			t.Errorf("line height at %g: got %v; want %v", c.size, got, c.want)
		}
	}
	l := layouter(t)
	for _, c := range []struct {
		font           scene.Font
		size           float64
		code           bool
		height, baseAt float64
	}{
		{scene.FontDraw, 24, false, 32.390625, 24},
		{scene.FontDraw, 28, false, 37.796875, 28},
		{scene.FontDraw, 36, false, 48.59375, 36},
		{scene.FontSans, 20, false, 27, 21},
		{scene.FontSans, 44, false, 59.390625, 46},
		{scene.FontDraw, 24, true, 33.390625, 25},
	} {
		doc := plain("a")
		doc.Blocks[0].Spans = append(doc.Blocks[0].Spans, scene.Span{Text: "b", Code: c.code})
		var out Layout
		if err := l.Layout(&out, doc, Spec{Font: c.font, Size: c.size, Width: Unbounded}); err != nil {
			t.Fatal(err)
		}
		if out.H != c.height || out.Runs[0].Baseline != c.baseAt {
			t.Errorf("font %d at %g: got height %v, baseline %v; want %v, %v", c.font, c.size, out.H, out.Runs[0].Baseline, c.height, c.baseAt)
		}
	}
}
