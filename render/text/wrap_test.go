package text

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"plumb/render/scene"
)

// wrap lays text out as narrow as possible and returns its lines.
func wrap(t *testing.T, l *Layouter, spec Spec, s string) []string {
	t.Helper()
	return wrapBlock(t, l, spec, &scene.Block{Spans: []scene.Span{{Text: s}}})
}

func wrapBlock(t *testing.T, l *Layouter, spec Spec, block *scene.Block) []string {
	t.Helper()
	l.spec, l.out = spec, &Layout{}
	if err := l.loadParagraph(block); err != nil {
		t.Fatal(err)
	}
	l.lineRoom = spec.Width
	var lines []string
	for from := 0; from < len(l.text); {
		end, err := l.fitLine(from, l.trimSpaces(from, len(l.text)), len(l.text))
		if err != nil {
			t.Fatal(err)
		}
		lines, from = append(lines, string(l.text[from:end])), end
	}
	return lines
}

// What the reference browser breaks when every line is too narrow.
func TestOpportunities(t *testing.T) {
	l := layouter(t)
	for _, want := range []string{
		"x |-1", "x |(-1)", "a-|-1", "1-|2", "x-|1", "a |-|b", "é-1", "x |!y", "x |)y", "x |/y", "x\u00a0y",
		"héllo-|wörld", "a–|b", "a…|b", "«a» |b", "foo/bar", "http://a.b/c?|d=e", "état/|é", "a-|é", "a?|é", "é(x",
		"(é)|[x", "5€ |6", "x |“y” |z", "a“b”c", "don’t", "3:4", "x…|y", "½-3", "x  |y", "a |- |b", "x:é", "a/|é/b",
		"é/b", "a.b", "é%b", "¿que?|¡si!", "a |•b", "x·y", "a×b", "a%|(b)", "a+b=c", "light-|blue |rhombus-|2",
		"–a", "x |–é", "-ж", "-|-ж", "-–|a", "‐a", "x-–|é", "–#", "“–|a",
	} {
		s := strings.ReplaceAll(want, "|", "")
		got := strings.Join(wrap(t, l, Spec{Font: scene.FontSans, Size: 24, Width: 1, KeepWords: true}, s), "|")
		if got != want {
			t.Errorf("got %q; want %q", got, want)
		}
	}
}

func TestBreakInWord(t *testing.T) {
	l := layouter(t)
	got := strings.Join(wrap(t, l, Spec{Size: 24, Width: 1}, "ab é"), "|")
	if want := "a|b |é"; got != want {
		t.Errorf("got %q; want %q", got, want)
	}
	// The word goes to a line of its own before it is broken.
	lines := wrap(t, l, Spec{Size: 24, Width: 100}, "a supercalifragilistic")
	if lines[0] != "a " || len(lines) < 3 {
		t.Errorf("got %q; want the first line to end before the long word", lines)
	}
}

// A line's glyphs are those of its text shaped alone, and its width is theirs.
func TestWrappedLinesAreShapedAlone(t *testing.T) {
	l := layouter(t)
	const s = "the quick brown fox jumps over the lazy dog and comes back again"
	for width := 40.0; width < 400; width += 13 {
		var out, alone Layout
		if err := l.Layout(&out, plain(s), Spec{Size: 24, Width: width}); err != nil {
			t.Fatal(err)
		}
		at := 0
		for i, text := range wrap(t, l, Spec{Size: 24, Width: width}, s) {
			at += len(text)
			if err := l.Layout(&alone, plain(text), Spec{Size: 24, Width: Unbounded}); err != nil {
				t.Fatal(err)
			}
			line := out.Lines[i]
			got := out.Glyphs[out.Runs[line.First].First:][:out.Runs[line.First].Count]
			if len(got) != len(alone.Glyphs) {
				t.Fatalf("width %g line %d: got %d glyphs; want %d", width, i, len(got), len(alone.Glyphs))
			}
			for j := range got {
				if got[j].ID != alone.Glyphs[j].ID || math.Abs(float64(got[j].X-alone.Glyphs[j].X)) > 1e-3 {
					t.Errorf("width %g line %d glyph %d: got %v; want %v", width, i, j, got[j], alone.Glyphs[j])
				}
			}
			if line.Width > width+1.0/64 {
				t.Errorf("width %g line %d is %v wide", width, i, line.Width)
			}
		}
		if at != len(s) {
			t.Errorf("width %g: lines hold %d bytes; want %d", width, at, len(s))
		}
	}
}

func TestAlign(t *testing.T) {
	l := layouter(t)
	var out Layout
	for _, c := range []struct {
		align scene.Align
		share float64
	}{{scene.AlignStart, 0}, {scene.AlignMiddle, 0.5}, {scene.AlignEnd, 1}} {
		if err := l.Layout(&out, plain("wide enough", "a"), Spec{Size: 24, Width: 300, Align: c.align}); err != nil {
			t.Fatal(err)
		}
		for i, line := range out.Lines {
			want := c.share * (300 - line.Width)
			if got := out.Runs[line.First].X; math.Abs(got-want) > 1.0/64 {
				t.Errorf("align %d line %d: got x %v; want %v", c.align, i, got, want)
			}
		}
	}
}

// Spaces hang at a wrap and before a forced break as far as there is no room.
func TestHangingSpaces(t *testing.T) {
	l := layouter(t)
	for _, c := range []struct {
		text  string
		width float64
		want  []string // texts whose widths the lines have
	}{
		{"abc   ", Unbounded, []string{"abc   "}},
		{"abc   def", 60, []string{"abc", "def"}},
		{"abc      ", 60, []string{"60"}},
	} {
		var out, ref Layout
		if err := l.Layout(&out, plain(c.text), Spec{Size: 24, Width: c.width}); err != nil {
			t.Fatal(err)
		}
		if len(out.Lines) != len(c.want) {
			t.Fatalf("%q: got %d lines; want %d", c.text, len(out.Lines), len(c.want))
		}
		for i, s := range c.want {
			want := 60.0
			if s != "60" {
				if err := l.Layout(&ref, plain(s), Spec{Size: 24, Width: Unbounded}); err != nil {
					t.Fatal(err)
				}
				want = ref.W
			}
			if out.Lines[i].Width != want {
				t.Errorf("%q line %d: got %v; want %v", c.text, i, out.Lines[i].Width, want)
			}
		}
	}
}

func TestSteadyStateAllocations(t *testing.T) {
	l := layouter(t)
	doc := plain("the quick brown fox", "jumps over the lazy dog, überall")
	doc.Blocks[0].Spans = append(doc.Blocks[0].Spans, scene.Span{Text: " bold", Bold: true})
	var out Layout
	run := func() {
		if err := l.Layout(&out, doc, Spec{Size: 24, Width: 150, Align: scene.AlignMiddle}); err != nil {
			t.Fatal(err)
		}
	}
	run()
	if n := testing.AllocsPerRun(20, run); n != 0 {
		t.Errorf("got %v allocations per layout; want none", n)
	}
}

// A long paragraph costs about as much per character as a short one.
func TestLongText(t *testing.T) {
	l := layouter(t)
	for _, c := range []struct {
		text  string
		width float64
	}{
		{strings.Repeat(strings.Repeat("x", 100)+" ", 160), 30},
		{strings.Repeat("ab ", 5<<10), 40},
		{strings.Repeat(" ", 16<<10), 40},
		{strings.Repeat("\n", 16<<10), 40},
		{strings.Repeat("\t", 16<<10), 40},
		{strings.Repeat(strings.Repeat("é-", 50)+" ", 100), 1},
	} {
		var out Layout
		if err := l.Layout(&out, plain(c.text), Spec{Size: 24, Width: c.width}); err != nil {
			t.Fatal(err)
		}
		if len(out.Lines) == 0 {
			t.Errorf("%.9q...: no lines", c.text)
		}
	}
}

// A word whose letters all depend on those before is shaped again for each line that it
// is cut into, so a very long one is left to the editor.
func TestLongWord(t *testing.T) {
	l := layouter(t)
	var out Layout
	var cannot *UnsupportedError
	for _, long := range []string{strings.Repeat("x", 16<<10), strings.Repeat("é-", 5<<10)} {
		if err := l.Layout(&out, plain(long), Spec{Size: 24, Width: 30}); !errors.As(err, &cannot) {
			t.Errorf("%.6q...: got %v; want a refusal", long, err)
		}
	}
	if err := l.Layout(&out, plain(strings.Repeat("x", maxReshapeBytes)), Spec{Size: 24, Width: 30}); err != nil {
		t.Error(err)
	}
}

// What the reference browser makes of words that are wider than their box: it measures
// them by the text shaped as a whole, and where a line begins among letters that depend
// on each other it may stick out. Lines end at |, marks change at ^.
func TestCutWords(t *testing.T) {
	l := layouter(t)
	for _, c := range []struct {
		font scene.Font
		size float64
		box  float64
		want string
	}{
		// Places are looked up in the whole word, and shaped anew lines become too wide.
		{scene.FontDraw, 24, 12, "a|ff|l|u|e|n|t"},
		{scene.FontDraw, 44, 13, "d|iff|i|c|u|l|t |w|o|r|d|s |g|i|r|a|f|f|e"},
		{scene.FontDraw, 44, 49, "b|al|lo|o|n |s|e|v|er|al"},
		// By less than 1 px: once more.
		{scene.FontDraw, 18, 22, "m|K|g|ys|R|K|bu|1z|s |Vi|g|or|o|us |iv|V|nr|g|y.|w|F|K|F"},
		{scene.FontDraw, 22, 24, "b|qf|m|j |g|d|t|o|cx"},
		{scene.FontDraw, 18, 20, "-|z|b|p|3|Y |T|tf|d|L|u|ki |tr|ia|n|gl|e"},
		// Of a ligature that does not fit all characters but the last.
		{scene.FontDraw, 44, 60, "dif|fic|ul|t |2V|tk|v-|r1|V|K"},
		{scene.FontDraw, 36, 28, "z|r|w|Y|d|.|Y |o|f|fi|c|e |a|ff|l|u|e|n|t"},
		// No place is left: the first one.
		{scene.FontDraw, 36, 14, "o|ff|i|c|e"},
		{scene.FontDraw, 44, 27, "n|Y|m|r|s|-|.|L|q|o|l"},
		// The hyphen that begins a line is a minus; one that does not fit is no place to break.
		{scene.FontSans, 24, 40, "2ts|qR|qd |rp2|Wb|-3T|Wh|u"},
		{scene.FontSans, 44, 33, "x|.|z|t|-|o|m|Y|f"},
		{scene.FontSans, 44, 166, "VaVyqf3|Fajx"},
		{scene.FontSerif, 36, 44, "iu |“ |eu|…|–”|…|ai|–o|”"}, // nor is a dash before a letter
		// Places are compared in 1/64 px, each rounded by itself.
		{scene.FontSerif, 32, 22, "W|r|it|i|n|g"},
		{scene.FontSerif, 26, 21, "r|z|f |v|x|sj|h|n|q"},
		{scene.FontSans, 18, 23, "w|gv|lsl|rai|zy|e |W|riti|ng"},
		{scene.FontDraw, 22, 39, "en|mv|nfp|eh|vjy |gz|rjw|xzx|ki"},
		// What is shaped anew at the end of a line is rounded up by itself.
		{scene.FontSans, 26, 86, "extrao|rdinaril|y"},
		{scene.FontDraw, 26, 48, "Vig|oro|us |hp|gq|wk|xxl|xd|eo"},
		{scene.FontDraw, 24, 26, "iy|ki|nl |rs|cs|r|w |c|m|d|o|w|uf|la"},
		{scene.FontSans, 22, 20, "--|é"},
		// Once more, by 1/64 px narrower still.
		{scene.FontDraw, 24, 27, "m|tc|k|rc|w|g|p|yc|fr|q"},
		{scene.FontDraw, 44, 62, "pu|nc|tu|at|io|n, |ub|da|gp|fo"},
		// Places are looked up between two changes of marks.
		{scene.FontSans, 32, 24, "r^t|^g"},
		{scene.FontSans, 26, 55, "and/|^or"},
		{scene.FontSerif, 18, 30, "AV|A|^WA"},
		{scene.FontDraw, 44, 71, "lu|^gk|x"},
		{scene.FontDraw, 24, 60, "g^iraf|fe"},
		{scene.FontDraw, 32, 58, "wo|rd^l|itg"},
		{scene.FontDraw, 36, 35, "t|o|^diff|ic|u|lt "},
		{scene.FontDraw, 26, 89, "and/or|^to"},
		// But for what depends on the text before, as in a ligature.
		{scene.FontDraw, 40, 126.984375, "(brac|kets)|^(brac|kets) |x1 |y2an|d/or "},
		{scene.FontDraw, 26, 30, "o|f|^fi|ce"},
		{scene.FontSans, 26, 1, "f|^i"},
		// The first letter behind the change is tried as it is without those behind it.
		{scene.FontSerif, 36, 54, "xx^(|br|ac|ket|s)"},
	} {
		var block scene.Block
		for i, s := range strings.Split(strings.ReplaceAll(c.want, "|", ""), "^") {
			block.Spans = append(block.Spans, scene.Span{Text: s, Link: i%2 == 1})
		}
		want := strings.ReplaceAll(c.want, "^", "")
		if got := strings.Join(wrapBlock(t, l, Spec{Font: c.font, Size: c.size, Width: c.box}, &block), "|"); got != want {
			t.Errorf("%g px in a box of %g: got %q; want %q", c.size, c.box, got, want)
		}
	}
}

// TestLineInLigature: a line that begins with what was in a ligature of the line before,
// behind a change of marks, has glyphs of its own.
func TestLineInLigature(t *testing.T) {
	l := layouter(t)
	rich := &scene.RichText{Blocks: []scene.Block{{Spans: []scene.Span{{Text: "f"}, {Text: "i", Link: true}}}}}
	var out Layout
	if err := l.Layout(&out, rich, Spec{Font: scene.FontSans, Size: 26, Width: 1}); err != nil {
		t.Fatal(err)
	}
	if len(out.Lines) != 2 {
		t.Fatalf("got %d lines; want 2", len(out.Lines))
	}
	for i, line := range out.Lines {
		if line.Count == 0 || line.Width == 0 {
			t.Errorf("line %d: got %+v; want glyphs", i, line)
		}
	}
}

// TestLinesThatJustFit: the editor breaks "a ccc bb" in 108 px of the mono font at 36 px
// behind five letters of 21.6 px, though they are a little wider.
func TestLinesThatJustFit(t *testing.T) {
	l := layouter(t)
	spec := Spec{Size: 36, Width: 108, Font: scene.FontMono}
	for text, want := range map[string][]string{"a ccc bb": {"a ccc ", "bb"}, "qoumjnbab,s": {"qoumj", "nbab,", "s"}} {
		if got := wrap(t, l, spec, text); !slices.Equal(got, want) {
			t.Errorf("%q: got lines %q; want %q", text, got, want)
		}
	}
}
