package answer

import (
	"math"
	"strconv"

	"github.com/valyala/fastjson"
)

// Convert reads a model's answer that is already JSON, an object or a list of exactly one, instead
// of text. The same rules as for text decide whether it is acceptable. It keeps no reference to value.
func (reader *Reader) Convert(value *fastjson.Value, rules Rules) Found {
	reader.Forget()
	reader.current.reset("")
	c := treeBuilder{tree: &reader.current}
	if !c.addValue(value, span{}, 1) {
		return Found{Status: NoJSON}
	}
	if root := findAcceptable(&reader.current, rules.Keys); root.Exists() {
		return Found{Value: root, Status: Parsed}
	}
	return Found{Status: NoJSON}
}

// treeBuilder copies a fastjson value into a tree.
type treeBuilder struct {
	tree    *tree
	scratch []byte
}

// copyText copies a string into the tree's buffer and returns where it is.
func (builder *treeBuilder) copyText(b []byte) span {
	off := len(builder.tree.decoded)
	builder.tree.decoded = append(builder.tree.decoded, b...)
	return span{uint32(off), uint32(len(b)) | inDecoded}
}

// addValue appends a JSON value of an answer, with everything in it, to the tree. It returns false
// if the tree gets too large or too deep. Numbers beyond the largest double become null.
func (builder *treeBuilder) addValue(value *fastjson.Value, key span, depth int) bool {
	if depth > MaxDepth || len(builder.tree.nodes) >= MaxValues {
		return false
	}
	n := node{key: key, kind: Null}
	switch value.Type() {
	case fastjson.TypeTrue:
		n.kind, n.payload = Bool, 1
	case fastjson.TypeFalse:
		n.kind = Bool
	case fastjson.TypeString:
		n.kind, n.payload = String, packSpan(builder.copyText(value.GetStringBytes()))
	case fastjson.TypeNumber:
		// The text of the number is read again: the parser's own reading is not
		// correctly rounded for more than 15 digits.
		builder.scratch = value.MarshalTo(builder.scratch[:0])
		if x, _ := strconv.ParseFloat(string(builder.scratch), 64); !math.IsInf(x, 0) && !math.IsNaN(x) {
			n.kind, n.payload = Number, math.Float64bits(x)
		}
	case fastjson.TypeArray:
		n.kind = Array
	case fastjson.TypeObject:
		n.kind = Object
	}
	builder.tree.nodes = append(builder.tree.nodes, n)
	switch n.kind {
	case Array:
		return builder.addElements(value, depth)
	case Object:
		return builder.addMembers(value, depth)
	}
	return true
}

// addElements appends the elements of an array in an answer to the list that was added to the tree
// last. It returns false if the tree gets too large or too deep.
func (builder *treeBuilder) addElements(array *fastjson.Value, depth int) bool {
	list := int32(len(builder.tree.nodes) - 1) // the index of its node
	previous := int32(0)                       // that of the element before, 0 for none; link sets it
	for _, element := range array.GetArray() {
		index := int32(len(builder.tree.nodes))
		if !builder.addValue(element, span{}, depth+1) {
			return false
		}
		builder.tree.link(list, &previous, index)
	}
	return true
}

// addMembers appends the members of an object in an answer to the object that was added to the tree last. Of
// members with one name the last value counts. It returns false if the tree gets too large or too deep.
func (builder *treeBuilder) addMembers(v *fastjson.Value, depth int) bool {
	object := int32(len(builder.tree.nodes) - 1) // the index of its node
	previous := int32(0)                         // that of the member before, 0 for none; link sets it
	ok, count := true, 0
	v.GetObject().Visit(func(key []byte, element *fastjson.Value) {
		if !ok {
			return
		}
		index := int32(len(builder.tree.nodes))
		ok = builder.addValue(element, builder.copyText(key), depth+1)
		if ok {
			builder.tree.link(object, &previous, index)
			count++
		}
	})
	if ok {
		builder.tree.dedupeMembers(object, count)
	}
	return ok
}
