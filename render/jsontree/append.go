package jsontree

import (
	"encoding/binary"
	"unicode/utf8"
	"unsafe"

	"github.com/valyala/fastjson"
)

// Append appends a value to dst as valid JSON. fastjson's own MarshalTo writes some
// strings with control or unprintable characters in Go's notation, such as \x07 and
// \U000e0067, which is not JSON.
func Append(dst []byte, value *fastjson.Value) []byte {
	switch value.Type() {
	case fastjson.TypeString:
		return AppendString(dst, viewAsString(value.GetStringBytes()))
	case fastjson.TypeArray:
		dst = append(dst, '[')
		for i, element := range value.GetArray() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = Append(dst, element)
		}
		return append(dst, ']')
	case fastjson.TypeObject:
		dst = append(dst, '{')
		first := true
		value.GetObject().Visit(func(key []byte, element *fastjson.Value) {
			if !first {
				dst = append(dst, ',')
			}
			first = false
			dst = AppendString(dst, viewAsString(key))
			dst = append(dst, ':')
			dst = Append(dst, element)
		})
		return append(dst, '}')
	}
	return value.MarshalTo(dst) // numbers as they were read, true, false, null
}

// viewAsString returns b as a string without a copy. b must not change while it is in use.
func viewAsString(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

const hexDigits = "0123456789abcdef"

// AppendString appends text as a JSON string. Control characters and the two line separators that
// break JavaScript are escaped; bytes that are not UTF-8 become the replacement character.
func AppendString(dst []byte, text string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(text); {
		c, n := rune(text[i]), 1
		if c >= utf8.RuneSelf {
			c, n = utf8.DecodeRuneInString(text[i:])
		}
		if c >= ' ' && c != '"' && c != '\\' && c != '\u2028' && c != '\u2029' && !(c == utf8.RuneError && n == 1) {
			i += n
			continue
		}
		dst = append(dst, text[start:i]...)
		dst = appendEscaped(dst, c)
		i += n
		start = i
	}
	return append(append(dst, text[start:]...), '"')
}

// appendEscaped appends the JSON escape of a character below U+10000: a short one where there is
// one, else \uXXXX.
func appendEscaped(dst []byte, c rune) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', byte(c))
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	}
	return append(dst, '\\', 'u', hexDigits[c>>12&15], hexDigits[c>>8&15], hexDigits[c>>4&15], hexDigits[c&15])
}

// Absent reports whether a member of a JSON object is missing or null. Both mean that it was not
// given.
func Absent(v *fastjson.Value) bool { return v == nil || v.Type() == fastjson.TypeNull }

// Text returns a value as text: a string without quotes, a number with its digits, any other
// value as JSON. It is "" for an absent value and for null.
func Text(value *fastjson.Value) string {
	switch {
	case Absent(value):
		return ""
	case value.Type() == fastjson.TypeString:
		return string(value.GetStringBytes())
	case value.Type() == fastjson.TypeNumber:
		return value.String()
	}
	return string(Append(nil, value))
}

// AppendContent appends a value to dst in a form that can be read in one way only, for hashing: two values
// give the same bytes only if their content is equal. The form is not JSON.
func AppendContent(dst []byte, value *fastjson.Value) []byte {
	t := value.Type()
	dst = append(dst, byte(t))
	switch t {
	case fastjson.TypeString:
		return appendText(dst, value.GetStringBytes())
	case fastjson.TypeArray:
		list := value.GetArray()
		dst = binary.AppendUvarint(dst, uint64(len(list)))
		for _, e := range list {
			dst = AppendContent(dst, e)
		}
	case fastjson.TypeObject:
		o := value.GetObject()
		dst = binary.AppendUvarint(dst, uint64(o.Len()))
		o.Visit(func(key []byte, e *fastjson.Value) {
			dst = AppendContent(appendText(dst, key), e)
		})
	case fastjson.TypeNumber:
		dst = append(value.MarshalTo(dst), 0) // as it was read
	}
	return dst
}

// appendText appends the number of bytes, then the bytes.
func appendText(dst, b []byte) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(b))), b...)
}
