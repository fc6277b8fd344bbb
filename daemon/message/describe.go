package message

import (
	"strings"

	"github.com/valyala/fastjson"
)

// Describe describes the type and content of a value for error messages: "a list of
// texts", "an object with role, content".
func Describe(value *fastjson.Value) string {
	if value == nil {
		return "nothing"
	}
	switch value.Type() {
	case fastjson.TypeObject:
		return describeObject(value)
	case fastjson.TypeArray:
		return describeList(value.GetArray())
	case fastjson.TypeString:
		return "a text"
	case fastjson.TypeNumber:
		return "a number"
	case fastjson.TypeNull:
		return "null"
	}
	return "a boolean"
}

// maxMembers is how many names of members a message shows; each is cut to maxName.
const (
	maxMembers = 4
	maxName    = 32 // bytes
)

// describeObject returns what a message says of a JSON object: the names of its first members.
func describeObject(v *fastjson.Value) string {
	var names []string
	object := v.GetObject()
	object.Visit(func(key []byte, _ *fastjson.Value) {
		if len(names) < maxMembers {
			names = append(names, strings.ToValidUTF8(string(key[:min(len(key), maxName)]), ""))
		}
	})
	switch {
	case object.Len() == 0:
		return "an empty object"
	case object.Len() > maxMembers:
		names = append(names, "...")
	}
	return "an object with " + strings.Join(names, ", ")
}

// describeList returns what a message says of a JSON list: the common type of its elements, with the
// members of the first one if they are objects, or that there are several types.
func describeList(values []*fastjson.Value) string {
	if len(values) == 0 {
		return "an empty list"
	}
	kinds := map[fastjson.Type]string{fastjson.TypeString: "texts", fastjson.TypeNumber: "numbers",
		fastjson.TypeArray:  "lists",
		fastjson.TypeObject: "objects", fastjson.TypeNull: "nulls", fastjson.TypeTrue: "booleans", fastjson.TypeFalse: "booleans"}
	kind := kinds[values[0].Type()]
	for _, v := range values {
		if kinds[v.Type()] != kind {
			return "a list of several kinds"
		}
	}
	if kind == "objects" {
		return "a list of objects, the first " + describeObject(values[0])
	}
	return "a list of " + kind
}
