// Package verdict reads what a judging language model replied. In: the reply as
// received. Out: right, wrong, or nothing where the reply cannot be read; a reply that
// says both is never guessed at. Time is linear in the reply. Rules are numbered as in
// docs/spec/vqa.md#r43.
package verdict

import (
	"strings"

	"github.com/valyala/fastjson"

	"plumb/render/jsontree"
	"plumb/scoring/vqa/plain"
)

// longest is how many bytes at the end of a reply are read. Judges are asked for one digit.
const longest = 64 << 10

// Parse reads a judge's reply. ok is false where it cannot be read as one verdict.
func Parse(reply string) (right, ok bool) {
	var c plain.Cleaner
	text, _ := c.Clean([]byte(reply))
	if len(text) > longest {
		text = text[len(text)-longest:]
	}
	return parse(strings.ToLower(string(text)), 0)
}

// value is the verdict that a text says.
type value int8

const (
	nothing value = iota
	wrong
	right
	both // a contradiction, which ends the search
)

// verdictOf returns the verdict of a judge who says true or false.
func verdictOf(isRight bool) value {
	if isRight {
		return right
	}
	return wrong
}

// parse applies the rules in their order; the first one that yields anything decides. depth is how
// deep s lies in strings of JSON.
func parse(s string, depth int) (isRight, ok bool) {
	for _, rule := range []func(string, int) value{whole, object, tags, marked, lines, opening, stated} {
		if v := rule(s, depth); v != nothing {
			return v == right, v != both
		}
	}
	return false, false
}

// words are the texts of verdicts. A text comes before those that begin it.
var words = []struct {
	text  string
	means value
}{
	{"not correct", wrong}, {"not right", wrong}, {"not accurate", wrong}, {"incorrect", wrong}, {"inaccurate", wrong}, {"false", wrong},
	{"wrong", wrong}, {"failed", wrong}, {"fail", wrong}, {"no", wrong}, {"0.0", wrong}, {"0", wrong},
	{"correct", right}, {"accurate", right}, {"passed", right}, {"pass", right}, {"right", right}, {"true", right}, {"yes", right},
	{"1.0", right}, {"1", right},
}

// first returns the verdict with which a judge's text begins, and the rest of s after it.
func first(s string) (v value, rest string) {
	for _, w := range words {
		if rest, ok := strings.CutPrefix(s, w.text); ok && !continues(rest) {
			return w.means, rest
		}
	}
	return nothing, s
}

// continues reports whether rest continues the word or number of a verdict before it, so that it is
// none.
func continues(rest string) bool {
	if rest == "" {
		return false
	}
	c := rest[0]
	if c == '.' || c == ',' {
		return len(rest) > 1 && digit(rest[1])
	}
	if c == '\'' { // "1's", but not the quote behind '1'
		return len(rest) > 1 && letter(rest[1])
	}
	return c >= 'a' && c <= 'z' || digit(c) || c == '%' || c == '_' || c >= 0x80
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

// around holds what may surround a verdict without a meaning.
const around = " \n\"'()[]{}<>.,;:!?"

// whole is rule 1 of reading a judge's reply: all of it is one verdict.
func whole(s string, _ int) value {
	v, rest := first(strings.TrimLeft(s, " \n\"'([{<"))
	if strings.Trim(rest, around) != "" {
		return nothing
	}
	return v
}

// members are the members of a JSON object that hold the verdict, by priority.
var members = []string{"score", "verdict", "is_correct", "correct", "judgment", "judgement", "result", "label", "grade", "rating", "output", "answer"}

// maxObjects is how many opening braces are tried as the start of an object.
const maxObjects = 16

// maxDepth is how deep a verdict may lie in strings of JSON.
const maxDepth = 3

// object is rule 2 of reading a judge's reply: a member of a JSON object in it.
func object(s string, depth int) value {
	for range maxObjects {
		at := strings.IndexByte(s, '{')
		if at < 0 || depth >= maxDepth {
			return nothing
		}
		s = s[at:]
		for _, text := range []string{s[:plain.Balanced(s)], strings.ReplaceAll(s[:plain.Balanced(s)], "'", `"`)} {
			v, err := jsontree.Parse(new(fastjson.Parser), []byte(text))
			if err != nil || v.Type() != fastjson.TypeObject {
				continue
			}
			if f := plain.Member(v.GetObject(), members); f != nil {
				return member(f, depth)
			}
		}
		s = s[1:]
	}
	return nothing
}

// member returns the verdict of a member of a judge's JSON; both where it is none.
func member(f *fastjson.Value, depth int) value {
	switch f.Type() {
	case fastjson.TypeTrue:
		return right
	case fastjson.TypeFalse:
		return wrong
	case fastjson.TypeNumber:
		x := f.GetFloat64()
		if x == 0 || x == 1 {
			return verdictOf(x == 1)
		}
	case fastjson.TypeString:
		isRight, ok := parse(strings.TrimSpace(string(f.GetStringBytes())), depth+1)
		if ok {
			return verdictOf(isRight)
		}
	}
	return both
}

// agree joins two verdicts: both where they contradict each other.
func agree(a, b value) value {
	switch {
	case a == nothing || a == b:
		return b
	case b == nothing:
		return a
	}
	return both
}

// tags is rule 3 of reading a judge's reply: the contents of tags, which must agree.
func tags(s string, _ int) (v value) {
	for _, t := range []struct{ open, close string }{{"<result>", "</"}, {"<answer>", "</"}, {"<score>", "</"}, {"<verdict>", "</"},
		{"<judgment>", "</"}, {"<judgement>", "</"}, {`\boxed{`, "}"}} {
		for rest := s; ; {
			_, after, found := strings.Cut(rest, t.open)
			if !found {
				break
			}
			content, _, closed := strings.Cut(after, t.close)
			v = agree(v, whole(content, 0))
			if !closed {
				break
			}
			rest = after
		}
	}
	return v
}
