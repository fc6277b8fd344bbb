package canvas

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math"
	"slices"
	"testing"
)

var red = Colour{R: 255}

// reds is the red channel of some pixels of a row.
func reds(m *image.NRGBA, x, y, n int) (out []uint8) {
	for i := range n {
		out = append(out, m.NRGBAAt(x+i, y).R)
	}
	return out
}

// TestEdges checks the browser's antialiased values. See
// docs/spec/drawingbench.md#r57.
func TestEdges(t *testing.T) {
	black := Colour{}
	for _, c := range []struct {
		name string
		draw func(*Canvas)
		x, y int
		want []uint8
	}{
		{"line of 2 px, row above", func(c *Canvas) { c.Segment(100, 130, 200, 130, 2, black, false) }, 150, 128, []uint8{255, 255}},
		{"line of 2 px, upper row", func(c *Canvas) { c.Segment(100, 130, 200, 130, 2, black, false) }, 150, 129, []uint8{0, 0}},
		{"line of 2 px, lower row", func(c *Canvas) { c.Segment(100, 130, 200, 130, 2, black, false) }, 150, 130, []uint8{0, 0}},
		{"dot of 10 px", func(c *Canvas) { c.Disc(100, 100, 10, black, false) }, 97, 95, []uint8{182, 50, 16, 16, 50, 182}},
		{"dot of 2 px", func(c *Canvas) { c.Disc(100, 100, 2, black, false) }, 99, 99, []uint8{64, 64}},
		{"frame of 5 px, border", func(c *Canvas) { c.Rectangle(100, 100, 200, 200, 5, false, black) }, 150, 97, []uint8{127}},
		{"frame of 5 px, corner", func(c *Canvas) { c.Rectangle(100, 100, 200, 200, 5, false, black) }, 97, 97, []uint8{191}},
		{"round frame, corner", func(c *Canvas) { c.Rectangle(100, 100, 200, 200, 10, true, black) }, 95, 95, []uint8{255}},
		{"flat bar", func(c *Canvas) { c.Rectangle(100, 100, 200, 100, 10, false, black) }, 98, 100, []uint8{255, 255, 0, 0}},
		{"small circle is a disc", func(c *Canvas) { c.Circle(100, 100, 1, 10, black) }, 99, 99, []uint8{0, 0}},
	} {
		canvas := New()
		c.draw(canvas)
		if got := reds(canvas.Image(), c.x, c.y, len(c.want)); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v; want %v", c.name, got, c.want)
		}
	}
}

func TestNothing(t *testing.T) {
	c := New()
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e308} {
		c.Segment(v, 1, 2, 3, 5, red, false)
		c.Disc(1, v, 5, red, true)
		c.Rectangle(1, 2, v, 4, 5, true, red)
		c.Rectangle(1, 2, v, 4, 5, false, red)
		c.Circle(1, 2, v, 5, red)
	}
	c.Segment(5, 5, 5, 5, 10, red, false)
	c.Circle(5, 5, 0, 10, red)
	c.Rectangle(5, 5, 5, 5, 10, false, red)
	if m := c.Take(); m.Writes != 0 || c.Measure(nil).NonWhite != 0 {
		t.Errorf("got %+v; want nothing painted", m)
	}
}

// Erased pixels are transparent, read back as black, and take paint anew.
func TestErase(t *testing.T) {
	c := New()
	c.Segment(50, 100, 300, 100, 10, red, false)
	c.Segment(100, 100, 200, 100, 20, red, true)
	if got := c.Image().NRGBAAt(150, 100); got != (color.NRGBA{}) {
		t.Errorf("got %v; want a transparent pixel", got)
	}
	if n := c.Fill(150, 100, Colour{}); n != 0 {
		t.Errorf("filling an erased area with black painted %d pixels; want none", n)
	}
	if n := c.Fill(150, 100, Colour{B: 255}); n == 0 || c.Image().NRGBAAt(150, 100) != (color.NRGBA{B: 255, A: 255}) {
		t.Errorf("got %d pixels, %v; want blue", n, c.Image().NRGBAAt(150, 100))
	}
	s := c.Measure(Palette{red, {B: 255}})
	if s.Colours[0] == 0 || s.Colours[1] == 0 || s.Partial == 0 {
		t.Errorf("got %+v; want red, blue and blended edges", s)
	}
}

// A fill goes up first and stops at the app's limit.
func TestFill(t *testing.T) {
	c := New()
	if n := c.Fill(500, 300, red); n != MaxFill {
		t.Errorf("got %d pixels; want %d", n, MaxFill)
	}
	m := c.Image()
	for _, y := range []int{0, 150, 300} {
		if m.NRGBAAt(500, y).G != 0 {
			t.Errorf("(500, %d) is %v; want red: the walk goes up first", y, m.NRGBAAt(500, y))
		}
	}
	c.Reset()
	c.Rectangle(100, 100, 110, 110, 2, false, Colour{})
	if n := c.Fill(105, 105, red); n != 64 {
		t.Errorf("got %d pixels; want the 8 x 8 inside", n)
	}
	if n := c.Fill(105, 105, red); n != 0 {
		t.Errorf("filling again painted %d pixels; want none", n)
	}
	if n := c.Fill(-1, 5, red) + c.Fill(5, Height, red); n != 0 {
		t.Errorf("got %d pixels from off the canvas", n)
	}
}

func TestSnapshots(t *testing.T) {
	c := New()
	empty := c.Snapshot()
	c.Disc(50, 50, 10, red, false)
	drawn, want := c.Snapshot(), c.Image()
	c.Disc(80, 80, 10, red, true)
	c.Restore(empty)
	if c.Measure(nil).NonWhite != 0 {
		t.Error("the first picture is not empty any more")
	}
	c.Disc(20, 20, 10, Colour{}, false)
	c.Restore(drawn)
	if !bytes.Equal(c.Image().Pix, want.Pix) {
		t.Error("the second picture changed")
	}
}

// PNGs hold what they were made of, with a palette or without.
func TestEncode(t *testing.T) {
	c := New()
	c.Disc(50, 50, 10, red, false)
	c.Disc(52, 50, 10, red, true)
	few := c.Image()
	many := image.NewNRGBA(image.Rect(0, 0, 60, 50))
	for i := range many.Pix {
		many.Pix[i] = uint8(i * i * i >> 5)
	}
	if (&Encoder{}).paletted(many) != nil {
		t.Fatal("the second picture has too few colours")
	}
	var e Encoder
	for _, m := range []*image.NRGBA{few, many, few} {
		var b bytes.Buffer
		if err := e.Encode(&b, m); err != nil {
			t.Fatal(err)
		}
		back, err := png.Decode(&b)
		if err != nil {
			t.Fatal(err)
		}
		got := image.NewNRGBA(m.Rect)
		for y := range m.Rect.Dy() {
			for x := range m.Rect.Dx() {
				got.SetNRGBA(x, y, color.NRGBAModel.Convert(back.At(x, y)).(color.NRGBA))
			}
		}
		for i := 0; i < len(m.Pix); i += 4 {
			if a, b := m.Pix[i:i+4], got.Pix[i:i+4]; !bytes.Equal(a, b) && a[3] != 0 {
				t.Fatalf("pixel %d: got %v; want %v", i/4, b, a)
			}
		}
	}
}
