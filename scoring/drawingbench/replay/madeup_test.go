package replay

import (
	"flag"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"plumb/scoring/pyjson"
)

var update = flag.Bool("update", false, "write testdata again")

// madeUp returns the actions of a made-up session: selections at the edges of buttons, drags
// that begin or end at the borders of the canvas and beyond, fills, undo and redo, and
// coordinates that are missing, text or broken.
func madeUp(seed uint64) string {
	r := rand.New(rand.NewPCG(seed, 23))
	one := func(list ...any) any { return list[r.IntN(len(list))] }
	var all []string
	add := func(name string, at ...any) { all = append(all, act(name, at...)) }
	place := func() (any, any) {
		if r.IntN(4) == 0 {
			return one(90, 89, 1090, 1090.5, 1091, 500.5, 200, 35), one(70, 69.5, 69, 770, 770.5, 771, 300.25, 405)
		}
		return 90 + r.IntN(1001), 70 + r.IntN(701)
	}
	for range 2 + r.IntN(5) {
		if r.IntN(3) > 0 {
			add("click", one(35, 0, 69.5, 70, -1, 34.5), one(45, 125, 205, 285, 365, 445, 330, 320, 319.5, 525, 605, 685, 650))
		}
		if r.IntN(3) > 0 {
			add("click", one(405, 429, 453, 477, 501, 525, 549, 573, 417, 416.5, 585, 393), one(25, 13, 36.5, 37, 12))
		}
		if r.IntN(4) == 0 {
			x, y := place()
			add("click", x, y)
		}
		x, y := place()
		switch r.IntN(5) {
		case 0:
			add("moveTo", x, y)
			add("mouseDown")
		case 1:
			add("mouseDown", x)
		default:
			add("mouseDown", x, y)
		}
		for range r.IntN(3) {
			x, y := place()
			add("moveTo", x, y)
		}
		switch x, y := place(); r.IntN(6) {
		case 0:
		case 1:
			add("mouseUp")
		default:
			add("mouseUp", x, y)
		}
		switch r.IntN(16) {
		case 0:
			add("undo")
		case 1:
			add("redo")
		case 2:
			add("moveTo", one(`"300"`, "null", `""`, "true", `"x"`, "[]"), one(`"400.5"`, "null", `""`, 200))
		}
	}
	return list(all...)
}

// TestMadeUp compares made-up sessions with what this package left of them when it agreed with
// the pictures of the real app (TestReferencePictures), for a checkout without them. Undo comes with few
// seeds, since a session without it keeps no pictures.
func TestMadeUp(t *testing.T) {
	const file, cases = "testdata/made-up.txt", 60
	text, err := os.ReadFile(file)
	if err != nil && !*update {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	d := New()
	var out []string
	for seed := range uint64(cases) {
		actions := madeUp(seed)
		var r pyjson.Reader
		r.Reset(actions)
		v, err := r.All()
		if err != nil {
			t.Fatalf("%v: %s", err, actions)
		}
		p := d.Draw(&v)
		s := p.Session
		line := fmt.Sprintf("%d px, %d writes, pairs %d strays %d skipped %d, fills %v, %v, %q, elements %d %08x: %08x", p.Stats.NonWhite, s.Writes, s.Drags, s.StrayPoints,
			s.Skipped, s.Fills, s.State, s.Selected, len(s.Elements), crc32.ChecksumIEEE(fmt.Appendf(nil, "%v %v", s.Elements, s.Inks)),
			crc32.ChecksumIEEE(p.Canvas.Image().Pix))
		out = append(out, line)
		if !*update && (int(seed) >= len(lines) || line != lines[seed]) {
			t.Errorf("session %d: got\n%s\nwant\n%s\nactions %s\nelements %v\ninks %v", seed, line, lines[min(int(seed), len(lines)-1)], actions, s.Elements, s.Inks)
		}
	}
	if *update {
		if err := os.WriteFile(file, []byte(strings.Join(out, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestWork: a session that costs what is allowed goes on, one that costs more is broken off.
func TestWork(t *testing.T) {
	actions := list(act("click", 35, 365), act("mouseDown", 190, 170), act("mouseUp", 290, 270))
	var r pyjson.Reader
	r.Reset(actions)
	v, err := r.All()
	if err != nil {
		t.Fatal(err)
	}
	d := New()
	whole := d.Draw(&v)
	cost := whole.Writes + shapeCost
	for maxWork, limited := range map[int]bool{cost: false, cost - 1: true} {
		d.MaxWrites = maxWork
		if p := d.Draw(&v); p.Limited != limited {
			t.Errorf("a limit of %d for a cost of %d: got it broken off: %v", maxWork, cost, p.Limited)
		}
	}
}
