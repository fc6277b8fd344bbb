package plain

import (
	"bytes"

	"github.com/valyala/fastjson"
)

// Member returns the member of a JSON object in a model's answer whose name comes first in names,
// or nil if it has none of them. Names are compared as models write them: in any case, and with
// spaces or hyphens for underscores.
func Member(o *fastjson.Object, names []string) *fastjson.Value {
	best, value := len(names), (*fastjson.Value)(nil) // only names before the best one can win
	o.Visit(func(key []byte, candidate *fastjson.Value) {
		for rank, name := range names[:best] {
			if isKey(key, name) {
				best, value = rank, candidate
				return
			}
		}
	})
	return value
}

// isKey reports whether key, the name of a member of JSON as a model wrote it, means name, which is in lower
// case with underscores.
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

// Balanced returns the length of the JSON object that s, a part of a model's text, begins with, up
// to the brace that closes it, or 0 if none does.
func Balanced[T string | []byte](s T) int {
	depth, inString := 0, false
	for i := 0; i < len(s); i++ {
		switch {
		case inString && s[i] == '\\':
			i++
		case s[i] == '"':
			inString = !inString
		case inString: // braces do not count
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
