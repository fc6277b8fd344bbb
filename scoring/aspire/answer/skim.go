package answer

import "strings"

// level is a bracket that is open.
type level struct {
	at     int32
	close  byte
	height int32 // of what has been closed in it
}

// skim follows the brackets of the value at pos, which is nested too deep, and
// remembers every brace in it that is so by itself, or is never closed: an
// attempt there cannot succeed either. It returns how many bytes it looked at.
//
// It reads no values. Where one is broken, an attempt fails before it gets to
// what skim saw behind, so nothing is remembered that could have succeeded.
func (r *Reader) skim(text string, pos int) int {
	r.nest = r.nest[:0]
	i := pos
	for i < len(text) {
		switch c := text[i]; c {
		case '{', '[', '(':
			r.nest = append(r.nest, level{at: int32(i), close: closers[c]})
		case '}', ']', ')':
			if top := len(r.nest) - 1; r.nest[top].close != c {
				r.abandon(text)
				return i - pos
			}
			if r.close(text); len(r.nest) == 0 {
				return i - pos
			}
		case '"':
			i = stringEnd(text, i)
		case '/':
			i = commentEnd(text, i)
		}
		i++
	}
	r.abandon(text)
	return i - pos
}

var closers = [128]byte{'{': '}', '[': ']', '(': ')'}

// close takes the innermost level away.
func (r *Reader) close(text string) {
	top := len(r.nest) - 1
	l := r.nest[top]
	r.nest = r.nest[:top]
	height := l.height + 1
	if height > MaxDepth && text[l.at] == '{' {
		r.remember([]int32{l.at})
	}
	if top > 0 {
		r.nest[top-1].height = max(r.nest[top-1].height, height)
	}
}

// abandon remembers the braces of all levels: they are not closed.
func (r *Reader) abandon(text string) {
	for _, l := range r.nest {
		if text[l.at] == '{' {
			r.remember([]int32{l.at})
		}
	}
}

// stringEnd returns the position of the quote that ends the string at i, or the
// end of the text.
func stringEnd(text string, i int) int {
	for i++; i < len(text) && text[i] != '"'; i++ {
		if text[i] == '\\' {
			i++
		}
	}
	return i
}

// commentEnd returns the position of the last byte of the comment at i; i itself
// where the slash begins none.
func commentEnd(text string, i int) int {
	rest := text[i:]
	switch {
	case strings.HasPrefix(rest, "//"):
		if n := strings.IndexAny(rest, "\r\n"); n >= 0 {
			return i + n
		}
		return len(text)
	case strings.HasPrefix(rest, "/*"):
		if n := strings.Index(rest[2:], "*/"); n >= 0 {
			return i + 2 + n + 1
		}
		return len(text)
	}
	return i
}
