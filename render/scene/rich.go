package scene

import (
	"strings"

	"github.com/valyala/fastjson"

	"plumb/render/jsontree"
)

// readRichText reads a shape's rich text, a ProseMirror document. It returns nil for the empty document,
// which is one paragraph without the key content, and after a fault. A document with parts that
// RichText cannot hold is not a fault: Foreign names the first such part, and Document keeps its
// JSON. See docs/spec/drawing.md#r51.
func (decoder *sceneDecoder) readRichText(value *fastjson.Value, place jsonPlace) *RichText {
	doc, err := value.Object()
	if err != nil || string(value.GetStringBytes("type")) != "doc" {
		decoder.refuse(place, "props.richText", value, `an object of type "doc"`)
		return nil
	}
	decoder.noteUnknown(value, "props.richText", documentMembers)
	if doc.Get("content") == nil {
		decoder.refuse(place, "props.richText", value, "a document with content that is a list")
		return nil
	}
	blocks, ok := decoder.richChildren(doc, place)
	isEmpty := len(blocks) == 1 && blocks[0].Get("content") == nil &&
		string(blocks[0].GetStringBytes("type")) == "paragraph"
	if !ok || isEmpty {
		return nil
	}
	// Read the blocks.
	reader := &richReader{decoder: decoder, place: place, out: &RichText{Blocks: make([]Block, 0, len(blocks))}}
	if len(blocks) == 0 {
		reader.noteForeign("document without blocks")
	}
	for _, b := range blocks {
		reader.readBlock(b, Block{})
	}
	if decoder.fault != nil {
		return nil
	}
	// Only the editor can draw it, from its JSON.
	if reader.out.Foreign != "" {
		reader.out.Document = string(jsontree.Append(nil, value))
	}
	return reader.out
}

// richChildren returns the children of a node of a rich text, or none if the node has no key "content".
func (decoder *sceneDecoder) richChildren(node *fastjson.Object, place jsonPlace) ([]*fastjson.Value, bool) {
	value := node.Get("content")
	if value == nil {
		return nil, true
	}
	items, err := value.Array()
	if err != nil {
		decoder.refuse(place, "props.richText", value, "content that is a list")
	}
	return items, err == nil
}

// richReader collects blocks. The nesting of its calls is that of the JSON,
// which the parser limits.
type richReader struct {
	decoder *sceneDecoder
	place   jsonPlace // of the rich text, for messages
	out     *RichText
	bytes   int // of text so far
	pieces  int // paragraphs and spans so far
}

// noteForeign records the first node or mark that RichText cannot hold.
func (reader *richReader) noteForeign(name string) {
	if reader.out.Foreign == "" {
		reader.out.Foreign = shorten(name, 80)
	}
}

// checkNode checks that value is a node of a rich text and returns its type and children.
func (reader *richReader) checkNode(value *fastjson.Value) (kind string, children []*fastjson.Value, ok bool) {
	object, err := value.Object()
	if err != nil || value.Get("type") == nil || value.Get("type").Type() != fastjson.TypeString {
		reader.decoder.refuse(reader.place, "props.richText", value, "nodes that are objects with a type")
		return "", nil, false
	}
	if reader.decoder.fault != nil {
		return "", nil, false
	}
	children, ok = reader.decoder.richChildren(object, reader.place)
	return string(value.GetStringBytes("type")), children, ok
}

// readBlock reads a node of a rich text that stands for a block: it appends a paragraph to the blocks, or
// reads a list. The parameter block holds the properties of the lists around it, which paragraphs take
// over. Other nodes, and a text direction other than auto and left to right, are noted as foreign.
func (reader *richReader) readBlock(value *fastjson.Value, block Block) {
	kind, children, ok := reader.checkNode(value)
	if !ok {
		return
	}
	switch kind {
	case "bulletList", "orderedList":
		reader.readList(value, kind == "orderedList", children, block)
		return
	case "paragraph":
	case "text", "hardBreak":
		reader.noteForeign(kind + " outside of paragraphs")
		children = []*fastjson.Value{value}
	default:
		reader.noteForeign(kind)
	}
	// A paragraph.
	if dir := value.GetStringBytes("attrs", "dir"); len(dir) > 0 && string(dir) != "auto" && string(dir) != "ltr" {
		reader.noteForeign("dir " + string(dir))
	}
	if len(children) > 0 {
		block.Spans = make([]Span, 0, len(children))
	}
	for _, c := range children {
		reader.readInline(c, &block)
	}
	reader.addSize(0, 1)
	reader.out.Blocks = append(reader.out.Blocks, block)
}

// readList reads the items of a list in a rich text. outer holds the properties of the list around it. Only
// the first paragraph of an item has the item's marker: a bullet or, if the list is ordered, a number that
// counts from attrs.start.
func (reader *richReader) readList(v *fastjson.Value, ordered bool, items []*fastjson.Value, outer Block) {
	const mostStart = 1 << 30 // greater numbers are foreign: the count must not overflow
	start := 1
	if s := v.Get("attrs", "start"); ordered && s != nil {
		n, err := s.Int()
		if err != nil || n < 1 || n > mostStart {
			reader.noteForeign("orderedList start " + describe(s))
			n = 1
		}
		start = n
	}
	if s := v.Get("attrs", "type"); s != nil && s.Type() != fastjson.TypeNull {
		reader.noteForeign("orderedList type " + describe(s))
	}
	if len(items) == 0 {
		reader.noteForeign("list without items")
	}
	inner := Block{Depth: outer.Depth + 1, Ordered: ordered, Items: len(items)}
	for i, item := range items {
		kind, children, ok := reader.checkNode(item)
		if !ok {
			return
		}
		if kind != "listItem" {
			reader.noteForeign(kind)
		}
		if len(children) == 0 {
			reader.noteForeign("listItem without paragraph")
		}
		for j, c := range children {
			block := inner
			if j == 0 {
				block.Bullet = !ordered
				if ordered {
					block.Number = start + i
				}
				if string(c.GetStringBytes("type")) != "paragraph" {
					reader.noteForeign("listItem without paragraph") // its marker would have no line
				}
			}
			reader.readBlock(c, block)
		}
	}
}

// readInline reads a text node or a line break of a rich text and appends it to the block's spans. Of another
// node, which is foreign, it reads the children.
func (reader *richReader) readInline(value *fastjson.Value, block *Block) {
	kind, children, ok := reader.checkNode(value)
	if !ok {
		return
	}
	span := Span{Text: "\n"}
	switch kind {
	case "hardBreak":
	case "text":
		text := value.Get("text")
		if text == nil || text.Type() != fastjson.TypeString {
			reader.decoder.refuse(reader.place, "props.richText", text, "a text node with a text")
			return
		}
		raw, _ := text.StringBytes()
		if reader.addSize(len(raw), 0); reader.decoder.fault != nil {
			return
		}
		if len(raw) == 0 {
			reader.noteForeign("text without characters") // the editor refuses it
		}
		span.Text = reader.decoder.strings.copy(raw)
		reader.readMarks(value, &span)
	default:
		reader.noteForeign(kind)
		for _, c := range children {
			reader.readInline(c, block)
		}
		return
	}
	reader.addSize(0, 1)
	block.Spans = append(block.Spans, span)
}

// readMarks sets the styles of a span from the marks of a rich text's node, such as bold or a link. An
// unknown mark is foreign.
func (reader *richReader) readMarks(v *fastjson.Value, span *Span) {
	list := v.Get("marks")
	if list == nil {
		return
	}
	if list.Type() != fastjson.TypeArray {
		reader.decoder.refuse(reader.place, "props.richText", list, "marks that are a list")
		return
	}
	for _, member := range list.GetArray() {
		switch kind := string(member.GetStringBytes("type")); kind {
		case "bold":
			span.Bold = true
		case "italic":
			span.Italic = true
		case "code":
			span.Code = true
		case "strike":
			span.Strike = true
		case "underline":
			span.Underline = true
		case "link":
			span.Link = true
		case "highlight":
			span.Highlight = true
		case "":
			reader.decoder.refuse(reader.place, "props.richText", member, "marks that are objects with a type")
			return
		default:
			reader.noteForeign("mark " + kind)
		}
	}
}

// addSize adds to the size of the rich text: its bytes, and its pieces, which are paragraphs and
// spans. It sets the fault when one of the two exceeds the limit on text.
func (reader *richReader) addSize(bytes, pieces int) {
	reader.bytes += bytes
	reader.pieces += pieces
	if n := max(reader.bytes, reader.pieces); n > reader.decoder.limits.Text && reader.decoder.fault == nil {
		reader.decoder.fault = textTooLong(n, &reader.decoder.limits).in(reader.place.field("props.richText"), reader.place.shape)
	}
}

// TextOf makes rich text of a plain string as the editor does: a paragraph for each line, where
// lines are separated by "\n" and an empty line is an empty paragraph (docs/spec/aspire.md#r17).
// The empty string gives nil, which is the empty document.
func TextOf(s string) *RichText {
	if s == "" {
		return nil
	}
	one := new(struct { // most texts are one line: one allocation
		text   RichText
		blocks [1]Block
		spans  [1]Span
	})
	text, spans := &one.text, one.spans[:]
	text.Blocks = one.blocks[:]
	if lines := strings.Count(s, "\n") + 1; lines > 1 {
		text.Blocks, spans = make([]Block, lines), make([]Span, lines)
	}
	for i := range text.Blocks {
		line, rest, _ := strings.Cut(s, "\n")
		if line != "" {
			spans[i].Text = line
			text.Blocks[i].Spans = spans[i : i+1 : i+1]
		}
		s = rest
	}
	return text
}

// Plain returns the characters of a rich text without its styles, its paragraphs separated by "\n".
// It returns "" for nil.
func Plain(text *RichText) string {
	if text == nil {
		return ""
	}
	if len(text.Blocks) == 1 && len(text.Blocks[0].Spans) == 1 {
		return text.Blocks[0].Spans[0].Text
	}
	var out strings.Builder
	for i := range text.Blocks {
		if i > 0 {
			out.WriteByte('\n')
		}
		for j := range text.Blocks[i].Spans {
			out.WriteString(text.Blocks[i].Spans[j].Text)
		}
	}
	return out.String()
}

// size returns the size of a rich text that the limit on text bounds: its bytes or the number of
// its paragraphs and spans, whichever is larger, so that empty ones count too.
func (text *RichText) size() int {
	if text == nil {
		return 0
	}
	bytes, pieces := len(text.Foreign), len(text.Blocks)
	for i := range text.Blocks {
		pieces += len(text.Blocks[i].Spans)
		for j := range text.Blocks[i].Spans {
			bytes += len(text.Blocks[i].Spans[j].Text)
		}
	}
	return max(bytes, pieces)
}
