package stroke

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

// vector is one case of raster-vectors.json, as far as strokes go.
type vector struct {
	ID    string `json:"id"`
	Draws []struct {
		D          string    `json:"d"`
		Transform  string    `json:"transform"`
		Width      float32   `json:"stroke_width"`
		Dash       []float32 `json:"dash"`
		DashOffset float32   `json:"dash_offset"`
	} `json:"draws"`
	Outline []string `json:"outline"`
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

func parseMatrix(t testing.TB, s string) path.Matrix {
	m := path.Identity
	if s != "" {
		if _, err := fmt.Sscanf(strings.ReplaceAll(s, ",", " "), "matrix(%g %g %g %g %g %g)",
			&m.A, &m.B, &m.C, &m.D, &m.E, &m.F); err != nil {
			t.Fatalf("%q: %v", s, err)
		}
	}
	return m
}

// lines writes a path in the form of the vectors' outlines.
func lines(p *path.Path) []string {
	var out []string
	pts, w := p.Points, p.Weights
	for _, v := range p.Verbs {
		var b strings.Builder
		b.WriteByte("MLQCKZ"[v])
		for _, q := range pts[:pointsOf[v]] {
			fmt.Fprintf(&b, " %.5f %.5f", q.X, q.Y)
		}
		pts = pts[pointsOf[v]:]
		if v == path.Conic {
			fmt.Fprintf(&b, " %.5f", w[0])
			w = w[1:]
		}
		out = append(out, b.String())
	}
	return out
}

// differs compares two verbs with their numbers.
func differs(got, want string, tol float64) bool {
	g, w := strings.Fields(got), strings.Fields(want)
	if len(g) != len(w) || g[0] != w[0] {
		return true
	}
	for i := 1; i < len(g); i++ {
		var x, y float64
		fmt.Sscan(g[i], &x)
		fmt.Sscan(w[i], &y)
		if !(math.Abs(x-y) <= tol) {
			return true
		}
	}
	return false
}

func TestVectors(t *testing.T) {
	var s Stroker
	var d Dasher
	n := 0
	for _, v := range loadVectors(t) {
		if len(v.Outline) == 0 {
			continue
		}
		n++
		w := v.Draws[0]
		src, err := path.ParseSVG(w.D)
		if err != nil {
			t.Fatal(err)
		}
		m := parseMatrix(t, w.Transform)
		if len(w.Dash) > 0 {
			dashed := new(path.Path)
			if !d.Dash(dashed, src, w.Dash, w.DashOffset, Resolution(m)) {
				t.Fatalf("%s: dashes refused", v.ID)
			}
			src = dashed
		}
		var dst path.Path
		s.Outline(&dst, src, w.Width, Resolution(m))
		dst.Transform(m)
		got := lines(&dst)
		for i := range max(len(got), len(v.Outline)) {
			g, want := "nothing", "nothing"
			if i < len(got) {
				g = got[i]
			}
			if i < len(v.Outline) {
				want = v.Outline[i]
			}
			if differs(g, want, 1e-3) {
				t.Errorf("%s: verb %d:\n got %s\nwant %s", v.ID, i, g, want)
				break
			}
		}
	}
	if n == 0 {
		t.Error("no vector has an outline")
	}
}
