package scene

import (
	"reflect"
	"strings"
	"testing"
)

func decodeRich(t *testing.T, doc string) *RichText {
	t.Helper()
	return mustDecode(t, `[{"type":"text","props":{"richText":`+doc+`}}]`).Shapes[0].Rich
}

func TestRichText(t *testing.T) {
	p := func(content string) string { return `{"type":"paragraph","content":[` + content + `]}` }
	text := func(s string) string { return `{"type":"text","text":"` + s + `"}` }
	for _, c := range []struct {
		name, content string
		want          *RichText
	}{
		{"empty", `{"type":"paragraph"}`, nil},
		{"empty with attrs", `{"type":"paragraph","attrs":{"dir":"auto"}}`, nil},
		{"no blocks", ``, &RichText{Blocks: []Block{}, Foreign: "document without blocks"}},
		{"text in the document", text("x"), &RichText{Blocks: []Block{{Spans: []Span{{Text: "x"}}}}, Foreign: "text outside of paragraphs"}},
		{"text between paragraphs", p(text("a")) + `,` + text("x"),
			&RichText{Blocks: []Block{{Spans: []Span{{Text: "a"}}}, {Spans: []Span{{Text: "x"}}}}, Foreign: "text outside of paragraphs"}},
		{"lone heading", `{"type":"heading","attrs":{"level":1}}`, &RichText{Blocks: []Block{{}}, Foreign: "heading"}},
		{"empty text", p(text("")), &RichText{Blocks: []Block{{Spans: []Span{{}}}}, Foreign: "text without characters"}},
		{"empty list", `{"type":"bulletList"}`, &RichText{Blocks: []Block{}, Foreign: "list without items"}},
		{"empty item", `{"type":"bulletList","content":[{"type":"listItem"},{"type":"listItem","content":[` + p(text("a")) + `]}]}`,
			&RichText{Blocks: []Block{{Depth: 1, Bullet: true, Items: 2, Spans: []Span{{Text: "a"}}}}, Foreign: "listItem without paragraph"}},
		{"an empty content key is not empty", p(``), &RichText{Blocks: []Block{{}}}},
		{"two empty paragraphs", `{"type":"paragraph"},{"type":"paragraph"}`, &RichText{Blocks: []Block{{}, {}}}},
		{"plain", p(text("a \\u00e9")), &RichText{Blocks: []Block{{Spans: []Span{{Text: "a é"}}}}}},
		{"marks", p(`{"type":"text","text":"x","marks":[{"type":"bold"},{"type":"italic"},{"type":"code"},{"type":"strike"},
			{"type":"underline"},{"type":"link","attrs":{"href":"u"}},{"type":"highlight"}]},` + text("y")),
			&RichText{Blocks: []Block{{Spans: []Span{{"x", true, true, true, true, true, true, true}, {Text: "y"}}}}}},
		{"break", p(text("a") + `,{"type":"hardBreak"},` + text("b")), &RichText{Blocks: []Block{{Spans: []Span{{Text: "a"}, {Text: "\n"}, {Text: "b"}}}}}},
		{"bullets", `{"type":"bulletList","content":[{"type":"listItem","content":[` + p(text("a")) + `,` + p(text("b")) + `]},
			{"type":"listItem","content":[{"type":"paragraph"},{"type":"orderedList","attrs":{"start":4},"content":[{"type":"listItem","content":[` + p(text("c")) + `]}]}]}]}`,
			&RichText{Blocks: []Block{
				{Depth: 1, Bullet: true, Items: 2, Spans: []Span{{Text: "a"}}},
				{Depth: 1, Items: 2, Spans: []Span{{Text: "b"}}},
				{Depth: 1, Bullet: true, Items: 2},
				{Depth: 2, Ordered: true, Number: 4, Items: 1, Spans: []Span{{Text: "c"}}},
			}}},
		{"heading", `{"type":"heading","attrs":{"level":1},"content":[` + text("h") + `]}`,
			&RichText{Blocks: []Block{{Spans: []Span{{Text: "h"}}}}, Foreign: "heading"}},
		{"unknown mark", p(`{"type":"text","text":"x","marks":[{"type":"subscript"}]}`),
			&RichText{Blocks: []Block{{Spans: []Span{{Text: "x"}}}}, Foreign: "mark subscript"}},
		{"unknown inline", p(`{"type":"image"},` + text("x")), &RichText{Blocks: []Block{{Spans: []Span{{Text: "x"}}}}, Foreign: "image"}},
		{"nested unknown", `{"type":"blockquote","content":[` + p(text("q")) + `]}`,
			&RichText{Blocks: []Block{{Spans: []Span{{Text: "q"}}}}, Foreign: "blockquote"}},
		{"right to left", `{"type":"paragraph","attrs":{"dir":"rtl"},"content":[` + text("x") + `]}`,
			&RichText{Blocks: []Block{{Spans: []Span{{Text: "x"}}}}, Foreign: "dir rtl"}},
		{"numbered by letters", `{"type":"orderedList","attrs":{"start":1,"type":"a"},"content":[{"type":"listItem","content":[` + p(text("x")) + `]}]}`,
			&RichText{Blocks: []Block{{Depth: 1, Ordered: true, Number: 1, Items: 1, Spans: []Span{{Text: "x"}}}}, Foreign: `orderedList type "a"`}},
	} {
		doc := `{"type":"doc","attrs":{},"content":[` + c.content + `]}`
		got := decodeRich(t, doc)
		if got != nil {
			if c.want.Foreign != "" && got.Document != doc || c.want.Foreign == "" && got.Document != "" {
				t.Errorf("%s: got the document %q; want it where it is foreign", c.name, got.Document)
			}
			got.Document = ""
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s:\n got %+v\nwant %+v", c.name, got, c.want)
		}
	}
	_, err := Decode([]byte(`[{"type":"text","props":{"richText":{"type":"doc"}}}]`), DefaultLimits())
	if err == nil || !strings.Contains(err.Error(), "content that is a list") {
		t.Errorf("no content: got %v; want an error that names it", err)
	}
}

func TestTextOf(t *testing.T) {
	one := func(s string) Block { return Block{Spans: []Span{{Text: s}}} }
	for in, want := range map[string]*RichText{
		"":       nil,
		"a":      {Blocks: []Block{one("a")}},
		"a\nb":   {Blocks: []Block{one("a"), one("b")}},
		"a\n\nb": {Blocks: []Block{one("a"), {}, one("b")}},
		"\n":     {Blocks: []Block{{}, {}}},
		"a\n":    {Blocks: []Block{one("a"), {}}},
		" \r\n ": {Blocks: []Block{one(" \r"), one(" ")}},
	} {
		got := TextOf(in)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("TextOf(%q): got %+v; want %+v", in, got, want)
		}
		if back := Plain(got); back != in {
			t.Errorf("Plain(TextOf(%q)) = %q", in, back)
		}
	}
}

func TestPlain(t *testing.T) {
	r := &RichText{Blocks: []Block{{Spans: []Span{{Text: "a", Bold: true}, {Text: "\n"}, {Text: "b"}}}, {}, {Depth: 1, Spans: []Span{{Text: "c"}}}}}
	if got, want := Plain(r), "a\nb\n\nc"; got != want {
		t.Errorf("got %q; want %q", got, want)
	}
}
