package chrome

import (
	"plumb/render/jsontree"
	"plumb/render/scene"
)

// emptyDocument is how the editor stores a label without text.
const emptyDocument = `{"type":"doc","content":[{"type":"paragraph"}]}`

// writeRichText writes a rich text as the editor's document. If the text's blocks do not hold all of it, this
// is the original document. Else it is one that looks the same, but whose links lead to another address.
func (props *props) writeRichText(text *scene.RichText) {
	props.writeKey("richText")
	if text == nil {
		props.b = append(props.b, emptyDocument...)
		return
	}
	if text.Document != "" {
		props.b = append(props.b, text.Document...)
		return
	}
	w := richWriter{b: append(props.b, `{"type":"doc","content":[`...), blocks: text.Blocks}
	w.children(0)
	props.b = append(w.b, `]}`...)
}

// richWriter turns the flat list of blocks into nested lists of the editor's document.
type richWriter struct {
	b      []byte
	blocks []scene.Block // still to be written
}

// children writes the next blocks of a rich text as the children of the editor's document (depth 0)
// or of a list item: paragraphs of this depth and the lists among them. It stops at a block that is
// less deep or begins the next item of the list.
func (writer *richWriter) children(depth int) {
	for n := 0; len(writer.blocks) > 0; n++ {
		next := &writer.blocks[0]
		nextItem := next.Depth == depth && depth > 0 && n > 0 && startsItem(next)
		if next.Depth < depth || nextItem {
			return
		}
		if n > 0 {
			writer.b = append(writer.b, ',')
		}
		if next.Depth > depth {
			writer.list(depth + 1)
			continue
		}
		writer.paragraph(next)
		writer.blocks = writer.blocks[1:]
	}
}

// startsItem reports whether a block is the first of a list item.
func startsItem(block *scene.Block) bool { return block.Bullet || block.Number > 0 }

// list writes the list that the next block begins, at this depth of the editor's document, with its
// items and what they hold. It has at most as many items as its first block says. Blocks after
// these, or of another kind of list, begin another list.
func (writer *richWriter) list(depth int) {
	head := writer.blocks[0]
	if head.Ordered {
		writer.b = appendNumber(append(writer.b, `{"type":"orderedList","attrs":{"start":`...), float64(max(head.Number, 1)))
		writer.b = append(writer.b, `},"content":[`...)
	} else {
		writer.b = append(writer.b, `{"type":"bulletList","content":[`...)
	}
	for n := 0; n < max(head.Items, 1) && len(writer.blocks) > 0; n++ {
		next := &writer.blocks[0]
		if next.Depth < depth || next.Ordered != head.Ordered {
			break
		}
		if n > 0 {
			writer.b = append(writer.b, ',')
		}
		writer.b = append(writer.b, `{"type":"listItem","content":[`...)
		writer.children(depth)
		writer.b = append(writer.b, `]}`...)
	}
	writer.b = append(writer.b, `]}`...)
}

// paragraph writes one paragraph of a rich text with its spans, as the editor's document has it.
func (writer *richWriter) paragraph(block *scene.Block) {
	writer.b = append(writer.b, `{"type":"paragraph"`...)
	if len(block.Spans) > 0 {
		writer.b = append(writer.b, `,"content":[`...)
		for i := range block.Spans {
			if i > 0 {
				writer.b = append(writer.b, ',')
			}
			writer.span(&block.Spans[i])
		}
		writer.b = append(writer.b, ']')
	}
	writer.b = append(writer.b, '}')
}

// span writes a span of a rich text as a node of the editor's document: a text with its marks, or a line break.
func (writer *richWriter) span(span *scene.Span) {
	if span.Text == "\n" {
		writer.b = append(writer.b, `{"type":"hardBreak"}`...)
		return
	}
	writer.b = jsontree.AppendString(append(writer.b, `{"type":"text","text":`...), span.Text)
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
			writer.b = append(append(writer.b, separator...), m.mark...)
			separator = ","
		}
	}
	if separator == "," { // there were marks
		writer.b = append(writer.b, ']')
	}
	writer.b = append(writer.b, '}')
}
