package plain

import (
	"testing"

	"github.com/valyala/fastjson"
)

// TestFold has both ends of every range of look-alike and invisible characters, and their
// neighbours, which stay (docs/spec/vqa.md#r12).
func TestFold(t *testing.T) {
	for in, want := range map[string]string{
		"\uff00\uff01\uff5e\uff5f": "\uff00!~\uff5f",
		"\u245f\u2460\u2468\u2469": "\u245f19\u2469",
		"\u24b5\u24b6\u24cf":       "\u24b5AZ",
		"\u24d0\u24e9\u24ea":       "az\u24ea",

		"|\u200b\u200f\u2010|":             "|\u2010|",
		"|\u2060\u2064\u2065|":             "|\u2065|",
		"|\ufdff\ufe00\ufe0f\ufe10|":       "|\ufdff\ufe10|",
		"|\U000e00ff\U000e0100|":           "|\U000e00ff|",
		"|\U000e01ef\U000e01f0|":           "|\U000e01f0|",
		"|\u25ff\u2600\u27bf\u27c0|":       "|\u25ff\u27c0|",
		"|\u2aff\u2b00\u2bff\u2c00|":       "|\u2aff\u2c00|",
		"|\U0001efff\U0001f000|":           "|\U0001efff|",
		"|\U0001faff\U0001fb00|":           "|\U0001fb00|",
		"a\ufeffb\u00adc\u00acd":           "abc\u00acd",
		"\u2018\u203a\u201c\u00bb":         `''""`,
		"\u2013\u2014\u2212\u3002\u2026":   "---....",
		"a\u00a0b\u2000c\u200ad\u3000e\tf": "a b c d e f",
		"a\u2028b\u2029c\u0085d":           "a\nb\nc\nd",
		"a\r\nb\rc\r":                      "a\nb\nc\n",
		"\rb":                              "\nb",
		"a\x7fb\x80":                       "a\x7fb\ufffd",
	} {
		if got := string(AppendWithoutLookAlikes(nil, []byte(in))); got != want {
			t.Errorf("%+q: got %+q; want %+q", in, got, want)
		}
	}
	for in, want := range map[string]string{"a\tb": "a b", "a\rb": "a\nb", "\x80": "\ufffd", "é": "é", "\uff21": "A"} {
		var c Cleaner
		if got, reasoned := c.Clean([]byte(in)); string(got) != want || reasoned {
			t.Errorf("%+q cleaned: got %+q, %v; want %+q", in, got, reasoned, want)
		}
	}
}

// TestReasoning has blocks of reasoning that are closed, never closed and never opened, and what only
// looks like one (docs/spec/vqa.md#r13).
func TestReasoning(t *testing.T) {
	for _, c := range []struct {
		text, want string
		reasoned   bool
	}{
		{"<think>a</think>b", "b", true},
		{"<think></think>b", "b", true},
		{"c <REASONING >a</Reasoning  > b", "c  b", true},
		{"<thinking>a</think>b</thinking>c", "c", true},
		{"<think></thinking></think>b", "b", true},
		{"<thought>a</thought>b<thought>c</thought>d", "bd", true},
		{"b<think>a", "b", true},
		{"b<think>a</thinking>c", "b", true},
		{"<think>a</think>b<think>c", "b", true},
		{"a</think>b", "b", true},
		{"</think>b", "b", true},
		{"a<think>b</think>c</think>d", "d", true},
		{"a < b <think>c</think>d<e", "a < b d<e", true},
		{"a<b", "a<b", false},
		{"<", "<", false},
		{"a <think", "a <think", false},
		{"a <think ", "a <think", false},
		{"a <thinker>b</thinker>", "a <thinker>b</thinker>", false},
		{"<zhink>a</zhink>b", "<zhink>a</zhink>b", false},
	} {
		var cleaner Cleaner
		if got, reasoned := cleaner.Clean([]byte(c.text)); string(got) != c.want || reasoned != c.reasoned {
			t.Errorf("%q cleaned: got %q, %v; want %q, %v", c.text, got, reasoned, c.want, c.reasoned)
		}
	}
}

// TestWithoutReasoning checks that a text without reasoning stays as it is, with its white space and markup.
func TestWithoutReasoning(t *testing.T) {
	for in, want := range map[string]string{" **a** <b ": " **a** <b ", "": "", "<think>a</think> *b* ": " *b* ", " a<think>b": " a"} {
		if got := WithoutReasoning(in); got != want {
			t.Errorf("%q: got %q; want %q", in, got, want)
		}
	}
}

// TestMarkup has the markup that is removed and what looks like it and stays
// (docs/spec/vqa.md#r14).
func TestMarkup(t *testing.T) {
	var c Cleaner // the same one for all, because nothing of a text may stay for the next one
	for _, x := range []struct{ text, want string }{
		{"**a** `b` $c$", "a b c"},
		{"a\n\n- b", "a\n\nb"},
		{"-", "-"}, {"#", "#"}, {"###", "###"}, {"-5", "-5"}, {"#5", "#5"}, {">", ">"}, {">5", ">5"},
		{"# a\n## b\n> c\n- d\n> - ### e", "a\nb\nc\nd\ne"},
		{"a - b > c # d", "a - b > c # d"},
		{"*\n  - a\n  b", "a\nb"},
		{"```\na\n```", "a"}, {"  ```go\na", "a"}, {"```a``` b", "a b"}, {"x ```\ny", "x \ny"},
		{"a_b", "a_b"}, {"a__b__", "ab"}, {"a___b", "a_b"}, {"a_", "a_"}, {"_", "_"},
		{`\(a\) \[b\]`, "a b"}, {`a\`, `a\`}, {`\alpha\`, `\alpha\`}, {`\`, `\`},
		{`\text{a}`, "a"}, {`\mathrm{a}\textbf{b}\mathbf{c}\textit{d}`, "abcd"}, {`\boxed{a}`, `\boxed{a}`},
		{`\boxed{\text{a}}`, `\boxed{a}`}, {`\text{a{b}c}d`, "a{b}cd"}, {`\text{\text{a}b}c}`, "abc}"},
		{"\\text{a\nb}c", "a\nbc"}, {`*a \text{`, "a"}, {`\text{a}}{\text{b}}`, "a}{b}"}, {`*}\text{a}b}`, "}ab}"}, {`}}\text{a}`, "}}a"},
		{`\textx{a}`, `\textx{a}`},
	} {
		if got, reasoned := c.Clean([]byte(x.text)); string(got) != x.want || reasoned {
			t.Errorf("%q: got %q, %v; want %q", x.text, got, reasoned, x.want)
		}
	}
}

// TestMember checks that of several members the one with the first of the names is taken, and that
// names are compared in any case, with spaces or hyphens for underscores.
func TestMember(t *testing.T) {
	names := []string{"final_answer", "answer", "az"}
	for text, want := range map[string]string{
		`{"answer":1,"final_answer":2}`: "2", `{"final_answer":2,"answer":1}`: "2", `{"az":3,"answer":1}`: "1", `{"answer":1,"az":3}`: "1",
		`{"Final Answer":2}`: "2", `{" FINAL-ANSWER ":2}`: "2", `{"AZ":3}`: "3", `{"Az":3,"az":4}`: "3", `{"@z":3}`: "", `{"a[":3}`: "",
		`{"final+answer":2}`: "", `{"answers":1}`: "", `{"answe":1}`: "", `{}`: "",
	} {
		got := ""
		if v := Member(fastjson.MustParse(text).GetObject(), names); v != nil {
			got = v.String()
		}
		if got != want {
			t.Errorf("%s: got %q; want %q", text, got, want)
		}
	}
}

// TestBalanced checks where a JSON object ends, among braces in strings and after quotes that are
// escaped.
func TestBalanced(t *testing.T) {
	for text, want := range map[string]int{
		`{}`: 2, `{}}`: 2, `{"a":{"b":{}}} {}`: 14, `{"}":1}x`: 7, `{"{":1}x`: 7, `{"\"}":1}x`: 9, `{"\\":1}x`: 8, `{`: 0, `{"}`: 0, `{"a":{}`: 0, ``: 0, `a`: 0,
		`{\}`: 3, `{"a\`: 0,
	} {
		if got := Balanced(text); got != want {
			t.Errorf("%s: got %d; want %d", text, got, want)
		}
		if got := Balanced([]byte(text)); got != want {
			t.Errorf("%s as bytes: got %d; want %d", text, got, want)
		}
	}
}
