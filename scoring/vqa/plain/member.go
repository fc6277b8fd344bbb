package plain

import (
	"bytes"

	"github.com/valyala/fastjson"
)

// Member returns the member of o that has the first of the names, nil where it
// has none of them. Names are compared as models write them: case does not
// matter, and spaces and hyphens are underscores.
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

// isKey compares the name of a member.
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
