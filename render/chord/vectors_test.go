package chord

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"plumb/render/path"
	"plumb/testdata"
)

// vector is one case of raster-vectors.json.
type vector struct {
	ID    string `json:"id"`
	W     int32  `json:"w"`
	H     int32  `json:"h"`
	Clip  string `json:"clip"`
	Draws []struct {
		D          string    `json:"d"`
		Transform  string    `json:"transform"`
		Fill       string    `json:"fill"`
		Stroke     string    `json:"stroke"`
		Width      float32   `json:"stroke_width"`
		Dash       []float32 `json:"dash"`
		DashOffset float32   `json:"dash_offset"`
		Opacity    *float64  `json:"opacity"`
	} `json:"draws"`
	Alpha  []string     `json:"alpha"`
	Chords [][4]float64 `json:"chords"`
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

func (v *vector) canvas() Rect { return Rect{0, 0, v.W, v.H} }

// Chords before they are rounded to segments agree with the vectors'.
func TestVectors(t *testing.T) {
	n := 0
	for _, v := range loadVectors(t) {
		if len(v.Chords) == 0 {
			continue
		}
		n++
		p, m := parse(t, v.Draws[0].D, v.Draws[0].Transform)
		p.Transform(m)
		var got [][4]float64
		c := Cutter{trace: func(q [4]int64) {
			got = append(got, [4]float64{float64(q[0]) / one, float64(q[1]) / one, float64(q[2]) / one, float64(q[3]) / one})
		}}
		segs := c.Append(nil, p, v.canvas(), Reference)
		if len(segs) != len(got) {
			t.Errorf("%s: got %d segments of %d chords", v.ID, len(segs), len(got))
		}
		for i := range max(len(got), len(v.Chords)) {
			if i >= len(got) || i >= len(v.Chords) || far(got[i], v.Chords[i], 1e-4) {
				t.Errorf("%s: chord %d:\n got %v\nwant %v", v.ID, i, got, v.Chords)
				break
			}
			s := segs[i]
			if far([4]float64{float64(s.X0) / Unit, float64(s.Y0) / Unit, float64(s.X1) / Unit, float64(s.Y1) / Unit}, got[i], 0.5/Unit) {
				t.Errorf("%s: chord %v became segment %v", v.ID, got[i], s)
			}
		}
	}
	if n == 0 {
		t.Error("no vector has chords")
	}
}

func far(a, b [4]float64, tol float64) bool {
	for i := range a {
		if !(math.Abs(a[i]-b[i]) <= tol) {
			return true
		}
	}
	return false
}
