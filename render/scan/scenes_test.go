package scan

import (
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plumb/render/chord"
	"plumb/render/rastertest"
	"plumb/render/vector"
)

// fillPath is a path in px that is filled opaquely.
type fillPath struct {
	p     *vector.Path
	black bool
	hatch bool // paint that is not opaque everywhere
}

// export is the fills of one of the editor's vector exports.
type export struct{ fills []fillPath }

func black(colour string) bool { return colour == "black" || colour == "#000" || colour == "#000000" }

// scenes returns the exports that consist of fills and strokes alone, and their
// pictures.
func scenes(t testing.TB, kind string) (exports []*export, pictures []string) {
	t.Helper()
	for _, x := range rastertest.Exports(t, kind) {
		e := new(export)
		for i := range x.Draws {
			d := &x.Draws[i]
			if d.Fill != "" {
				e.fills = append(e.fills, fillPath{d.Filled(), black(d.Fill), strings.HasPrefix(d.Fill, "url")})
			}
			if d.Stroke != "" {
				e.fills = append(e.fills, fillPath{d.Stroked(1), black(d.Stroke), false})
			}
		}
		exports, pictures = append(exports, e), append(pictures, x.Picture)
	}
	return exports, pictures
}

// alphaOf reads a picture's alpha.
func alphaOf(t testing.TB, file string) *image {
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	m := newImage(img.Bounds().Dx(), img.Bounds().Dy())
	for i := range m.a {
		a, _, _, _ := img.At(i%m.w, i/m.w).RGBA() // grey levels are alphas
		m.a[i] = byte(a >> 8)
	}
	return m
}

// paint draws all fills of the export on an empty picture.
// It returns the pixels where hatching has a part.
func (e *export) paint(t testing.TB, s *Scanner, c *Coverage, m *image) (ignore map[int]bool) {
	ignore = map[int]bool{}
	clip := chord.Rect{X1: int32(m.w), Y1: int32(m.h)}
	for _, f := range e.fills {
		c.Reset()
		two := map[int]byte{}
		s.OnPairPixel = func(x, y int32, a byte) { two[int(y)*m.w+int(x)] = a }
		first, count := s.Append(c, f.p, clip, Rule{Plain: f.black})
		spans(t, c, first, count, func(x, y int, a byte) {
			p := &m.a[y*m.w+x]
			if f.hatch {
				if a != 255 {
					ignore[y*m.w+x] = true
				}
				return
			}
			if b, ok := two[y*m.w+x]; ok && OverTwo(0, b) == a {
				*p = OverTwo(*p, b)
				return
			}
			*p = Over(*p, a)
		})
	}
	return ignore
}

// score is how far scenes are from the browser's.
type score struct{ scenes, equal, wrong, worst int }

// held draws all exports and holds them against their pictures.
func held(t *testing.T, s *Scanner, exports []*export, pictures []string) (all score) {
	t.Helper()
	var c Coverage
	all.scenes = len(exports)
	for i, e := range exports {
		want := alphaOf(t, pictures[i])
		got := newImage(want.w, want.h)
		ignore := e.paint(t, s, &c, got)
		n, most := 0, 0
		for k, a := range want.a {
			if d := int(got.a[k]) - int(a); d != 0 && !ignore[k] {
				n++
				most = max(most, d, -d)
				if os.Getenv("PLUMB_ROWS") != "" {
					t.Logf("%s: (%d, %d): got %d; want %d", filepath.Base(pictures[i]), k%want.w, k/want.w, got.a[k], a)
				}
			}
		}
		if n == 0 {
			all.equal++
			continue
		}
		all.wrong += n
		all.worst = max(all.worst, most)
		if s.without == 0 {
			t.Logf("%s: %d pixels differ, by at most %d", filepath.Base(pictures[i]), n, most)
		}
	}
	return all
}

// Scenes of the real editor have the browser's alpha in every pixel, but for
// the last bits of some outlines.
func TestScenes(t *testing.T) {
	exports, pictures := scenes(t, "balance")
	var s Scanner
	all := held(t, &s, exports, pictures)
	t.Logf("%d of %d scenes are equal; %d pixels differ in the others, by at most %d", all.equal, all.scenes, all.wrong, all.worst)
	if 100*all.equal < 87*all.scenes || all.wrong > all.scenes || all.worst > 8 {
		t.Errorf("got %d equal scenes of %d, %d pixels that differ, by at most %d; want 87 %%, 1 a scene, 8", all.equal, all.scenes, all.wrong, all.worst)
	}
}
