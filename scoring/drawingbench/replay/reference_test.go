package replay

import (
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"plumb/scoring/drawingbench/layout"
	"plumb/scoring/pyjson"
	"plumb/testdata"
)

// entry is a reference picture of the real app.
type entry struct {
	File    string          `json:"file"`
	Index   int             `json:"index"`
	ID      string          `json:"id"`
	Kind    string          `json:"kind"`
	Turn    int             `json:"turn"`
	Actions json.RawMessage `json:"actions"`
	State   struct {
		Tool    string `json:"tool"`
		Color   string `json:"color"`
		Size    int    `json:"size"`
		Drawing bool   `json:"drawing"`
	} `json:"final_state"`
	NonWhite    int            `json:"nonwhite"`
	Transparent int            `json:"transparent"`
	Colors      map[string]int `json:"colors"`
	Box         []int          `json:"bbox"`
	Ink         float64        `json:"ink"`
	InkCentroid []float64      `json:"ink_centroid"`
	Fills       []int          `json:"fill_pixels"`
	Capped      bool           `json:"capped_fill"`
}

// references are all pictures with their actions.
func references(t testing.TB) (all []entry) {
	var tasks []struct {
		ID      string `json:"id"`
		Index   int    `json:"index"`
		Results []struct {
			Turn    int             `json:"turn"`
			Actions json.RawMessage `json:"actions"`
		} `json:"results"`
	}
	testdata.JSON(t, "drawingbench/results-dev.json", &tasks)
	actions := map[string]json.RawMessage{}
	for _, task := range tasks {
		for _, r := range task.Results {
			actions[fmt.Sprintf("%d/%d", task.Index, r.Turn)] = r.Actions
		}
	}
	var recorded, synthetic []entry
	testdata.JSON(t, "drawingbench/canvas/index.json", &recorded)
	for i := range recorded {
		e := &recorded[i]
		e.Actions = actions[fmt.Sprintf("%d/%d", e.Index, e.Turn)]
		e.File = "canvas/" + e.File
	}
	testdata.JSON(t, "drawingbench/canvas-synthetic/index.json", &synthetic)
	for i := range synthetic {
		synthetic[i].File = "canvas-synthetic/" + synthetic[i].File
	}
	return append(recorded, synthetic...)
}

func picture(t testing.TB, name string) *image.NRGBA {
	t.Helper()
	img := testdata.Picture(t, "drawingbench/"+name)
	switch m := img.(type) {
	case *image.NRGBA:
		return m
	case *image.RGBA: // without alpha: the same bytes
		return &image.NRGBA{Pix: m.Pix, Stride: m.Stride, Rect: m.Rect}
	}
	out := image.NewNRGBA(img.Bounds())
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			out.SetNRGBA(x, y, color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA))
		}
	}
	return out
}

// overWhite is a channel composited over white.
func overWhite(p []uint8, i int) int {
	a := int(p[3])
	return (int(p[i])*a + 255*(255-a) + 127) / 255
}

type difference struct {
	file             string
	largest          int
	many             int // pixels that are more than 64 off
	unequal          int
	candidate, truth int // non-white
	both, either     int
}

func compare(got, want *image.NRGBA) (d difference) {
	for i := 0; i < len(want.Pix); i += 4 {
		g, w := got.Pix[i:i+4:i+4], want.Pix[i:i+4:i+4]
		if g[0]&g[1]&g[2]&g[3]&w[0]&w[1]&w[2]&w[3] == 255 {
			continue // both white
		}
		off, gInk, wInk := 0, false, false
		for c := range 3 {
			gc, wc := overWhite(g, c), overWhite(w, c)
			off = max(off, gc-wc, wc-gc)
			gInk, wInk = gInk || gc != 255, wInk || wc != 255
		}
		d.largest = max(d.largest, off)
		if off > 64 {
			d.many++
		}
		if off > 0 {
			d.unequal++
		}
		if gInk {
			d.candidate++
		}
		if wInk {
			d.truth++
		}
		if gInk && wInk {
			d.both++
		}
		if gInk || wInk {
			d.either++
		}
	}
	return d
}

func (d *difference) iou() float64 {
	if d.either == 0 {
		return 1
	}
	return float64(d.both) / float64(d.either)
}

// TestReferencePictures compares every picture with the app's. See
// docs/spec/drawingbench.md#r67.
func TestReferencePictures(t *testing.T) {
	d := New()
	var all []difference
	exact := 0
	for _, e := range references(t) {
		var r pyjson.Reader
		r.Reset(string(e.Actions))
		v, err := r.All()
		if err != nil {
			t.Fatalf("%s: %v", e.File, err)
		}
		p := d.Draw(&v)
		if s := p.State; s.Tool != e.State.Tool || s.Colour != e.State.Color || s.Size != e.State.Size || s.Drawing != e.State.Drawing {
			t.Errorf("%s: final state %+v; want %+v", e.File, s, e.State)
		}
		if e.Capped && slices.Max(p.Fills) != slices.Max(e.Fills) || len(p.Fills) != len(e.Fills) {
			t.Errorf("%s: fills %v; want %v", e.File, p.Fills, e.Fills)
		}
		got := p.Canvas.Image()
		diff := compare(got, picture(t, e.File))
		diff.file = e.File
		all = append(all, diff)
		if diff.unequal == 0 {
			exact++
		}
		check(t, &e, &p, &diff)
		if dir := os.Getenv("PLUMB_CANVAS_OUT"); dir != "" {
			f, _ := os.Create(filepath.Join(dir, filepath.Base(e.File)))
			png.Encode(f, got)
			f.Close()
		}
	}
	slices.SortFunc(all, func(a, b difference) int { return b.unequal - a.unequal })
	t.Logf("%d pictures, %d equal in every pixel", len(all), exact)
	if 100*exact < 91*len(all) {
		t.Errorf("got %d of %d pictures that are equal in every pixel; want 91 %%", exact, len(all))
	}
	t.Log("pixels that differ: " + spread(all, []int{0, 1, 10, 100, 1000}, func(d difference) int { return d.unequal }))
	t.Log("largest difference of a channel: " + spread(all, []int{0, 1, 4, 16, 64}, func(d difference) int { return d.largest }))
	for _, d := range all[:min(10, len(all))] {
		t.Logf("%s: %d pixels differ, %d by more than 64, largest %d, non-white %d of %d, IoU %.4f", d.file, d.unequal, d.many, d.largest, d.candidate, d.truth, d.iou())
	}
}

// spread counts the pictures by a number: up to each bound, and above the last.
func spread(all []difference, bounds []int, of func(difference) int) string {
	counts := make([]int, len(bounds)+1)
	for _, d := range all {
		i, _ := slices.BinarySearch(bounds, of(d))
		counts[i]++
	}
	out := ""
	for i, b := range bounds {
		out += fmt.Sprintf("up to %d: %d pictures, ", b, counts[i])
	}
	return out + fmt.Sprintf("more: %d", counts[len(bounds)])
}

func check(t *testing.T, e *entry, p *Picture, d *difference) {
	fail := func(format string, args ...any) { t.Errorf(e.File+": "+format, args...) }
	within := func(got, want, part float64) bool { return math.Abs(got-want) <= part*want }
	s := p.Stats
	ink := float64(s.InkSum) / 255
	if e.NonWhite == 0 && s.NonWhite != 0 {
		fail("got %d pixels; want none", s.NonWhite)
	}
	box := [4]int{s.Box.Min.X, s.Box.Min.Y, s.Box.Max.X - 1, s.Box.Max.Y - 1}
	for i, v := range e.Box {
		if box[i]-v > 1 || v-box[i] > 1 {
			fail("box %v; want %v", box, e.Box)
			break
		}
	}
	far := 0.0
	if s.InkSum > 0 && len(e.InkCentroid) == 2 {
		far = math.Hypot(float64(s.InkX)/float64(s.InkSum)-e.InkCentroid[0], float64(s.InkY)/float64(s.InkSum)-e.InkCentroid[1])
	}
	n := float64(e.NonWhite)
	switch {
	case e.Capped:
		if !within(float64(s.NonWhite), n, 0.005) {
			fail("non-white %d; want %d", s.NonWhite, e.NonWhite)
		}
	case len(e.Fills) > 0:
		if d.many > 0 || !within(float64(s.NonWhite), n, 0.002) || d.iou() < 0.998 || !within(ink, e.Ink, 0.002) || far > 0.1 {
			fail("%d far off, non-white %d of %d, IoU %.4f, ink %.0f of %.0f, centroid %.2f px", d.many, s.NonWhite, e.NonWhite, d.iou(), ink, e.Ink, far)
		}
	default:
		if d.largest > 64 || d.many > 0 || !within(float64(s.NonWhite), n, 0.002) || d.iou() < 0.998 || !within(ink, e.Ink, 0.002) || far > 0.1 {
			fail("largest %d, %d far off, non-white %d of %d, IoU %.4f, ink %.0f of %.0f, centroid %.2f px", d.largest, d.many, s.NonWhite, e.NonWhite, d.iou(), ink, e.Ink, far)
		}
		for i, c := range layout.Palette {
			want := e.Colors[strings.ToLower(c.Name)]
			if math.Abs(float64(s.Colours[i]-want)) > 0.002*n {
				fail("%s: %d pixels; want %d", c.Name, s.Colours[i], want)
			}
		}
	}
}
