package extract

// label is the label of an option, as it was found in a text.
type label struct {
	option          int  // position from 0; not one of the options where it is out of range
	letterForNumber bool // a letter in an item with numbers
	bracketed       bool
	upperOrDigit    bool // an upper-case letter or a digit
	from, to        int  // in the text, brackets included
}

// letterI is the position of the letter I among labels, which is more often a word than a label.
const letterI = 8

// isOption reports whether the question has an option with the label.
func (reader *Reader) isOption(l label) bool {
	return l.option >= 0 && l.option < len(reader.optionTexts)
}

// labelAt reads the option label at text[i] of an answer, which must stand alone: a letter, or a number where
// labels are numbers, in optional brackets and quotes, with no letter or digit after it. The option may be out
// of range. ok is false where there is no label. See docs/spec/vqa.md#r17.
func (reader *Reader) labelAt(text []byte, i int) (label label, ok bool) {
	label.from = i
	closer := byte(0)
	for ; i < len(text) && (isOpener(text[i]) || isQuote(text[i])); i++ {
		if isOpener(text[i]) {
			label.bracketed = true
			closer = closingBracket(text[i])
		}
	}
	if i >= len(text) {
		return label, false
	}
	// The letter or the number.
	switch c := text[i]; {
	case isDigit(c):
		if reader.style != Numbers {
			return label, false
		}
		number := 0
		for ; i < len(text) && isDigit(text[i]); i++ {
			number = min(number*10+int(text[i]-'0'), 1000) // capped against overflow
		}
		label.option, label.upperOrDigit = number-1, true
		isPercentage := i < len(text) && text[i] == '%'
		isLonger := i+1 < len(text) && (text[i] == '.' || text[i] == ',' || text[i] == ':' || text[i] == '/') &&
			isDigit(text[i+1]) // a decimal, a time or a fraction
		if isPercentage || isLonger {
			return label, false
		}
	case isUpper(c):
		label.option, label.upperOrDigit = int(c-'A'), true
		i++
	case isLower(c):
		label.option = int(c - 'a')
		i++
	default:
		return label, false
	}
	// It must stand alone: no letter, digit or apostrophe with a letter after it.
	label.letterForNumber = reader.style == Numbers && !isDigit(text[i-1])
	hasSuffix := i+1 < len(text) && text[i] == '\'' && wordStartsAt(text, i+1) // as in I'm
	if hasSuffix || wordStartsAt(text, i) {
		return label, false
	}
	// An opened bracket must be closed.
	if label.bracketed {
		for i < len(text) && isQuote(text[i]) {
			i++
		}
		if i >= len(text) || text[i] != closer {
			return label, false
		}
	}
	for i < len(text) && (isCloser(text[i]) || isQuote(text[i])) {
		i++
	}
	label.to = i
	return label, true
}

// closingBracket returns the bracket that closes b, an opening bracket before an option's label, as in "(B)".
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

// isPlausible reports whether a letter or digit in an answer, found as label, can be an option's label
// by what follows it. Characters that are often something else (A, I, a lower-case letter, a digit) need
// brackets, a mark, the end of the line or one of wordsAfterLabel after them.
func isPlausible(text []byte, label label) bool {
	if label.bracketed {
		return true
	}
	i := label.to
	if i >= len(text) || !isSpace(text[i]) {
		return true
	}
	i = skipBlank(text, i)
	if i >= len(text) || text[i] == '\n' {
		return true
	}
	needsProof := label.option == 0 || label.option == letterI || // A and I are words
		!label.upperOrDigit || isDigit(text[label.to-1])
	if !needsProof || !wordStartsAt(text, i) {
		return true
	}
	if isUpper(text[i]) || isDigit(text[i]) {
		return label.upperOrDigit
	}
	return mayFollowLabel(text, i)
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

// hasWord reports whether word stands at text[i] of an answer, in any case, and ends there: no letter or
// digit may follow it. Where word itself ends in something else than a letter, anything may follow. What
// stands before text[i] is not looked at. word must be in lower case.
func hasWord(text []byte, i int, word string) bool {
	if i < 0 || i+len(word) > len(text) {
		return false
	}
	for j := range len(word) {
		b := text[i+j]
		if isUpper(b) {
			b += 'a' - 'A'
		}
		if b != word[j] {
			return false
		}
	}
	goesOn := wordStartsAt(text, i+len(word)) // a letter or digit follows
	return !isLower(word[len(word)-1]) || !goesOn
}

// skipWord returns the position after a word at text[i] of an answer and the space after it, or i if
// another word is there.
func skipWord(text []byte, i int, word string) int {
	if !hasWord(text, i, word) {
		return i
	}
	return skipSpace(text, i+len(word))
}

// skipSpace returns the position of the first byte from s[i] on that is no white space.
func skipSpace(s []byte, i int) int { return skipWhile(s, i, isSpace) }

// skipWhile returns the position of the first byte of an answer from s[i] on that does not match.
func skipWhile(s []byte, i int, matches func(byte) bool) int {
	for i < len(s) && matches(s[i]) {
		i++
	}
	return i
}

// namesOtherOption reports whether the text of another option begins with "option" and this
// label. Then "option C" may mean that text or label C. See docs/spec/vqa.md#r18.
func (reader *Reader) namesOtherOption(label label) bool {
	reader.normalizeOptions()
	phrase := [...]byte{'o', 'p', 't', 'i', 'o', 'n', ' ', 0} // an array, so that nothing is allocated
	last := len(phrase) - 1                                   // for the label
	if isNumber := reader.style == Numbers && !label.letterForNumber; isNumber {
		if label.option+1 > 9 { // no option has a number of two digits
			return false
		}
		phrase[last] = byte('1' + label.option)
	} else {
		phrase[last] = byte('a' + label.option)
	}
	for option := range reader.optionTexts {
		if option != label.option && matchEnd(reader.normTexts[option], 0, phrase[:]) >= 0 {
			return true
		}
	}
	return false
}
