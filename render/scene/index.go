package scene

import (
	"strings"

	"github.com/valyala/fastjson"
)

// index reads the place of a shape, a page or a point among its siblings.
func (d *decoder) index(v *fastjson.Value, w where, field string) string {
	if v == nil {
		d.bad(w, field, nil, "a string")
		return ""
	}
	key := d.text(v, w, field)
	if d.fault == nil && !validIndex(key) {
		d.bad(w, field, v, `a fractional index, such as "a1" or "a1V"`)
	}
	return key
}

// validIndex tells whether the editor takes a key for an index. The first character
// says of how many the whole part consists: "a" and "Z" of 2, "b" and "Y" of 3, and so
// on. What follows must not end in "0". The editor does not look at the other
// characters, and counts UTF-16 code units.
func validIndex(key string) bool {
	if key == "" || key == "A"+strings.Repeat("0", 26) {
		return false
	}
	whole := 0
	switch c := key[0]; {
	case 'a' <= c && c <= 'z':
		whole = int(c-'a') + 2
	case 'A' <= c && c <= 'Z':
		whole = int('Z'-c) + 2
	default:
		return false
	}
	units := 0
	for _, r := range key {
		units++
		if r >= 0x10000 {
			units++
		}
	}
	return units == whole || units > whole && !strings.HasSuffix(key, "0")
}
