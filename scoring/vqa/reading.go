package vqa

import (
	"bytes"
	"unicode/utf8"

	"plumb/scoring"
)

// reading returns which part of an answer decides: the bytes that name an option, or the text that
// a judge decides about. It implements scoring.Suite.Reading.
func (suite *suite) reading(item *scoring.Item, variants scoring.Variants) (from, to int, ok bool) {
	r := suite.pool.Get().(*reader)
	defer suite.pool.Put(r)
	var j job
	if err := suite.readQuestion(r, item, variants, &j); err != nil {
		return 0, 0, false
	}
	answer := item.Fields.GetStringBytes("response")
	if j.format == formatOpen {
		return sentPart(answer, variants.On(SelfReflection))
	}
	strict := suite.benchmark == spatialab && variants[Profile] == "strict"
	got := r.choice.Read(answer, strict)
	// As in readChoice, a judge decides an answer to SpaCE-Eval that the policy does not leave to the rules.
	byPolicy := variants[Policy] == "never" || variants[Policy] == "fallback" && got.Option >= 0
	if suite.benchmark == spatialab || got.Literal || byPolicy {
		return r.choice.Where(answer, strict)
	}
	return sentPart(answer, false)
}

// sentPart returns which part of an answer a judge gets (see textForJudge), from its first to its
// last character. A reasoning block between them is included.
func sentPart(answer []byte, lastAnswer bool) (from, to int, ok bool) {
	sent := []byte(textForJudge(answer, lastAnswer))
	if len(sent) == 0 {
		return 0, 0, false
	}
	if at := bytes.LastIndex(answer, sent); at >= 0 {
		return at, at + len(sent), true
	}
	// What the judge gets is no part of the answer as it stands, because something in it was taken out or
	// replaced. So look for its first and its last bytes.
	const probe = 64 // bytes at each end
	first, last := sent[:min(len(sent), probe)], sent[max(0, len(sent)-probe):]
	for len(first) > 0 && !utf8.Valid(first) {
		first = first[:len(first)-1]
	}
	for len(last) > 0 && !utf8.RuneStart(last[0]) {
		last = last[1:]
	}
	from, to = bytes.Index(answer, first), bytes.LastIndex(answer, last)
	if from < 0 || to < from {
		return 0, len(answer), true
	}
	return from, to + len(last), true
}
