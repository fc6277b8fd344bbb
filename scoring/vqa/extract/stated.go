package extract

// The words of statements (docs/spec/vqa.md#r23) and of what follows them (docs/spec/vqa.md#r24).
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

// readStatements is stage 4 of reading a model's answer: it reads explicit statements, such as "the
// answer is B", "I choose B" or "B is correct". The last one that names an option, or is invalid,
// decides. ok is false where there is none. lower is text in lower case.
func (reader *Reader) readStatements(text, lower []byte) (got Reading, ok bool) {
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
			if reading, yields := reader.readStatementRest(text, lower, rest); yields {
				got, ok = reading, true
			}
			continue
		}
		if reading, yields := reader.readReversed(text, lower, i); yields {
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
		pos := i + len(noun)
		pos = skipBlank(lower, pos)
		switch {
		case pos < len(lower) && (lower[pos] == ':' || lower[pos] == '='):
			return pos + 1
		case pos+1 < len(lower) && lower[pos] == '-' && lower[pos+1] == '>':
			return pos + 2
		}
		return afterAny(lower, pos, linkVerbs[:])
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
	hasApostrophe := i+1 < len(lower) && lower[i+1] == '\''
	pos := skipBlank(lower, i+1)
	if hasSpace := pos > i+1; !hasSpace && !hasApostrophe {
		return -1
	}
	afterAuxiliary := afterAny(lower, pos, auxiliaries[:])
	if afterAuxiliary >= 0 {
		pos = skipBlank(lower, afterAuxiliary)
	} else if hasApostrophe { // "i'" of something else
		return -1
	}
	return afterAny(lower, pos, choosingVerbs[:])
}

// skipBlank returns the position of the first byte from s[i] on that is not a space. Line ends stop it.
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

// readStatementRest reads which option the rest of a statement in an answer, from text[i] on, names,
// after marks and up to maxFillers filler words. yields is false where it names none, or begins
// with a denial such as "not".
func (reader *Reader) readStatementRest(text, lower []byte, i int) (got Reading, yields bool) {
	i = skipBlank(lower, i)
	for i < len(lower) {
		if isArrow := lower[i] == '-' && i+1 < len(lower) && lower[i+1] == '>'; isArrow {
			i += len("->")
			continue
		}
		if lower[i] != ':' && lower[i] != '=' && lower[i] != ' ' {
			break
		}
		i++
	}
	if i < len(lower) && lower[i] == '\n' {
		i = skipSpace(lower, i)
	}
	if afterAny(lower, skipMarks(lower, i), denials[:]) >= 0 {
		return got, false
	}
	// Skip filler words until an option is named.
	saidOption := false
	for range maxFillers {
		if got, yields := reader.readNamed(text, lower, i, saidOption); yields {
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

// skipFiller skips one adverb, article or word such as "option" at lower[i] of an answer, with what separates
// it from the next word; next is i if there is none. saidOption says whether it was "option".
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
func (reader *Reader) readNamed(s, lower []byte, i int, saidOption bool) (got Reading, yields bool) {
	label, isLabel := reader.labelAt(s, i)
	isLabel = isLabel && isPlausible(s, label) && (!label.letterForNumber || restIsMarks(s, label.to))
	isOption := reader.isOption(label)
	withText, end := reader.optionTextAt(lower, i)
	if hasText := withText >= 0; !isLabel || !isOption && hasText {
		if hasText && end > i {
			return optionFound(stageStatements, withText), true
		}
		return got, false
	}
	switch isWord := !label.upperOrDigit || label.option == letterI; { // of one letter, such as I
	case saidOption && reader.namesOtherOption(label):
		return invalidAnswer(stageStatements, Ambiguous), true
	case !isOption && isWord:
		return got, false
	case !isOption:
		return invalidAnswer(stageStatements, OutOfRange), true
	case reader.secondLabelFollows(s, label):
		return invalidAnswer(stageStatements, Multiple), true
	case reader.otherTextFollows(lower, label):
		return invalidAnswer(stageStatements, Conflict), true
	}
	return optionFound(stageStatements, label.option), true
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

// secondLabelFollows reports whether a different option's label is joined to the label by "and",
// "or" or a sign: "B or D", "B/D".
func (reader *Reader) secondLabelFollows(text []byte, label label) bool {
	i := skipBlank(text, label.to)
	if i >= len(text) {
		return false
	}
	next := i
	if text[i] == ',' || text[i] == '/' || text[i] == '&' {
		next = skipBlank(text, i+1)
	}
	for _, word := range [...]string{"and", "or"} {
		next = max(next, skipWord(text, next, word))
	}
	if next == i {
		return false
	}
	if end := skipWord(text, next, "option"); end > next {
		next = end
	}
	other, ok := reader.labelAt(text, next)
	return ok && reader.isOption(other) && other.option != label.option && other.letterForNumber == label.letterForNumber &&
		isPlausible(text, other)
}

// otherTextFollows reports whether the text of another option follows an option's label in an answer. A
// common word such as "left" counts only if the phrase ends after it.
func (reader *Reader) otherTextFollows(lower []byte, label label) bool {
	i := label.to
	for i < len(lower) && (isSpace(lower[i]) || isStop(lower[i]) || isCloser(lower[i]) || lower[i] == '-') {
		i++
	}
	option, end := reader.optionTextAt(lower, i)
	if option < 0 || option == label.option {
		return false
	}
	return !isCommonWord(reader.normTexts[option]) || phraseEnds(lower, end)
}

// phraseEnds reports whether a phrase of an answer ends at text[i]: at punctuation, a bracket, a dash,
// the end of the line or of the text. Quotes and closing brackets at text[i] still belong to the phrase. A
// dash or a bracket may have a space before it; a dash without one is part of a word.
func phraseEnds(text []byte, i int) bool {
	for i < len(text) && (isQuote(text[i]) || isCloser(text[i])) {
		i++
	}
	if i >= len(text) || text[i] == '\n' || isStop(text[i]) || text[i] == '(' {
		return true
	}
	return text[i] == ' ' && i+1 < len(text) && (text[i+1] == '-' || text[i+1] == '(')
}

// readReversed reads a statement such as "B is the correct answer" whose label is at text[i].
// yields is false for other text and for conditions ("if B is correct").
func (reader *Reader) readReversed(text, lower []byte, i int) (got Reading, yields bool) {
	b := text[i]
	if mayBegin := isUpper(b) || isDigit(b) || isOpener(b) || b == '"' || b == 'o'; !mayBegin { // o of "option"
		return got, false
	}
	if i > 0 && (isOpener(text[i-1]) || isQuote(text[i-1])) {
		return got, false // the label was read from its bracket or quote on
	}
	labelStart := skipWord(text, i, "option")
	saidOption := labelStart > i || precededByWord(lower, i, "option")
	label, ok := reader.labelAt(text, labelStart)
	if !ok || label.letterForNumber || !label.upperOrDigit {
		return got, false
	}
	after := afterAny(lower, skipBlank(lower, label.to), seemingVerbs[:])
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
	case saidOption && reader.namesOtherOption(label):
		return invalidAnswer(stageStatements, Ambiguous), true
	case !reader.isOption(label) && label.option == letterI: // the word I
		return got, false
	case !reader.isOption(label):
		return invalidAnswer(stageStatements, OutOfRange), true
	case reader.labelJoinedBefore(text, i, label):
		return invalidAnswer(stageStatements, Multiple), true
	}
	return optionFound(stageStatements, label.option), true
}

// precededByWord reports whether a whole word stands before lower[i] of an answer, with any number
// of spaces between.
func precededByWord(lower []byte, i int, word string) bool {
	for i > 0 && lower[i-1] == ' ' {
		i--
	}
	return i >= len(word) && string(lower[i-len(word):i]) == word && !wordEndsAt(lower, i-len(word))
}

// labelJoinedBefore reports whether a different option's label is joined before the label at
// text[i]: "A or B is correct".
func (reader *Reader) labelJoinedBefore(text []byte, i int, label label) bool {
	pos := i
	for pos > 0 && text[pos-1] == ' ' {
		pos--
	}
	switch {
	case pos > 2 && hasWord(text, pos-3, "and"):
		pos -= 3
	case pos > 1 && hasWord(text, pos-2, "or"):
		pos -= 2
	case pos > 0 && (text[pos-1] == '/' || text[pos-1] == '&'):
		pos--
	default:
		return false
	}
	for pos > 0 && (text[pos-1] == ' ' || isCloser(text[pos-1])) {
		pos--
	}
	// The other label is one character, right before text[pos].
	if pos == 0 || wordEndsAt(text, pos-1) {
		return false
	}
	other, ok := reader.labelAt(text, pos-1)
	return ok && other.upperOrDigit && reader.isOption(other) && other.option != label.option
}
