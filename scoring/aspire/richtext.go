package aspire

import (
	"github.com/valyala/fastjson"

	"plumb/render/scene"
	"plumb/scoring"
	"plumb/scoring/aspire/answer"
)

// readRichText sets the text of a shape from what the answer gives (docs/spec/aspire.md#r17): a
// string, a rich-text document, or an object with a text.
func (c *cleaner) readRichText(r *scene.Record, v answer.Value) bool {
	if s, ok := v.Text(); ok {
		return c.setPlainText(r, s)
	}
	if kind, _ := v.Get("type").Text(); kind == "doc" {
		return c.readDocument(r, v)
	}
	if s, ok := v.Get("text").Text(); ok {
		return c.setPlainText(r, s)
	}
	return false
}

// setPlainText sets the text of an answer's shape, and returns false if it exceeds the limit. The
// text's JSON is kept in c.textJSON unless that is nil.
func (c *cleaner) setPlainText(r *scene.Record, s string) bool {
	if len(s) > c.maxText {
		return false
	}
	r.Rich = scene.TextOf(s)
	if c.textJSON != nil && r.Rich != nil {
		c.textJSON[r.Rich] = string(scoring.AppendString(nil, s))
	}
	return true
}

// readDocument sets the text of an answer's shape from a rich-text document. It writes the document
// as JSON and decodes it with package scene, which is slow, but documents are rare. The JSON is
// kept in c.textJSON unless that is nil.
func (c *cleaner) readDocument(r *scene.Record, v answer.Value) bool {
	c.json = append(c.json[:0], `{"id":"shape:","type":"text","props":{"richText":`...)
	start := len(c.json)
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
	if c.textJSON != nil && r.Rich != nil {
		c.textJSON[r.Rich] = string(c.json[start : len(c.json)-2])
	}
	return true
}

// appendJSON appends a value of a model's answer as JSON.
func appendJSON(dst []byte, v answer.Value) []byte {
	switch v.Kind() {
	case answer.Bool:
		if flag, _ := v.Bool(); flag {
			return append(dst, "true"...)
		}
		return append(dst, "false"...)
	case answer.Number:
		number, _ := v.Float()
		return scoring.AppendFloat(dst, number)
	case answer.String:
		text, _ := v.Text()
		return scoring.AppendString(dst, text)
	case answer.Array, answer.Object:
		return appendContainer(dst, v)
	}
	return append(dst, "null"...)
}

// appendContainer appends a list or an object of the answer as JSON. It leaves out empty text
// nodes, which the editor refuses.
func appendContainer(dst []byte, v answer.Value) []byte {
	brackets := "[]"
	if v.Kind() == answer.Object {
		brackets = "{}"
	}
	dst = append(dst, brackets[0])
	for element := v.First(); element.Exists(); element = element.Next() {
		if isEmptyTextNode(element) {
			continue
		}
		if dst[len(dst)-1] != brackets[0] {
			dst = append(dst, ',')
		}
		if v.Kind() == answer.Object {
			dst = append(scoring.AppendString(dst, element.Key()), ':')
		}
		dst = appendJSON(dst, element)
	}
	return append(dst, brackets[1])
}

// isEmptyTextNode reports whether a value of the answer's rich text is a text node without
// characters, which shows nothing and which the editor refuses.
func isEmptyTextNode(v answer.Value) bool {
	if kind, _ := v.Get("type").Text(); kind != "text" {
		return false
	}
	s, ok := v.Get("text").Text()
	return ok && s == ""
}
