package aspire

import (
	"github.com/valyala/fastjson"

	"plumb/render/scene"
	"plumb/scoring"
	"plumb/scoring/aspire/answer"
)

// readRichText sets the text of a shape from what the answer gives (docs/spec/aspire.md#r17): a
// string, a rich-text document, or an object with a text.
func (cleaner *cleaner) readRichText(record *scene.Record, value answer.Value) bool {
	if s, ok := value.Text(); ok {
		return cleaner.setPlainText(record, s)
	}
	if kind, _ := value.Get("type").Text(); kind == "doc" {
		return cleaner.readDocument(record, value)
	}
	if s, ok := value.Get("text").Text(); ok {
		return cleaner.setPlainText(record, s)
	}
	return false
}

// setPlainText sets the text of an answer's shape, and returns false if it exceeds the limit. The
// text's JSON is kept in cleaner.textJSON unless that is nil.
func (cleaner *cleaner) setPlainText(record *scene.Record, text string) bool {
	if len(text) > cleaner.maxText {
		return false
	}
	record.Rich = scene.TextOf(text)
	if cleaner.textJSON != nil && record.Rich != nil {
		cleaner.textJSON[record.Rich] = string(scoring.AppendString(nil, text))
	}
	return true
}

// readDocument sets the text of an answer's shape from a rich-text document. It writes the document
// as JSON and decodes it with package scene, which is slow, but documents are rare. The JSON is
// kept in cleaner.textJSON unless that is nil.
func (cleaner *cleaner) readDocument(record *scene.Record, v answer.Value) bool {
	cleaner.json = append(cleaner.json[:0], `{"id":"shape:","type":"text","props":{"richText":`...)
	start := len(cleaner.json)
	cleaner.json = append(appendJSON(cleaner.json, v), "}}"...)
	parsed, err := fastjson.ParseBytes(cleaner.json)
	if err != nil {
		return false
	}
	doc, err := scene.DecodeShape(parsed, "", cleaner.limits)
	if err != nil {
		return false
	}
	record.Rich = doc.Rich
	if cleaner.textJSON != nil && record.Rich != nil {
		cleaner.textJSON[record.Rich] = string(cleaner.json[start : len(cleaner.json)-2])
	}
	return true
}

// appendJSON appends a value that was read from a model's answer as JSON.
func appendJSON(dst []byte, value answer.Value) []byte {
	switch value.Kind() {
	case answer.Bool:
		if flag, _ := value.Bool(); flag {
			return append(dst, "true"...)
		}
		return append(dst, "false"...)
	case answer.Number:
		number, _ := value.Float()
		return scoring.AppendFloat(dst, number)
	case answer.String:
		text, _ := value.Text()
		return scoring.AppendString(dst, text)
	case answer.Array, answer.Object:
		return appendContainer(dst, value)
	}
	return append(dst, "null"...)
}

// appendContainer appends a list or an object of the answer as JSON. It leaves out empty text
// nodes, which the editor refuses.
func appendContainer(dst []byte, value answer.Value) []byte {
	brackets := "[]"
	if value.Kind() == answer.Object {
		brackets = "{}"
	}
	dst = append(dst, brackets[0])
	first := true
	for element := value.First(); element.Exists(); element = element.Next() {
		if isEmptyTextNode(element) {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		if value.Kind() == answer.Object {
			dst = append(scoring.AppendString(dst, element.Key()), ':')
		}
		dst = appendJSON(dst, element)
	}
	return append(dst, brackets[1])
}

// isEmptyTextNode reports whether a value of the answer's rich text is a text node without
// characters, which shows nothing and which the editor refuses.
func isEmptyTextNode(value answer.Value) bool {
	if kind, _ := value.Get("type").Text(); kind != "text" {
		return false
	}
	s, ok := value.Get("text").Text()
	return ok && s == ""
}
