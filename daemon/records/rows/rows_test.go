package rows

import (
	"strings"
	"testing"

	"github.com/valyala/fastjson"

	"plumb/render/jsontree"
)

// TestRow checks the columns of a row.
func TestRow(t *testing.T) {
	for _, c := range []struct{ row, response, want string }{
		{`{"id":7,"model":"m","suite":"s","test":"t","response":"","finish_reason":"max_tokens","completion_tokens":3.0}`, "", "7|m|s|t||length|3|"},
		{`{"id":"x","response":null,"prediction":"a"}`, "", "x||||a||-1|"},
		{`{"id":"x","text":"b","response":"a"}`, "text", "x||||b||-1|"},
		{`{"id":"x","response":null}`, "", "x||||||-1|no_response "},
		{`{"id":"x","text":null,"response":"a"}`, "text", "x||||||-1|no_response "},
		{`{"id":"x","response":12.50}`, "", "x||||12.50||-1|"},
		{`{"id":"x","response":{"updateShapes":[]}}`, "", `x||||{"updateShapes":[]}||-1|`},
		{`{"id":"x","response":["a"]}`, "", "x||||||0|fault column response: got a list of texts; want a text or chat messages"},
		{`{"id":"x","response":[{"role":"user","content":"q"},{"role":"assistant","content":"a","reasoning_content":"h"}]}`, "", "x||||a||-1|thought h"},
		{`{"id":"x","response":[{"role":"user","content":"q"}]}`, "", "x||||||0|fault column response: got no message of role assistant"},
	} {
		r := Row(fastjson.MustParse(c.row), Options{AnswerColumn: c.response})
		end := ""
		switch {
		case r.Missing != nil:
			end = r.Missing.Code + " " + r.Missing.Message
		case r.Fault != "":
			end = "fault " + r.Fault
		case r.Reasoning != "":
			end = "thought " + r.Reasoning
		}
		got := strings.Join([]string{r.Key, r.Model, r.Suite, r.Test, r.Response, r.FinishReason, string(jsontree.Append(nil, number(r.Usage.Completion))), end}, "|")
		if got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.row, got, c.want)
		}
	}
}

func number(n int) *fastjson.Value { return new(fastjson.Arena).NewNumberInt(n) }

// TestStrip checks that nulls go at every depth, also in JSON that a column holds as text.
func TestStrip(t *testing.T) {
	v := fastjson.MustParse(`{"id":"x","task":"{\"a\":null,\"b\":[{\"c\":null}]}","label":{"id":null,"l":[null,1]},"options":"no JSON","shapes":"[1"}`)
	Row(v, Options{})
	if got, want := string(jsontree.Append(nil, v)), `{"id":"x","label":{"l":[null,1]},"options":"no JSON","shapes":"[1","task":{"b":[{}]}}`; !sameMembers(got, want) {
		t.Errorf("got %s; want %s", got, want)
	}
}

// sameMembers compares two flat texts of objects whatever the order of members.
func sameMembers(a, b string) bool {
	x, y := fastjson.MustParse(a), fastjson.MustParse(b)
	same := x.GetObject().Len() == y.GetObject().Len()
	x.GetObject().Visit(func(key []byte, v *fastjson.Value) {
		w := y.Get(string(key))
		same = same && w != nil && string(jsontree.Append(nil, v)) == string(jsontree.Append(nil, w))
	})
	return same
}

// TestAnswer checks which column holds the answers.
func TestAnswer(t *testing.T) {
	for _, c := range []struct{ columns, flag, want string }{
		{"id,output,response", "", "response"},
		{"id,output,response", "output", "output"},
		{"a,b", "", "no column that holds answers (columns: a, b); want --response FIELD"},
		{"a,b", "c", `no column "c", which --response names (columns: a, b)`},
	} {
		got, err := AnswerColumn(strings.Split(c.columns, ","), Options{AnswerColumn: c.flag})
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s, %q: got %s; want %s", c.columns, c.flag, got, c.want)
		}
	}
}

// TestVLMEvalKit checks what stands in place of predictions.
func TestVLMEvalKit(t *testing.T) {
	for _, c := range []struct{ row, response, missing, note string }{
		{`{"index":1,"prediction":" A "}`, " A ", "", ""},
		{`{"index":1,"prediction":"Failed to obtain answer via API."}`, "", "Failed to obtain answer via API.", ""},
		{`{"index":1,"prediction":null}`, "", "the prediction is missing", ""},
		{`{"index":1}`, "", "the prediction is missing", ""},
		{`{"index":1,"prediction":"nan"}`, "nan", "", "empty_word"},
		{`{"index":1,"prediction":3}`, "3", "", ""},
	} {
		r := VLMEvalKit(fastjson.MustParse(c.row), Options{})
		missing, note := "", ""
		if r.Missing != nil {
			missing = r.Missing.Message
		}
		if len(r.Notes) > 0 {
			note = r.Notes[0].Code
		}
		if r.Response != c.response || missing != c.missing || note != c.note || r.Key != "1" {
			t.Errorf("%s: got %q, %q, %q, key %q", c.row, r.Response, missing, note, r.Key)
		}
	}
}

// TestModel checks the model that folders name. See docs/spec/dumps-files.md#r6.
func TestModel(t *testing.T) {
	for path, want := range map[string]string{
		"out/GPT4o_HIGH/T1/GPT4o_HIGH_MCQ.xlsx":   "GPT4o_HIGH",
		"GPT4o/GPT4o_HIGH/T1/GPT4o_HIGH_MCQ.xlsx": "GPT4o_HIGH",
		"a/b/GPT4o_HIGH_MCQ.xlsx":                 "",
		"x.xlsx":                                  "",
	} {
		if got := Model(path); got != want {
			t.Errorf("%s: got %q; want %q", path, got, want)
		}
	}
}
