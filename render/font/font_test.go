package font

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"testing"

	"plumb/render/vector"
	"plumb/testdata"
)

// library opens the fonts; their set-up belongs to building, so that a missing
// one is a failure and no reason to skip.
func library(t testing.TB) *Library {
	t.Helper()
	l, err := Open(filepath.Join(testdata.Root(), "build", "fonts"))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func face(t testing.TB, s Style) *Face {
	t.Helper()
	f, err := library(t).NewSet().Face(s)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func advance(run []Glyph) (sum int32) {
	for _, g := range run {
		sum += g.Own + g.Kern
	}
	return sum
}

// Fonts do not need their files after Open, when the process may have too many
// files open to read them.
func TestOpenReadsAll(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(library(t).dir)); err != nil {
		t.Fatal(err)
	}
	l, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	for i := range tldrawFonts {
		s := Style{Family: Family(i / 4), Bold: i&1 != 0, Italic: i&2 != 0}
		if _, err := l.NewSet().Face(s); err != nil {
			t.Errorf("%+v: %v", s, err)
		}
	}
}

// The strings tell a shaper that loses Shantell's kerning from one that does
// not: without it they are 7013 and 4349 units.
func TestAdvances(t *testing.T) {
	for _, c := range []struct {
		style Style
		text  string
		want  int32
	}{
		{Style{}, "", 0},
		{Style{}, "blue hexagon", 6983},
		{Style{}, "red star", 4280},
		{Style{Family: Mono}, "x = 1;", 3600},
	} {
		run, err := face(t, c.style).Shape([]byte(c.text))
		if err != nil {
			t.Fatal(err)
		}
		if got := advance(run); got != c.want {
			t.Errorf("%v %q: got %d units; want %d", c.style, c.text, got, c.want)
		}
	}
}

// Letters in sequence take alternate cuts in rotation, so the two l differ.
func TestAlternates(t *testing.T) {
	run, err := face(t, Style{}).Shape([]byte("ll"))
	if err != nil {
		t.Fatal(err)
	}
	if len(run) != 2 || run[0].ID == run[1].ID {
		t.Errorf("got %v; want two different glyphs", run)
	}
}

func TestLigature(t *testing.T) {
	run, err := face(t, Style{Family: Sans}).Shape([]byte("office"))
	if err != nil {
		t.Fatal(err)
	}
	if len(run) >= 6 {
		t.Errorf("got %d glyphs; want fewer than the 6 letters", len(run))
	}
}

func TestForeignCharacters(t *testing.T) {
	for _, c := range []struct {
		text string
		want rune
	}{
		{"ok 😀", '😀'}, {"שלום", 'ש'}, {"漢", '漢'}, {"a\u202eb", 0x202e}, {"a\ufe0f", 0xfe0f}, {"a\x01", 1},
		{"a\u0305b", 0x305}, {"a\uf6d7b", 0xf6d7}, {"a \u0301b", 0x301}, {"Ąb", 'Ą'},
	} {
		_, err := face(t, Style{Family: Sans}).Shape([]byte(c.text))
		var f *ForeignError
		if !errors.As(err, &f) || f.Rune != c.want {
			t.Errorf("%q: got %v; want an error that names %q", c.text, err, c.want)
		}
	}
}

func TestMetrics(t *testing.T) {
	for _, c := range []struct {
		style           Style
		size            float64
		ascent, descent float64
	}{
		{Style{}, 24, 24, 8}, {Style{}, 28, 29, 9}, {Style{Bold: true}, 36, 37, 12},
		{Style{Family: Sans}, 20, 21, 6}, {Style{Family: Sans, Italic: true}, 44, 45, 12},
	} {
		f := face(t, c.style)
		if a, d := f.Ascent(c.size), f.Descent(c.size); a != c.ascent || d != c.descent {
			t.Errorf("%v at %g: got %g, %g; want %g, %g", c.style, c.size, a, d, c.ascent, c.descent)
		}
	}
}

// Every glyph of every font can be outlined, so that composite glyphs of a kind
// that outline.go does not place cannot appear with some letter.
func TestFontsAreSimple(t *testing.T) {
	s := library(t).NewSet()
	for i := range faces {
		f, err := s.Face(Style{Family: Family(i / 4), Bold: i&1 != 0, Italic: i&2 != 0})
		if err != nil {
			t.Fatal(err)
		}
		inked := 0
		for id := range f.file.glyphs.count {
			var p vector.Path
			if err := f.Outline(&p, uint16(id), 24); err != nil {
				t.Fatalf("%s glyph %d: %v", f.Name(), id, err)
			}
			if !p.Empty() {
				inked++
			}
		}
		if inked < 500 {
			t.Errorf("%s: %d glyphs with ink; want 500 or more", f.Name(), inked)
		}
	}
}

// Coordinates lie on the 1/64 px grid at any size, y points downwards.
func TestOutlineGrid(t *testing.T) {
	f := face(t, Style{Family: Mono})
	run, err := f.Shape([]byte("g"))
	if err != nil {
		t.Fatal(err)
	}
	var p vector.Path
	if err := f.Outline(&p, run[0].ID, 22.5); err != nil {
		t.Fatal(err)
	}
	below := false
	for _, q := range p.Points {
		for _, v := range []float32{q.X, q.Y} {
			if w := float64(v) * 64; w != math.Trunc(w) {
				t.Fatalf("coordinate %v is not on the 1/64 px grid", v)
			}
		}
		below = below || q.Y > 2
	}
	if !below {
		t.Error("no point of g lies below the baseline; want y downwards")
	}
}

func TestOutlineRounding(t *testing.T) {
	for _, c := range []struct{ a, b, want int32 }{{3, 4, 3}, {-3, -4, -3}, {-3, 4, 0}, {2, 4, 3}} {
		if got := midpoint(point{x: c.a}, point{x: c.b}).x; got != c.want {
			t.Errorf("half of %d and %d: got %d; want %d", c.a, c.b, got, c.want)
		}
	}
	for _, c := range []struct {
		v    int32
		f    int64
		want int32
	}{{1, 1 << 15, 1}, {-1, 1 << 15, -1}, {1, 1<<15 - 1, 0}, {1000, 100663, 1536}} {
		if got := scaleRound(c.v, c.f); got != c.want {
			t.Errorf("times(%d, %d): got %d; want %d", c.v, c.f, got, c.want)
		}
	}
}

func TestShapeIsCached(t *testing.T) {
	f := face(t, Style{})
	if _, err := f.Shape([]byte("blue hexagon")); err != nil {
		t.Fatal(err)
	}
	text := []byte("blue hexagon")
	if n := testing.AllocsPerRun(50, func() { f.Shape(text) }); n != 0 {
		t.Errorf("got %v allocations; want none for a string seen before", n)
	}
}

func TestOpenNamesTheFolder(t *testing.T) {
	if _, err := Open(t.TempDir()); err == nil {
		t.Error("an empty folder opens; want an error")
	}
}
