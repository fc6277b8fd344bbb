package text

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plumb/render/font"
	"plumb/testdata"
)

func headings(t *testing.T, dir string) *Layouter {
	t.Helper()
	lib, err := font.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return New(lib.NewSet())
}

// TestHeadingWords compares widths and the places of words with those that the
// editor wrote into exports.
func TestHeadingWords(t *testing.T) {
	l := headings(t, filepath.Join(testdata.Root(), "build", "fonts"))
	var out Layout
	for _, tc := range []struct {
		name  string
		width float64
		at    []float64
	}{
		{"Frame A", 45.34375, []float64{0, 34.65625, 37.328125}},
		{"group one", 54.046875, []float64{0, 30.6875, 34.015625}},
		{"Plan", 24.015625, []float64{0}},
	} {
		if err := l.Heading(&out, tc.name, 500); err != nil {
			t.Fatal(err)
		}
		if out.W != tc.width || len(out.Runs) != len(tc.at) {
			t.Errorf("%s: got %v px, %d words; want %v, %d", tc.name, out.W, len(out.Runs), tc.width, len(tc.at))
			continue
		}
		for i, x := range tc.at {
			if out.Runs[i].X != x {
				t.Errorf("%s: word %d at %v; want %v", tc.name, i, out.Runs[i].X, x)
			}
		}
	}
}

// TestHeadingIsCut: what is too wide ends in an ellipsis and fits.
func TestHeadingIsCut(t *testing.T) {
	l := headings(t, filepath.Join(testdata.Root(), "build", "fonts"))
	var whole, out Layout
	name := strings.Repeat("wide name ", 20)
	if err := l.Heading(&whole, name, 1e6); err != nil {
		t.Fatal(err)
	}
	for _, avail := range []float64{-0.5, 0, 10, 40, 100.5, whole.W - 1.5} {
		if err := l.Heading(&out, name, avail); err != nil {
			t.Fatal(err)
		}
		if out.W > max(avail, 12) || len(out.Runs) == 0 || len(out.Glyphs) >= len(whole.Glyphs) {
			t.Errorf("in %v px: %v px, %d words, %d glyphs", avail, out.W, len(out.Runs), len(out.Glyphs))
		}
	}
	for _, avail := range []float64{-5, whole.W - 0.1, whole.W} {
		if err := l.Heading(&out, name, avail); err != nil || len(out.Glyphs) != len(whole.Glyphs) {
			t.Errorf("in %v px: got %d glyphs, %v; want all %d", avail, len(out.Glyphs), err, len(whole.Glyphs))
		}
	}
	var foreign *font.ForeignError
	if err := l.Heading(&out, "\u4e2d", 99); !errors.As(err, &foreign) {
		t.Errorf("got %v; want a ForeignError", err)
	}
}

// TestHeadingCut: how much of a name is left and where the ellipsis stands, as the
// editor wrote it into exports of frames of that many px and 12.
func TestHeadingCut(t *testing.T) {
	l := headings(t, filepath.Join(testdata.Root(), "build", "fonts"))
	var out Layout
	for _, tc := range []struct {
		name   string
		avail  float64
		glyphs int // with the ellipsis, without spaces
		at     float64
	}{
		{"several words of a name", 31, 4, 18.6875},
		{"several words of a name", 38, 5, 25.359375},
		{"several words of a name", 51, 8, 39},
		{"several words of a name", 63, 9, 50.6875},
		{"several words of a name", 87, 13, 75},
		{"Frame", 29.33, 4, 17.33},
		{"Frame", 19.4, 2, 7.34375},
		{"Frame", 0.5, 2, -11.5},
		{"a b", 16, 2, 4},
		{"  two words", 20, 1, 6.671875},
	} {
		if err := l.Heading(&out, tc.name, tc.avail); err != nil {
			t.Fatal(err)
		}
		if last := out.Runs[len(out.Runs)-1]; len(out.Glyphs) != tc.glyphs || math.Abs(last.X-tc.at) > 1e-9 {
			t.Errorf("%q in %v px: %d glyphs, the last at %v; want %d, %v", tc.name, tc.avail, len(out.Glyphs), last.X, tc.glyphs, tc.at)
		}
	}
}

// TestHeadingWithoutFont: the font may be missing, and the error says so.
func TestHeadingWithoutFont(t *testing.T) {
	from, dir := filepath.Join(testdata.Root(), "build", "fonts"), t.TempDir()
	files, err := filepath.Glob(filepath.Join(from, "*.ttf"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !strings.HasPrefix(filepath.Base(f), "Liberation") {
			if err := os.Symlink(f, filepath.Join(dir, filepath.Base(f))); err != nil {
				t.Fatal(err)
			}
		}
	}
	var out Layout
	if err := headings(t, dir).Heading(&out, "Frame", 99); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v; want one that says what is missing", err)
	}
}
