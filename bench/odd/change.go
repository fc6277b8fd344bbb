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
	path   string
	object object // nil for an element of a list
	key    string
	list   list
	index  int
}

// get returns the value at a place of a JSON document: a member of an object, or an element of a list.
func (p place) get() any {
	if p.object != nil {
		return p.object[p.key]
	}
	return p.list[p.index]
}

// set replaces the value at a place of a JSON document.
func (p place) set(value any) {
	if p.object != nil {
		p.object[p.key] = value
	} else {
		p.list[p.index] = value
	}
}

// places returns the places of all members and elements of a JSON value, at every depth, each with its path,
// such as shapes[0].props.w. path is the path of the value itself, with which theirs begin. Members are in
// the order of their names, so that random choices can be repeated.
func places(path string, value any) (all []place) {
	switch value := value.(type) {
	case object:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			member := place{path: path + "." + name, object: value, key: name}
			all = append(append(all, member), places(member.path, value[name])...)
		}
	case list:
		for i := range value {
			element := place{path: fmt.Sprintf("%s[%d]", path, i), list: value, index: i}
			all = append(append(all, element), places(element.path, value[i])...)
		}
	}
	return all
}

// makeOdd makes a whiteboard document odd: at one random place it removes the value, adds another member
// beside it, or replaces it by an unusual value. In three of four cases the place is a property of a shape,
// because most rules of documents are about these. It notes the change as text.
func (document *document) makeOdd(random *rand.Rand) {
	candidates := append(places("shapes", document.shapes), places("bindings", document.bindings)...)
	if oneOf(random, true, true, true, false) {
		var properties []place
		for _, at := range candidates {
			if strings.Count(at.path, ".") == 2 && strings.Contains(at.path, ".props.") { // such as shapes[0].props.w
				properties = append(properties, at)
			}
		}
		if len(properties) > 0 {
			candidates = properties
		}
	}
	if len(candidates) == 0 {
		return // earlier changes have removed everything
	}
	at := candidates[random.IntN(len(candidates))]
	switch {
	case at.object != nil && random.IntN(4) == 0:
		delete(at.object, at.key)
		document.changes = append(document.changes, at.path+" is missing")
	case at.object != nil && random.IntN(5) == 0:
		name := oneOf(random, "whatever", "w", "h", "text", "richText", "color", "dash", "geo", "points", "segments", "url", "scaleX", "flipX", "handles", "opacity", "name", "assetId", "growY", "bend")
		if _, there := at.object[name]; there {
			return
		}
		at.object[name] = unusualValue(random, at.get())
		document.changes = append(document.changes, fmt.Sprintf("%s beside it is %s", at.path, short(object{name: at.object[name]})))
	default:
		value := unusualValue(random, at.get())
		document.changes = append(document.changes, fmt.Sprintf("%s is %s, was %s", at.path, short(value), short(at.get())))
		at.set(value)
	}
}

// unusualTexts are values that properties can have, in part other properties than the changed one, and texts
// that no property can have.
var unusualTexts = strings.Fields("unknown NaN Infinity none solid pattern pipe middle start end start-legacy end-legacy red RED #ff0000 xl draw sans cubic elbow arc line cloud arrow free straight shape:0 shape:1 shape:9 page:page page:other " +
	"binding:x a1 a10 a1V Zz doc paragraph text bulletList listItem hardBreak heading bold code true 12 null https://example.org")

// unusualValue returns a random JSON value in place of old, as a broken program might write it: of another type, out
// of the usual range, or a slight change of it.
func unusualValue(random *rand.Rand, old any) any {
	if random.IntN(3) == 0 {
		return oneOf[any](random, nil, true, false, 0, 7, -3.5, "", "12", "NaN", list{}, object{}, list{nil}, object{"type": "doc"})
	}
	switch old := old.(type) {
	case float64:
		return oneOf[any](random, -old, 0, -0.5, 0.001, 1e-7, 0.5, 1.5, 12.3456789, 3*old, 1e4, 1e6, -1e6, 1e15, 1e300, -1e300, 5e-324)
	case int:
		return unusualValue(random, float64(old))
	case string:
		return oneOf[any](random, strings.ToUpper(old), old+" ", "", oneOf(random, unusualTexts...), oneOf(random, unusualTexts...), oneOf(random, unusualTexts...), strings.Repeat(old+"x", 40), "\u200e", "é", "a\nb", "\t", "  ")
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
	return oneOf(random, unusualTexts...)
}

// short returns a value as JSON for people to read, cut off after 60 bytes.
func short(value any) string {
	const longest = 60
	data, err := json.Marshal(value)
	if err != nil {
		panic("BUG: " + err.Error()) // values are numbers, texts, lists and maps alone
	}
	if len(data) > longest {
		return string(data[:longest]) + "..."
	}
	return string(data)
}
