package scene

import (
	"strings"

	"github.com/valyala/fastjson"
)

// index reads the fractional index that orders a shape, a page or a point among its siblings.
func (d *decoder) index(v *fastjson.Value, w where, field string) string {
	if v == nil {
		d.refuse(w, field, nil, "a string")
		return ""
	}
	key := d.text(v, w, field)
	if d.fault == nil && !validIndex(key) {
		d.refuse(w, field, v, `a fractional index, such as "a1" or "a1V"`)
	}
	return key
}

// validIndex reports whether the editor accepts a key as an index. The first character
// determines the length of the integer part in UTF-16 code units: 2 for "a" and "Z", 3
// for "b" and "Y", and so on. A fractional part after it must not end in "0". The
// editor does not check the other characters.
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
