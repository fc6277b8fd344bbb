package scan

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"os"
	"testing"

	"plumb/render/chord"
	"plumb/render/rastertest"
	"plumb/render/vector"
	"plumb/testdata"
)

// image is 8-bit alpha.
type image struct {
	w, h int
	a    []byte
}

func newImage(w, h int) *image { return &image{w, h, make([]byte, w*h)} }

func (m *image) canvas() chord.Rect { return chord.Rect{X1: int32(m.w), Y1: int32(m.h)} }

// spans calls f for every pixel of the spans, after it has checked their order.
func spans(t testing.TB, c *Coverage, first, count int, f func(x, y int, a byte)) {
	t.Helper()
	last := Span{X: math.MinInt32, Y: math.MinInt32}
	for _, s := range c.Spans[first : first+count] {
		if s.Width <= 0 || s.Y < last.Y || s.Y == last.Y && s.X < last.X+last.Width {
			t.Fatalf("span %v after %v", s, last)
		}
		last = s
		if s.FirstByte == Full {
			for i := range s.Width {
				f(int(s.X+i), int(s.Y), 255)
			}
			continue
		}
		b := c.Bytes[s.FirstByte : s.FirstByte+s.Width]
		for i, a := range b {
			f(int(s.X)+i, int(s.Y), a)
		}
	}
}

// tight fails where a span ends in zeros.
func tight(t testing.TB, c *Coverage, first, count int) {
	t.Helper()
	for _, s := range c.Spans[first : first+count] {
		if s.FirstByte != Full && (c.Bytes[s.FirstByte] == 0 || c.Bytes[s.FirstByte+s.Width-1] == 0) {
			t.Fatalf("span %v ends in zeros: %v", s, c.Bytes[s.FirstByte:s.FirstByte+s.Width])
		}
	}
}

// coverageOf returns one path's coverage of a canvas.
func coverageOf(t testing.TB, s *Scanner, p *vector.Path, w, h int, clip chord.Rect, r Rule) *image {
	t.Helper()
	m := newImage(w, h)
	var c Coverage
	first, count := s.Append(&c, p, clip, r)
	if !r.Cells {
		tight(t, &c, first, count)
	}
	spans(t, &c, first, count, func(x, y int, a byte) {
		if r.Cells && a == 0 && x >= -Cell && x < w+Cell {
			return
		}
		if x < 0 || y < 0 || x >= w || y >= h {
			t.Fatalf("pixel %d %d of a canvas of %d x %d", x, y, w, h)
		}
		m.a[y*w+x] = a
	})
	return m
}

// blend draws coverage on the image in a colour of the given alpha. See
// docs/spec/raster.md#r25.
func (m *image) blend(c *image, alpha uint32) {
	for i, a := range c.a {
		s := uint32(a)
		if alpha != 255 {
			s = alpha * (s + 1) >> 8
			if a == 0 {
				s = 0
			}
		}
		m.a[i] = byte(s + uint32(m.a[i])*(256-s)>>8)
	}
}

// render draws a vector.
func render(t testing.TB, v *rastertest.Vector, s *Scanner) *image {
	m := newImage(v.W, v.H)
	for i := range v.Draws {
		d := &v.Draws[i]
		alpha := uint32(math.Round(255 * d.Opacity))
		fill := func(p *vector.Path, colour string) {
			r := Rule{Plain: colour == "#000000" || alpha != 255, Clip: v.Clip != nil}
			clip := m.canvas()
			if v.Clip != nil {
				lo, hi, _ := chord.Bounds(v.Clip)
				mask := coverageOf(t, s, v.Clip, v.W, v.H, clip, r)
				clip = chord.Rect{
					X0: int32(math.Floor(float64(lo.X))), Y0: int32(math.Floor(float64(lo.Y))),
					X1: int32(math.Ceil(float64(hi.X))), Y1: int32(math.Ceil(float64(hi.Y))),
				}
				c := coverageOf(t, s, p, v.W, v.H, clip, r)
				for i, a := range c.a {
					c.a[i] = byte(math.Round(float64(a) * float64(mask.a[i]) / 255))
				}
				m.blend(c, alpha)
				return
			}
			m.blend(coverageOf(t, s, p, v.W, v.H, clip, r), alpha)
		}
		if d.Fill != "" {
			fill(d.Filled(), d.Fill)
		}
		if d.Stroke != "" {
			fill(d.Stroked(1), d.Stroke)
		}
	}
	return m
}

// The pixels are those that the browser returned.
func TestVectors(t *testing.T) {
	var s Scanner
	for _, v := range rastertest.Vectors(t) {
		got := render(t, &v, &s)
		wrong, worst := 0, 0
		for i, a := range v.Alpha {
			if d := int(got.a[i]) - int(a); d != 0 {
				wrong++
				worst = max(worst, d, -d)
			}
		}
		if wrong == 0 {
			continue
		}
		t.Errorf("%s: %d pixels differ, by at most %d", v.ID, wrong, worst)
		if os.Getenv("PLUMB_ROWS") != "" {
			for at := 0; at < len(v.Alpha); at += v.W {
				if got, want := got.a[at:at+v.W], v.Alpha[at:at+v.W]; !bytes.Equal(got, want) {
					t.Logf("row %d\n got %x\nwant %x", at/v.W, got, want)
				}
			}
		}
	}
}

// The frame of a rectangle of the editor, drawn solid: vectors.json has the sums
// of its alphas.
func TestFrame(t *testing.T) {
	var f struct {
		Vectors []struct {
			ID     string `json:"id"`
			Expect struct {
				Alpha   float64 `json:"alpha_sum"`
				X       float64 `json:"com_x"`
				Y       float64 `json:"com_y"`
				Nonzero int     `json:"nonzero"`
			} `json:"expect"`
		} `json:"vectors"`
	}
	// Other kinds expect other things.
	var mistyped *json.UnmarshalTypeError
	if err := json.Unmarshal(testdata.Bytes(t, "tldraw/vectors.json"), &f); err != nil && !errors.As(err, &mistyped) {
		t.Fatal(err)
	}
	for _, v := range f.Vectors {
		if v.ID != "raster:rect-solid-none" {
			continue
		}
		frame := rastertest.Draw{Path: rastertest.Path(t, "M 0 0 L 100 0 L 100 60 L 0 60 Z"), M: vector.Matrix{A: 1, D: 1, E: 20, F: 20}, Width: 3.5}
		var s Scanner
		got := coverageOf(t, &s, frame.Stroked(1), 160, 120, chord.Rect{X1: 160, Y1: 120}, Rule{})
		var sum, x, y float64
		nonzero := 0
		for i, a := range got.a {
			sum += float64(a)
			x += float64(a) * (float64(i%160) + 0.5)
			y += float64(a) * (float64(i/160) + 0.5)
			if a > 0 {
				nonzero++
			}
		}
		if math.Abs(sum/255-v.Expect.Alpha) > 1e-5 || nonzero != v.Expect.Nonzero ||
			math.Abs(x/sum-v.Expect.X) > 1e-5 || math.Abs(y/sum-v.Expect.Y) > 1e-5 {
			t.Errorf("got %f, %d px, centre (%f, %f); want %+v", sum/255, nonzero, x/sum, y/sum, v.Expect)
		}
		return
	}
	t.Error("vectors.json has no solid rectangle")
}
