package plain

import (
	"bytes"

	"github.com/valyala/fastjson"
)

// Member returns the member of o that has the first of the names, nil where it has none of them.
// Names are matched as models write them: in any case, and with spaces or hyphens for underscores.
func Member(o *fastjson.Object, names []string) *fastjson.Value {
	best, value := len(names), (*fastjson.Value)(nil)
	o.Visit(func(key []byte, v *fastjson.Value) {
		for k, name := range names[:best] {
			if isKey(key, name) {
				best, value = k, v
				return
			}
		}
	})
	return value
}

// isKey reports whether a member's name, as a model wrote it, means name.
func isKey(key []byte, name string) bool {
	key = bytes.TrimSpace(key)
	if len(key) != len(name) {
		return false
	}
	for i, b := range key {
		switch {
		case b >= 'A' && b <= 'Z':
			b += 'a' - 'A'
		case b == ' ' || b == '-':
			b = '_'
		}
		if b != name[i] {
			return false
		}
	}
	return true
}

// Balanced returns the length of the JSON object that begins s, 0 where it has no end.
func Balanced[T string | []byte](s T) int {
	depth, in := 0, false
	for i := 0; i < len(s); i++ {
		switch {
		case in && s[i] == '\\':
			i++
		case s[i] == '"':
			in = !in
		case in:
		case s[i] == '{':
			depth++
		case s[i] == '}':
			depth--
			if depth == 0 {
				return i + 1
			}
		}
	}
	return 0
}
