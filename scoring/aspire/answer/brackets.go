package answer

// bracket is an open bracket of the text.
type bracket struct {
	pos    int32
	close  byte
	height int32 // of what has been closed in it
}

// markDeepBraces follows the brackets of the value at pos, which is nested too deep, and marks
// every brace in it that is itself nested too deep or never closed: parsing cannot succeed there
// either. It returns how many bytes it read.
//
// It does not parse values. Where one is malformed, parsing fails before the position of anything
// marked behind it, so no brace is marked at which parsing could succeed.
func (r *Reader) markDeepBraces(text string, pos int) int {
	r.brackets = r.brackets[:0]
	i := pos
	for i < len(text) {
		switch c := text[i]; c {
		case '{', '[', '(':
			r.brackets = append(r.brackets, bracket{pos: int32(i), close: closers[c]})
		case '}', ']', ')':
			if top := len(r.brackets) - 1; r.brackets[top].close != c {
				r.markOpenBraces(text)
				return i - pos
			}
			if r.closeBracket(text); len(r.brackets) == 0 {
				return i - pos
			}
		case '"':
			i = stringEnd(text, i)
		case '/':
			n, _ := commentLength(text[i:])
			i += max(n-1, 0)
		}
		i++
	}
	r.markOpenBraces(text)
	return i - pos
}

var closers = [128]byte{'{': '}', '[': ']', '(': ')'}

// closeBracket removes the innermost open bracket of the text that is searched for JSON.
func (r *Reader) closeBracket(text string) {
	top := len(r.brackets) - 1
	l := r.brackets[top]
	r.brackets = r.brackets[:top]
	height := l.height + 1
	if height > MaxDepth && text[l.pos] == '{' {
		r.markUnparseable([]int32{l.pos})
	}
	if top > 0 {
		r.brackets[top-1].height = max(r.brackets[top-1].height, height)
	}
}

// markOpenBraces marks the braces that are still open: they are never closed.
func (r *Reader) markOpenBraces(text string) {
	for _, l := range r.brackets {
		if text[l.pos] == '{' {
			r.markUnparseable([]int32{l.pos})
		}
	}
}

// stringEnd returns the position of the quote that ends the string at i, or the end of the text.
func stringEnd(text string, i int) int {
	for i++; i < len(text) && text[i] != '"'; i++ {
		if text[i] == '\\' {
			i++
		}
	}
	return i
}
