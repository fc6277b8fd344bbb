package answer

import (
	"math"
	"strconv"

	"github.com/valyala/fastjson"
)

// Convert reads an answer that came as an object, or as a list of exactly one,
// instead of text. The same rules decide whether it is acceptable. It keeps no
// reference to v.
func (r *Reader) Convert(v *fastjson.Value, rules Rules) Found {
	r.Forget()
	r.cur.reset("")
	c := converter{d: &r.cur}
	if !c.value(v, span{}, 1) {
		return Found{Status: NoJSON}
	}
	root := acceptable(&r.cur, rules.Keys)
	if !root.Exists() {
		return Found{Status: NoJSON}
	}
	return Found{Value: root, Status: Parsed}
}

type converter struct {
	d   *doc
	tmp []byte
}

func (c *converter) text(b []byte) span {
	off := len(c.d.buf)
	c.d.buf = append(c.d.buf, b...)
	return span{uint32(off), uint32(len(b)) | inBuf}
}

// value appends v with everything in it; false when it is too large or deep.
func (c *converter) value(v *fastjson.Value, key span, depth int) bool {
	if depth > MaxDepth || len(c.d.nodes) >= MaxValues {
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
		c.tmp = v.MarshalTo(c.tmp[:0])
		if x, _ := strconv.ParseFloat(string(c.tmp), 64); !math.IsInf(x, 0) && !math.IsNaN(x) {
			n.kind, n.val = Number, math.Float64bits(x)
		}
	case fastjson.TypeArray:
		n.kind = Array
	case fastjson.TypeObject:
		n.kind = Object
	}
	c.d.nodes = append(c.d.nodes, n)
	switch n.kind {
	case Array:
		return c.elements(v, depth)
	case Object:
		return c.members(v, depth)
	}
	return true
}

func (c *converter) elements(v *fastjson.Value, depth int) bool {
	self, last := int32(len(c.d.nodes)-1), int32(0)
	for _, e := range v.GetArray() {
		i := int32(len(c.d.nodes))
		if !c.value(e, span{}, depth+1) {
			return false
		}
		c.link(self, &last, i)
	}
	return true
}

func (c *converter) members(v *fastjson.Value, depth int) bool {
	self, last := int32(len(c.d.nodes)-1), int32(0)
	ok, n := true, 0
	v.GetObject().Visit(func(key []byte, e *fastjson.Value) {
		if !ok {
			return
		}
		i := int32(len(c.d.nodes))
		if ok = c.value(e, c.text(key), depth+1); ok {
			c.link(self, &last, i)
			n++
		}
	})
	if ok {
		c.d.unique(self, n)
	}
	return ok
}

func (c *converter) link(self int32, last *int32, i int32) {
	if *last == 0 {
		c.d.nodes[self].val = uint64(i)
	} else {
		c.d.nodes[*last].next = i
	}
	*last = i
}
