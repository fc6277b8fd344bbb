package vqa

import (
	"hash/fnv"
	"strings"

	"github.com/valyala/fastjson"
)

// Pictures names the pictures of an item, "" for none: the members image and images, each a
// text or a list of texts. Items with equal names share their pictures, so their scores are no
// independent ones. See docs/spec/runs.md#r45.
func Pictures(item *fastjson.Value) string {
	var names []string
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
				names = append(names, string(short(name)))
			}
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "image " + strings.Join(names, "\n")
}

// short returns a name of a picture, or its hash where it is the picture itself.
func short(name []byte) []byte {
	const longest = 256 // bytes of a path
	if len(name) <= longest {
		return name
	}
	h := fnv.New128a()
	h.Write(name)
	return h.Sum(nil)
}
