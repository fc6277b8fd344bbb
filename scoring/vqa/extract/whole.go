package extract

// readWhole is stage 1: the whole answer is a label or the text of an option
// (docs/spec/vqa.md#r19), or several labels, or a label with a text (docs/spec/vqa.md#r20). ok is
// false where it is none of these.
func (r *Reader) readWhole(s []byte) (got Reading, ok bool) {
	l, option, isLabel := r.labelForm(s)
	if isLabel && r.isOption(l) && !option {
		return found(stageWhole, l.option), true
	}
	if k := r.optionWithText(r.normalizeAnswer(s)); k >= 0 && (!isLabel || !r.isOption(l) || r.namesOtherOption(l)) {
		return found(stageWhole, k), true
	}
	switch {
	case isLabel && r.isOption(l) && r.namesOtherOption(l):
		return invalid(stageWhole, Ambiguous), true
	case isLabel && r.isOption(l):
		return found(stageWhole, l.option), true
	case isLabel:
		return invalid(stageWhole, OutOfRange), true
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

// labelForm reads an answer that is nothing but a label, after an optional lead word ("answer:").
// option reports whether the lead word is "option".
func (r *Reader) labelForm(s []byte) (l label, option, ok bool) {
	i := 0
	for i < len(s) && (isMark(s[i]) || s[i] == '=') {
		i++
	}
	i, option = skipLead(s, i)
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
	return l, option, i == len(s)
}

// skipLead skips what may introduce a label, called its lead word: "the correct answer is",
// "option" or "#" (docs/spec/vqa.md#r19). option reports whether it is "option".
func skipLead(s []byte, i int) (end int, option bool) {
	j := skipWord(s, i, "the")
	for _, w := range [...]string{"correct", "final", "best", "right"} {
		if n := skipWord(s, j, w); n > j {
			j = n
			break
		}
	}
	if hasWord(s, j, "answer") {
		return skipLink(s, j+len("answer")), false
	}
	for _, w := range [...]string{"option", "choice", "letter", "number", "no."} {
		if hasWord(s, i, w) {
			return skipLink(s, i+len(w)), w == "option"
		}
	}
	if i < len(s) && s[i] == '#' {
		return skipLink(s, i+1), false
	}
	return i, false
}

// skipLink skips the spaces after a lead word and, where they come next, "is", ":" or "=" with the
// spaces behind it.
func skipLink(s []byte, i int) int {
	j := skipSpace(s, i)
	if j < len(s) && (s[j] == ':' || s[j] == '=') {
		return skipSpace(s, j+1)
	}
	return skipWord(s, j, "is")
}

// readLabels reads an answer that is nothing but labels: "A and B". Different ones make it
// invalid.
func (r *Reader) readLabels(s []byte) (got Reading, ok bool) {
	if got, ok := r.readRunTogether(s); ok {
		return got, true
	}
	n, first, differ := 0, 0, false
	for i := 0; ; {
		for i < len(s) && (isSpace(s[i]) || isStop(s[i]) || s[i] == '/' || s[i] == '&' || s[i] == '+' || s[i] == '|' ||
			isOpener(s[i]) && (i+1 >= len(s) || isOpener(s[i+1]) || isQuote(s[i+1])) || isCloser(s[i]) || n > 0 && isQuote(s[i]) && i+1 == len(s)) {
			i++
		}
		if i == len(s) {
			break
		}
		if j := max(skipWord(s, i, "and"), skipWord(s, i, "or")); j > i && n > 0 {
			i = j
			continue
		}
		if n == 0 {
			if j := max(skipWord(s, i, "both"), skipWord(s, i, "either")); j > i {
				i = j
			}
		}
		l, ok := r.labelAt(s, i)
		if !ok || l.alias || !r.isOption(l) {
			return got, false
		}
		if n == 0 {
			first = l.option
		}
		differ = differ || l.option != first
		n++
		i = l.to
	}
	if n < 2 {
		return got, false
	}
	if differ {
		return invalid(stageWhole, Multiple), true
	}
	return found(stageWhole, first), true
}

// readRunTogether reads labels without a separator: "BD".
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
		if !isUpper(b) || int(b-'A') >= len(r.texts) {
			return got, false
		}
	}
	for _, b := range s {
		if b != s[0] {
			return invalid(stageWhole, Multiple), true
		}
	}
	return found(stageWhole, int(s[0]-'A')), true
}

// readLabelAndText reads a label, a delimiter and the text of an option: "B. Kitchen".
func (r *Reader) readLabelAndText(s []byte) (got Reading, ok bool) {
	l, option, rest, ok := r.openingLabel(s)
	if !ok || !r.isOption(l) {
		return got, false
	}
	switch k := r.optionWithText(r.normalizeAnswer(s[rest:])); {
	case k < 0:
		return got, false
	case k == l.option:
		return found(stageWhole, k), true
	case option && r.namesOtherOption(l):
		return invalid(stageWhole, Ambiguous), true
	}
	return invalid(stageWhole, Conflict), true
}

// openingLabel reads a label with a delimiter at the start of s. The rest begins at s[rest] and is
// not empty. option reports whether the word "option" precedes the label.
func (r *Reader) openingLabel(s []byte) (l label, option bool, rest int, ok bool) {
	i := skipWord(s, 0, "option")
	option = i > 0
	i = skipWord(s, i, "choice")
	l, ok = r.labelAt(s, i)
	if !ok || l.alias {
		return l, option, 0, false
	}
	i = l.to
	next := func(k int) byte {
		if i+k < len(s) {
			return s[i+k]
		}
		return 0
	}
	switch b := next(0); {
	case l.bracketed && (isSpace(b) || b == '.' || b == ':' || b == ',' || b == '-'):
		i++
	case i > 0 && s[i-1] == ')' && !l.bracketed: // "B)"
	case (b == '.' || b == ')' || b == ':') && !isDigit(next(1)):
		i++
	case b == ',' && isSpace(next(1)) && l.capital:
		i++
	case b == ' ' && next(1) == '-' && isSpace(next(2)) && l.capital:
		i += 2
	default:
		return l, option, 0, false
	}
	for i < len(s) && (isSpace(s[i]) || l.bracketed && (s[i] == '.' || s[i] == ':' || s[i] == ',' || s[i] == '-')) {
		i++
	}
	return l, option, i, i < len(s)
}
