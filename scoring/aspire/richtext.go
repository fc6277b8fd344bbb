package aspire

import (
	"github.com/valyala/fastjson"

	"plumb/render/scene"
	"plumb/scoring"
	"plumb/scoring/aspire/answer"
)

// richText reads the text of a shape (docs/spec/aspire.md#r17): a string, a rich-text document, or
// an object with a text.
func (c *cleaner) richText(r *scene.Record, v answer.Value) bool {
	if s, ok := v.Text(); ok {
		return c.plainText(r, s)
	}
	if kind, _ := v.Get("type").Text(); kind == "doc" {
		return c.document(r, v)
	}
	if s, ok := v.Get("text").Text(); ok {
		return c.plainText(r, s)
	}
	return false
}

// plainText sets the text of a shape that the answer makes to s if it is within the limit.
func (c *cleaner) plainText(r *scene.Record, s string) bool {
	if len(s) > c.maxText {
		return false
	}
	r.Rich = scene.TextOf(s)
	if c.rich != nil && r.Rich != nil {
		c.rich[r.Rich] = string(scoring.AppendString(nil, s))
	}
	return true
}

// document reads a shape's rich-text document from the answer with the decoder of package scene, by
// way of JSON: documents are rare.
func (c *cleaner) document(r *scene.Record, v answer.Value) bool {
	c.json = append(c.json[:0], `{"id":"shape:","type":"text","props":{"richText":`...)
	from := len(c.json)
	c.json = append(appendJSON(c.json, v), "}}"...)
	parsed, err := fastjson.ParseBytes(c.json)
	if err != nil {
		return false
	}
	doc, err := scene.DecodeShape(parsed, "", c.limits)
	if err != nil {
		return false
	}
	r.Rich = doc.Rich
	if c.rich != nil && r.Rich != nil {
		c.rich[r.Rich] = string(c.json[from : len(c.json)-2])
	}
	return true
}

// appendJSON appends a value of a model's answer as JSON.
func appendJSON(dst []byte, v answer.Value) []byte {
	switch v.Kind() {
	case answer.Bool:
		if b, _ := v.Bool(); b {
			return append(dst, "true"...)
		}
		return append(dst, "false"...)
	case answer.Number:
		x, _ := v.Float()
		return scoring.AppendFloat(dst, x)
	case answer.String:
		s, _ := v.Text()
		return scoring.AppendString(dst, s)
	case answer.Array, answer.Object:
		return appendContainer(dst, v)
	}
	return append(dst, "null"...)
}

// appendContainer appends a list or an object as JSON, without empty text nodes.
func appendContainer(dst []byte, v answer.Value) []byte {
	brackets := "[]"
	if v.Kind() == answer.Object {
		brackets = "{}"
	}
	dst = append(dst, brackets[0])
	for e := v.First(); e.Exists(); e = e.Next() {
		if emptyText(e) {
			continue
		}
		if dst[len(dst)-1] != brackets[0] {
			dst = append(dst, ',')
		}
		if v.Kind() == answer.Object {
			dst = append(scoring.AppendString(dst, e.Key()), ':')
		}
		dst = appendJSON(dst, e)
	}
	return append(dst, brackets[1])
}

// emptyText reports whether a value is a text node without characters, which shows nothing and
// which the editor refuses.
func emptyText(v answer.Value) bool {
	if kind, _ := v.Get("type").Text(); kind != "text" {
		return false
	}
	s, ok := v.Get("text").Text()
	return ok && s == ""
}
