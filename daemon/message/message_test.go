package message

import (
	"testing"

	"github.com/valyala/fastjson"
)

// A list of chat messages is read as its last text of the assistant.
func TestLast(t *testing.T) {
	const called = `{"role":"assistant","content":null,"tool_calls":[{"id":"1"}]}`
	for in, want := range map[string]string{
		`[{"role":"user","content":"q"},{"role":"assistant","content":"a"},{"role":"user","content":"more"}]`:        "a",
		`[{"role":"assistant","content":"a"},{"role":"assistant","content":"b"}]`:                                    "b",
		`[{"role":"assistant","content":"a"},` + called + `]`:                                                        "a",
		`[{"role":"assistant","content":"a"},{"role":"assistant","content":[{"type":"tool_use","id":"1"}]}]`:         "a",
		`[` + called + `,{"role":"tool","content":"r"},{"role":"assistant","content":[{"type":"text","text":"b"}]}]`: "b",
		`[{"role":"assistant","content":"a"},{"role":"assistant","content":""}]`:                                     "",
		`[{"role":"user","content":"q"},` + called + `]`:                                                             "",
	} {
		if s, ok, err := Read(fastjson.MustParse(in)); !ok || err != nil || s.Text != want || !s.Answered {
			t.Errorf("%s: got %+v, %v, %v; want %q", in, s, ok, err, want)
		}
	}
}

// What is refused is named by its path and by what it is.
func TestRefused(t *testing.T) {
	for in, want := range map[string]string{
		`[{"role":"user","content":"q"}]`:        ": got no message of role assistant",
		`{"role":"user","content":"q"}`:          `.role: got "user"; want "assistant"`,
		`{"choices":[]}`:                         ".choices: got 0; want 1, as each is an answer of its own",
		`{"choices":[{"message":null}]}`:         ".choices[0].message: got null; want an object",
		`{"choices":[{"delta":{}}]}`:             ".choices[0]: got an object with delta; want an object with message or text",
		`{"role":"assistant","content":{"a":1}}`: ".content: got an object with a; want a text or a list of content parts",
		`{"role":"assistant","content":["a"]}`:   ".content[0]: got a text; want a content part of a known type",
		`[{"type":"text","text":5}]`:             "[0].text: got a number; want a text",
	} {
		if _, ok, err := Read(fastjson.MustParse(in)); !ok || err == nil || err.Error() != want {
			t.Errorf("%s: got %v, %v; want %s", in, ok, err, want)
		}
	}
	for in, want := range map[string]string{`{}`: "an empty object", `["a","b"]`: "a list of texts", `["a",1]`: "a list of several kinds",
		`[{"a":1}]`: "a list of objects, the first an object with a", `{"a":1,"b":2,"c":3,"d":4,"e":5}`: "an object with a, b, c, d, ..."} {
		v := fastjson.MustParse(in)
		if _, ok, err := Read(v); ok || err != nil || Describe(v) != want {
			t.Errorf("%s: got %v, %v, %s; want that it is no message, and %s", in, ok, err, Describe(v), want)
		}
	}
}
