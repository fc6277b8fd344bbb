// Package verdict reads what a judging language model replied: right, wrong or neither. In: the reply as
// received. Out: right, wrong, or nothing where the reply cannot be read; a reply that says both is never
// guessed at. Time is linear in the reply. Rules are numbered as in docs/spec/vqa.md#r43.
package verdict

import (
	"strings"

	"github.com/valyala/fastjson"

	"plumb/render/jsontree"
	"plumb/scoring/vqa/plain"
)

// maxReplyBytes is how many bytes at the end of a reply are read. Judges are asked for one digit.
const maxReplyBytes = 64 << 10

// Parse reads what a judge replied about an answer: right or wrong. Only the last maxReplyBytes of
// the reply count. ok is false where it cannot be read as one verdict, or says both.
func Parse(reply string) (right, ok bool) {
	var cleaner plain.Cleaner
	text, _ := cleaner.Clean([]byte(reply))
	if len(text) > maxReplyBytes {
		text = text[len(text)-maxReplyBytes:]
	}
	return applyRules(strings.ToLower(string(text)), 0)
}

// verdict is the verdict that a text says.
type verdict int8

const (
	noVerdict verdict = iota
	wrong
	right
	contradiction // both, or a verdict that cannot be read; it ends the search
)

// verdictOf returns the verdict of a judge who says true or false.
func verdictOf(isRight bool) verdict {
	if isRight {
		return right
	}
	return wrong
}

// applyRules reads a judge's reply, in lower case, by the rules in their order: the first one that
// finds a verdict or a contradiction decides. depth is how many JSON strings text lies in; only readObject
// uses it. ok is false where no rule decides, and for a contradiction.
func applyRules(text string, depth int) (isRight, ok bool) {
	for _, rule := range []func(string, int) verdict{readWhole, readObject, readTags, readMarked, readLines,
		readOpening, readStated} {
		if found := rule(text, depth); found != noVerdict {
			return found == right, found != contradiction
		}
	}
	return false, false
}

// verdictWords are the texts of verdicts. A text comes before the shorter ones with which it begins, as "0.0"
// before "0".
var verdictWords = []struct {
	text  string
	means verdict
}{
	{"not correct", wrong}, {"not right", wrong}, {"not accurate", wrong}, {"incorrect", wrong},
	{"inaccurate", wrong}, {"false", wrong},
	{"wrong", wrong}, {"failed", wrong}, {"fail", wrong}, {"no", wrong}, {"0.0", wrong}, {"0", wrong},
	{"correct", right}, {"accurate", right}, {"passed", right}, {"pass", right}, {"right", right}, {"true", right},
	{"yes", right},
	{"1.0", right}, {"1", right},
}

// leadingVerdict returns the verdict with which text, a part of a judge's reply, begins, as a whole word or
// number (see wordContinues), and the rest of text after it. It returns noVerdict and text where there is none.
func leadingVerdict(text string) (v verdict, rest string) {
	for _, word := range verdictWords {
		if rest, ok := strings.CutPrefix(text, word.text); ok && !wordContinues(rest) {
			return word.means, rest
		}
	}
	return noVerdict, text
}

// wordContinues reports whether rest continues the word or number before it in a judge's reply, so
// that the word is not a verdict: "1" in "1.5", "12" or "1st".
func wordContinues(rest string) bool {
	if rest == "" {
		return false
	}
	c := rest[0]
	if c == '.' || c == ',' {
		return len(rest) > 1 && isDigit(rest[1])
	}
	if c == '\'' { // "1's", but not the quote after '1'
		return len(rest) > 1 && isWordByte(rest[1])
	}
	return c >= 'a' && c <= 'z' || isDigit(c) || c == '%' || c == '_' || c >= 0x80
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// What may stand around a verdict without a meaning: characters before it, and around it.
const (
	opening      = " \n\"'([{<"
	surroundings = " \n\"'()[]{}<>.,;:!?"
)

// readWhole is rule 1 of reading a judge's reply: all of it is one verdict, with quotes, brackets and
// punctuation around it. It is also applied to single lines and to the contents of tags.
func readWhole(text string, _ int) verdict {
	verdict, rest := leadingVerdict(strings.TrimLeft(text, opening))
	if strings.Trim(rest, surroundings) != "" {
		return noVerdict
	}
	return verdict
}

// verdictMembers are the members of a JSON object that hold the verdict, by priority.
var verdictMembers = []string{"score", "verdict", "is_correct", "correct", "judgment", "judgement", "result",
	"label", "grade", "rating", "output", "answer"}

// maxObjects is how many opening braces are tried as the start of an object.
const maxObjects = 16

// maxDepth is how deep a verdict may lie in strings of JSON.
const maxDepth = 3

// readObject is rule 2 of reading a judge's reply: one of verdictMembers in the first JSON
// object that has one. An object with single quotes is tried with double ones. Objects after
// the first maxObjects braces, or deeper than maxDepth, are not read.
func readObject(text string, depth int) verdict {
	for range maxObjects {
		pos := strings.IndexByte(text, '{')
		if pos < 0 || depth >= maxDepth {
			return noVerdict
		}
		text = text[pos:]
		object := text[:plain.Balanced(text)] // empty where no brace closes it
		withDoubleQuotes := strings.ReplaceAll(object, "'", `"`)
		for _, form := range []string{object, withDoubleQuotes} {
			parsed, err := jsontree.Parse(new(fastjson.Parser), []byte(form))
			if err != nil || parsed.Type() != fastjson.TypeObject {
				continue
			}
			if member := plain.Member(parsed.GetObject(), verdictMembers); member != nil {
				return memberVerdict(member, depth)
			}
		}
		text = text[1:] // the next object may begin within this one
	}
	return noVerdict
}

// memberVerdict returns the verdict that a member of a judge's JSON holds: a boolean, 0, 1,
// or a string that is read by all rules. Any other value is a contradiction, which ends the
// search: the judge named a verdict, but it cannot be read.
func memberVerdict(value *fastjson.Value, depth int) verdict {
	switch value.Type() {
	case fastjson.TypeTrue:
		return right
	case fastjson.TypeFalse:
		return wrong
	case fastjson.TypeNumber:
		x := value.GetFloat64()
		if x == 0 || x == 1 {
			return verdictOf(x == 1)
		}
	case fastjson.TypeString:
		isRight, ok := applyRules(strings.TrimSpace(string(value.GetStringBytes())), depth+1)
		if ok {
			return verdictOf(isRight)
		}
	}
	return contradiction
}

// joinVerdicts returns what two places of a judge's reply say together: the verdict of one if the
// other is noVerdict, or a contradiction if they differ.
func joinVerdicts(a, b verdict) verdict {
	switch {
	case a == noVerdict || a == b:
		return b
	case b == noVerdict:
		return a
	}
	return contradiction
}

// readTags is rule 3 of reading a judge's reply: the verdicts in tags such as <score> and in
// \boxed{}. Different ones are a contradiction; contents without a verdict are skipped. The contents of a tag
// that is not closed reach to the end of the reply.
func readTags(text string, _ int) (verdict verdict) {
	for _, tag := range []struct{ open, close string }{{"<result>", "</"}, {"<answer>", "</"}, {"<score>", "</"},
		{"<verdict>", "</"},
		{"<judgment>", "</"}, {"<judgement>", "</"}, {`\boxed{`, "}"}} {
		for rest := text; ; {
			_, after, found := strings.Cut(rest, tag.open)
			if !found {
				break
			}
			content, _, closed := strings.Cut(after, tag.close)
			verdict = joinVerdicts(verdict, readWhole(content, 0))
			if !closed {
				break
			}
			rest = after // and not after the closing tag, so that a tag within the contents is found too
		}
	}
	return verdict
}
