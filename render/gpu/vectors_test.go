package gpu

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"plumb/render/batch"
	"plumb/render/chord"
	"plumb/render/outline"
	"plumb/render/path"
	"plumb/render/scan"
	"plumb/render/stroke"
	"plumb/testdata"
)

// rasterVector is one case of raster-vectors.json: paths, and the alpha that the
// browser makes of them.
type rasterVector struct {
	ID, Clip string
	W, H     int
	Draws    []struct {
		D, Transform, Fill, Stroke string
		Width                      float32   `json:"stroke_width"`
		Dash                       []float32 `json:"dash"`
		Offset                     float32   `json:"dash_offset"`
		Opacity                    *float64
	}
	Alpha []string
}

// drawing fills and strokes the vector's paths as items.
func (v *rasterVector) drawing(t *testing.T) *outline.Drawing {
	t.Helper()
	d := &outline.Drawing{Width: v.W, Height: v.H}
	var s scan.Scanner
	s.Pairs = func(x, y int32, _ byte) { d.Pairs = append(d.Pairs, outline.Pixel{X: x, Y: y}) }
	canvas, clip := chord.Rect{X1: int32(v.W), Y1: int32(v.H)}, int32(-1)
	add := func(p *path.Path, it outline.Item, r scan.Rule) {
		it.Pairs = int32(len(d.Pairs))
		first, count := s.Append(&d.Coverage, p, canvas, r)
		it.First, it.Count, it.Paired = int32(first), int32(count), int32(len(d.Pairs))-it.Pairs
		d.Items = append(d.Items, it)
	}
	if v.Clip != "" {
		p := parsed(t, v.Clip)
		add(p, outline.Item{Op: outline.OpClip, Opacity: outline.Opaque, Clip: -1}, scan.Rule{Clip: true, Cells: true})
		clip = 0
		lo, hi, _ := chord.Bounds(p)
		canvas = chord.Rect{
			X0: int32(math.Floor(float64(lo.X))), Y0: int32(math.Floor(float64(lo.Y))),
			X1: int32(math.Ceil(float64(hi.X))), Y1: int32(math.Ceil(float64(hi.Y))),
		}
	}
	for _, e := range v.Draws {
		m := path.Identity
		if e.Transform != "" {
			if _, err := fmt.Sscanf(strings.ReplaceAll(e.Transform, ",", " "), "matrix(%g %g %g %g %g %g)", &m.A, &m.B, &m.C, &m.D, &m.E, &m.F); err != nil {
				t.Fatal(err)
			}
		}
		it := outline.Item{Opacity: outline.Opaque, Clip: clip}
		if e.Opacity != nil {
			it.Opacity = uint32(*e.Opacity*outline.Opaque + 0.5)
		}
		paint := func(p *path.Path, colour string) {
			p.Transform(m)
			add(p, it, scan.Rule{Plain: colour == "#000000" || it.Opacity != outline.Opaque, Clip: v.Clip != "", Cells: true})
		}
		if e.Fill != "none" && e.Fill != "" {
			paint(parsed(t, e.D), e.Fill)
		}
		if e.Stroke != "" && e.Stroke != "none" {
			var pen stroke.Stroker
			var dasher stroke.Dasher
			src, dashes, out := parsed(t, e.D), new(path.Path), new(path.Path)
			if dasher.Dash(dashes, src, e.Dash, e.Offset, stroke.Resolution(m)) {
				src = dashes
			}
			pen.Outline(out, src, e.Width, stroke.Resolution(m))
			paint(out, e.Stroke)
		}
	}
	return d
}

func parsed(t *testing.T, d string) *path.Path {
	t.Helper()
	p, err := path.ParseSVG(d)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestRasterVectors: the device draws what the browser draws, byte for byte, and
// its sums are those of the bytes.
func TestRasterVectors(t *testing.T) {
	b, err := os.ReadFile(testdata.Path(t, "tldraw/raster-vectors.json"))
	if err != nil {
		t.Fatal(err)
	}
	var f struct{ Vectors []rasterVector }
	if err := json.Unmarshal(b, &f); err != nil {
		t.Fatal(err)
	}
	var bin batch.Binner
	var in batch.Batch
	var all []*batch.Tiled
	for i := range f.Vectors {
		t1 := new(batch.Tiled)
		bin.Bin(f.Vectors[i].drawing(t), t1)
		all = append(all, t1)
	}
	in.Pack(all)
	r := open(t, Config{})
	px, err := r.Pictures(&in)
	if err != nil {
		t.Fatal(err)
	}
	in.FillSolids(px)
	rows, err := r.Run(&in)
	if err != nil {
		t.Fatal(err)
	}
	sums := in.Tallies(nil, rows)
	for i, v := range f.Vectors {
		sum, wrong, far := uint64(0), 0, 0
		for y, line := range v.Alpha {
			want, err := hex.DecodeString(line)
			if err != nil {
				t.Fatal(err)
			}
			for x, a := range want {
				at := in.Pictures[i].Offset + y*v.W + x
				sum += uint64(px[at] >> 24)
				if d := int(px[at]>>24) - int(a); d != 0 {
					wrong++
					if d > 3 || d < -3 {
						far++
					}
				}
			}
		}
		if sums[i].A.Alpha != sum {
			t.Errorf("%s: got a sum of %d; want %d", v.ID, sums[i].A.Alpha, sum)
		}
		if v.Clip == "" && wrong > 0 || far > 2 {
			t.Errorf("%s: %d pixels differ from the browser's, %d of them by more than 3", v.ID, wrong, far)
		}
	}
}
