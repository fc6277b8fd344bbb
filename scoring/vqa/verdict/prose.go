package verdict

import "strings"

// nouns are words for a verdict (rule 4).
var nouns = []string{"score", "verdict", "output", "result", "judgement", "judgment", "grade", "rating", "evaluation", "answer", "label", "decision"}

// marked is rule 4 of reading a judge's reply: the last verdict after a word such as score, "score:
// 1", unless another choice follows it ("0 or 1").
func marked(s string, _ int) (last value) {
	for i := range len(s) {
		if i > 0 && letter(s[i-1]) {
			continue
		}
		rest, ok := cutAny(s[i:], nouns)
		if !ok {
			continue
		}
		rest, ok = linked(rest)
		if !ok {
			continue
		}
		v, rest := first(strings.TrimLeft(rest, " \n\"'([{<"))
		rest = strings.TrimLeft(rest, " \"')]}>")
		if v == nothing || strings.HasPrefix(rest, "/") || strings.HasPrefix(rest, "|") || word(rest, "or") || word(rest, "out of") {
			continue
		}
		last = v
	}
	return last
}

// letter reports whether a byte of text in lower case belongs to a word or number.
func letter(c byte) bool { return c >= 'a' && c <= 'z' || digit(c) || c >= 0x80 }

// cutAny cuts the first word of the list that begins s, a part of a judge's reply. ok is false
// where there is none.
func cutAny(s string, list []string) (rest string, ok bool) {
	for _, w := range list {
		if word(s, w) {
			return s[len(w):], true
		}
	}
	return s, false
}

// word reports whether s begins with the whole word w.
func word(s, w string) bool {
	return strings.HasPrefix(s, w) && (len(s) == len(w) || !letter(s[len(w)]))
}

// linked cuts "is", ":", "=" or "->" after a word such as score from a judge's reply. ok is false
// where there is none.
func linked(s string) (rest string, ok bool) {
	s = strings.TrimLeft(s, " \"'")
	for _, w := range []string{":", "=", "->"} {
		if rest, ok := strings.CutPrefix(s, w); ok {
			return strings.TrimLeft(rest, " =>"), true
		}
	}
	if word(s, "is") {
		return strings.TrimLeft(s[len("is"):], " :="), true
	}
	return s, false
}

// lines is rule 5 of reading a judge's reply: the first or the last of several lines is a verdict.
// If both are, they must agree.
func lines(s string, _ int) value {
	s = strings.TrimSpace(s)
	i := strings.IndexByte(s, '\n')
	if i < 0 {
		return nothing
	}
	return agree(whole(s[:i], 0), whole(s[strings.LastIndexByte(s, '\n')+1:], 0))
}

// opening is rule 6 of reading a judge's reply: a verdict at its start with a punctuation mark
// after it.
func opening(s string, _ int) value {
	v, rest := first(strings.TrimLeft(s, " \n\"'([{<"))
	rest = strings.TrimLeft(rest, "\"')]}>")
	if v == nothing || rest == "" || !strings.ContainsRune(".,;:!?", rune(rest[0])) && !strings.HasPrefix(rest, " -") && rest[0] != '-' {
		return nothing
	}
	if next, _ := first(strings.TrimLeft(rest, " \n\"'([{<.,;:!?-")); next != nothing && next != v {
		return nothing // "0, 1"
	}
	return v
}

// subjects and verdicts are those of rule 7.
var (
	subjects = []string{"answer", "response", "prediction", "output", "it"}
	verdicts = []string{"correct", "incorrect", "right", "wrong", "accurate", "inaccurate", "true", "false"}
)

// stated is rule 7 of reading a judge's reply: statements about the answer ("it is correct"), which
// must agree.
func stated(s string, _ int) (all value) {
	for i := range len(s) {
		if i > 0 && letter(s[i-1]) {
			continue
		}
		rest, ok := cutAny(s[i:], subjects)
		if !ok {
			continue
		}
		rest, ok = cutAny(strings.TrimLeft(rest, " "), []string{"is", "was"})
		if !ok {
			continue
		}
		rest = strings.TrimLeft(rest, " ")
		not := word(rest, "not")
		if not {
			rest = strings.TrimLeft(rest[len("not"):], " ")
		}
		if _, ok := cutAny(rest, verdicts); !ok {
			continue
		}
		v, _ := first(rest)
		if not && v != nothing {
			v = wrong + right - v
		}
		all = agree(all, v)
	}
	return all
}
