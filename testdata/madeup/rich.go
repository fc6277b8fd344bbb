package madeup

import "math/rand/v2"

// say replaces some plain texts by ones with marks and breaks; with lists where a shape
// is wide enough for them.
func say(r *rand.Rand, lists bool, o object) object {
	if o["text"] == "" || r.IntN(3) > 0 {
		return o
	}
	blocks := []object{}
	w := writer{r: r, code: o["font"] != "mono"} // which is not drawn natively
	for range 1 + r.IntN(3) {
		if lists && r.IntN(3) == 0 {
			blocks = append(blocks, w.list(1))
		} else {
			blocks = append(blocks, w.paragraph())
		}
	}
	delete(o, "text")
	o["richText"] = object{"type": "doc", "content": blocks}
	return o
}

// writer makes rich text.
type writer struct {
	r    *rand.Rand
	code bool
}

// paragraph makes one that is seldom empty.
func (w *writer) paragraph() object {
	r := w.r
	content := []object{}
	for range r.IntN(5) {
		if r.IntN(8) == 0 {
			content = append(content, object{"type": "hardBreak"})
			continue
		}
		o := object{"type": "text", "text": one(r, "a", "word", "Writing", "gypsy,", "(brackets)", "and/or", "x1 y2", "e-mail") + one(r, "", " ")}
		if m := w.marks(); len(m) > 0 {
			o["marks"] = m
		}
		content = append(content, o)
	}
	if len(content) == 0 {
		return object{"type": "paragraph"}
	}
	return object{"type": "paragraph", "content": content}
}

// marks of one stretch of text; code excludes all others in the editor.
func (w *writer) marks() []object {
	r, m := w.r, []object{}
	for _, kind := range []string{"bold", "italic", "strike", "underline"} {
		if r.IntN(6) == 0 {
			m = append(m, object{"type": kind})
		}
	}
	switch r.IntN(8) {
	case 0:
		if w.code {
			return []object{{"type": "code"}}
		}
	case 1:
		m = append(m, object{"type": "link", "attrs": object{"href": "https://example.org"}})
	}
	return m
}

// deepestList is how many lists may stand in each other.
const deepestList = 3

func (w *writer) list(depth int) object {
	r, items := w.r, []object{}
	for range one(r, 1, 2, 3, 11) {
		content := []object{w.paragraph()}
		if depth < deepestList && r.IntN(5) == 0 {
			content = append(content, w.list(depth+1))
		}
		items = append(items, object{"type": "listItem", "content": content})
		if depth > 1 && len(items) == 2 {
			break
		}
	}
	if r.IntN(2) == 0 {
		return object{"type": "bulletList", "content": items}
	}
	return object{"type": "orderedList", "attrs": object{"start": one(r, 1, 1, 5, 98)}, "content": items}
}
