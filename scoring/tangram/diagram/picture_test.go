package diagram

import (
	"image"
	"math"
	"plumb/render/sheet"
	"testing"

	"plumb/render/font"
	"plumb/scoring/tangram/field"
	"plumb/scoring/tangram/generate"
	"plumb/scoring/tangram/splitmix"
)

func shoelace(l sheet.Loop) (a float64) {
	for i, p := range l {
		q := l[(i+1)%len(l)]
		a += p.X*q.Y - q.X*p.Y
	}
	return math.Abs(a / 2)
}

// TestCover holds the sum of coverage against the area, for triangles anywhere in
// the picture, and single pixels against areas known by hand.
func TestCover(t *testing.T) {
	r := splitmix.New("cover")
	c := sheet.NewCover(40, 30)
	for range 2000 {
		l := sheet.Loop{}
		for range 3 {
			l = append(l, sheet.Pt(r.Float()*40, r.Float()*30))
		}
		c.Reset()
		c.Add(l)
		got := 0.0
		c.Each(func(x, y int, w float64) {
			if a := sheet.NonZero(w); a > 1+1e-9 {
				t.Fatalf("%v: pixel %d, %d has coverage %g", l, x, y, a)
			}
			got += sheet.NonZero(w)
		})
		if want := shoelace(l); math.Abs(got-want) > 1e-6 {
			t.Fatalf("%v covers %g; want %g", l, got, want)
		}
	}
	for _, k := range []struct {
		l    sheet.Loop
		want float64
	}{
		{sheet.Loop{sheet.Pt(2, 2), sheet.Pt(3, 2), sheet.Pt(2, 3)}, 0.5},
		{sheet.Loop{sheet.Pt(1.5, 1.5), sheet.Pt(2.25, 1.5), sheet.Pt(2.25, 2.5), sheet.Pt(1.5, 2.5)}, 0.125},
		{sheet.Loop{sheet.Pt(-9, -9), sheet.Pt(99, -9), sheet.Pt(99, 99), sheet.Pt(-9, 99)}, 1},
		{sheet.Loop{sheet.Pt(2.5, 2.5), sheet.Pt(-50, 2.5), sheet.Pt(-50, 2.75), sheet.Pt(2.5, 2.75)}, 0.125},
		{sheet.Loop{sheet.Pt(2.5, 2.5), sheet.Pt(150, 2.5), sheet.Pt(150, 2.75), sheet.Pt(2.5, 2.75)}, 0.125},
	} {
		c.Reset()
		c.Add(k.l)
		got := 0.0
		c.Each(func(x, y int, w float64) {
			if x == 2 && y == 2 {
				got = sheet.NonZero(w)
			}
		})
		if math.Abs(got-k.want) > 1e-12 {
			t.Errorf("%v covers pixel 2, 2 by %g; want %g", k.l, got, k.want)
		}
	}
}

func TestEvenOdd(t *testing.T) {
	for w, want := range map[float64]float64{0: 0, 0.25: 0.25, 1: 1, -1: 1, 2: 0, 1.75: 0.25, -3: 1} {
		if got := sheet.EvenOdd(w); got != want {
			t.Errorf("winding %g: got %g; want %g", w, got, want)
		}
	}
}

// fonts skips where the fonts have not been made: no label can be written then.
func fonts(t *testing.T) *sheet.Writer {
	t.Helper()
	w, err := sheet.NewWriter(font.Style{Family: font.Sans})
	if err != nil {
		t.Skip(err)
	}
	return w
}

func ink(m *image.NRGBA, r image.Rectangle, f func(red, green, blue float64) float64) (sum float64) {
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			p := m.Pix[m.PixOffset(x, y):]
			sum += f(float64(p[0]), float64(p[1]), float64(p[2]))
		}
	}
	return sum
}

func dark(r, g, b float64) float64 { return 1 - (r+g+b)/765 }

// TestOptions measures the silhouettes: one scale, the largest that fits, centred.
func TestOptions(t *testing.T) {
	fonts(t)
	square := sheet.Loop{sheet.Pt(0, 0), sheet.Pt(2, 0), sheet.Pt(2, 2), sheet.Pt(0, 2)}
	m, err := Options([4]sheet.Loop{square, {sheet.Pt(5, 5), sheet.Pt(9, 5), sheet.Pt(5, 6)}, {sheet.Pt(0, 0), sheet.Pt(1, 0), sheet.Pt(0, 1)}, {sheet.Pt(0, 0), sheet.Pt(7, 0), sheet.Pt(7, 1)}})
	if err != nil {
		t.Fatal(err)
	}
	const scale = 448.0 / 7 // the widest fits its box
	areas := []float64{4, 2, 0.5, 3.5}
	for i, a := range areas {
		x, y := i%2*512, i/2*512
		got := ink(m, image.Rect(x+2, y+66, x+510, y+510), dark)
		if want := a * scale * scale; math.Abs(got-want) > 0.02*want {
			t.Errorf("option %c: %g px of ink; want %g", 'A'+i, got, want)
		}
		label := ink(m, image.Rect(x+2, y+2, x+510, y+62), dark)
		if label < 100 || label > 700 {
			t.Errorf("option %c: %g px of ink in its label; want a letter", 'A'+i, label)
		}
	}
	side := 2 * scale
	for _, p := range []struct {
		x, y int
		want uint8
	}{
		{256, 288, 0}, {256 - int(side)/2, 288, 0}, {256 - int(side)/2 - 1, 288, 255}, {256, 288 - int(side)/2, 0}, {256, 288 - int(side)/2 - 1, 255},
		{511, 5, 0x80}, {512, 1000, 0x80}, {510, 5, 255}, {513, 5, 255}, {5, 511, 0x80}, {5, 512, 0x80}, {5, 513, 255},
	} {
		if got := m.NRGBAAt(p.x, p.y).R; got != p.want {
			t.Errorf("pixel %d, %d: got %d; want %d", p.x, p.y, got, p.want)
		}
	}
	// Upright: the right angle of C is at its lower left.
	if a, b := m.NRGBAAt(256-28, 512+288+28).R, m.NRGBAAt(256+28, 512+288-28).R; a != 0 || b != 255 {
		t.Errorf("option C: lower left %d, upper right %d; want black and white", a, b)
	}
	if _, err := Options([4]sheet.Loop{square, square, {sheet.Pt(1, 1), sheet.Pt(2, 1)}, square}); err == nil {
		t.Error("an outline without extent was drawn; want an error")
	}
}

// TestOutlineLabels checks for many instances that no label covers another one or
// the outline, and that most stand at their vertices.
func TestOutlineLabels(t *testing.T) {
	w := fonts(t)
	far, all := 0, 0
	for k := range 25 {
		in := generate.Instance(3, k)
		loop, lines := make(sheet.Loop, len(in.Outline)), make([]sheet.Line, len(in.Outline))
		for i, p := range in.Outline {
			x, y := p.Floats()
			loop[i] = sheet.Pt(x, y)
			var err error
			if lines[i], err = w.Line("("+Plain(p.X)+", "+Plain(p.Y)+")", textSize); err != nil {
				t.Fatal(err)
			}
		}
		l := chooseMargin(loop, lines, w.Caps*textSize)
		for i, b := range l.boxes {
			all++
			if _, long := leaderLine(l.loop[i], b); long {
				far++
			}
			if !b.within(Side) {
				t.Errorf("%s: label %d leaves the picture: %v", in.ID, i, b)
			}
			for j := range i {
				if b.meets(l.boxes[j]) {
					t.Errorf("%s: labels %d and %d overlap: %v, %v", in.ID, i, j, b, l.boxes[j])
				}
			}
			for j, p := range l.loop {
				if b.grown(1).crosses(p, l.loop[(j+1)%len(l.loop)]) {
					t.Errorf("%s: label %d covers edge %d", in.ID, i, j)
				}
			}
		}
	}
	if far > all/3 {
		t.Errorf("%d of %d labels stand far from their vertices; want at most a third", far, all)
	}
}

func TestOutline(t *testing.T) {
	fonts(t)
	m, err := Outline([]Vertex{{sheet.Pt(0, 0), "(0, 0)"}, {sheet.Pt(4, 0), "(4, 0)"}, {sheet.Pt(4, 4), "(4, 4)"}, {sheet.Pt(0, 4), "(0, 4)"}})
	if err != nil {
		t.Fatal(err)
	}
	// A square of 800 px: strokes of 3 px, and discs beyond them at the corners.
	got := ink(m, image.Rect(300, 100, 700, 130), dark)
	if math.Abs(got-1200) > 4 {
		t.Errorf("400 px of the upper edge have %g px of ink; want 1200", got)
	}
	if m.NRGBAAt(512, 512).R != 255 {
		t.Error("the outline is filled; want no fill")
	}
	if m.NRGBAAt(114, 114).R != 0 || m.NRGBAAt(119, 119).R != 255 {
		t.Error("no disc of radius 5 at the corner (112, 112)")
	}
}

// TestAnswer measures the colours of errors against their areas.
func TestAnswer(t *testing.T) {
	fonts(t)
	target := sheet.Loop{sheet.Pt(0, 0), sheet.Pt(4, 0), sheet.Pt(4, 4), sheet.Pt(0, 4)}
	pieces := []Piece{{Loop: sheet.Loop{sheet.Pt(0, 0), sheet.Pt(4, 0), sheet.Pt(4, 2), sheet.Pt(0, 2)}}, {Loop: sheet.Loop{sheet.Pt(0, 1), sheet.Pt(4, 1), sheet.Pt(4, 3), sheet.Pt(0, 3)}}}
	m, err := Answer(target, pieces)
	if err != nil {
		t.Fatal(err)
	}
	area := func(near [3]float64) float64 {
		return ink(m, image.Rect(0, 0, answerSide, answerSide-answerRoom), func(r, g, b float64) float64 {
			if math.Abs(r-near[0])+math.Abs(g-near[1])+math.Abs(b-near[2]) < 60 {
				return 1
			}
			return 0
		})
	}
	unit := math.Pow((answerSide-answerRoom-2*answerEdge)/4.0, 2)
	if got := area([3]float64{0xf2, 0xb1, 0x34}) / unit; math.Abs(got-4) > 0.2 {
		t.Errorf("the gap has area %g; want 4", got)
	}
	if got := area([3]float64{0xd6 - 8, 0x27 + 10, 0x28 + 15}) / unit; math.Abs(got-4) > 0.1 {
		t.Errorf("the overlap has area %g; want 4", got)
	}
	if _, err := Answer(nil, nil); err != nil {
		t.Errorf("an answer without pieces: %v", err)
	}
	if _, err := Answer(target, []Piece{{Loop: sheet.Loop{sheet.Pt(1, 1), sheet.Pt(1, 1), sheet.Pt(1, 1)}, Name: "\U0001F600"}}); err != nil {
		t.Errorf("a piece without area, with a strange name: %v", err)
	}
}

func TestPlain(t *testing.T) {
	for text, want := range map[string]string{
		`1+\sqrt{2}`: "1+√2", `\frac{\sqrt{2}}{2}`: "√2/2", `-\frac{1}{2}-\frac{3\sqrt{2}}{2}`: "-1/2-3√2/2", "0": "0",
	} {
		x, _, err := field.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := Plain(x); got != want {
			t.Errorf("%s: got %s; want %s", text, got, want)
		}
	}
}
