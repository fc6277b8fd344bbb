package extract

// readWhole is stage 1: the whole answer is a label or the text of an option
// (docs/spec/vqa.md#r19), several labels, or a label with a text (docs/spec/vqa.md#r20). A
// label decides before an equal text, unless another option's text begins with "option" and
// this label. ok is false where the answer is none of these.
func (r *Reader) readWhole(s []byte) (got Reading, ok bool) {
	l, saidOption, isLabel := r.readSoleLabel(s)
	if isLabel && r.isOption(l) && !saidOption {
		return optionFound(stageWhole, l.option), true
	}
	if option := r.optionWithText(r.normalizeAnswer(s)); option >= 0 &&
		(!isLabel || !r.isOption(l) || r.namesOtherOption(l)) {
		return optionFound(stageWhole, option), true
	}
	switch {
	case isLabel && r.isOption(l) && r.namesOtherOption(l):
		return invalidAnswer(stageWhole, Ambiguous), true
	case isLabel && r.isOption(l):
		return optionFound(stageWhole, l.option), true
	case isLabel:
		return invalidAnswer(stageWhole, OutOfRange), true
	}
	if got, ok := r.readLabels(s); ok {
		return got, true
	}
	return r.readLabelAndText(s)
}

// isMark reports whether b may surround a label without a meaning. Braces may not: they make a
// JSON object.
func isMark(b byte) bool {
	return isSpace(b) || isQuote(b) || (isOpener(b) || isCloser(b)) && b != '{' && b != '}' || isStop(b)
}

// readSoleLabel reads an answer that is nothing but a label, with marks around it and a lead
// word such as "answer:" before it; ok is false for other answers. saidOption reports
// whether the lead word is "option".
func (r *Reader) readSoleLabel(s []byte) (l label, saidOption, ok bool) {
	i := 0
	for i < len(s) && (isMark(s[i]) || s[i] == '=') {
		i++
	}
	i, saidOption = skipLeadWord(s, i)
	i = skipWhile(s, i, isMark)
	if i+1 < len(s) && s[i] == '-' && !isDigit(s[i+1]) {
		i++
	}
	if i > 0 && (s[i-1] == '.' || s[i-1] == ',') && i < len(s) && isDigit(s[i]) && (i < 2 || !isLower(s[i-2])) {
		return l, false, false // a decimal without its zero
	}
	l, ok = r.labelAt(s, i)
	if !ok {
		return l, false, false
	}
	for i = l.to; i < len(s) && (isMark(s[i]) || s[i] == '-'); i++ {
	}
	return l, saidOption, i == len(s)
}

// skipLeadWord skips what may introduce an option's label, called its lead word: "the correct
// answer is", "option" or "#" (docs/spec/vqa.md#r19). saidOption says whether it is "option".
func skipLeadWord(s []byte, i int) (end int, saidOption bool) {
	j := skipWord(s, i, "the")
	for _, word := range [...]string{"correct", "final", "best", "right"} {
		if n := skipWord(s, j, word); n > j {
			j = n
			break
		}
	}
	if hasWord(s, j, "answer") {
		return skipLink(s, j+len("answer")), false
	}
	for _, word := range [...]string{"option", "choice", "letter", "number", "no."} {
		if hasWord(s, i, word) {
			return skipLink(s, i+len(word)), word == "option"
		}
	}
	if i < len(s) && s[i] == '#' {
		return skipLink(s, i+1), false
	}
	return i, false
}

// skipLink skips the spaces after a lead word of an answer and, where they come next, "is", ":" or
// "=" with the spaces after it.
func skipLink(s []byte, i int) int {
	j := skipSpace(s, i)
	if j < len(s) && (s[j] == ':' || s[j] == '=') {
		return skipSpace(s, j+1)
	}
	return skipWord(s, j, "is")
}

// readLabels reads an answer that is nothing but two or more labels of options: "A and B", "B, B".
// Different ones make it invalid. ok is false for other answers.
func (r *Reader) readLabels(s []byte) (got Reading, ok bool) {
	if got, ok := r.readRunTogether(s); ok {
		return got, true
	}
	labels, first, differ := 0, 0, false
	for i := 0; ; {
		for i < len(s) && separatesLabels(s, i, labels > 0) {
			i++
		}
		if i == len(s) {
			break
		}
		if end := max(skipWord(s, i, "and"), skipWord(s, i, "or")); end > i && labels > 0 {
			i = end
			continue
		}
		if labels == 0 {
			if end := max(skipWord(s, i, "both"), skipWord(s, i, "either")); end > i {
				i = end
			}
		}
		l, ok := r.labelAt(s, i)
		if !ok || l.letterForNumber || !r.isOption(l) {
			return got, false
		}
		if labels == 0 {
			first = l.option
		}
		differ = differ || l.option != first
		labels++
		i = l.to
	}
	if labels < 2 {
		return got, false
	}
	if differ {
		return invalidAnswer(stageWhole, Multiple), true
	}
	return optionFound(stageWhole, first), true
}

// separatesLabels reports whether s[i] of an answer may stand between labels, before the first or
// after the last. A quote may only end the answer, and an opening bracket right before a label
// belongs to that label.
func separatesLabels(s []byte, i int, afterLabel bool) bool {
	switch c := s[i]; {
	case isSpace(c) || isStop(c) || isCloser(c) || c == '/' || c == '&' || c == '+' || c == '|':
		return true
	case isOpener(c):
		return i+1 >= len(s) || isOpener(s[i+1]) || isQuote(s[i+1])
	case isQuote(c):
		return afterLabel && i+1 == len(s)
	}
	return false
}

// readRunTogether reads capital letters without a separator, such as "BD", as labels.
// Different ones make the answer invalid. ok is false where s has anything but labels and
// marks around them.
func (r *Reader) readRunTogether(s []byte) (got Reading, ok bool) {
	from, to := 0, len(s)
	for from < to && isMark(s[from]) {
		from++
	}
	for to > from && isMark(s[to-1]) {
		to--
	}
	s = s[from:to]
	if len(s) < 2 || len(s) > Most || r.style != Letters {
		return got, false
	}
	for _, b := range s {
		if !isUpper(b) || int(b-'A') >= len(r.optionTexts) {
			return got, false
		}
	}
	for _, b := range s {
		if b != s[0] {
			return invalidAnswer(stageWhole, Multiple), true
		}
	}
	return optionFound(stageWhole, int(s[0]-'A')), true
}

// readLabelAndText reads an answer that is a label, a delimiter and the text of an option:
// "B. Kitchen". Where these are different options, the answer is invalid.
func (r *Reader) readLabelAndText(s []byte) (got Reading, ok bool) {
	l, saidOption, rest, ok := r.readOpeningLabel(s)
	if !ok || !r.isOption(l) {
		return got, false
	}
	switch option := r.optionWithText(r.normalizeAnswer(s[rest:])); {
	case option < 0:
		return got, false
	case option == l.option:
		return optionFound(stageWhole, option), true
	case saidOption && r.namesOtherOption(l):
		return invalidAnswer(stageWhole, Ambiguous), true
	}
	return invalidAnswer(stageWhole, Conflict), true
}

// readOpeningLabel reads an option's label with a delimiter at the start of s, after an optional
// "option" or "choice". The text after the delimiter begins at s[rest]; ok is false where it is
// empty. saidOption says whether the word "option" precedes the label.
func (r *Reader) readOpeningLabel(s []byte) (l label, saidOption bool, rest int, ok bool) {
	i := skipWord(s, 0, "option")
	saidOption = i > 0
	i = skipWord(s, i, "choice")
	l, ok = r.labelAt(s, i)
	if !ok || l.letterForNumber {
		return l, saidOption, 0, false
	}
	i = l.to
	next := func(offset int) byte { // after the label; 0 past the end
		if i+offset < len(s) {
			return s[i+offset]
		}
		return 0
	}
	switch b := next(0); {
	case l.bracketed && (isSpace(b) || b == '.' || b == ':' || b == ',' || b == '-'):
		i++
	case i > 0 && s[i-1] == ')' && !l.bracketed: // "B)"
	case (b == '.' || b == ')' || b == ':') && !isDigit(next(1)):
		i++
	case b == ',' && isSpace(next(1)) && l.upperOrDigit:
		i++
	case b == ' ' && next(1) == '-' && isSpace(next(2)) && l.upperOrDigit:
		i += 2
	default:
		return l, saidOption, 0, false
	}
	for i < len(s) && (isSpace(s[i]) || l.bracketed && (s[i] == '.' || s[i] == ':' || s[i] == ',' || s[i] == '-')) {
		i++
	}
	return l, saidOption, i, i < len(s)
}
