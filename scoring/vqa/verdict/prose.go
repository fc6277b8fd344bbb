package verdict

import "strings"

// verdictNouns are words for a verdict (rule 4).
var verdictNouns = []string{"score", "verdict", "output", "result", "judgement", "judgment", "grade", "rating",
	"evaluation", "answer", "label", "decision"}

// readMarked is rule 4 of reading a judge's reply: the last verdict after a word such as
// score with a link, as in "score: 1". A verdict with another choice after it ("0 or 1",
// "1/2") does not count. text is in lower case.
func readMarked(text string, _ int) (last verdict) {
	for i := range len(text) {
		if i > 0 && isWordByte(text[i-1]) {
			continue // within a word
		}
		rest, ok := cutAny(text[i:], verdictNouns)
		if !ok {
			continue
		}
		rest, ok = cutLink(rest)
		if !ok {
			continue
		}
		verdict, rest := leadingVerdict(strings.TrimLeft(rest, opening))
		rest = strings.TrimLeft(rest, " \"')]}>")
		choiceFollows := strings.HasPrefix(rest, "/") || strings.HasPrefix(rest, "|") ||
			startsWithWord(rest, "or") || startsWithWord(rest, "out of")
		if verdict != noVerdict && !choiceFollows {
			last = verdict
		}
	}
	return last
}

// isWordByte reports whether a byte of text in lower case belongs to a word or number.
func isWordByte(c byte) bool { return c >= 'a' && c <= 'z' || isDigit(c) || c >= 0x80 }

// cutAny returns what follows the one of the words with which text, a judge's reply, begins, as a whole word.
// ok is false where it begins with none of them.
func cutAny(text string, words []string) (rest string, ok bool) {
	for _, word := range words {
		if startsWithWord(text, word) {
			return text[len(word):], true
		}
	}
	return text, false
}

// startsWithWord reports whether text begins with the whole word.
func startsWithWord(text, word string) bool {
	return strings.HasPrefix(text, word) && (len(text) == len(word) || !isWordByte(text[len(word)]))
}

// cutLink cuts what links a word of a judge's reply, such as score, with its verdict: "is", ":",
// "=" or "->", with spaces and quotes around. ok is false where there is no link.
func cutLink(text string) (rest string, ok bool) {
	text = strings.TrimLeft(text, " \"'")
	for _, sign := range []string{":", "=", "->"} {
		if rest, ok := strings.CutPrefix(text, sign); ok {
			return strings.TrimLeft(rest, " =>"), true
		}
	}
	if startsWithWord(text, "is") {
		return strings.TrimLeft(text[len("is"):], " :="), true
	}
	return text, false
}

// readLines is rule 5 of reading a judge's reply: the first or the last of several lines is
// a verdict. Two different ones are a contradiction.
func readLines(text string, _ int) verdict {
	text = strings.TrimSpace(text)
	i := strings.IndexByte(text, '\n')
	if i < 0 {
		return noVerdict
	}
	return joinVerdicts(readWhole(text[:i], 0), readWhole(text[strings.LastIndexByte(text, '\n')+1:], 0))
}

// readOpening is rule 6 of reading a judge's reply: a verdict at its start with punctuation
// after it, unless the other verdict follows at once, as in "0, 1".
func readOpening(text string, _ int) verdict {
	verdict, rest := leadingVerdict(strings.TrimLeft(text, opening))
	rest = strings.TrimLeft(rest, "\"')]}>")
	punctuated := rest != "" && strings.ContainsRune(".,;:!?-", rune(rest[0])) || strings.HasPrefix(rest, " -")
	if verdict == noVerdict || !punctuated {
		return noVerdict
	}
	if next, _ := leadingVerdict(strings.TrimLeft(rest, " \n\"'([{<.,;:!?-")); next != noVerdict && next != verdict {
		return noVerdict // "0, 1"
	}
	return verdict
}

// The words of rule 7: what a statement is about, and what it says. These are all verdictWords, but not the
// other way round: "it is no surprise" says nothing about the answer.
var (
	subjects          = []string{"answer", "response", "prediction", "output", "it"}
	verdictAdjectives = []string{"correct", "incorrect", "right", "wrong", "accurate", "inaccurate", "true", "false"}
)

// readStated is rule 7 of reading a judge's reply: statements about the answer such as "it
// is correct" or "the answer was not right". Different ones are a contradiction.
func readStated(text string, _ int) (all verdict) {
	for i := range len(text) {
		if i > 0 && isWordByte(text[i-1]) {
			continue
		}
		rest, ok := cutAny(text[i:], subjects)
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
		// leadingVerdict says which verdict the adjective is. It may find none, because to it more characters
		// continue a word, such as % and _.
		verdict, _ := leadingVerdict(rest)
		if not && verdict != noVerdict {
			verdict = verdictOf(verdict == wrong) // the other one of the two
		}
		all = joinVerdicts(all, verdict)
	}
	return all
}
