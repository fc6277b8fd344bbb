package chrome

import (
	"context"
	"encoding/json"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"plumb/render/scene"
	"plumb/render/view"
	"plumb/testdata"
)

// reference is one scene that the editor exported (README of tldraw's data).
type reference struct {
	ID       string            `json:"id"`
	Kind     string            `json:"kind"`
	Shapes   []json.RawMessage `json:"shapes"`
	Added    []json.RawMessage `json:"added"`
	Bindings json.RawMessage   `json:"bindings"`
	Records  json.RawMessage   `json:"records"`
	Export   struct {
		Bounds [4]float64 `json:"bounds"`
	} `json:"export"`
	Images map[string]struct {
		File     string `json:"file"`
		Channels string `json:"channels"`
	} `json:"images"`
}

// references reads the scenes of these ids, all when there are none.
func references(t testing.TB, ids ...string) []reference {
	t.Helper()
	var all []reference
	testdata.Each(t, "tldraw/scenes.jsonl", func(r *reference) {
		if len(ids) == 0 || slices.Contains(ids, r.ID) {
			all = append(all, *r)
		}
	})
	return all
}

// picture is one expected export.
type picture struct {
	file string
	only []string // nil: everything
}

// pictures lists what the exporter drew of a scene.
func (r *reference) pictures() map[string]picture {
	all := map[string]picture{}
	first, added := shapeIDs(r.Shapes), shapeIDs(r.Added)
	for name, img := range r.Images {
		p := picture{file: img.File}
		switch name {
		case "before", "shape":
			p.only = first
		case "label":
			p.only = added
		}
		all[name] = p
	}
	return all
}

func shapeIDs(shapes []json.RawMessage) []string {
	ids := []string{}
	for _, s := range shapes {
		var v struct{ ID string }
		if json.Unmarshal(s, &v) == nil {
			ids = append(ids, v.ID)
		}
	}
	return ids
}

// list returns the scene as shapes to be created.
func (r *reference) list(t testing.TB) []byte {
	t.Helper()
	doc := map[string]any{"shapes": append(slices.Clone(r.Shapes), r.Added...)}
	if r.Bindings != nil {
		doc["bindings"] = r.Bindings
	}
	b, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// stored returns the scene as records.
func (r *reference) stored(t testing.TB) []byte {
	t.Helper()
	b, err := json.Marshal(map[string]any{"records": r.Records})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// requests returns the ways to ask for a picture of the scene; all have to give
// the same one.
func (r *reference) requests(t testing.TB, p picture) map[string]Request {
	t.Helper()
	b := r.Export.Bounds
	v := view.View{Bounds: view.Box{X: b[0], Y: b[1], W: b[2], H: b[3]}, FirstIDs: p.only}
	decode := func(b []byte) view.View {
		s, err := scene.Decode(b, scene.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		v := v
		v.Scene = s
		return v
	}
	return map[string]Request{
		"list":    {View: v, Source: r.list(t)},
		"records": {View: v, Source: r.stored(t)},
		"scene":   {View: decode(r.list(t))},
		"stored":  {View: decode(r.stored(t))},
	}
}

// expected reads a reference picture: its alpha, and its colours where it has any.
func expected(t testing.TB, name string) (alpha, rgba []uint8, w, h int) {
	t.Helper()
	img := testdata.Picture(t, "tldraw/"+name)
	w, h = img.Bounds().Dx(), img.Bounds().Dy()
	switch img := img.(type) {
	case *image.Gray:
		return img.Pix, nil, w, h
	case *image.NRGBA:
		return alphaOf(img), img.Pix, w, h
	}
	t.Fatalf("%s: got %T; want grey or NRGBA", name, img)
	return nil, nil, 0, 0
}

func alphaOf(img *image.NRGBA) []uint8 {
	a := make([]uint8, len(img.Pix)/4)
	for i := range a {
		a[i] = img.Pix[4*i+3]
	}
	return a
}

// sample are scenes of all three kinds, for every run.
var sample = []string{"balance-000", "balance-003", "label-001", "label-002", "label-004", "mixed-000", "mixed-002", "mixed-003"}

func TestReference(t *testing.T) {
	ids := sample
	if os.Getenv("PLUMB_CHROME_ALL") != "" {
		ids = nil
	}
	for _, hinted := range []bool{false, true} {
		name := map[bool]string{false: "nohint", true: "hinted"}[hinted]
		t.Run(name, func(t *testing.T) {
			p := open(t, Config{Hinted: hinted})
			compared := 0
			for _, r := range references(t, ids...) {
				compared += compareReference(t, p, &r, hinted)
			}
			t.Logf("%d pictures compared, %+v", compared, p.Stats())
			if compared == 0 {
				t.Fatal("no picture was compared")
			}
		})
	}
}

func compareReference(t *testing.T, p *Pool, r *reference, hinted bool) (n int) {
	for _, pic := range r.pictures() {
		file := pic.file
		if !hinted && r.Kind != "balance" {
			file = strings.Replace(file, "png/", "png-nohint/", 1)
		}
		alpha, rgba, w, h := expected(t, file)
		for how, req := range r.requests(t, pic) {
			res, err := p.Export(context.Background(), req)
			if err != nil {
				t.Errorf("%s as %s: %v", pic.file, how, err)
				continue
			}
			if res.Image.Rect != image.Rect(0, 0, w, h) {
				t.Errorf("%s as %s: got %v; want %d x %d", file, how, res.Image.Rect, w, h)
				continue
			}
			differ, worst := difference(alphaOf(res.Image), alpha)
			if rgba != nil && differ == 0 {
				differ, worst = difference(res.Image.Pix, rgba)
			}
			if differ > 0 {
				t.Errorf("%s as %s: %d values differ, by up to %d; want none", file, how, differ, worst)
				dump(t, r.ID+"-"+how, res.Image)
			}
			n++
		}
	}
	return n
}

// difference counts the values that differ, and tells by how much at most.
func difference(got, want []uint8) (n, worst int) {
	for i := range got {
		if d := int(got[i]) - int(want[i]); d != 0 {
			n++
			worst = max(worst, d, -d)
		}
	}
	return n, worst
}

// dump keeps a picture that is wrong, where PLUMB_CHROME_DUMP names a folder.
func dump(t *testing.T, name string, img image.Image) {
	dir := os.Getenv("PLUMB_CHROME_DUMP")
	if dir == "" {
		return
	}
	f, err := os.Create(filepath.Join(dir, name+".png"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := png.Encode(f, img); err != nil {
		t.Fatal(err)
	}
}
