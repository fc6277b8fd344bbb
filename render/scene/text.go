package scene

import "strings"

// TextOf makes rich text of a plain string as the editor does: one paragraph
// per line, lines separated by "\n", an empty line being an empty paragraph
// (docs/spec/aspire.md#r17). The empty string is an empty document: nil.
func TextOf(s string) *RichText {
	if s == "" {
		return nil
	}
	one := new(struct { // most texts are one line: one allocation
		text   RichText
		blocks [1]Block
		spans  [1]Span
	})
	t, spans := &one.text, one.spans[:]
	t.Blocks = one.blocks[:]
	if lines := strings.Count(s, "\n") + 1; lines > 1 {
		t.Blocks, spans = make([]Block, lines), make([]Span, lines)
	}
	for i := range t.Blocks {
		line, rest, _ := strings.Cut(s, "\n")
		if line != "" {
			spans[i].Text = line
			t.Blocks[i].Spans = spans[i : i+1 : i+1]
		}
		s = rest
	}
	return t
}

// Plain returns the text without its styles, paragraphs separated by "\n". It is "" for nil.
func Plain(t *RichText) string {
	if t == nil {
		return ""
	}
	if len(t.Blocks) == 1 && len(t.Blocks[0].Spans) == 1 {
		return t.Blocks[0].Spans[0].Text
	}
	var b strings.Builder
	for i := range t.Blocks {
		if i > 0 {
			b.WriteByte('\n')
		}
		for j := range t.Blocks[i].Spans {
			b.WriteString(t.Blocks[i].Spans[j].Text)
		}
	}
	return b.String()
}

// size returns the number that the limit on text bounds: the bytes of the text or the number of
// its paragraphs and spans, whichever is larger, so that empty ones count too.
func (t *RichText) size() int {
	if t == nil {
		return 0
	}
	bytes, pieces := len(t.Foreign), len(t.Blocks)
	for i := range t.Blocks {
		pieces += len(t.Blocks[i].Spans)
		for j := range t.Blocks[i].Spans {
			bytes += len(t.Blocks[i].Spans[j].Text)
		}
	}
	return max(bytes, pieces)
}
