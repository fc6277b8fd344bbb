package diagram

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"image"
	"math"
	"slices"
	"strings"
	"testing"

	"plumb/render/sheet"
	"plumb/scoring/tangram/generate"
	"plumb/testdata"
)

var update = flag.Bool("update", false, "write testdata again")

// loopOf is a loop of numbers x, y, x, y and so on.
func loopOf(numbers ...float64) (l sheet.Loop) {
	for i := 0; i+1 < len(numbers); i += 2 {
		l = append(l, sheet.Pt(numbers[i], numbers[i+1]))
	}
	return l
}

// kept collects lines with the hashes of pictures.
type kept struct {
	*testing.T
	strings.Builder
}

// add adds a picture.
func (k *kept) add(name string, m *image.NRGBA, err error) {
	k.Helper()
	if err != nil {
		k.Fatalf("%s: %v", name, err)
	}
	fmt.Fprintf(k, "%s %dx%d %x\n", name, m.Rect.Dx(), m.Rect.Dy(), sha256.Sum256(m.Pix))
}

// made returns the outline of a made-up instance, as vertices and as a loop, and its pieces.
func made(k int) (vertices []Vertex, loop sheet.Loop, pieces []Piece) {
	in := generate.Instance(5, k)
	for _, p := range in.Outline {
		x, y := p.Floats()
		vertices = append(vertices, Vertex{sheet.Pt(x, y), "(" + Plain(p.X) + ", " + Plain(p.Y) + ")"})
		loop = append(loop, sheet.Pt(x, y))
	}
	for i, poly := range in.Pieces {
		piece := Piece{Name: fmt.Sprint(i + 1)}
		for _, p := range poly {
			x, y := p.Floats()
			piece.Loop = append(piece.Loop, sheet.Pt(x, y))
		}
		pieces = append(pieces, piece)
	}
	return vertices, loop, pieces
}

// The three tests below compare hashes of pictures with files of testdata/tangram, because every
// machine draws the same pixels. After a change that should change pictures, run them with -update
// and look at some of them.

// TestKeptOutlines draws outlines with labels (docs/spec/tangram.md#r57).
func TestKeptOutlines(t *testing.T) {
	fonts(t)
	k := kept{T: t}
	for i := range 3 {
		vertices, _, _ := made(i)
		m, err := Outline(vertices)
		k.add(fmt.Sprint("made-up ", i), m, err)
	}
	comb := []Vertex{{sheet.Pt(0, 0), "(0, 0)"}, {sheet.Pt(4, 0), "(4, 0)"}} // many labels with little room
	for i := range 12 {
		y := 3.0
		if i%2 == 0 {
			y = 0.5
		}
		comb = append(comb, Vertex{sheet.Pt(3.6-0.3*float64(i), y), fmt.Sprintf("(%d-√2/2, 3+√2)", i)})
	}
	m, err := Outline(comb)
	k.add("a comb", m, err)
	m, err = Outline([]Vertex{{sheet.Pt(0, 0), strings.Repeat("0", 40)}, {sheet.Pt(4, 0), strings.Repeat("1", 40)}, {sheet.Pt(0, 4), strings.Repeat("2", 80)}})
	k.add("long labels", m, err)
	for _, c := range []struct {
		name   string
		loop   sheet.Loop
		length int // of each label
	}{
		{"a saw, for which a larger margin is better", loopOf(0, 0, 4, 0, 5, 1, 4, 2, 5, 3, 4, 4, 0, 4), 16},
		{"teeth on both sides", loopOf(0, 0, 4, 0, 4, 1, 4.5, 1.5, 4, 2, 4, 4, 0, 4, 0, 2.5, -0.5, 2, 0, 1.5), 16},
		{"far from the origin", loopOf(10, 20, 14, 20, 12, 24), 24},
	} {
		var vertices []Vertex
		for _, p := range c.loop {
			vertices = append(vertices, Vertex{p, strings.Repeat("8", c.length)})
		}
		m, err := Outline(vertices)
		k.add(c.name, m, err)
	}
	testdata.Compare(t, "tangram/pictures-outlines.txt", k.String(), *update)
}

// TestKeptOptions draws silhouettes to choose from (docs/spec/tangram.md#r54).
func TestKeptOptions(t *testing.T) {
	fonts(t)
	k := kept{T: t}
	var silhouettes [4]sheet.Loop
	for i := range silhouettes {
		_, silhouettes[i], _ = made(i)
	}
	m, err := Options(silhouettes)
	k.add("made-up", m, err)
	slices.Reverse(silhouettes[:])
	silhouettes[1] = loopOf(0, 0, 9, 0, 9, 1, 0, 1)
	m, err = Options(silhouettes)
	k.add("with a wide one", m, err)
	m, err = Options([4]sheet.Loop{loopOf(0, 0, 1, 0, 0, 1), loopOf(7, 7, 8, 7, 8, 16, 7, 16), loopOf(5, 0, 6, 0, 6, 1), loopOf(0, 5, 1, 5, 1, 6)})
	k.add("with a high one, far from the origin", m, err)
	m, err = Options([4]sheet.Loop{loopOf(0, 0, 1, 0, 0, 1), loopOf(7, 7, 16, 7, 16, 8, 7, 8), loopOf(5, 0, 6, 0, 6, 1), loopOf(0, 5, 1, 5, 1, 6)})
	k.add("with a wide one, far from the origin", m, err)
	testdata.Compare(t, "tangram/pictures-options.txt", k.String(), *update)
}

// TestKeptAnswers draws answers over their targets, with and without faults.
func TestKeptAnswers(t *testing.T) {
	fonts(t)
	k := kept{T: t}
	for i := range 2 {
		_, loop, pieces := made(i)
		pieces[2].Distorted = i == 1
		for n := range pieces {
			for v := range pieces[n].Loop {
				pieces[n].Loop[v].X += float64(n*i) / 10
			}
		}
		m, err := Answer(loop, pieces)
		k.add(fmt.Sprint("made-up ", i), m, err)
	}
	square := loopOf(0, 0, 4, 0, 4, 4, 0, 4)
	for _, c := range []struct {
		name   string
		target sheet.Loop
		pieces []Piece
	}{
		{"without pieces", square, nil},
		{"without target", nil, []Piece{{Loop: loopOf(0, 0, 4, 0, 4, 4), Name: "a"}, {Loop: loopOf(1, 0, 4, 4, 1, 4), Name: strings.Repeat("W", 30)}, {Loop: nil, Name: "b"}}},
		{"overlap and spill", square, []Piece{{Loop: loopOf(-1, -1, 2, -1, 2, 2, -1, 2), Name: "\U0001F600"}, {Loop: loopOf(1, 1, 5, 1, 5, 5, 1, 5), Distorted: true}, {Loop: loopOf(0, 0, 3, 3, 0, 3, 3, 0)}}},
		{"a line", loopOf(0, 0, 0, 4), []Piece{{Loop: loopOf(0, 0, 0, 3)}}},
		{"nothing", nil, nil},
	} {
		m, err := Answer(c.target, c.pieces)
		k.add(c.name, m, err)
	}
	testdata.Compare(t, "tangram/pictures-answers.txt", k.String(), *update)
}

// TestBoxes has both sides of each bound of the boxes of labels.
func TestBoxes(t *testing.T) {
	r := rect{10, 20, 30, 40}
	for _, c := range []struct {
		name string
		box  rect
		want bool
	}{
		{"the same", r, true}, {"beyond the right edge", rect{30, 20, 40, 40}, false}, {"over the right edge", rect{29, 20, 40, 40}, true},
		{"left of it", rect{0, 20, 10, 40}, false}, {"over the left edge", rect{0, 20, 11, 40}, true}, {"above", rect{10, 0, 30, 20}, false}, {"over the top", rect{10, 0, 30, 21}, true},
		{"below", rect{10, 40, 30, 50}, false}, {"over the bottom", rect{10, 39, 30, 50}, true}, {"within", rect{15, 25, 16, 26}, true},
	} {
		if r.meets(c.box) != c.want || c.box.meets(r) != c.want {
			t.Errorf("%s: got %v; want %v", c.name, r.meets(c.box), c.want)
		}
	}
	for box, want := range map[rect]bool{{0, 0, 50, 50}: true, {-1, 0, 50, 50}: false, {0, -1, 50, 50}: false, {0, 0, 51, 50}: false, {0, 0, 50, 51}: false} {
		if got := box.within(50); got != want {
			t.Errorf("%v within 50: got %v; want %v", box, got, want)
		}
	}
	for _, c := range []struct {
		p, q sheet.Point
		want bool
	}{
		{sheet.Pt(0, 30), sheet.Pt(50, 30), true}, {sheet.Pt(0, 20), sheet.Pt(50, 20), true}, {sheet.Pt(0, 40), sheet.Pt(50, 40), true}, {sheet.Pt(10, 0), sheet.Pt(10, 50), true},
		{sheet.Pt(30, 0), sheet.Pt(30, 50), true}, {sheet.Pt(0, 21), sheet.Pt(50, 21), true}, {sheet.Pt(0, 30), sheet.Pt(10, 30), false}, {sheet.Pt(0, 30), sheet.Pt(11, 30), true},
		{sheet.Pt(15, 25), sheet.Pt(16, 26), true}, {sheet.Pt(0, 10), sheet.Pt(20, 50), true}, {sheet.Pt(0, 35), sheet.Pt(15, 50), false}, {sheet.Pt(20, 30), sheet.Pt(20, 30), true},
		{sheet.Pt(0, 19), sheet.Pt(50, 19), false}, {sheet.Pt(31, 0), sheet.Pt(31, 50), false}, {sheet.Pt(5, 30), sheet.Pt(5, 31), false}, {sheet.Pt(20, 50), sheet.Pt(21, 50), false},
	} {
		if r.crosses(c.p, c.q) != c.want || r.crosses(c.q, c.p) != c.want {
			t.Errorf("the line from %v to %v: got %v; want it to cross: %v", c.p, c.q, !c.want, c.want)
		}
	}
	if got := boxAround(sheet.Pt(20, 30), 10, 4).grown(1); got != (rect{14, 27, 26, 33}) {
		t.Errorf("got the box %v", got)
	}
	for at, want := range map[sheet.Point]bool{sheet.Pt(20, 14): false, sheet.Pt(20, 20-leaderFrom): false, sheet.Pt(20, 19-leaderFrom): true, sheet.Pt(30+leaderFrom+1, 30): true} {
		if _, drawn := leaderLine(at, r); drawn != want {
			t.Errorf("from %v: got a leader line: %v; want %v", at, drawn, want)
		}
	}
	if end, _ := leaderLine(sheet.Pt(0, 50), r); end != sheet.Pt(10, 40) {
		t.Errorf("got a leader line to %v; want the nearest corner", end)
	}
}

// TestLoops checks which points lie in a loop and which way its corners point.
func TestLoops(t *testing.T) {
	clockwise := loopOf(0, 4, 4, 4, 4, 0, 0, 0) // counter-clockwise with y up
	for p, want := range map[sheet.Point]bool{sheet.Pt(2, 2): true, sheet.Pt(5, 2): false, sheet.Pt(-1, 2): false, sheet.Pt(2, 5): false, sheet.Pt(2, -1): false, sheet.Pt(0.1, 3.9): true} {
		if got := insideLoop(clockwise, p); got != want {
			t.Errorf("%v: got inside %v; want %v", p, got, want)
		}
	}
	diamond := loopOf(2, 0, 0, 2, 2, 4, 4, 2) // a corner beside a point counts once
	for p, want := range map[sheet.Point]bool{sheet.Pt(1, 2): true, sheet.Pt(-1, 2): false, sheet.Pt(2, 3.9): true, sheet.Pt(0.5, 3): false, sheet.Pt(3.5, 3): false} {
		if got := insideLoop(diamond, p); got != want {
			t.Errorf("%v in a diamond: got inside %v; want %v", p, got, want)
		}
	}
	for i, want := range []sheet.Point{sheet.Pt(-1, 1), sheet.Pt(1, 1), sheet.Pt(1, -1), sheet.Pt(-1, -1)} {
		if got := outwardBisector(clockwise, i); math.Hypot(got.X-want.X/math.Sqrt2, got.Y-want.Y/math.Sqrt2) > 1e-12 {
			t.Errorf("corner %d points to %v; want %v", i, got, want)
		}
	}
	if got := outwardBisector(loopOf(0, 0, 3, 0), 1); got != sheet.Pt(1, 0) {
		t.Errorf("edges back along each other point to %v; want straight on", got)
	}
}

// TestAxes checks where the origin of the plane lies in the picture of an answer.
func TestAxes(t *testing.T) {
	wide, high := float64(answerSide-2*answerEdge), float64(answerSide-answerRoom-2*answerEdge)
	for _, c := range []struct {
		name   string
		target sheet.Loop
		pieces []Piece
		x, y   float64
		unit   float64
	}{
		{"a square", loopOf(0, 0, 4, 0, 4, 4, 0, 4), nil, answerSide/2 - high/2, answerEdge + high, high / 4},
		{"a wide one", loopOf(0, 0, 10, 0, 10, 1, 0, 1), nil, answerEdge, answerEdge + high/2 + wide/20, wide / 10},
		{"of pieces", nil, []Piece{{Loop: loopOf(1, 1, 3, 1, 3, 3)}}, answerSide/2 - high, answerEdge + high/2 + high, high / 2},
		{"of nothing", nil, nil, answerSide / 2, answerEdge + high/2, 1},
	} {
		at, unit := Axes(c.target, c.pieces)
		if math.Hypot(at.X-c.x, at.Y-c.y) > 1e-9 || math.Abs(unit-c.unit) > 1e-9 {
			t.Errorf("%s: got %v and %g px for a unit; want %v, %v and %g", c.name, at, unit, c.x, c.y, c.unit)
		}
	}
	for _, bad := range []sheet.Loop{loopOf(0, 0, 1, 0, 2, 0), loopOf(0, 0, 0, 1, 0, 2)} {
		vertices := make([]Vertex, len(bad))
		for i := range bad {
			vertices[i].At = bad[i]
		}
		if _, err := Outline(vertices); err == nil {
			t.Errorf("%v has no extent, and was drawn", bad)
		}
		good := loopOf(0, 0, 1, 0, 1, 1)
		if _, err := Options([4]sheet.Loop{good, bad, good, good}); err == nil || !strings.Contains(err.Error(), "option B") {
			t.Errorf("%v has no extent: got %v; want an error that names option B", bad, err)
		}
	}
}

// TestPlaceAnywhere checks that a label without room beside its corner takes the nearest free place of
// the grid, up to the edges of the picture, and the upper one of two that are as near.
func TestPlaceAnywhere(t *testing.T) {
	// Other labels leave a strip of one label at the right end of the lower edge, or of the left one.
	last := layout{loop: loopOf(990, 985, 980, 700, 900, 800), boxes: []rect{{0, 0, Side, 1004}, {0, 0, 970, Side}}}
	if got := last.placeAnywhere(0, 48, 16); got != sheet.Pt(1000, 1016) {
		t.Errorf("the last place: got %v; want 1000, 1016", got)
	}
	first := layout{loop: loopOf(30, 40, 300, 50, 300, 200), boxes: []rect{{0, 17, Side, Side}, {54, 0, Side, Side}}}
	if got := first.placeAnywhere(0, 48, 16); got != sheet.Pt(24, 8) {
		t.Errorf("the first place: got %v; want 24, 8", got)
	}
	alike := layout{loop: loopOf(500, 500, 900, 100, 900, 900)}
	if got := alike.placeAnywhere(0, 48, 16); got != sheet.Pt(480, 480) {
		t.Errorf("two places as near: got %v; want 480, 480", got)
	}
	full := layout{loop: loopOf(500, 500, 900, 100, 900, 900), boxes: []rect{{0, 0, Side, Side}}}
	if got := full.placeAnywhere(0, 48, 16); got != sheet.Pt(Side/2, 16) {
		t.Errorf("no place: got %v; want the top", got)
	}
}
