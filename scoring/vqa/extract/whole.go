package extract

// readWhole is stage 1 of reading a model's answer: the whole answer is a label or the text of an
// option (docs/spec/vqa.md#r19), several labels, or a label with a text (docs/spec/vqa.md#r20). A label
// decides before an equal text, unless another option's text begins with "option" and this label. ok is
// false where the answer is none of these.
func (reader *Reader) readWhole(text []byte) (got Reading, ok bool) {
	label, saidOption, isLabel := reader.readSoleLabel(text)
	isOption := isLabel && reader.isOption(label)
	if isOption && !saidOption {
		return optionFound(stageWhole, label.option), true
	}
	withText := reader.optionWithText(reader.normalizeAnswer(text))
	isAmbiguous := isOption && reader.namesOtherOption(label)
	switch {
	case withText >= 0 && (!isOption || isAmbiguous):
		return optionFound(stageWhole, withText), true
	case isAmbiguous:
		return invalidAnswer(stageWhole, Ambiguous), true
	case isOption:
		return optionFound(stageWhole, label.option), true
	case isLabel:
		return invalidAnswer(stageWhole, OutOfRange), true
	}
	if got, ok := reader.readLabels(text); ok {
		return got, true
	}
	return reader.readLabelAndText(text)
}

// isMark reports whether b may surround a label without a meaning. Braces may not: they make a JSON object.
func isMark(b byte) bool {
	return isSpace(b) || isQuote(b) || (isOpener(b) || isCloser(b)) && b != '{' && b != '}' || isStop(b)
}

// readSoleLabel reads an answer that is nothing but a label, with marks around it and a lead word such as
// "answer:" before it; ok is false for other answers. saidOption reports whether the lead word is "option".
func (reader *Reader) readSoleLabel(text []byte) (label label, saidOption, ok bool) {
	// What may stand before the label.
	i := 0
	for i < len(text) && (isMark(text[i]) || text[i] == '=') {
		i++
	}
	i, saidOption = skipLeadWord(text, i)
	i = skipWhile(text, i, isMark)
	if i+1 < len(text) && text[i] == '-' && !isDigit(text[i+1]) { // a dash, not the sign of a number
		i++
	}
	// A decimal without its zero, such as ".5", is no label; the 3 of "no.3" is one.
	followsPoint := i > 0 && (text[i-1] == '.' || text[i-1] == ',') && (i < 2 || !isLower(text[i-2]))
	if isDecimal := followsPoint && i < len(text) && isDigit(text[i]); isDecimal {
		return label, false, false
	}
	// The label, and nothing but marks after it.
	label, ok = reader.labelAt(text, i)
	if !ok {
		return label, false, false
	}
	for i = label.to; i < len(text) && (isMark(text[i]) || text[i] == '-'); i++ {
	}
	return label, saidOption, i == len(text)
}

// skipLeadWord skips what may introduce an option's label, called its lead word: "the correct
// answer is", "option" or "#" (docs/spec/vqa.md#r19). saidOption says whether it is "option".
func skipLeadWord(text []byte, i int) (end int, saidOption bool) {
	noun := skipWord(text, i, "the") // where "answer" must stand
	for _, word := range [...]string{"correct", "final", "best", "right"} {
		if end := skipWord(text, noun, word); end > noun {
			noun = end
			break
		}
	}
	if hasWord(text, noun, "answer") {
		return skipLink(text, noun+len("answer")), false
	}
	for _, word := range [...]string{"option", "choice", "letter", "number", "no."} {
		if hasWord(text, i, word) {
			return skipLink(text, i+len(word)), word == "option"
		}
	}
	if i < len(text) && text[i] == '#' {
		return skipLink(text, i+1), false
	}
	return i, false
}

// skipLink skips the spaces after a lead word of an answer and, where they come next, "is", ":" or
// "=" with the spaces after it.
func skipLink(text []byte, i int) int {
	j := skipSpace(text, i)
	if j < len(text) && (text[j] == ':' || text[j] == '=') {
		return skipSpace(text, j+1)
	}
	return skipWord(text, j, "is")
}

// readLabels reads an answer that is nothing but two or more labels of options: "A and B", "B, B".
// Different ones make it invalid. ok is false for other answers.
func (reader *Reader) readLabels(text []byte) (got Reading, ok bool) {
	if got, ok := reader.readRunTogether(text); ok {
		return got, true
	}
	labels, first, differ := 0, 0, false
	for i := 0; ; {
		for i < len(text) && separatesLabels(text, i, labels > 0) {
			i++
		}
		if i == len(text) {
			break
		}
		// Words around the labels; skipWord returns i for a word that does not stand there.
		if labels == 0 {
			i = max(skipWord(text, i, "both"), skipWord(text, i, "either"))
		} else if end := max(skipWord(text, i, "and"), skipWord(text, i, "or")); end > i {
			i = end
			continue
		}
		// Anything but labels and words between them makes it another answer.
		label, ok := reader.labelAt(text, i)
		if !ok || label.letterForNumber || !reader.isOption(label) {
			return got, false
		}
		if labels == 0 {
			first = label.option
		}
		differ = differ || label.option != first
		labels++
		i = label.to
	}
	if labels < 2 {
		return got, false
	}
	if differ {
		return invalidAnswer(stageWhole, Multiple), true
	}
	return optionFound(stageWhole, first), true
}

// separatesLabels reports whether text[i] of an answer may stand between labels, before the first or after the
// last. A quote may only end the answer, and an opening bracket right before a label belongs to that label.
func separatesLabels(text []byte, i int, afterLabel bool) bool {
	switch c := text[i]; {
	case isSpace(c) || isStop(c) || isCloser(c) || c == '/' || c == '&' || c == '+' || c == '|':
		return true
	case isOpener(c):
		return i+1 >= len(text) || isOpener(text[i+1]) || isQuote(text[i+1])
	case isQuote(c):
		return afterLabel && i+1 == len(text)
	}
	return false
}

// readRunTogether reads capital letters without a separator, such as "BD", as labels. Different ones make the
// answer invalid. ok is false where text has anything but labels and marks around them.
func (reader *Reader) readRunTogether(text []byte) (got Reading, ok bool) {
	from, to := 0, len(text)
	for from < to && isMark(text[from]) {
		from++
	}
	for to > from && isMark(text[to-1]) {
		to--
	}
	text = text[from:to]
	if len(text) < 2 || len(text) > MaxOptions || reader.style != Letters {
		return got, false
	}
	for _, b := range text {
		if !isUpper(b) || int(b-'A') >= len(reader.optionTexts) {
			return got, false
		}
	}
	for _, b := range text {
		if b != text[0] {
			return invalidAnswer(stageWhole, Multiple), true
		}
	}
	return optionFound(stageWhole, int(text[0]-'A')), true
}

// readLabelAndText reads an answer that is a label, a delimiter and the text of an option:
// "B. Kitchen". Where these are different options, the answer is invalid.
func (reader *Reader) readLabelAndText(text []byte) (got Reading, ok bool) {
	label, saidOption, rest, ok := reader.readOpeningLabel(text)
	if !ok || !reader.isOption(label) {
		return got, false
	}
	switch option := reader.optionWithText(reader.normalizeAnswer(text[rest:])); {
	case option < 0:
		return got, false
	case option == label.option:
		return optionFound(stageWhole, option), true
	case saidOption && reader.namesOtherOption(label):
		return invalidAnswer(stageWhole, Ambiguous), true
	}
	return invalidAnswer(stageWhole, Conflict), true
}

// readOpeningLabel reads an option's label with a delimiter at the start of text, after an optional
// "option" or "choice". The text after the delimiter begins at text[rest]; ok is false where it is
// empty. saidOption says whether the word "option" precedes the label.
func (reader *Reader) readOpeningLabel(text []byte) (label label, saidOption bool, rest int, ok bool) {
	i := skipWord(text, 0, "option")
	saidOption = i > 0
	i = skipWord(text, i, "choice")
	label, ok = reader.labelAt(text, i)
	if !ok || label.letterForNumber {
		return label, saidOption, 0, false
	}
	i = label.to
	next := func(offset int) byte { // after the label; 0 past the end
		if i+offset < len(text) {
			return text[i+offset]
		}
		return 0
	}
	isBracketDelimiter := func(b byte) bool { return b == '.' || b == ':' || b == ',' || b == '-' }
	switch b := next(0); { // the delimiter
	case label.bracketed && (isSpace(b) || isBracketDelimiter(b)): // "(B) "
		i++
	case i > 0 && text[i-1] == ')' && !label.bracketed: // "B)"
	case (b == '.' || b == ')' || b == ':') && !isDigit(next(1)):
		i++
	case b == ',' && isSpace(next(1)) && label.upperOrDigit:
		i++
	case b == ' ' && next(1) == '-' && isSpace(next(2)) && label.upperOrDigit:
		i += 2
	default:
		return label, saidOption, 0, false
	}
	for i < len(text) && (isSpace(text[i]) || label.bracketed && isBracketDelimiter(text[i])) {
		i++
	}
	return label, saidOption, i, i < len(text)
}
