package text

import (
	"errors"
	"math"
	"testing"

	"plumb/render/scene"
)

// paragraph is a document of one paragraph.
func paragraph(spans ...scene.Span) *scene.RichText {
	return &scene.RichText{Blocks: []scene.Block{{Spans: spans}}}
}

// A break at the end of a paragraph begins no line.
func TestBreaksAtTheEnd(t *testing.T) {
	l := layouter(t)
	for s, want := range map[string]int{"": 1, "a": 1, "\n": 1, "a\n": 1, "\na": 2, "\n\n": 2, "a\n\n": 2, "a\n ": 2, "a\n\nb\n": 3} {
		var out Layout
		if err := l.Layout(&out, paragraph(scene.Span{Text: s}), Spec{Size: 24, Width: Unbounded}); err != nil {
			t.Fatal(err)
		}
		if len(out.Lines) != want {
			t.Errorf("%q: got %d lines; want %d", s, len(out.Lines), want)
		}
	}
}

// Runs end where marks change, and where spaces hang behind a line whose span goes on or has no room for them.
func TestRuns(t *testing.T) {
	l := layouter(t)
	under := func(s string) scene.Span { return scene.Span{Text: s, Underline: true} }
	for _, c := range []struct {
		name  string
		spans []scene.Span
		width float64
		want  int
	}{
		{"same marks", []scene.Span{{Text: "AV"}, {Text: "AWA"}}, Unbounded, 1},
		{"other marks", []scene.Span{{Text: "AV"}, under("AWA")}, Unbounded, 2},
		{"no wrap", []scene.Span{under("word word ")}, 300, 1},
		{"wrap", []scene.Span{under("word word")}, 70, 3},
		{"wrap behind a span", []scene.Span{under("word "), {Text: "word"}}, 75, 2},
		{"wrap behind a span, no room for its space", []scene.Span{under("word "), {Text: "word"}}, 60, 3},
		{"no room for the last space", []scene.Span{under("word ")}, 60, 2},
		{"no room for one of the last spaces", []scene.Span{under("word  ")}, 75, 2},
		{"no room for the space of the next span", []scene.Span{{Text: "word "}, under(" ")}, 75, 2},
	} {
		var out Layout
		if err := l.Layout(&out, paragraph(c.spans...), Spec{Font: scene.FontMono, Size: 24, Width: c.width}); err != nil {
			t.Fatal(err)
		}
		if len(out.Runs) != c.want {
			t.Errorf("%s: got %d runs; want %d", c.name, len(out.Runs), c.want)
		}
	}
}

func TestUnderlines(t *testing.T) {
	l := layouter(t)
	var out Layout
	doc := paragraph(scene.Span{Text: `a/b\c_d`, Underline: true, Link: true}, scene.Span{Text: "x/y", Link: true}, scene.Span{Text: "p/q"})
	if err := l.Layout(&out, doc, Spec{Font: scene.FontSans, Size: 24, Width: Unbounded}); err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		link, own bool
		crossed   []bool
	}{
		{true, true, []bool{false, true, false, true, false, true, false}}, {true, false, []bool{false, true, false}}, {false, false, []bool{false, false, false}},
	} {
		run := out.Runs[i]
		if run.Link != want.link || run.Underline != want.own {
			t.Errorf("run %d: link is %v, underlined %v; want %v, %v", i, run.Link, run.Underline, want.link, want.own)
		}
		for k, g := range out.Glyphs[run.First : run.First+run.Count] {
			if g.Crossed != want.crossed[k] {
				t.Errorf("run %d, glyph %d: crossed is %v; want %v", i, k, g.Crossed, want.crossed[k])
			}
		}
	}
}

// Boxes of text shapes that hold one empty item, as the editor measures them, in px.
func TestMarkersHaveAWidth(t *testing.T) {
	l := layouter(t)
	for _, c := range []struct {
		font    scene.Font
		size    scene.Size
		ordered bool
		want    float64
	}{
		{scene.FontDraw, scene.SizeS, false, 48.75}, {scene.FontDraw, scene.SizeM, false, 64}, {scene.FontDraw, scene.SizeL, false, 94.5},
		{scene.FontDraw, scene.SizeXL, false, 115.125}, {scene.FontMono, scene.SizeL, false, 85.125}, {scene.FontDraw, scene.SizeL, true, 130.625},
		{scene.FontMono, scene.SizeM, true, 91}, {scene.FontSans, scene.SizeS, true, 56.375}, {scene.FontSerif, scene.SizeXL, true, 135.375},
	} {
		item := scene.Block{Depth: 1, Items: 1, Ordered: c.ordered, Bullet: !c.ordered}
		if c.ordered {
			item.Number = 1
		}
		sh := scene.Shape{Kind: scene.Text, Font: c.font, Size: c.size, Auto: true, Scale: 1, Rich: &scene.RichText{Blocks: []scene.Block{item}}}
		w, _, err := l.TextSize(&sh)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(w-c.want) > 0.125 { // read off pictures eight times as large
			t.Errorf("font %d size %d, numbers %v: got %g px; want %g", c.font, c.size, c.ordered, w, c.want)
		}
	}
}

// What is not laid out as the browser does it is refused.
func TestRefusedMarks(t *testing.T) {
	l := layouter(t)
	const soft = "extra\u00adordinary"
	for _, c := range []struct {
		name    string
		span    scene.Span
		font    scene.Font
		width   float64
		refused bool
	}{
		{"code", scene.Span{Text: "a", Code: true}, scene.FontSans, Unbounded, false},
		{"code in mono", scene.Span{Text: "a", Code: true}, scene.FontMono, Unbounded, true},
		{"highlight", scene.Span{Text: "a", Highlight: true}, scene.FontSans, Unbounded, true},
		{"soft hyphen", scene.Span{Text: soft}, scene.FontSans, 400, false},
		{"soft hyphen where a line ends", scene.Span{Text: soft}, scene.FontSans, 90, true},
	} {
		var mark *UnsupportedError
		err := l.Layout(&Layout{}, paragraph(c.span), Spec{Font: c.font, Size: 24, Width: c.width})
		if errors.As(err, &mark) != c.refused || (err != nil) != c.refused {
			t.Errorf("%s: got %v; refused is to be %v", c.name, err, c.refused)
		}
	}
	sh := scene.Shape{Kind: scene.Arrow, Scale: 1, Rich: &scene.RichText{Blocks: []scene.Block{{Depth: 1, Bullet: true, Items: 1}}}}
	var mark *UnsupportedError
	if _, _, err := l.ArrowSize(&sh, 100, 10, 20); !errors.As(err, &mark) {
		t.Errorf("a list on an arrow: got %v; want an UnsupportedError", err)
	}
}

// A layout does not depend on one that failed before it.
func TestAfterRefusal(t *testing.T) {
	l, fresh := layouter(t), layouter(t)
	doc := paragraph(scene.Span{Text: "one two \u00adthree extra\u00adordinary extra\u00adordinary"})
	if err := l.Layout(&Layout{}, doc, Spec{Size: 24, Width: 110}); err == nil {
		t.Fatal("a line that ends in a soft hyphen is laid out")
	}
	var got, want Layout
	doc, spec := paragraph(scene.Span{Text: "x1 y2 Wave AVAVA Tofu Yes"}), Spec{Size: 24, Width: 333.421875}
	if err := errors.Join(l.Layout(&got, doc, spec), fresh.Layout(&want, doc, spec)); err != nil {
		t.Fatal(err)
	}
	if len(got.Lines) != len(want.Lines) || len(got.Runs) != len(want.Runs) {
		t.Errorf("got %d lines of %d runs; want %d of %d", len(got.Lines), len(got.Runs), len(want.Lines), len(want.Runs))
	}
}
