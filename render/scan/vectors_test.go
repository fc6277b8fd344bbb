package scan

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"plumb/render/chord"
	"plumb/render/path"
	"plumb/render/stroke"
	"plumb/testdata"
)

// vector is one case of raster-vectors.json.
type vector struct {
	ID    string   `json:"id"`
	Kind  string   `json:"kind"`
	W     int      `json:"w"`
	H     int      `json:"h"`
	Clip  string   `json:"clip"`
	Draws []draw   `json:"draws"`
	Alpha []string `json:"alpha"`
}

// draw is one element of a vector.
type draw struct {
	D          string    `json:"d"`
	Transform  string    `json:"transform"`
	Fill       string    `json:"fill"`
	Stroke     string    `json:"stroke"`
	Width      float32   `json:"stroke_width"`
	Dash       []float32 `json:"dash"`
	DashOffset float32   `json:"dash_offset"`
	Opacity    *float64  `json:"opacity"`
}

func loadVectors(t testing.TB) []vector {
	t.Helper()
	b, err := os.ReadFile(testdata.Path(t, "tldraw/raster-vectors.json"))
	if err != nil {
		t.Fatal(err)
	}
	var f struct{ Vectors []vector }
	if err := json.Unmarshal(b, &f); err != nil {
		t.Fatal(err)
	}
	return f.Vectors
}

func parse(t testing.TB, d, transform string) (*path.Path, path.Matrix) {
	t.Helper()
	m := path.Identity
	if transform != "" {
		if _, err := fmt.Sscanf(strings.ReplaceAll(transform, ",", " "), "matrix(%g %g %g %g %g %g)",
			&m.A, &m.B, &m.C, &m.D, &m.E, &m.F); err != nil {
			t.Fatalf("%q: %v", transform, err)
		}
	}
	p, err := path.ParseSVG(d)
	if err != nil {
		t.Fatal(err)
	}
	return p, m
}

// outlineOf returns the stroke's outline in px.
func outlineOf(src *path.Path, m path.Matrix, width float32, dash []float32, offset float32) *path.Path {
	var s stroke.Stroker
	var d stroke.Dasher
	res := stroke.Resolution(m)
	if q := new(path.Path); d.Dash(q, src, dash, offset, res) {
		src = q
	}
	p := new(path.Path)
	s.Outline(p, src, width, res)
	p.Transform(m)
	return p
}

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
		if s.N <= 0 || s.Y < last.Y || s.Y == last.Y && s.X < last.X+last.N {
			t.Fatalf("span %v after %v", s, last)
		}
		last = s
		if s.At == Full {
			for i := range s.N {
				f(int(s.X+i), int(s.Y), 255)
			}
			continue
		}
		b := c.Bytes[s.At : s.At+s.N]
		for i, a := range b {
			f(int(s.X)+i, int(s.Y), a)
		}
	}
}

// tight fails where a span ends in zeros.
func tight(t testing.TB, c *Coverage, first, count int) {
	t.Helper()
	for _, s := range c.Spans[first : first+count] {
		if s.At != Full && (c.Bytes[s.At] == 0 || c.Bytes[s.At+s.N-1] == 0) {
			t.Fatalf("span %v ends in zeros: %v", s, c.Bytes[s.At:s.At+s.N])
		}
	}
}

// coverageOf returns one path's coverage of a canvas.
func coverageOf(t testing.TB, s *Scanner, p *path.Path, w, h int, clip chord.Rect, r Rule) *image {
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

// blend draws coverage on the image in a colour of the given alpha
// (reference-raster.md 8.4).
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
func (v *vector) render(t testing.TB, s *Scanner) *image {
	m := newImage(v.W, v.H)
	for _, d := range v.Draws {
		src, mat := parse(t, d.D, d.Transform)
		alpha := uint32(255)
		if d.Opacity != nil {
			alpha = uint32(math.Round(255 * *d.Opacity))
		}
		fill := func(p *path.Path, colour string) {
			r := Rule{Plain: colour == "#000000" || alpha != 255, Clip: v.Clip != ""}
			clip := m.canvas()
			if v.Clip != "" {
				q, _ := parse(t, v.Clip, "")
				lo, hi, _ := chord.Bounds(q)
				mask := coverageOf(t, s, q, v.W, v.H, clip, r)
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
		if d.Fill != "none" && d.Fill != "" {
			p := new(path.Path)
			p.Append(src)
			p.Transform(mat)
			fill(p, d.Fill)
		}
		if d.Stroke != "" && d.Stroke != "none" {
			fill(outlineOf(src, mat, d.Width, d.Dash, d.DashOffset), d.Stroke)
		}
	}
	return m
}

// The pixels are those that the browser returned.
func TestVectors(t *testing.T) {
	var s Scanner
	for _, v := range loadVectors(t) {
		got := v.render(t, &s)
		wrong, worst := 0, 0
		for y, line := range v.Alpha {
			want, err := hex.DecodeString(line)
			if err != nil {
				t.Fatal(err)
			}
			row := got.a[y*v.W : (y+1)*v.W]
			for x := range want {
				if d := int(row[x]) - int(want[x]); d != 0 {
					wrong++
					worst = max(worst, d, -d)
				}
			}
		}
		if wrong == 0 {
			continue
		}
		t.Errorf("%s: %d pixels differ, by at most %d", v.ID, wrong, worst)
		if os.Getenv("PLUMB_ROWS") != "" {
			for y, line := range v.Alpha {
				if g := hex.EncodeToString(got.a[y*v.W : (y+1)*v.W]); g != line {
					t.Logf("row %d\n got %s\nwant %s", y, g, line)
				}
			}
		}
	}
}

// The frame of a rectangle of the editor, drawn solid: vectors.json has the sums
// of its alphas.
func TestFrame(t *testing.T) {
	b, err := os.ReadFile(testdata.Path(t, "tldraw/vectors.json"))
	if err != nil {
		t.Fatal(err)
	}
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
	if err := json.Unmarshal(b, &f); err != nil && !errors.As(err, &mistyped) {
		t.Fatal(err)
	}
	for _, v := range f.Vectors {
		if v.ID != "raster:rect-solid-none" {
			continue
		}
		src, m := parse(t, "M 0 0 L 100 0 L 100 60 L 0 60 Z", "matrix(1, 0, 0, 1, 20, 20)")
		var s Scanner
		p := outlineOf(src, m, 3.5, nil, 0)
		got := coverageOf(t, &s, p, 160, 120, chord.Rect{X1: 160, Y1: 120}, Rule{})
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
