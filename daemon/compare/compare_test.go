package compare

import (
	"image"
	"image/color"
	"math"
	"slices"
	"testing"

	"plumb/render/scene"
	"plumb/render/view"
)

// block is a picture of w x h px with a rectangle in it.
func block(w, h int, r image.Rectangle, c color.NRGBA) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			img.SetNRGBA(x, y, c)
		}
	}
	return img
}

func TestPictures(t *testing.T) {
	red, box := color.NRGBA{200, 0, 0, 255}, image.Rect(10, 20, 30, 30)
	ref := block(50, 40, box, red)
	none := image.NewNRGBA(ref.Rect)
	for _, c := range []struct {
		name string
		got  *image.NRGBA
		ref  *image.NRGBA
		want Figures
	}{
		{"equal", ref, ref, Figures{Within: 1, ColourWithin: 1}},
		{"one px to the right", block(50, 40, box.Add(image.Pt(1, 0)), red), ref,
			// 10 of 200 px are lost, 10 stand outside the box.
			Figures{Within: 0.95, Mean: 0.05 * 255, Worst: 255, Centre: 1, Outside: 10, ColourWithin: 0.95, ColourMean: 0.05 * 200 / 3}},
		{"a little fainter", block(50, 40, box, color.NRGBA{200, 0, 0, 254}), ref,
			Figures{Within: 1, Mean: 1, Worst: 1, Mass: -1.0 / 255, ColourWithin: 1, ColourMean: 200.0 / 255 / 3}},
		{"half of it", block(50, 40, image.Rect(10, 20, 20, 30), red), ref,
			Figures{Within: 0.5, Mean: 127.5, Worst: 255, Mass: -0.5, Centre: 5, Covered: -0.5, ColourWithin: 0.5, ColourMean: 100.0 / 3}},
		{"another colour", block(50, 40, box, color.NRGBA{200, 9, 0, 255}), ref,
			Figures{Within: 1, ColourMean: 3}},
		{"nothing", none, ref, Figures{Mean: 255, Worst: 255, Mass: -1, Covered: -1, ColourMean: 200.0 / 3}},
		{"nothing wanted", none, none, Figures{Within: 1, ColourWithin: 1}},
		{"something where nothing is wanted", ref, none, Figures{Mean: 255, Mass: 1, Outside: 200}},
	} {
		l, err := Pictures(c.got, c.ref, true)
		if err != nil {
			t.Fatal(err)
		}
		c.want.Width, c.want.Height, c.want.Colours = 50, 40, true
		if c.ref == ref {
			c.want.Box = box
		}
		for _, f := range []struct {
			name      string
			got, want float64
		}{
			{"within", l.Within, c.want.Within}, {"mean", l.Mean, c.want.Mean}, {"mass", l.Mass, c.want.Mass}, {"centre", l.Centre, c.want.Centre},
			{"covered", l.Covered, c.want.Covered}, {"colour within", l.ColourWithin, c.want.ColourWithin}, {"colour mean", l.ColourMean, c.want.ColourMean},
			{"worst", float64(l.Worst), float64(c.want.Worst)}, {"outside", float64(l.Outside), float64(c.want.Outside)},
		} {
			if math.Abs(f.got-f.want) > 1e-9 {
				t.Errorf("%s: %s is %g; want %g", c.name, f.name, f.got, f.want)
			}
		}
		if l.Box != c.want.Box || l.Width != 50 {
			t.Errorf("%s: got %+v; want the box %v", c.name, l.Figures, c.want.Box)
		}
		if alike := c.name == "equal" || c.name == "nothing wanted"; alike != (l.Severity() <= 1) {
			t.Errorf("%s: got severity %g; want a bar to be missed: %v", c.name, l.Severity(), !alike)
		}
	}
	if _, err := Pictures(ref, block(50, 41, box, red), true); err == nil {
		t.Error("pictures of different sizes were compared")
	}
}

// Colours of pixels that are all but clear say nothing, nor do those of a
// reference that has none.
func TestColoursPremultiplied(t *testing.T) {
	box := image.Rect(1, 1, 9, 9)
	a, b := block(10, 10, box, color.NRGBA{0, 0, 0, 2}), block(10, 10, box, color.NRGBA{255, 255, 255, 2})
	l, err := Pictures(a, b, true)
	if err != nil || l.ColourWithin != 1 {
		t.Errorf("got %+v, %v; want faint colours to be alike", l.Figures, err)
	}
	a, b = block(10, 10, box, color.NRGBA{0, 0, 0, 255}), block(10, 10, box, color.NRGBA{255, 255, 255, 255})
	if l, err = Pictures(a, b, false); err != nil || l.Colours || l.Severity() != 0 {
		t.Errorf("got %+v, %v; want alpha alone to count", l.Figures, err)
	}
}

func decode(t *testing.T, shapes string) *scene.Scene {
	t.Helper()
	s, err := scene.Decode([]byte(shapes), scene.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestFeatures(t *testing.T) {
	s := decode(t, `{"shapes":[
		{"id":"shape:f","type":"frame","opacity":0.5,"props":{"w":300,"h":300}},
		{"id":"shape:g","type":"geo","parentId":"shape:f","rotation":0.3,"props":{"geo":"star","fill":"pattern","dash":"dashed","scale":2,
			"richText":{"type":"doc","content":[{"type":"bulletList","content":[{"type":"listItem","content":[{"type":"paragraph","content":[
				{"type":"text","text":"a","marks":[{"type":"bold"}]},{"type":"text","text":"b","marks":[{"type":"bold"}]}]}]}]}]}}},
		{"id":"shape:a","type":"arrow","props":{"kind":"elbow","arrowheadEnd":"triangle"}},
		{"id":"shape:t","type":"text","props":{"text":"x","font":"mono"}}],
		"bindings":[{"type":"arrow","fromId":"shape:a","toId":"shape:g","props":{"terminal":"end"}}]}`)
	for id, want := range map[string][]string{
		"shape:f": {"frame", "translucent"},
		"shape:g": {"geo star", "dash dashed", "fill pattern", "label of geo", "font draw", "list", "bold", "in a frame", "turned", "translucent", "scaled"},
		"shape:a": {"arrow elbow", "dash draw", "arrowhead triangle", "bound arrow"},
		"shape:t": {"text", "font mono"},
	} {
		if got := Features(s, s.Find(id)); !slices.Equal(got, want) {
			t.Errorf("%s: got %q; want %q", id, got, want)
		}
	}
}

// TestParts: errors are those of the places where the shapes stand, of shapes
// that the view draws.
func TestParts(t *testing.T) {
	s := decode(t, `[{"id":"shape:a","type":"geo","x":20,"y":20,"props":{"w":30,"h":30}},{"id":"shape:b","type":"text","x":120,"y":20,"props":{"text":"x"}},
		{"id":"shape:c","type":"note","x":120,"y":20,"props":{}},{"id":"shape:far","type":"line","x":1e7,"y":20,"props":{}}]`)
	v := view.View{Scene: s, Bounds: view.Box{W: 200, H: 100}, FirstIDs: []string{"shape:a", "shape:b", "shape:far"}}
	white := color.NRGBA{255, 255, 255, 255}
	ref, got := block(200, 100, image.Rect(0, 0, 200, 100), white), block(200, 100, image.Rect(0, 0, 100, 100), white)
	l, err := Pictures(got, ref, true)
	if err != nil {
		t.Fatal(err)
	}
	var sum Summary
	sum.Add(&l.Figures, l.Parts(v))
	rows := sum.Features()
	byName := map[string]FeatureRow{}
	for _, r := range rows {
		byName[r.Name] = r
	}
	if a := byName["geo rectangle"]; a.Mean != 0 || a.Within != 1 || a.Colour != 1 || a.Shapes != 1 {
		t.Errorf("got %+v; want the left shape to be right", a)
	}
	if b := byName["text"]; b.Mean != 255 || b.Within != 0 || b.Colour != 0 || b.Scenes != 1 {
		t.Errorf("got %+v; want the right shape to be lost", b)
	}
	if _, ok := byName["note"]; ok || byName["line"].Shapes != 0 {
		t.Errorf("got %v; want nothing of shapes that are not in the picture", rows)
	}
	if rows[0].Mean != 255 {
		t.Errorf("got %+v first; want the worst", rows[0])
	}
	sum.Foreign = 1
	if sum.NativeShare() != 0.5 {
		t.Errorf("got native share %g; want a half", sum.NativeShare())
	}
}

func TestRows(t *testing.T) {
	var sum Summary
	for i := range 100 {
		sum.Add(&Figures{Within: 1 - float64(i)/1000, Mass: -float64(i) / 5000, Colours: i < 10, ColourWithin: 1}, nil)
	}
	rows := map[string]Row{}
	for _, r := range sum.Rows() {
		rows[r.Name] = r
	}
	if r := rows["alpha_within"]; r.Median != 0.95 || r.Tail != 0.905 || r.Extreme != 0.901 || r.Missed != 69 || r.N != 100 {
		t.Errorf("got %+v", r)
	}
	if r := rows["mass"]; r.Missed != 49 || math.Abs(r.Extreme-0.0198) > 1e-12 {
		t.Errorf("got %+v", r)
	}
	if r := rows["colour_within"]; r.N != 10 || r.Missed != 0 {
		t.Errorf("got %+v", r)
	}
}
