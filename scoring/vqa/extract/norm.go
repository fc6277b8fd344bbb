package extract

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"plumb/scoring/vqa/plain"
)

// appendLower appends s in lower case. Every character keeps its length, so that positions stay
// the same.
func appendLower(dst, s []byte) []byte {
	for i := 0; i < len(s); {
		b := s[i]
		if b < utf8.RuneSelf {
			if b >= 'A' && b <= 'Z' {
				b += 'a' - 'A'
			}
			dst = append(dst, b)
			i++
			continue
		}
		c, n := utf8.DecodeRune(s[i:])
		if l := unicode.ToLower(c); c != utf8.RuneError && utf8.RuneLen(l) == n {
			dst = utf8.AppendRune(dst, l)
		} else {
			dst = append(dst, s[i:i+n]...)
		}
		i += n
	}
	return dst
}

// appendFlat appends s with every run of white space replaced by one space.
func appendFlat(dst, s []byte) []byte {
	start := len(dst)
	for _, b := range s {
		if b == '\n' || b == ' ' || b == '\v' || b == '\f' {
			if n := len(dst); n > start && dst[n-1] != ' ' {
				dst = append(dst, ' ')
			}
			continue
		}
		dst = append(dst, b)
	}
	return dst
}

// normalize returns the part of s by which texts of options are compared: without quotes and
// brackets around it, marks at its end and a leading article. s must be in lower case with single
// spaces. See docs/spec/vqa.md#r15.
func normalize(s []byte) []byte {
	for len(s) > 0 {
		first, last := s[0], s[len(s)-1]
		switch {
		case first == ' ' || isQuote(first) || isOpener(first):
			s = s[1:]
		case last == ' ' || isQuote(last) || isCloser(last) || isStop(last):
			s = s[:len(s)-1]
		default:
			return s[articleLength(s):]
		}
	}
	return s
}

// articleLength returns the length of the article with which s begins and its space, 0 without
// one.
func articleLength(s []byte) int {
	for _, a := range [...]string{"the ", "a ", "an "} {
		if len(s) > len(a) && string(s[:len(a)]) == a {
			return len(a)
		}
	}
	return 0
}

func isQuote(b byte) bool  { return b == '"' || b == '\'' || b == '`' }
func isOpener(b byte) bool { return b == '(' || b == '[' || b == '{' || b == '<' }
func isCloser(b byte) bool { return b == ')' || b == ']' || b == '}' || b == '>' }
func isStop(b byte) bool {
	return b == '.' || b == ',' || b == ';' || b == ':' || b == '!' || b == '?'
}
func isSpace(b byte) bool { return b == ' ' || b == '\n' || b == '\v' || b == '\f' }
func isDigit(b byte) bool { return b >= '0' && b <= '9' }
func isLower(b byte) bool { return b >= 'a' && b <= 'z' }
func isUpper(b byte) bool { return b >= 'A' && b <= 'Z' }

// wordAt reports whether a letter or digit begins at s[i]. Chinese characters do not count,
// because they are no parts of longer words.
func wordAt(s []byte, i int) bool {
	if i >= len(s) {
		return false
	}
	if s[i] < utf8.RuneSelf {
		return isLower(s[i]) || isUpper(s[i]) || isDigit(s[i])
	}
	c, _ := utf8.DecodeRune(s[i:])
	return isWordRune(c)
}

// wordBefore reports whether a letter or digit ends before s[i].
func wordBefore(s []byte, i int) bool {
	if i <= 0 {
		return false
	}
	if b := s[i-1]; b < utf8.RuneSelf {
		return isLower(b) || isUpper(b) || isDigit(b)
	}
	c, _ := utf8.DecodeLastRune(s[:i])
	return isWordRune(c)
}

// isWordRune reports whether a character belongs to words.
func isWordRune(c rune) bool {
	return (unicode.IsLetter(c) || unicode.IsDigit(c)) && !unicode.Is(unicode.Han, c)
}

// normalizeOptions normalizes the texts of the options for comparison, once for a question.
// Missing options, and options with equal texts, are not usable. See docs/spec/vqa.md#r4 for
// missing options.
func (r *Reader) normalizeOptions() {
	if r.ready {
		return
	}
	r.ready = true
	r.arena = r.arena[:0]
	var from, to [Most]int
	for k, text := range r.texts {
		from[k] = len(r.arena)
		r.arena = append(r.arena, normalizeOption(r, text)...)
		to[k] = len(r.arena)
	}
	for k := range r.texts {
		r.norms[k] = r.arena[from[k]:to[k]]
		r.usable[k] = len(r.norms[k]) > 0 && string(r.norms[k]) != "nan"
		r.order[k] = k
	}
	for k := range r.texts {
		for m := range k {
			if bytes.Equal(r.norms[k], r.norms[m]) {
				r.usable[k], r.usable[m] = false, false
			}
		}
	}
	for k := 1; k < len(r.texts); k++ {
		for m := k; m > 0 && len(r.norms[r.order[m]]) > len(r.norms[r.order[m-1]]); m-- {
			r.order[m], r.order[m-1] = r.order[m-1], r.order[m]
		}
	}
}

// normalizeOption returns the normalized text of an option, in memory that the next call reuses.
func normalizeOption(r *Reader, text []byte) []byte {
	r.flat = plain.AppendFolded(r.flat[:0], text)
	r.flow = r.flow[:0]
	for _, b := range r.flat { // marks of emphasis and formulas, which the answer has lost too
		if b != '*' && b != '$' && b != '`' {
			r.flow = append(r.flow, b)
		}
	}
	r.norm = appendFlat(r.norm[:0], r.flow)
	r.flow = appendLower(r.flow[:0], r.norm)
	return normalize(r.flow)
}

// optionWithText returns the option with that normalized text, -1 for none.
func (r *Reader) optionWithText(n []byte) int {
	r.normalizeOptions()
	for k := range r.texts {
		if r.usable[k] && bytes.Equal(r.norms[k], n) {
			return k
		}
	}
	return -1
}

// normalizeAnswer returns a part of the answer, normalized as the options are.
func (r *Reader) normalizeAnswer(s []byte) []byte {
	r.normalizeOptions()
	r.flat = appendFlat(r.flat[:0], s)
	r.norm = appendLower(r.norm[:0], r.flat)
	return normalize(r.norm)
}

// optionTextAt returns the longest option whose text is at low[i] as whole words, after optional
// quotes, brackets and an article, and where it ends; -1 for none.
func (r *Reader) optionTextAt(low []byte, i int) (option, end int) {
	r.normalizeOptions()
	for i < len(low) && (low[i] == ' ' || isQuote(low[i]) || isOpener(low[i])) {
		i++
	}
	for _, from := range [...]int{i, i + articleLength(low[i:])} {
		for _, k := range r.order[:len(r.texts)] {
			if !r.usable[k] {
				continue
			}
			if end := matchEnd(low, from, r.norms[k]); end >= 0 {
				return k, end
			}
		}
	}
	return -1, i
}

// matchEnd returns where the text n ends that is at low[i] as whole words, -1 where another text
// is there. A space in n matches any white space.
func matchEnd(low []byte, i int, n []byte) int {
	last := byte(' ')
	for _, b := range n {
		if b == ' ' {
			if i >= len(low) || !isSpace(low[i]) {
				return -1
			}
			i = skipSpace(low, i)
		} else {
			if i >= len(low) || low[i] != b {
				return -1
			}
			i++
		}
		last = b
	}
	if (last >= utf8.RuneSelf || wordBefore([]byte{last}, 1)) && wordAt(low, i) {
		return -1
	}
	return i
}

// OptionByText returns the option whose text the whole answer is, -1 for none. Labels do not
// count.
func (r *Reader) OptionByText(answer []byte) int {
	text, _ := r.cleaner.Clean(answer)
	return r.optionWithText(r.normalizeAnswer(text))
}
