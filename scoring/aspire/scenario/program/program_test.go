package program

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"plumb/scoring/aspire/scenario"
	"plumb/testdata"
)

// The committed dump is what the generator writes, byte for byte.
func TestDemoDumpIsCurrent(t *testing.T) {
	path := filepath.Join(testdata.Root(), "testdata", "aspire", "demo.jsonl")
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want, err := Dump(DemoSeed)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		g, w := bytes.Split(got, []byte("\n")), bytes.Split(want, []byte("\n"))
		for i := range min(len(g), len(w)) {
			if !bytes.Equal(g[i], w[i]) {
				t.Fatalf("%s line %d is\n%s\nwant\n%s\nrun: go run ./scoring/aspire/scenario/gen > testdata/aspire/demo.jsonl",
					path, i+1, g[i], w[i])
			}
		}
		t.Fatalf("%s has %d lines; want %d", path, len(g), len(w))
	}
}

// Answers carry what models send: every form of text, and now and then nothing.
func TestAnswersVary(t *testing.T) {
	signs := map[string]int{"```json": 0, "'''json": 0, "// the requested change": 0, "\r\n": 0, ",\n}": 0,
		"Math.PI": 0, "/2,": 0, "degrees\"": 0, "crimson": 0, "\"center\"": 0, "I cannot see": 0, "Wait, that": 0}
	for _, p := range All() {
		silent := 0
		for _, test := range scenario.Tests() {
			for i := range scenario.PerTest {
				s, err := scenario.Make(DemoSeed, test, i)
				if err != nil {
					t.Fatal(err)
				}
				a := p.Answer(DemoSeed, s)
				if a == nil {
					silent++
					continue
				}
				for sign := range signs {
					if strings.Contains(*a, sign) {
						signs[sign]++
					}
				}
			}
		}
		if (silent > 0) != (p.Name == "careless") {
			t.Errorf("%s gave no answer %d times; want that of careless only", p.Name, silent)
		}
	}
	for sign, n := range signs {
		if n == 0 {
			t.Errorf("no answer contains %q", sign)
		}
	}
}

// A program sees what a model sees: the answer does not depend on the criteria.
func TestAnswersIgnoreTheCriteria(t *testing.T) {
	for _, p := range All() {
		for _, test := range scenario.Tests() {
			s, err := scenario.Make(DemoSeed, test, 2)
			if err != nil {
				t.Fatal(err)
			}
			before := p.Answer(DemoSeed, s)
			s.Task = nil
			if after := p.Answer(DemoSeed, s); *before != *after {
				t.Errorf("%s reads the criteria of %s", p.Name, test)
			}
		}
	}
}

// The planned label lies inside the planned outline for every kind of shape.
func TestFitStaysInside(t *testing.T) {
	for seed := range uint64(12) {
		for i := range scenario.PerTest {
			s, err := scenario.Make(seed, "label", i)
			if err != nil {
				t.Fatal(err)
			}
			q := &question{shapes: s.Shapes}
			c := q.placeCaption(&s.Shapes[0])
			px := 0.0
			for _, z := range sizes {
				if z.name == c.size && z.scale == c.scale {
					px = z.px
				}
			}
			w, h := textExtent(c.text, px)
			if px == 0 || !containsBox(outlinePoints(&s.Shapes[0]), c.at.x, c.at.y, w, h) {
				t.Errorf("seed %d %s: %q at %v does not fit", seed, s.Shapes[0].ID, c.text, c.at)
			}
		}
	}
}

// The planned counterweight brings the planned centre of mass to the middle.
func TestCounterweight(t *testing.T) {
	for i := range scenario.PerTest {
		s, err := scenario.Make(DemoSeed, "balance", i)
		if err != nil {
			t.Fatal(err)
		}
		q := &question{shapes: s.Shapes}
		at, w, h := q.counterweight()
		var k inkGrid
		for j := range s.Shapes {
			k.addOutline(expandedBy(outlinePoints(&s.Shapes[j]), halfStroke))
		}
		area, c := k.massOutside(at, w/2+halfStroke, h/2+halfStroke)
		weight := (w + 2*halfStroke) * (h + 2*halfStroke)
		if x, y := (area*c.x+weight*at.x)/(area+weight), (area*c.y+weight*at.y)/(area+weight); math.Hypot(x-700, y-400) > 0.1 {
			t.Errorf("%s: centre of mass is (%g, %g); want (700, 400)", s.ID(), x, y)
		}
		if !insideFrame(at, w, h) {
			t.Errorf("%s: the counterweight leaves the frame: centre %v, %g x %g", s.ID(), at, w, h)
		}
	}
}

// The ink of an outline is counted by cells of 2 px whose centres it covers, up to the sides of the frame,
// and without the rectangle that is left out.
func TestInk(t *testing.T) {
	box := func(x0, y0, x1, y1 float64) []point { return []point{{x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}} }
	for _, c := range []struct {
		name         string
		outline      []point
		centre       point // of what is left out
		halfW, halfH float64
		area         float64
		want         point
	}{
		{"a box", box(100, 200, 200, 300), point{}, -1, -1, 10_000, point{150, 250}},
		{"the frame", box(0, 0, 1400, 800), point{}, -1, -1, 1400 * 800, point{700, 400}},
		{"beyond the frame", box(-50, -60, 1450, 900), point{}, -1, -1, 1400 * 800, point{700, 400}},
		{"the right half left out", box(100, 200, 200, 300), point{175, 250}, 24, 49, 5_000, point{125, 250}},
		{"the lower half left out", box(100, 200, 200, 300), point{150, 275}, 49, 24, 5_000, point{150, 225}},
		{"a part left out", box(100, 200, 200, 300), point{175, 250}, 24, 19, 8_000, point{(2500*150 - 500*175) / 2000., 250}},
		{"all left out", box(100, 200, 200, 300), point{150, 250}, 50, 50, 0, point{}},
	} {
		var ink inkGrid
		ink.addOutline(c.outline)
		area, centre := ink.massOutside(c.centre, c.halfW, c.halfH)
		if area != c.area || math.Hypot(centre.x-c.want.x, centre.y-c.want.y) > 1e-9 {
			t.Errorf("%s: got %v at %v; want %v at %v", c.name, area, centre, c.area, c.want)
		}
	}
}

// Answers are published by seed as scenarios are: these are the sums of the answers of all programs to
// the scenarios of the seeds 2 to 4.
func TestAnswersStay(t *testing.T) {
	for test, want := range map[string]string{
		"maze":    "a29f79059ec70b8c",
		"graph":   "0e32293b799db089",
		"pattern": "939f9ddc136390f6",
		"label":   "68fee8993052f5d5",
		"line":    "1163ac708ba150d4",
		"arrow":   "aca8f39a8c6ec3a9",
		"overlap": "060ebae943c73152",
		"balance": "acb96fc38601f518",
	} {
		t.Run(test, func(t *testing.T) {
			h := sha256.New()
			for seed := uint64(2); seed < 5; seed++ {
				for i := range scenario.PerTest {
					s, err := scenario.Make(seed, test, i)
					if err != nil {
						t.Fatal(err)
					}
					for _, p := range All() {
						if a := p.Answer(seed, s); a != nil {
							h.Write([]byte(*a))
						}
						h.Write([]byte{0})
					}
				}
			}
			if got := fmt.Sprintf("%x", h.Sum(nil)[:8]); got != want {
				t.Errorf("got the sum %s; want %s", got, want)
			}
		})
	}
}

// A counterweight has 5 px to each side of the frame.
func TestInsideFrame(t *testing.T) {
	for _, c := range []struct {
		x, y float64
		want bool
	}{{106, 400, true}, {105, 400, false}, {1294, 400, true}, {1295, 400, false}, {700, 56, true}, {700, 55, false}, {700, 744, true}, {700, 745, false}} {
		if got := insideFrame(point{c.x, c.y}, 200, 100); got != c.want {
			t.Errorf("200 x 100 px at (%g, %g): got %v; want %v", c.x, c.y, got, c.want)
		}
	}
}

// A box is not inside an outline that has a notch into one of its sides, even though its corners are.
func TestNotches(t *testing.T) {
	square := []point{{0, 0}, {45, 0}, {50, 0}, {55, 0}, {100, 0}, {100, 45}, {100, 50}, {100, 55}, {100, 100}, {55, 100}, {50, 100}, {45, 100}, {0, 100}, {0, 55}, {0, 50}, {0, 45}}
	for at, tip := range map[int]point{-1: {}, 2: {50, 30}, 6: {70, 50}, 10: {50, 70}, 14: {30, 50}} {
		outline := slices.Clone(square)
		if at >= 0 {
			outline[at] = tip
		}
		if got := containsBox(outline, 20, 20, 60, 60); got != (at < 0) {
			t.Errorf("a notch up to %v: got inside %v", tip, got)
		}
	}
}

// A counterweight balances shapes near the sides of the frame, where it has to be large enough to lie
// inside, and shapes that it covers in part, which count once.
func TestCounterweightByHand(t *testing.T) {
	for name, b := range map[string][4]float64{
		"at the left": {20, 300, 300, 200}, "at the right": {1080, 320, 300, 160}, "at the top": {600, 20, 200, 120}, "at the bottom": {600, 660, 200, 120},
		"covered in x": {380, 200, 500, 300}, "covered in y": {500, 150, 350, 420}, "covered in part": {420, 180, 420, 360},
	} {
		shapes := []scenario.Shape{{ID: "shape:a", Type: "geo", X: b[0], Y: b[1], Props: scenario.Props{Geo: "rectangle", W: b[2], H: b[3]}}}
		q := &question{shapes: shapes}
		at, w, h := q.counterweight()
		// What both cover counts once, so the weight is that of the rectangle and of what is left of the shape.
		inside := func(v, centre, half float64) bool { return math.Abs(v-centre) <= half }
		var area, x, y float64
		for i := range 1400 {
			for j := range 800 {
				px, py := float64(i)+0.5, float64(j)+0.5
				shape := inside(px, b[0]+b[2]/2, b[2]/2+halfStroke) && inside(py, b[1]+b[3]/2, b[3]/2+halfStroke)
				if shape || inside(px, at.x, w/2+halfStroke) && inside(py, at.y, h/2+halfStroke) {
					area, x, y = area+1, x+px, y+py
				}
			}
		}
		most := 2.0 // a long lever multiplies what the plan's cells of 2 px are off
		if strings.HasPrefix(name, "covered") {
			most = 0.25
		}
		if off := math.Hypot(x/area-700, y/area-400); off > most || !insideFrame(at, w, h) {
			t.Errorf("%s: got %g x %g at %v: the centre of mass is %.2f px off, inside %v", name, w, h, at, off, insideFrame(at, w, h))
		}
	}
}
