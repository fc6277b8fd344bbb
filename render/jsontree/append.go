package jsontree

import (
	"encoding/json"

	"github.com/valyala/fastjson"
)

// Append appends a value to dst as valid JSON. fastjson's own MarshalTo writes some
// strings with control or unprintable characters in Go's notation, such as \x07 and
// \U000e0067, which is not JSON.
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
	return v.MarshalTo(dst) // numbers as they were read, true, false, null
}

// appendString appends a JSON string. Most strings need quotes and no escapes.
func appendString(dst, s []byte) []byte {
	for _, c := range s {
		if c < ' ' || c >= 0x7f || c == '"' || c == '\\' {
			q, _ := json.Marshal(string(s)) // it never fails for a string
			return append(dst, q...)
		}
	}
	return append(append(append(dst, '"'), s...), '"')
}
