package answer

import (
	"math"
	"strconv"

	"github.com/valyala/fastjson"
)

// Convert reads an answer that is an object, or a list of exactly one, instead of text. The same
// rules decide whether it is acceptable. It keeps no reference to v.
func (r *Reader) Convert(v *fastjson.Value, rules Rules) Found {
	r.Forget()
	r.cur.reset("")
	c := converter{tree: &r.cur}
	if !c.value(v, span{}, 1) {
		return Found{Status: NoJSON}
	}
	if root := findAcceptable(&r.cur, rules.Keys); root.Exists() {
		return Found{Value: root, Status: Parsed}
	}
	return Found{Status: NoJSON}
}

// converter copies a fastjson value into a tree.
type converter struct {
	tree    *tree
	scratch []byte
}

// text copies a string into the tree's buffer.
func (c *converter) text(b []byte) span {
	off := len(c.tree.buf)
	c.tree.buf = append(c.tree.buf, b...)
	return span{uint32(off), uint32(len(b)) | inBuf}
}

// value appends the parsed JSON value v with everything in it to the answer's tree; false if it is
// too large or too deep.
func (c *converter) value(v *fastjson.Value, key span, depth int) bool {
	if depth > MaxDepth || len(c.tree.nodes) >= MaxValues {
		return false
	}
	n := node{key: key, kind: Null}
	switch v.Type() {
	case fastjson.TypeTrue:
		n.kind, n.val = Bool, 1
	case fastjson.TypeFalse:
		n.kind = Bool
	case fastjson.TypeString:
		n.kind, n.val = String, packSpan(c.text(v.GetStringBytes()))
	case fastjson.TypeNumber:
		// The text of the number is read again: the parser's own reading is not
		// correctly rounded for more than 15 digits.
		c.scratch = v.MarshalTo(c.scratch[:0])
		if x, _ := strconv.ParseFloat(string(c.scratch), 64); !math.IsInf(x, 0) && !math.IsNaN(x) {
			n.kind, n.val = Number, math.Float64bits(x)
		}
	case fastjson.TypeArray:
		n.kind = Array
	case fastjson.TypeObject:
		n.kind = Object
	}
	c.tree.nodes = append(c.tree.nodes, n)
	switch n.kind {
	case Array:
		return c.elements(v, depth)
	case Object:
		return c.members(v, depth)
	}
	return true
}

// elements appends the elements of the JSON list that was added last.
func (c *converter) elements(v *fastjson.Value, depth int) bool {
	self, last := int32(len(c.tree.nodes)-1), int32(0)
	for _, e := range v.GetArray() {
		i := int32(len(c.tree.nodes))
		if !c.value(e, span{}, depth+1) {
			return false
		}
		c.tree.link(self, &last, i)
	}
	return true
}

// members appends the members of the JSON object that was added last.
func (c *converter) members(v *fastjson.Value, depth int) bool {
	self, last := int32(len(c.tree.nodes)-1), int32(0)
	ok, n := true, 0
	v.GetObject().Visit(func(key []byte, e *fastjson.Value) {
		if !ok {
			return
		}
		i := int32(len(c.tree.nodes))
		ok = c.value(e, c.text(key), depth+1)
		if ok {
			c.tree.link(self, &last, i)
			n++
		}
	})
	if ok {
		c.tree.dedupeMembers(self, n)
	}
	return ok
}
