package extract

// label is one label in a text.
type label struct {
	option    int  // position from 0; not one of the options where it is out of range
	alias     bool // a letter in an item with numbers
	bracketed bool
	capital   bool // an upper-case letter or a digit
	from, to  int  // in the text, brackets included
}

// inside reports whether the label is one of the options.
func (r *Reader) inside(l label) bool { return l.option >= 0 && l.option < len(r.texts) }

// labelAt reads the label that stands alone at s[i], with or without brackets
// and quotes. See docs/spec/vqa.md#r17.
func (r *Reader) labelAt(s []byte, i int) (l label, ok bool) {
	l.from = i
	close := byte(0)
	for ; i < len(s) && (opener(s[i]) || quote(s[i])); i++ {
		if opener(s[i]) {
			l.bracketed = true
			close = closing(s[i])
		}
	}
	if i >= len(s) {
		return l, false
	}
	switch b := s[i]; {
	case digit(b):
		if r.style != Numbers {
			return l, false
		}
		n := 0
		for ; i < len(s) && digit(s[i]); i++ {
			n = min(n*10+int(s[i]-'0'), 1000)
		}
		l.option, l.capital = n-1, true
		if i+1 < len(s) && (s[i] == '.' || s[i] == ',' || s[i] == ':' || s[i] == '/') && digit(s[i+1]) || i < len(s) && s[i] == '%' {
			return l, false
		}
	case upper(b):
		l.option, l.capital = int(b-'A'), true
		i++
	case lower(b):
		l.option = int(b - 'a')
		i++
	default:
		return l, false
	}
	l.alias = r.style == Numbers && !digit(s[i-1])
	if wordAt(s, i) || i+1 < len(s) && s[i] == '\'' && wordAt(s, i+1) {
		return l, false
	}
	if l.bracketed {
		for i < len(s) && quote(s[i]) {
			i++
		}
		if i >= len(s) || s[i] != close {
			return l, false
		}
	}
	for i < len(s) && (closer(s[i]) || quote(s[i])) {
		i++
	}
	l.to = i
	return l, true
}

func closing(b byte) byte {
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

// after are the words that may follow a label. Before any other word in lower case
// "A" is the article, and a digit a number. See docs/spec/vqa.md#r24.
var after = [...]string{"because", "since", "as", "or", "and", "which", "for", "due", "given", "here", "based", "that", "so", "if",
	"is", "in", "on", "when", "from", "with", "but", "by", "where"}

// accepted reports whether the label at l is one, by the word that follows it.
func accepted(s []byte, l label) bool {
	if l.bracketed {
		return true
	}
	i := l.to
	if i >= len(s) || !space(s[i]) {
		return true
	}
	for i < len(s) && s[i] == ' ' {
		i++
	}
	if i >= len(s) || s[i] == '\n' {
		return true
	}
	careful := l.option == 0 || l.option == 8 || !l.capital || digit(s[l.to-1])
	if !careful || !wordAt(s, i) {
		return true
	}
	if upper(s[i]) || digit(s[i]) {
		return l.capital
	}
	return follows(s, i)
}

// follows reports whether the word at s[i] is one of those that may follow a label.
func follows(s []byte, i int) bool {
	for _, w := range after {
		if hasWord(s, i, w) {
			return true
		}
	}
	return false
}

// hasWord reports whether the whole word w, in lower case, stands at s[i]; case
// does not matter.
func hasWord(s []byte, i int, w string) bool {
	if i < 0 || i+len(w) > len(s) {
		return false
	}
	for k := range len(w) {
		b := s[i+k]
		if upper(b) {
			b += 'a' - 'A'
		}
		if b != w[k] {
			return false
		}
	}
	last := w[len(w)-1]
	return !(lower(last) && wordAt(s, i+len(w)))
}

// skipWord returns the position after the word w and the space behind it, and i
// where it does not stand there.
func skipWord(s []byte, i int, w string) int {
	if !hasWord(s, i, w) {
		return i
	}
	return skipSpace(s, i+len(w))
}

func skipSpace(s []byte, i int) int {
	for i < len(s) && space(s[i]) {
		i++
	}
	return i
}

// otherOption reports whether the text of an option other than l begins with
// "option" and the label of l: then "option C" may mean either. See
// docs/spec/vqa.md#r18.
func (r *Reader) otherOption(l label) bool {
	r.prepare()
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
		if k != l.option && matches(r.norms[k], 0, name[:]) >= 0 {
			return true
		}
	}
	return false
}
