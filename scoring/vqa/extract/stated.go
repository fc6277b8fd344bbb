package extract

// The words of statements (docs/spec/vqa.md#r23) and of what follows them
// (docs/spec/vqa.md#r24).
var (
	answerNouns   = [...]string{"answer", "option", "choice", "selection", "prediction"}
	linkVerbs     = [...]string{"is", "was", "would be", "should be", "must be", "will be"}
	choosingVerbs = [...]string{"choose", "select", "pick", "go with", "opt for", "answer", "vote for"}
	auxiliaries   = [...]string{"would", "will", "'ll", "'d"}
	denials       = [...]string{"not", "none", "neither", "unknown"}
	hedges        = [...]string{"most likely", "likely", "probably", "definitely", "clearly", "certainly", "surely",
		"obviously", "possibly", "perhaps",
		"maybe", "simply", "therefore", "thus", "indeed", "actually", "really", "most probably", "still", "just",
		"either"}
	fillers       = [...]string{"the", "option", "choice", "letter", "number"}
	seemingVerbs  = [...]string{"is", "seems", "looks", "appears", "must be", "would be"}
	praisingWords = [...]string{"correct", "right", "best", "accurate", "appropriate", "answer", "true"}
)

// readStatements is stage 4: it reads explicit statements in an answer, such as "the answer is B",
// "I choose B" or "B is correct". The last one that names an option, or is invalid, decides. ok is
// false where there is none. lower is s in lower case.
func (r *Reader) readStatements(s, lower []byte) (got Reading, ok bool) {
	for i := 0; i < len(lower); i++ {
		if wordEndsAt(lower, i) {
			continue
		}
		rest := -1
		switch first := lower[i]; { // the first byte tells which form of statement is possible
		case first == 'a' || first == 'o' || first == 'c' || first == 's' || first == 'p':
			rest = afterNoun(lower, i)
		case first == 'i':
			rest = afterVerb(lower, i)
		case first == 0xe7: // of the Chinese word for answer
			rest = afterChinese(lower, i)
		}
		if rest >= 0 {
			if reading, yields := r.readStatementRest(s, lower, rest); yields {
				got, ok = reading, true
			}
			continue
		}
		if reading, yields := r.readReversed(s, lower, i); yields {
			got, ok = reading, true
		}
	}
	return got, ok
}

// afterNoun returns where the rest of a statement begins after a noun with a link, such as
// "answer is", "option:" or "choice ->", that starts at lower[i]; -1 if there is none.
func afterNoun(lower []byte, i int) int {
	for _, noun := range answerNouns {
		if !hasWord(lower, i, noun) {
			continue
		}
		at := i + len(noun)
		at = skipBlank(lower, at)
		switch {
		case at < len(lower) && (lower[at] == ':' || lower[at] == '='):
			return at + 1
		case at+1 < len(lower) && lower[at] == '-' && lower[at+1] == '>':
			return at + 2
		}
		return afterAny(lower, at, linkVerbs[:])
	}
	return -1
}

// afterAny returns the position after the first of the words that stands at lower[i] of an answer,
// or -1 if none does. Phrases must come before their own beginnings in the list.
func afterAny(lower []byte, i int, words []string) int {
	for _, word := range words {
		if hasWord(lower, i, word) {
			return i + len(word)
		}
	}
	return -1
}

// afterVerb returns where the rest of a statement begins after words such as "I choose" or
// "I'd pick" that start at lower[i]; -1 if they are not there.
func afterVerb(lower []byte, i int) int {
	at := i + 1
	hasAuxiliary := false
	if end := skipBlank(lower, at); end > at {
		at = end
	} else if at >= len(lower) || lower[at] != '\'' {
		return -1
	}
	if end := afterAny(lower, at, auxiliaries[:]); end >= 0 {
		at, hasAuxiliary = skipBlank(lower, end), true
	}
	if !hasAuxiliary && lower[i+1] == '\'' { // "i'" of something else
		return -1
	}
	return afterAny(lower, at, choosingVerbs[:])
}

// skipBlank returns the position of the first byte from s[i] on that is not a space. Line
// ends stop it.
func skipBlank(s []byte, i int) int {
	return skipWhile(s, i, func(b byte) bool { return b == ' ' })
}

// afterChinese returns where the rest of a statement begins after the Chinese word for
// answer at lower[i], an optional word for "is" and a colon; -1 if the word is not there.
func afterChinese(lower []byte, i int) int {
	const answer = "答案"
	if i+len(answer) > len(lower) || string(lower[i:i+len(answer)]) != answer {
		return -1
	}
	i = skipBlank(lower, i+len(answer))
	for _, word := range [...]string{"是", "为", "选"} {
		if i+len(word) <= len(lower) && string(lower[i:i+len(word)]) == word {
			i = skipBlank(lower, i+len(word))
			break
		}
	}
	if i < len(lower) && lower[i] == ':' {
		i++
	}
	return i
}

// readStatementRest reads which option the rest of a statement in an answer, from s[i] on, names,
// after marks and up to maxFillers filler words. yields is false where it names none, or begins
// with a denial such as "not".
func (r *Reader) readStatementRest(s, lower []byte, i int) (got Reading, yields bool) {
	i = skipBlank(lower, i)
	for i < len(lower) && (lower[i] == ':' || lower[i] == '=' || lower[i] == '-' && i+1 < len(lower) &&
		lower[i+1] == '>' || lower[i] == ' ') {
		i++
		if lower[i-1] == '-' {
			i++
		}
	}
	if i < len(lower) && lower[i] == '\n' {
		i = skipSpace(lower, i)
	}
	if afterAny(lower, skipMarks(lower, i), denials[:]) >= 0 {
		return got, false
	}
	saidOption := false
	for range maxFillers {
		if got, yields := r.readNamed(s, lower, i, saidOption); yields {
			return got, true
		}
		next, isOption := skipFiller(lower, i)
		if next == i {
			return got, false
		}
		i, saidOption = next, isOption
	}
	return got, false
}

// maxFillers is how many filler words are skipped at the start of a statement's rest.
const maxFillers = 8

// skipMarks returns the position of the first byte of an answer from s[i] on that is not a space,
// quote or opening bracket.
func skipMarks(s []byte, i int) int {
	for i < len(s) && (isQuote(s[i]) || isOpener(s[i]) || s[i] == ' ') {
		i++
	}
	return i
}

// skipFiller skips one adverb, article or word such as "option" at lower[i] of an answer, with what
// separates it from the next word; next is i if there is none. saidOption says whether it was
// "option".
func skipFiller(lower []byte, i int) (next int, saidOption bool) {
	for _, word := range hedges {
		if hasWord(lower, i, word) {
			i = skipBlank(lower, i+len(word))
			if i < len(lower) && lower[i] == ',' {
				i = skipBlank(lower, i+1)
			}
			return i, false
		}
	}
	for _, word := range fillers {
		if hasWord(lower, i, word) {
			i = skipBlank(lower, i+len(word))
			if i < len(lower) && (lower[i] == ':' || lower[i] == '#') {
				i = skipBlank(lower, i+1)
			}
			return i, word == "option"
		}
	}
	return i, false
}

// readNamed reads the label or text of an option at s[i] in the rest of a statement. A label
// decides before a text, unless the question has no such label. Two labels, or a label with
// another option's text, make the answer invalid. saidOption reports whether the word
// "option" precedes it. yields is false where neither is there.
func (r *Reader) readNamed(s, lower []byte, i int, saidOption bool) (got Reading, yields bool) {
	l, ok := r.labelAt(s, i)
	ok = ok && isPlausible(s, l) && (!l.letterForNumber || restIsMarks(s, l.to))
	text, end := r.optionTextAt(lower, i)
	if !ok || !r.isOption(l) && text >= 0 {
		if text >= 0 && end > i {
			return optionFound(stageStatements, text), true
		}
		return got, false
	}
	switch {
	case saidOption && r.namesOtherOption(l):
		return invalidAnswer(stageStatements, Ambiguous), true
	case !r.isOption(l) && !l.upperOrDigit, !r.isOption(l) && l.option == 8:
		return got, false // a word of one letter, such as I
	case !r.isOption(l):
		return invalidAnswer(stageStatements, OutOfRange), true
	case r.secondLabelFollows(s, l):
		return invalidAnswer(stageStatements, Multiple), true
	case r.otherTextFollows(lower, l):
		return invalidAnswer(stageStatements, Conflict), true
	}
	return optionFound(stageStatements, l.option), true
}

// restIsMarks reports whether the line of an answer holds, from s[i] on, nothing but spaces,
// brackets, quotes and punctuation.
func restIsMarks(s []byte, i int) bool {
	for ; i < len(s) && s[i] != '\n'; i++ {
		if !isMark(s[i]) {
			return false
		}
	}
	return true
}

// secondLabelFollows reports whether a different option's label is joined to the label l by "and",
// "or" or a sign: "B or D", "B/D".
func (r *Reader) secondLabelFollows(s []byte, l label) bool {
	i := skipBlank(s, l.to)
	if i >= len(s) {
		return false
	}
	next := i
	if s[i] == ',' || s[i] == '/' || s[i] == '&' {
		next = skipBlank(s, i+1)
	}
	for _, word := range [...]string{"and", "or"} {
		next = max(next, skipWord(s, next, word))
	}
	if next == i {
		return false
	}
	if end := skipWord(s, next, "option"); end > next {
		next = end
	}
	other, ok := r.labelAt(s, next)
	return ok && r.isOption(other) && other.option != l.option && other.letterForNumber == l.letterForNumber &&
		isPlausible(s, other)
}

// otherTextFollows reports whether the text of another option follows the label l. A common
// word such as "left" counts only if the phrase ends after it.
func (r *Reader) otherTextFollows(lower []byte, l label) bool {
	i := l.to
	for i < len(lower) && (isSpace(lower[i]) || isStop(lower[i]) || isCloser(lower[i]) || lower[i] == '-') {
		i++
	}
	option, end := r.optionTextAt(lower, i)
	if option < 0 || option == l.option {
		return false
	}
	return !isCommonWord(r.normTexts[option]) || phraseEnds(lower, end)
}

// phraseEnds reports whether a phrase of an answer ends at s[i]: at punctuation, a bracket, a dash,
// the end of the line or of the text.
func phraseEnds(s []byte, i int) bool {
	for i < len(s) && (isQuote(s[i]) || isCloser(s[i])) {
		i++
	}
	return i >= len(s) || s[i] == '\n' || isStop(s[i]) || s[i] == '(' || s[i] == ' ' && i+1 < len(s) &&
		(s[i+1] == '-' || s[i+1] == '(')
}

// readReversed reads a statement such as "B is the correct answer" whose label is at s[i].
// yields is false for other text and for conditions ("if B is correct").
func (r *Reader) readReversed(s, lower []byte, i int) (got Reading, yields bool) {
	if b := s[i]; !isUpper(b) && !isDigit(b) && !isOpener(b) && b != 'o' && b != '"' {
		return got, false
	}
	if i > 0 && (isOpener(s[i-1]) || isQuote(s[i-1])) {
		return got, false // read from the bracket on
	}
	labelStart := skipWord(s, i, "option")
	saidOption := labelStart > i || precededByWord(lower, i, "option")
	l, ok := r.labelAt(s, labelStart)
	if !ok || l.letterForNumber || !l.upperOrDigit {
		return got, false
	}
	after := afterAny(lower, skipBlank(lower, l.to), seemingVerbs[:])
	if after < 0 {
		return got, false
	}
	after = skipBlank(lower, after)
	for _, word := range [...]string{"the", "most", "only"} {
		if hasWord(lower, after, word) {
			after = skipBlank(lower, after+len(word))
		}
	}
	if afterAny(lower, after, praisingWords[:]) < 0 || precededByWord(lower, i, "if") ||
		precededByWord(lower, i, "whether") {
		return got, false
	}
	switch {
	case saidOption && r.namesOtherOption(l):
		return invalidAnswer(stageStatements, Ambiguous), true
	case !r.isOption(l) && l.option == 8:
		return got, false
	case !r.isOption(l):
		return invalidAnswer(stageStatements, OutOfRange), true
	case r.labelJoinedBefore(s, i, l):
		return invalidAnswer(stageStatements, Multiple), true
	}
	return optionFound(stageStatements, l.option), true
}

// precededByWord reports whether a whole word stands before lower[i] of an answer, with any number
// of spaces between.
func precededByWord(lower []byte, i int, word string) bool {
	for i > 0 && lower[i-1] == ' ' {
		i--
	}
	return i >= len(word) && string(lower[i-len(word):i]) == word && !wordEndsAt(lower, i-len(word))
}

// labelJoinedBefore reports whether a different option's label is joined before the label l at
// s[i]: "A or B is correct".
func (r *Reader) labelJoinedBefore(s []byte, i int, l label) bool {
	at := i
	for at > 0 && s[at-1] == ' ' {
		at--
	}
	switch {
	case at > 2 && hasWord(s, at-3, "and"):
		at -= 3
	case at > 1 && hasWord(s, at-2, "or"):
		at -= 2
	case at > 0 && (s[at-1] == '/' || s[at-1] == '&'):
		at--
	default:
		return false
	}
	for at > 0 && (s[at-1] == ' ' || isCloser(s[at-1])) {
		at--
	}
	if at == 0 || wordEndsAt(s, at-1) {
		return false
	}
	other, ok := r.labelAt(s, at-1)
	return ok && other.upperOrDigit && r.isOption(other) && other.option != l.option
}
