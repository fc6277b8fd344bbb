package extract

// label is the label of an option, as it was found in a text.
type label struct {
	option    int  // position from 0; not one of the options where it is out of range
	alias     bool // a letter in an item with numbers
	bracketed bool
	capital   bool // an upper-case letter or a digit
	from, to  int  // in the text, brackets included
}

// isOption reports whether the question has an option with the label.
func (r *Reader) isOption(l label) bool { return l.option >= 0 && l.option < len(r.texts) }

// labelAt reads the label that stands alone at s[i], with optional brackets and quotes. ok is
// false where there is none. See docs/spec/vqa.md#r17.
func (r *Reader) labelAt(s []byte, i int) (l label, ok bool) {
	l.from = i
	close := byte(0)
	for ; i < len(s) && (isOpener(s[i]) || isQuote(s[i])); i++ {
		if isOpener(s[i]) {
			l.bracketed = true
			close = closingBracket(s[i])
		}
	}
	if i >= len(s) {
		return l, false
	}
	switch b := s[i]; {
	case isDigit(b):
		if r.style != Numbers {
			return l, false
		}
		n := 0
		for ; i < len(s) && isDigit(s[i]); i++ {
			n = min(n*10+int(s[i]-'0'), 1000)
		}
		l.option, l.capital = n-1, true
		if i+1 < len(s) && (s[i] == '.' || s[i] == ',' || s[i] == ':' || s[i] == '/') && isDigit(s[i+1]) || i < len(s) && s[i] == '%' {
			return l, false
		}
	case isUpper(b):
		l.option, l.capital = int(b-'A'), true
		i++
	case isLower(b):
		l.option = int(b - 'a')
		i++
	default:
		return l, false
	}
	l.alias = r.style == Numbers && !isDigit(s[i-1])
	if wordAt(s, i) || i+1 < len(s) && s[i] == '\'' && wordAt(s, i+1) {
		return l, false
	}
	if l.bracketed {
		for i < len(s) && isQuote(s[i]) {
			i++
		}
		if i >= len(s) || s[i] != close {
			return l, false
		}
	}
	for i < len(s) && (isCloser(s[i]) || isQuote(s[i])) {
		i++
	}
	l.to = i
	return l, true
}

// closingBracket returns the bracket that closes the one before a label.
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
var wordsAfterLabel = [...]string{"because", "since", "as", "or", "and", "which", "for", "due", "given", "here", "based", "that", "so", "if",
	"is", "in", "on", "when", "from", "with", "but", "by", "where"}

// isPlausible reports whether the word after the label allows that it is one.
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
	careful := l.option == 0 || l.option == 8 || !l.capital || isDigit(s[l.to-1])
	if !careful || !wordAt(s, i) {
		return true
	}
	if isUpper(s[i]) || isDigit(s[i]) {
		return l.capital
	}
	return mayFollowLabel(s, i)
}

// mayFollowLabel reports whether the word at s[i] is one of wordsAfterLabel.
func mayFollowLabel(s []byte, i int) bool {
	for _, w := range wordsAfterLabel {
		if hasWord(s, i, w) {
			return true
		}
	}
	return false
}

// hasWord reports whether the whole word w is at s[i] of an answer, in any case. w is in lower
// case.
func hasWord(s []byte, i int, w string) bool {
	if i < 0 || i+len(w) > len(s) {
		return false
	}
	for k := range len(w) {
		b := s[i+k]
		if isUpper(b) {
			b += 'a' - 'A'
		}
		if b != w[k] {
			return false
		}
	}
	last := w[len(w)-1]
	return !(isLower(last) && wordAt(s, i+len(w)))
}

// skipWord returns the position after the word w at s[i] and the space behind it; i where there is
// another word.
func skipWord(s []byte, i int, w string) int {
	if !hasWord(s, i, w) {
		return i
	}
	return skipSpace(s, i+len(w))
}

// skipSpace returns the position of the first byte from s[i] on that is no white space.
func skipSpace(s []byte, i int) int { return skipWhile(s, i, isSpace) }

// skipWhile returns the position of the first byte from s[i] on for which is does not hold.
func skipWhile(s []byte, i int, is func(byte) bool) int {
	for i < len(s) && is(s[i]) {
		i++
	}
	return i
}

// namesOtherOption reports whether the text of another option begins with "option" and this label:
// then "option C" is ambiguous. See docs/spec/vqa.md#r18.
func (r *Reader) namesOtherOption(l label) bool {
	r.normalizeOptions()
	name := [...]byte{'o', 'p', 't', 'i', 'o', 'n', ' ', 0}
	if r.style == Numbers && !l.alias {
		if l.option > 8 {
			return false
		}
		name[7] = byte('1' + l.option)
	} else {
		name[7] = byte('a' + l.option)
	}
	for k := range r.texts {
		if k != l.option && matchEnd(r.norms[k], 0, name[:]) >= 0 {
			return true
		}
	}
	return false
}
