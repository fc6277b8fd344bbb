package extract

// label is the label of an option, as it was found in a text.
type label struct {
	option          int  // position from 0; not one of the options where it is out of range
	letterForNumber bool // a letter in an item with numbers
	bracketed       bool
	upperOrDigit    bool // an upper-case letter or a digit
	from, to        int  // in the text, brackets included
}

// isOption reports whether the question has an option with the label.
func (r *Reader) isOption(l label) bool { return l.option >= 0 && l.option < len(r.optionTexts) }

// labelAt reads the option label at s[i] of an answer, which must stand alone: a letter, or a
// number where labels are numbers, in optional brackets and quotes, with no letter or digit after
// it. The option may be out of range. ok is false where there is no label. See
// docs/spec/vqa.md#r17.
func (r *Reader) labelAt(s []byte, i int) (l label, ok bool) {
	l.from = i
	closer := byte(0)
	for ; i < len(s) && (isOpener(s[i]) || isQuote(s[i])); i++ {
		if isOpener(s[i]) {
			l.bracketed = true
			closer = closingBracket(s[i])
		}
	}
	if i >= len(s) {
		return l, false
	}
	switch c := s[i]; {
	case isDigit(c):
		if r.style != Numbers {
			return l, false
		}
		number := 0
		for ; i < len(s) && isDigit(s[i]); i++ {
			number = min(number*10+int(s[i]-'0'), 1000) // capped against overflow
		}
		l.option, l.upperOrDigit = number-1, true
		if i+1 < len(s) && (s[i] == '.' || s[i] == ',' || s[i] == ':' || s[i] == '/') && isDigit(s[i+1]) ||
			i < len(s) && s[i] == '%' {
			return l, false
		}
	case isUpper(c):
		l.option, l.upperOrDigit = int(c-'A'), true
		i++
	case isLower(c):
		l.option = int(c - 'a')
		i++
	default:
		return l, false
	}
	l.letterForNumber = r.style == Numbers && !isDigit(s[i-1])
	if wordStartsAt(s, i) || i+1 < len(s) && s[i] == '\'' && wordStartsAt(s, i+1) {
		return l, false
	}
	if l.bracketed {
		for i < len(s) && isQuote(s[i]) {
			i++
		}
		if i >= len(s) || s[i] != closer {
			return l, false
		}
	}
	for i < len(s) && (isCloser(s[i]) || isQuote(s[i])) {
		i++
	}
	l.to = i
	return l, true
}

// closingBracket returns the bracket that closes the one before an option's label.
func closingBracket(b byte) byte {
	switch b {
	case '(':
		return ')'
	case '[':
		return ']'
	case '{':
		return '}'
	}
	return '>'
}

// wordsAfterLabel may follow a label. Before any other word in lower case, "A" is the article and
// a digit a number. See docs/spec/vqa.md#r24.
var wordsAfterLabel = [...]string{"because", "since", "as", "or", "and", "which", "for", "due", "given", "here",
	"based", "that", "so", "if",
	"is", "in", "on", "when", "from", "with", "but", "by", "where"}

// isPlausible reports whether what follows l in an answer allows that l is an option's label.
// Characters that are often something else (A, I, a lower-case letter, a digit) need brackets, a
// mark, the end of the line or one of wordsAfterLabel after them.
func isPlausible(s []byte, l label) bool {
	if l.bracketed {
		return true
	}
	i := l.to
	if i >= len(s) || !isSpace(s[i]) {
		return true
	}
	i = skipBlank(s, i)
	if i >= len(s) || s[i] == '\n' {
		return true
	}
	needsProof := l.option == 0 || l.option == 8 || // A and I are words
		!l.upperOrDigit || isDigit(s[l.to-1])
	if !needsProof || !wordStartsAt(s, i) {
		return true
	}
	if isUpper(s[i]) || isDigit(s[i]) {
		return l.upperOrDigit
	}
	return mayFollowLabel(s, i)
}

// mayFollowLabel reports whether the word at s[i] of an answer is one of wordsAfterLabel, which may
// follow an option's label.
func mayFollowLabel(s []byte, i int) bool {
	for _, word := range wordsAfterLabel {
		if hasWord(s, i, word) {
			return true
		}
	}
	return false
}

// hasWord reports whether a whole word stands at s[i] of an answer, in any case. word must be in
// lower case.
func hasWord(s []byte, i int, word string) bool {
	if i < 0 || i+len(word) > len(s) {
		return false
	}
	for j := range len(word) {
		b := s[i+j]
		if isUpper(b) {
			b += 'a' - 'A'
		}
		if b != word[j] {
			return false
		}
	}
	last := word[len(word)-1]
	return !(isLower(last) && wordStartsAt(s, i+len(word)))
}

// skipWord returns the position after a word at s[i] of an answer and the space after it, or i if
// another word is there.
func skipWord(s []byte, i int, word string) int {
	if !hasWord(s, i, word) {
		return i
	}
	return skipSpace(s, i+len(word))
}

// skipSpace returns the position of the first byte from s[i] on that is no white space.
func skipSpace(s []byte, i int) int { return skipWhile(s, i, isSpace) }

// skipWhile returns the position of the first byte of an answer from s[i] on for which is is false.
func skipWhile(s []byte, i int, is func(byte) bool) int {
	for i < len(s) && is(s[i]) {
		i++
	}
	return i
}

// namesOtherOption reports whether the text of another option begins with "option" and this
// label. Then "option C" may mean that text or label C. See docs/spec/vqa.md#r18.
func (r *Reader) namesOtherOption(l label) bool {
	r.normalizeOptions()
	phrase := [...]byte{'o', 'p', 't', 'i', 'o', 'n', ' ', 0} // an array, so that nothing is allocated
	if r.style == Numbers && !l.letterForNumber {
		if l.option > 8 { // number 10 or more: no option has it
			return false
		}
		phrase[7] = byte('1' + l.option)
	} else {
		phrase[7] = byte('a' + l.option)
	}
	for option := range r.optionTexts {
		if option != l.option && matchEnd(r.normTexts[option], 0, phrase[:]) >= 0 {
			return true
		}
	}
	return false
}
