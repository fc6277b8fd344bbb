package report

import (
	"image"
	"image/color"
	"os"
	"regexp"
	"strings"
	"testing"

	"plumb/daemon/compare"
	"plumb/render/scene"
	"plumb/render/view"
)

// TestFidelityPage: the worst scenes are shown with three pictures each, the
// page needs nothing else, and what was not compared is listed.
func TestFidelityPage(t *testing.T) {
	dir := t.TempDir()
	f, err := NewFidelity(FidelityConfig{Dir: dir, Title: "scenes <1>", Reference: "tldraw 4.2", Worst: 2})
	if err != nil {
		t.Fatal(err)
	}
	s, err := scene.Decode([]byte(`[{"id":"shape:a","type":"geo","x":10,"y":10,"props":{"w":40,"h":30}}]`), scene.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	v := view.View{Scene: s, Bounds: view.Box{W: 80, H: 60}}
	fill := func(w int) *image.NRGBA {
		img := image.NewNRGBA(image.Rect(0, 0, 80, 60))
		for y := 10; y < 40; y++ {
			for x := 10; x < 10+w; x++ {
				img.SetNRGBA(x, y, color.NRGBA{20, 60, 220, 255})
			}
		}
		return img
	}
	for _, c := range []struct {
		id string
		w  int
	}{{"good", 40}, {"fair", 38}, {"bad", 10}} {
		l, err := compare.Pictures(fill(c.w), fill(40), true)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Add(c.id, l, v, fill(c.w), fill(40)); err != nil {
			t.Fatal(err)
		}
	}
	f.Foreign("emoji", "cannot draw 😀 <natively>")
	f.Failed("torn", "no JSON")
	path, err := f.Close()
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	page := string(b)
	if n := strings.Count(page, `src="data:image/png;base64,`); n != 6 {
		t.Errorf("got %d pictures; want three of two scenes", n)
	}
	bad, fair := strings.Index(page, "<h3>bad"), strings.Index(page, "<h3>fair")
	if bad < 0 || fair < bad || strings.Contains(page, "<h3>good") {
		t.Errorf("got bad at %d, fair at %d; want the worst first and the best not", bad, fair)
	}
	for _, want := range []string{"scenes &lt;1&gt;", "geo rectangle", "native share 75.0 %", "cannot draw 😀 &lt;natively&gt;", "no JSON", "misses a bar"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not have %q", want)
		}
	}
	if m := regexp.MustCompile(`(?:src|href)="(?:[^d#]|d[^a])[^"]*`).FindString(page); m != "" {
		t.Errorf("the page needs %s", m)
	}
}

// TestDifference: more alpha is red, less is blue, and only colours orange.
func TestDifference(t *testing.T) {
	got, ref := image.NewNRGBA(image.Rect(0, 0, 4, 1)), image.NewNRGBA(image.Rect(0, 0, 4, 1))
	got.Pix = []byte{0, 0, 0, 255, 0, 0, 0, 0, 255, 0, 0, 255, 9, 9, 9, 255}
	ref.Pix = []byte{0, 0, 0, 0, 0, 0, 0, 255, 0, 0, 0, 255, 9, 9, 9, 255}
	d := difference(got, ref)
	at := func(x int) [3]uint8 { return [3]uint8(d.Pix[4*x : 4*x+3]) }
	if at(0) != [3]uint8{200, 20, 40} || at(1) != [3]uint8{20, 60, 220} || at(2) != [3]uint8{230, 130, 0} {
		t.Errorf("got %v, %v, %v; want the pure tones", at(0), at(1), at(2))
	}
	if c := at(3); c[0] != c[1]-1 || c[0] < 200 {
		t.Errorf("got %v where nothing differs; want pale grey", c)
	}
}
