package chrome

import (
	"plumb/render/jsontree"
	"plumb/render/scene"
)

// emptyDocument is how the editor stores a label without text.
const emptyDocument = `{"type":"doc","content":[{"type":"paragraph"}]}`

// rich writes a rich text as the editor's document. If the text's blocks do not hold all of it,
// this is the original document. Else it is one that looks the same, but whose links lead to
// another address.
func (p *props) rich(text *scene.RichText) {
	p.key("richText")
	if text == nil {
		p.b = append(p.b, emptyDocument...)
		return
	}
	if text.Document != "" {
		p.b = append(p.b, text.Document...)
		return
	}
	w := richWriter{b: append(p.b, `{"type":"doc","content":[`...), blocks: text.Blocks}
	w.children(0)
	p.b = append(w.b, `]}`...)
}

// richWriter turns the flat list of blocks into nested lists of the editor's document.
type richWriter struct {
	b      []byte
	blocks []scene.Block // still to be written
}

// children writes the next blocks of a rich text as the children of the editor's document (depth 0)
// or of a list item: paragraphs of this depth and the lists among them. It stops at a block that is
// less deep or begins the next item of the list.
func (w *richWriter) children(depth int) {
	for n := 0; len(w.blocks) > 0; n++ {
		next := &w.blocks[0]
		nextItem := next.Depth == depth && depth > 0 && n > 0 && startsItem(next)
		if next.Depth < depth || nextItem {
			return
		}
		if n > 0 {
			w.b = append(w.b, ',')
		}
		if next.Depth > depth {
			w.list(depth + 1)
			continue
		}
		w.paragraph(next)
		w.blocks = w.blocks[1:]
	}
}

// startsItem reports whether a block is the first of a list item.
func startsItem(block *scene.Block) bool { return block.Bullet || block.Number > 0 }

// list writes the list that the next block begins, at this depth of the editor's document, with its
// items and what they hold. It has at most as many items as its first block says. Blocks after
// these, or of another kind of list, begin another list.
func (w *richWriter) list(depth int) {
	head := w.blocks[0]
	if head.Ordered {
		w.b = appendNumber(append(w.b, `{"type":"orderedList","attrs":{"start":`...), float64(max(head.Number, 1)))
		w.b = append(w.b, `},"content":[`...)
	} else {
		w.b = append(w.b, `{"type":"bulletList","content":[`...)
	}
	for n := 0; n < max(head.Items, 1) && len(w.blocks) > 0; n++ {
		next := &w.blocks[0]
		if next.Depth < depth || next.Ordered != head.Ordered {
			break
		}
		if n > 0 {
			w.b = append(w.b, ',')
		}
		w.b = append(w.b, `{"type":"listItem","content":[`...)
		w.children(depth)
		w.b = append(w.b, `]}`...)
	}
	w.b = append(w.b, `]}`...)
}

// paragraph writes one paragraph of a rich text with its spans, as the editor's document has it.
func (w *richWriter) paragraph(block *scene.Block) {
	w.b = append(w.b, `{"type":"paragraph"`...)
	if len(block.Spans) > 0 {
		w.b = append(w.b, `,"content":[`...)
		for i := range block.Spans {
			if i > 0 {
				w.b = append(w.b, ',')
			}
			w.span(&block.Spans[i])
		}
		w.b = append(w.b, ']')
	}
	w.b = append(w.b, '}')
}

// span writes a span of a rich text as a node of the editor's document: a text with its marks, or a
// line break.
func (w *richWriter) span(span *scene.Span) {
	if span.Text == "\n" {
		w.b = append(w.b, `{"type":"hardBreak"}`...)
		return
	}
	w.b = jsontree.AppendString(append(w.b, `{"type":"text","text":`...), span.Text)
	separator := `,"marks":[` // before the first mark; then a comma
	for _, m := range [...]struct {
		on   bool
		mark string
	}{
		{span.Bold, `{"type":"bold"}`}, {span.Italic, `{"type":"italic"}`}, {span.Code, `{"type":"code"}`},
		{span.Strike, `{"type":"strike"}`}, {span.Underline, `{"type":"underline"}`},
		{span.Link, `{"type":"link","attrs":{"href":"https://example.com"}}`}, {span.Highlight, `{"type":"highlight"}`},
	} {
		if m.on {
			w.b = append(append(w.b, separator...), m.mark...)
			separator = ","
		}
	}
	if separator == "," { // there were marks
		w.b = append(w.b, ']')
	}
	w.b = append(w.b, '}')
}
