package answer

// openBracket is a bracket of the text that is not closed yet.
type openBracket struct {
	position     int32
	closing      byte
	levelsInside int32 // how many levels are nested in it, of those that are closed already
}

// markDeepBraces follows the brackets of the value at pos, which is nested too deep, and
// marks every brace in it at which parsing cannot succeed either: one that is itself nested
// too deep or never closed. It returns how many bytes it read.
//
// It only matches brackets and does not parse values. Where a value is malformed, parsing fails before it
// reaches anything marked after that place, so no brace is marked at which parsing could succeed.
func (reader *Reader) markDeepBraces(text string, pos int) int {
	reader.brackets = reader.brackets[:0]
	i := pos
	for i < len(text) {
		switch c := text[i]; c {
		case '{', '[', '(':
			reader.brackets = append(reader.brackets, openBracket{position: int32(i), closing: closingBrackets[c]})
		case '}', ']', ')':
			// the first character is a brace and the loop ends when it is closed, so a bracket is open
			if top := len(reader.brackets) - 1; reader.brackets[top].closing != c {
				reader.markOpenBraces(text)
				return i - pos
			}
			if reader.closeBracket(text); len(reader.brackets) == 0 {
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
	reader.markOpenBraces(text)
	return i - pos
}

var closingBrackets = [128]byte{'{': '}', '[': ']', '(': ')'}

// closeBracket removes the innermost open bracket of a model's text. If more than MaxDepth levels are
// nested in it, itself counted, and it is a brace, it is marked: no value can be parsed there. The
// number of levels is passed on to the bracket around it.
func (reader *Reader) closeBracket(text string) {
	top := len(reader.brackets) - 1
	closed := reader.brackets[top]
	reader.brackets = reader.brackets[:top]
	levels := closed.levelsInside + 1
	if levels > MaxDepth && text[closed.position] == '{' {
		reader.markUnparseable([]int32{closed.position})
	}
	if top > 0 {
		reader.brackets[top-1].levelsInside = max(reader.brackets[top-1].levelsInside, levels)
	}
}

// markOpenBraces marks the braces that are still open at the end of a model's text, because no
// value can begin at a brace that is never closed.
func (reader *Reader) markOpenBraces(text string) {
	for _, open := range reader.brackets {
		if text[open.position] == '{' {
			reader.markUnparseable([]int32{open.position})
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
