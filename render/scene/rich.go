package scene

import (
	"strings"

	"github.com/valyala/fastjson"

	"plumb/render/jsontree"
)

// rich reads a shape's rich text, a ProseMirror document. It returns nil for the empty document,
// which is one paragraph without the key content, and after a fault. A document with parts that
// RichText cannot hold is not a fault: Foreign names the first such part, and Document keeps its
// JSON. See docs/spec/drawing.md#r51.
func (d *sceneDecoder) rich(v *fastjson.Value, w where) *RichText {
	doc, err := v.Object()
	if err != nil || string(v.GetStringBytes("type")) != "doc" {
		d.refuse(w, "props.richText", v, `an object of type "doc"`)
		return nil
	}
	d.only(v, "props.richText", documentMembers)
	if doc.Get("content") == nil {
		d.refuse(w, "props.richText", v, "a document with content that is a list")
		return nil
	}
	blocks, ok := d.content(doc, w)
	isEmpty := len(blocks) == 1 && blocks[0].Get("content") == nil &&
		string(blocks[0].GetStringBytes("type")) == "paragraph"
	if !ok || isEmpty {
		return nil
	}
	t := &richReader{d: d, w: w, out: &RichText{Blocks: make([]Block, 0, len(blocks))}}
	if len(blocks) == 0 {
		t.foreign("document without blocks")
	}
	for _, b := range blocks {
		t.block(b, Block{})
	}
	if d.fault != nil {
		return nil
	}
	if t.out.Foreign != "" {
		t.out.Document = string(jsontree.Append(nil, v))
	}
	return t.out
}

// content returns the children of a node of a rich text, or none if the node has no key "content".
func (d *sceneDecoder) content(node *fastjson.Object, w where) ([]*fastjson.Value, bool) {
	c := node.Get("content")
	if c == nil {
		return nil, true
	}
	items, err := c.Array()
	if err != nil {
		d.refuse(w, "props.richText", c, "content that is a list")
	}
	return items, err == nil
}

// richReader collects blocks. The nesting of its calls is that of the JSON,
// which the parser limits.
type richReader struct {
	d      *sceneDecoder
	w      where
	out    *RichText
	bytes  int
	pieces int
}

// foreign records the first node or mark that RichText cannot hold.
func (t *richReader) foreign(name string) {
	if t.out.Foreign == "" {
		t.out.Foreign = clip(name, 80)
	}
}

// node checks that v is a node of a rich text and returns its type and children.
func (t *richReader) node(v *fastjson.Value) (kind string, children []*fastjson.Value, ok bool) {
	o, err := v.Object()
	if err != nil || v.Get("type") == nil || v.Get("type").Type() != fastjson.TypeString {
		t.d.refuse(t.w, "props.richText", v, "nodes that are objects with a type")
		return "", nil, false
	}
	if t.d.fault != nil {
		return "", nil, false
	}
	children, ok = t.d.content(o, t.w)
	return string(v.GetStringBytes("type")), children, ok
}

// block reads a block of a rich text: it appends a paragraph to the blocks, or reads a list. as
// holds the properties of the lists around it, which paragraphs inherit. Other nodes, and a text
// direction other than auto and left to right, are noted as foreign.
func (t *richReader) block(v *fastjson.Value, as Block) {
	kind, children, ok := t.node(v)
	if !ok {
		return
	}
	switch kind {
	case "bulletList", "orderedList":
		t.list(v, kind == "orderedList", children, as)
		return
	case "paragraph":
	case "text", "hardBreak":
		t.foreign(kind + " outside of paragraphs")
		children = []*fastjson.Value{v}
	default:
		t.foreign(kind)
	}
	if dir := v.GetStringBytes("attrs", "dir"); len(dir) > 0 && string(dir) != "auto" && string(dir) != "ltr" {
		t.foreign("dir " + string(dir))
	}
	if len(children) > 0 {
		as.Spans = make([]Span, 0, len(children))
	}
	for _, c := range children {
		t.inline(c, &as)
	}
	t.count(0, 1)
	t.out.Blocks = append(t.out.Blocks, as)
}

// list reads the items of a list in a rich text, inside a list with the properties as. Only the first
// paragraph of an item has the item's marker: a bullet, or a number that counts from attrs.start.
func (t *richReader) list(v *fastjson.Value, ordered bool, items []*fastjson.Value, as Block) {
	start := 1
	if s := v.Get("attrs", "start"); ordered && s != nil {
		n, err := s.Int()
		if err != nil || n < 1 || n > 1<<30 {
			t.foreign("orderedList start " + describe(s))
			n = 1
		}
		start = n
	}
	if s := v.Get("attrs", "type"); s != nil && s.Type() != fastjson.TypeNull {
		t.foreign("orderedList type " + describe(s))
	}
	if len(items) == 0 {
		t.foreign("list without items")
	}
	as = Block{Depth: as.Depth + 1, Ordered: ordered, Items: len(items)}
	for i, item := range items {
		kind, children, ok := t.node(item)
		if !ok {
			return
		}
		if kind != "listItem" {
			t.foreign(kind)
		}
		if len(children) == 0 {
			t.foreign("listItem without paragraph")
		}
		for j, c := range children {
			b := as
			if j == 0 {
				b.Bullet = !ordered
				if ordered {
					b.Number = start + i
				}
				if string(c.GetStringBytes("type")) != "paragraph" {
					t.foreign("listItem without paragraph") // its marker would have no line
				}
			}
			t.block(c, b)
		}
	}
}

// inline reads a text node or a line break of a rich text and appends it to the block's spans. Of another
// node, which is foreign, it reads the children.
func (t *richReader) inline(v *fastjson.Value, b *Block) {
	kind, children, ok := t.node(v)
	if !ok {
		return
	}
	s := Span{Text: "\n"}
	switch kind {
	case "hardBreak":
	case "text":
		text := v.Get("text")
		if text == nil || text.Type() != fastjson.TypeString {
			t.d.refuse(t.w, "props.richText", text, "a text node with a text")
			return
		}
		raw, _ := text.StringBytes()
		if t.count(len(raw), 0); t.d.fault != nil {
			return
		}
		if len(raw) == 0 {
			t.foreign("text without characters") // the editor refuses it
		}
		s.Text = t.d.strings.copy(raw)
		t.marks(v, &s)
	default:
		t.foreign(kind)
		for _, c := range children {
			t.inline(c, b)
		}
		return
	}
	t.count(0, 1)
	b.Spans = append(b.Spans, s)
}

// marks sets the styles of span s from the marks of a text node, such as bold or a link. An unknown mark
// is foreign.
func (t *richReader) marks(v *fastjson.Value, s *Span) {
	list := v.Get("marks")
	if list == nil {
		return
	}
	if list.Type() != fastjson.TypeArray {
		t.d.refuse(t.w, "props.richText", list, "marks that are a list")
		return
	}
	for _, m := range list.GetArray() {
		switch kind := string(m.GetStringBytes("type")); kind {
		case "bold":
			s.Bold = true
		case "italic":
			s.Italic = true
		case "code":
			s.Code = true
		case "strike":
			s.Strike = true
		case "underline":
			s.Underline = true
		case "link":
			s.Link = true
		case "highlight":
			s.Highlight = true
		case "":
			t.d.refuse(t.w, "props.richText", m, "marks that are objects with a type")
			return
		default:
			t.foreign("mark " + kind)
		}
	}
}

// count adds to the size of the rich text: its bytes, and its pieces, which are paragraphs and
// spans. It sets the fault when one of the two exceeds the limit on text.
func (t *richReader) count(bytes, pieces int) {
	t.bytes += bytes
	t.pieces += pieces
	if n := max(t.bytes, t.pieces); n > t.d.lim.Text && t.d.fault == nil {
		t.d.fault = textTooLong(n, &t.d.lim).in(t.w.field("props.richText"), t.w.shape)
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

// Plain returns the characters of a rich text without its styles, its paragraphs separated by "\n".
// It returns "" for nil.
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

// size returns the size of a rich text that the limit on text bounds: its bytes or the number of
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
