package jsontree

import (
	"encoding/json"

	"github.com/valyala/fastjson"
)

// Append appends a value as JSON that every reader takes. fastjson's own MarshalTo
// writes strings that hold control characters or quotes beside unprintable
// characters in Go's notation, such as \x07 and \U000e0067, which JSON does not have.
func Append(dst []byte, v *fastjson.Value) []byte {
	switch v.Type() {
	case fastjson.TypeString:
		return appendString(dst, v.GetStringBytes())
	case fastjson.TypeArray:
		dst = append(dst, '[')
		for i, e := range v.GetArray() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = Append(dst, e)
		}
		return append(dst, ']')
	case fastjson.TypeObject:
		dst = append(dst, '{')
		first := true
		v.GetObject().Visit(func(key []byte, e *fastjson.Value) {
			if !first {
				dst = append(dst, ',')
			}
			first = false
			dst = Append(append(appendString(dst, key), ':'), e)
		})
		return append(dst, '}')
	}
	return v.MarshalTo(dst) // numbers as they are written, true, false, null
}

// appendString appends a text in quotes. Most need nothing but these.
func appendString(dst, s []byte) []byte {
	for _, c := range s {
		if c < ' ' || c >= 0x7f || c == '"' || c == '\\' {
			q, _ := json.Marshal(string(s)) // a string always has a form
			return append(dst, q...)
		}
	}
	return append(append(append(dst, '"'), s...), '"')
}
