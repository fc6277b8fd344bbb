package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// place is a member of an object, or an element of a list.
type place struct {
	path  string
	in    object // nil in lists
	key   string
	list  list
	index int
}

// get returns the value at a place of a JSON document: a member of an object, or an element of a list.
func (p place) get() any {
	if p.in != nil {
		return p.in[p.key]
	}
	return p.list[p.index]
}

// set replaces the value at a place of a JSON document.
func (p place) set(value any) {
	if p.in != nil {
		p.in[p.key] = value
	} else {
		p.list[p.index] = value
	}
}

// places returns the places of all members and elements of a JSON value, at every depth. path is the
// value's own path, with which theirs begin.
func places(path string, v any) (all []place) {
	switch v := v.(type) {
	case object:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			p := place{path: path + "." + k, in: v, key: k}
			all = append(append(all, p), places(p.path, v[k])...)
		}
	case list:
		for i := range v {
			p := place{path: fmt.Sprintf("%s[%d]", path, i), list: v, index: i}
			all = append(append(all, p), places(p.path, v[i])...)
		}
	}
	return all
}

// change makes a document of a whiteboard odd: at one random place it removes the value, adds another
// member, or replaces the value by an unusual one. Mostly the place is a property of a shape, because
// there are most of the rules. It notes the change as text.
func (document *document) change(random *rand.Rand) {
	all := append(places("shapes", document.shapes), places("bindings", document.bindings)...)
	depth := oneOf(random, 2, 2, 2, 0)
	chosen := slices.DeleteFunc(slices.Clone(all), func(p place) bool {
		return depth > 0 && (strings.Count(p.path, ".") != depth || !strings.Contains(p.path, ".props."))
	})
	if len(chosen) == 0 {
		chosen = all
	}
	if len(chosen) == 0 {
		return
	}
	p := chosen[random.IntN(len(chosen))]
	switch {
	case p.in != nil && random.IntN(4) == 0:
		delete(p.in, p.key)
		document.changes = append(document.changes, p.path+" is missing")
	case p.in != nil && random.IntN(5) == 0:
		name := oneOf(random, "whatever", "w", "h", "text", "richText", "color", "dash", "geo", "points", "segments", "url", "scaleX", "flipX", "handles", "opacity", "name", "assetId", "growY", "bend")
		if _, ok := p.in[name]; ok {
			return
		}
		p.in[name] = odd(random, p.get())
		document.changes = append(document.changes, fmt.Sprintf("%s beside it is %s", p.path, short(object{name: p.in[name]})))
	default:
		v := odd(random, p.get())
		document.changes = append(document.changes, fmt.Sprintf("%s is %s, was %s", p.path, short(v), short(p.get())))
		p.set(v)
	}
}

// words are values of properties, in part of others, and what is no value of any.
var words = strings.Fields("unknown NaN Infinity none solid pattern pipe middle start end start-legacy end-legacy red RED #ff0000 xl draw sans cubic elbow arc line cloud arrow free straight shape:0 shape:1 shape:9 page:page page:other " +
	"binding:x a1 a10 a1V Zz doc paragraph text bulletList listItem hardBreak heading bold code true 12 null https://example.org")

// odd returns a value unlike old, of another type or out of its usual range, as a broken program might
// write it.
func odd(random *rand.Rand, old any) any {
	if random.IntN(3) == 0 {
		return oneOf[any](random, nil, true, false, 0, 7, -3.5, "", "12", "NaN", list{}, object{}, list{nil}, object{"type": "doc"})
	}
	switch old := old.(type) {
	case float64:
		return oneOf[any](random, -old, 0, -0.5, 0.001, 1e-7, 0.5, 1.5, 12.3456789, 3*old, 1e4, 1e6, -1e6, 1e15, 1e300, -1e300, 5e-324)
	case int:
		return odd(random, float64(old))
	case string:
		return oneOf[any](random, strings.ToUpper(old), old+" ", "", oneOf(random, words...), oneOf(random, words...), oneOf(random, words...), strings.Repeat(old+"x", 40), "\u200e", "é", "a\nb", "\t", "  ")
	case bool:
		return oneOf[any](random, !old, !old, "true", 1, 0, nil)
	case list:
		if len(old) == 0 {
			return list{object{}}
		}
		return oneOf[any](random, list{}, append(slices.Clone(old), old[0]), old[:1], old[1:], list{list{}}, append(slices.Clone(old), nil))
	case object:
		return oneOf[any](random, object{}, list{old}, nil, "x")
	}
	return oneOf(random, words...)
}

// short writes a value for people.
func short(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic("BUG: " + err.Error()) // numbers, texts, lists and maps alone
	}
	if len(data) > 60 {
		return string(data[:60]) + "..."
	}
	return string(data)
}
