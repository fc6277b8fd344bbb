package vqa

import (
	"encoding/hex"
	"hash/fnv"

	"github.com/valyala/fastjson"
)

// Pictures returns a hash of the names of an item's pictures, in 16 hexadecimal digits, or "" if it has none.
// The names are the strings in the members image and images, each one or a list. Items with equal hashes share
// their pictures, so their scores are not independent. See docs/spec/runs.md#r45.
func Pictures(item *fastjson.Value) string {
	hash, hasName := fnv.New64a(), false
	for _, member := range []string{"image", "images"} {
		value := item.Get(member)
		if value == nil {
			continue
		}
		list := []*fastjson.Value{value}
		if value.Type() == fastjson.TypeArray {
			list = value.GetArray()
		}
		for _, element := range list {
			if name := element.GetStringBytes(); len(name) > 0 {
				hash.Write(name)
				hash.Write([]byte{0}) // separates names
				hasName = true
			}
		}
	}
	if !hasName {
		return ""
	}
	return hex.EncodeToString(hash.Sum(nil))
}
