package parse

import (
	"strings"
	"testing"

	"plumb/scoring/pyjson"
)

// TestExtract checks in which order the actions are looked for in a text, and which bytes of it they
// are (docs/spec/drawingbench.md#r12).
func TestExtract(t *testing.T) {
	for _, c := range []struct {
		name, text string
		how        How
		value, at  string // as Python prints it, and the bytes where it was found
	}{
		{"the whole text", `[1]`, Direct, `[1]`, `[1]`},
		{"white space and a byte order mark around", "\ufeff\ufeff\u00a0\n [1] \u3000", Direct, `[1]`, `[1]`},
		{"a list in an object", `{"actions":[1],"x":2}`, Direct, `[1]`, `{"actions":[1],"x":2}`},
		{"an object without actions", `{"x":2}`, Direct, `{'x': 2}`, `{"x":2}`},
		{"an object whose actions are no list", `{"actions":2}`, Direct, `{'actions': 2}`, `{"actions":2}`},
		{"a block at the start", "```\n[1]\n```", Fence, `[1]`, `[1]`},
		{"a block with a name, after prose", "\n Here:\n```json\n\u00a0 [1]\u00a0\n``` done", Fence, `[1]`, `[1]`},
		{"a block with an object", "a ```json\n{\"actions\":[1]}\n```", Fence, `[1]`, `{"actions":[1]}`},
		{"the end of a block begins no other", "```\nno\n```\n[1]\n```\n[2]\n```", Fence, `[2]`, `[2]`},
		{"the end of a long block begins no other", "```\n" + strings.Repeat("no", 40) + "\n```\n[1]\n```\n[2]\n```", Fence, `[2]`, `[2]`},
		{"an empty block first", "``` \n```\n```\n[]\n```", Fence, `[]`, `[]`},
		{"a blank block first", "```\n \n```\n```\n[]\n```", Fence, `[]`, `[]`},
		{"a block of another value first", "```\n{\"a\":1}\n``` ```\n[2]\n```", Fence, `[2]`, `[2]`},
		{"a block with more than the list", "```\n[1] x\n``` ```\n[2]\n```", Fence, `[2]`, `[2]`},
		{"the first of two blocks", "```\n[1]\n``` ```\n[2]\n```", Fence, `[1]`, `[1]`},
		{"a block that is not closed", "```\n[{}]", Scan, `[{}]`, `[{}]`},
		{"a block of one line", "``` [{}] ```", Scan, `[{}]`, `[{}]`},
		{"in prose", `I do [1], [] and [{"a":[]},{}] then [{}].`, Scan, `[{'a': []}, {}]`, `[{"a":[]},{}]`},
		{"a list of more than objects", `so [{},1] or [{}]`, Scan, `[{}]`, `[{}]`},
		{"within another list", `so [1,[{}]]`, Scan, `[{}]`, `[{}]`},
		{"nothing", `I do not know [1]`, None, `None`, ``},
		{"no text", ``, None, `None`, ``},
	} {
		var r pyjson.Reader
		v, how, limited := Extract(&r, c.text)
		if got := string(v.AppendRepr(nil)); got != c.value || how != c.how || limited {
			t.Errorf("%s: got %s by %s, limited %v; want %s by %s", c.name, got, how, limited, c.value, c.how)
		}
		from, to, ok := Where(&r, c.text)
		if ok != (c.how != None) || ok && c.text[from:to] != c.at {
			t.Errorf("%s: found at %d to %d of %q, %v; want %s", c.name, from, to, c.text, ok, c.at)
		}
	}
}

// TestSearchLimit checks that the scan reads 64 bytes per byte of text and 65,536 more, and no
// further (docs/spec/drawingbench.md#r13).
func TestSearchLimit(t *testing.T) {
	for _, c := range []struct {
		name    string
		text    string
		how     How
		limited bool
	}{
		// Reading on from each of 505 brackets takes 107,456 bytes, which is the limit of a text of 655 bytes.
		{"read to the limit", strings.Repeat("[", 505) + strings.Repeat("x", 146) + "[{}]", Scan, false},
		{"one byte less of text", strings.Repeat("[", 505) + strings.Repeat("x", 145) + "[{}]", None, true},
		{"far from it", strings.Repeat("[", 400) + "x[{}]", Scan, false},
		{"far beyond it", strings.Repeat("[", 2000) + "x[{}]", None, true},
	} {
		var r pyjson.Reader
		if _, how, limited := Extract(&r, c.text); how != c.how || limited != c.limited {
			t.Errorf("%s: got %s, limited %v; want %s, %v", c.name, how, limited, c.how, c.limited)
		}
	}
}
