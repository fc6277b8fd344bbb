package answer

// openBracket is a bracket of the text that is not closed yet.
type openBracket struct {
	position    int32
	closing     byte
	closedDepth int32 // of what has been closed in it
}

// markDeepBraces follows the brackets of the value at pos, which is nested too deep, and
// marks every brace in it at which parsing cannot succeed either: one that is itself nested
// too deep or never closed. It returns how many bytes it read.
//
// It only matches brackets and does not parse values. Where a value is malformed, parsing
// fails before it reaches anything marked behind that place, so no brace is marked at which
// parsing could succeed.
func (r *Reader) markDeepBraces(text string, pos int) int {
	r.brackets = r.brackets[:0]
	i := pos
	for i < len(text) {
		switch c := text[i]; c {
		case '{', '[', '(':
			r.brackets = append(r.brackets, openBracket{position: int32(i), closing: closingBrackets[c]})
		case '}', ']', ')':
			// the first character is a brace and the loop ends when it is closed, so a bracket is open
			if top := len(r.brackets) - 1; r.brackets[top].closing != c {
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

var closingBrackets = [128]byte{'{': '}', '[': ']', '(': ')'}

// closeBracket removes the innermost open bracket of a model's text. It marks the bracket if it is
// a brace nested too deep, and passes its depth on to the bracket around it.
func (r *Reader) closeBracket(text string) {
	top := len(r.brackets) - 1
	closed := r.brackets[top]
	r.brackets = r.brackets[:top]
	height := closed.closedDepth + 1
	if height > MaxDepth && text[closed.position] == '{' {
		r.markUnparseable([]int32{closed.position})
	}
	if top > 0 {
		r.brackets[top-1].closedDepth = max(r.brackets[top-1].closedDepth, height)
	}
}

// markOpenBraces marks the braces that are still open at the end of a model's text, because no
// value can begin at a brace that is never closed.
func (r *Reader) markOpenBraces(text string) {
	for _, open := range r.brackets {
		if text[open.position] == '{' {
			r.markUnparseable([]int32{open.position})
		}
	}
}

// stringEnd returns the position of the quote that ends the string at i in a model's text, or the
// end of the text.
func stringEnd(text string, i int) int {
	for i++; i < len(text) && text[i] != '"'; i++ {
		if text[i] == '\\' {
			i++
		}
	}
	return i
}
