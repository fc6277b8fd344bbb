package vqa

import (
	"encoding/hex"
	"hash/fnv"

	"github.com/valyala/fastjson"
)

// Pictures returns a hash of the names of an item's pictures, in 16 hexadecimal digits, "" where it
// has none: the members image and images, each a text or a list of texts. Items with equal hashes
// share their pictures, so their scores are no independent ones. See docs/spec/runs.md#r45.
func Pictures(item *fastjson.Value) string {
	h, any := fnv.New64a(), false
	for _, member := range []string{"image", "images"} {
		v := item.Get(member)
		if v == nil {
			continue
		}
		list := []*fastjson.Value{v}
		if v.Type() == fastjson.TypeArray {
			list = v.GetArray()
		}
		for _, e := range list {
			if name := e.GetStringBytes(); len(name) > 0 {
				h.Write(name)
				h.Write([]byte{0})
				any = true
			}
		}
	}
	if !any {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil))
}
