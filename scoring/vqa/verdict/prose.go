package verdict

import "strings"

// verdictNouns are words for a verdict (rule 4).
var verdictNouns = []string{"score", "verdict", "output", "result", "judgement", "judgment", "grade", "rating",
	"evaluation", "answer", "label", "decision"}

// readMarked is rule 4 of reading a judge's reply: the last verdict after a word such as
// score with a link, as in "score: 1". A verdict with another choice after it ("0 or 1",
// "1/2") does not count. s is in lower case.
func readMarked(s string, _ int) (last verdict) {
	for i := range len(s) {
		if i > 0 && isWordByte(s[i-1]) {
			continue // within a word
		}
		rest, ok := cutAny(s[i:], verdictNouns)
		if !ok {
			continue
		}
		rest, ok = cutLink(rest)
		if !ok {
			continue
		}
		v, rest := leadingVerdict(strings.TrimLeft(rest, " \n\"'([{<"))
		rest = strings.TrimLeft(rest, " \"')]}>")
		if v == noVerdict || strings.HasPrefix(rest, "/") || strings.HasPrefix(rest, "|") ||
			startsWithWord(rest, "or") || startsWithWord(rest, "out of") {
			continue
		}
		last = v
	}
	return last
}

// isWordByte reports whether a byte of text in lower case belongs to a word or number.
func isWordByte(c byte) bool { return c >= 'a' && c <= 'z' || isDigit(c) || c >= 0x80 }

// cutAny cuts the first of the words with which s, a judge's reply, begins, as a whole word. ok is
// false where it begins with none of them.
func cutAny(s string, words []string) (rest string, ok bool) {
	for _, word := range words {
		if startsWithWord(s, word) {
			return s[len(word):], true
		}
	}
	return s, false
}

// startsWithWord reports whether s begins with the whole word w.
func startsWithWord(s, w string) bool {
	return strings.HasPrefix(s, w) && (len(s) == len(w) || !isWordByte(s[len(w)]))
}

// cutLink cuts what links a word of a judge's reply, such as score, with its verdict: "is", ":",
// "=" or "->", with spaces and quotes around. ok is false where there is no link.
func cutLink(s string) (rest string, ok bool) {
	s = strings.TrimLeft(s, " \"'")
	for _, sign := range []string{":", "=", "->"} {
		if rest, ok := strings.CutPrefix(s, sign); ok {
			return strings.TrimLeft(rest, " =>"), true
		}
	}
	if startsWithWord(s, "is") {
		return strings.TrimLeft(s[len("is"):], " :="), true
	}
	return s, false
}

// readLines is rule 5 of reading a judge's reply: the first or the last of several lines is
// a verdict. Two different ones are a contradiction.
func readLines(s string, _ int) verdict {
	s = strings.TrimSpace(s)
	i := strings.IndexByte(s, '\n')
	if i < 0 {
		return noVerdict
	}
	return joinVerdicts(readWhole(s[:i], 0), readWhole(s[strings.LastIndexByte(s, '\n')+1:], 0))
}

// readOpening is rule 6 of reading a judge's reply: a verdict at its start with punctuation
// after it, unless the other verdict follows at once, as in "0, 1".
func readOpening(s string, _ int) verdict {
	v, rest := leadingVerdict(strings.TrimLeft(s, " \n\"'([{<"))
	rest = strings.TrimLeft(rest, "\"')]}>")
	punctuated := rest != "" && strings.ContainsRune(".,;:!?-", rune(rest[0])) || strings.HasPrefix(rest, " -")
	if v == noVerdict || !punctuated {
		return noVerdict
	}
	if next, _ := leadingVerdict(strings.TrimLeft(rest, " \n\"'([{<.,;:!?-")); next != noVerdict && next != v {
		return noVerdict // "0, 1"
	}
	return v
}

// subjects and verdicts are those of rule 7.
var (
	subjects          = []string{"answer", "response", "prediction", "output", "it"}
	verdictAdjectives = []string{"correct", "incorrect", "right", "wrong", "accurate", "inaccurate", "true", "false"}
)

// readStated is rule 7 of reading a judge's reply: statements about the answer such as "it
// is correct" or "the answer was not right". Different ones are a contradiction.
func readStated(s string, _ int) (all verdict) {
	for i := range len(s) {
		if i > 0 && isWordByte(s[i-1]) {
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
		not := startsWithWord(rest, "not")
		if not {
			rest = strings.TrimLeft(rest[len("not"):], " ")
		}
		if _, ok := cutAny(rest, verdictAdjectives); !ok {
			continue
		}
		v, _ := leadingVerdict(rest)
		if not && v != noVerdict {
			v = wrong + right - v // the other one of the two
		}
		all = joinVerdicts(all, v)
	}
	return all
}
