package extract

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"plumb/scoring/vqa/plain"
)

// appendLower appends an answer in lower case. A character whose lower case has another length
// stays as it is, so that positions in the result are those in s.
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
		r, size := utf8.DecodeRune(s[i:])
		if lowerRune := unicode.ToLower(r); r != utf8.RuneError && utf8.RuneLen(lowerRune) == size {
			dst = utf8.AppendRune(dst, lowerRune)
		} else {
			dst = append(dst, s[i:i+size]...)
		}
		i += size
	}
	return dst
}

// appendFlat appends an answer with every run of white space replaced by one space.
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

// normalize returns the part of s by which texts of options and answers are compared: without
// quotes and brackets around it, punctuation at its end and a leading article. s must be in lower
// case with single spaces. The result shares memory with s. See docs/spec/vqa.md#r15.
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

// articleLength returns the length of the article with which an option's text begins, with its
// space; 0 without one.
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

// wordStartsAt reports whether a letter or digit begins at s[i] of an answer. Chinese characters do
// not count, because text without spaces would be one word.
func wordStartsAt(s []byte, i int) bool {
	if i >= len(s) {
		return false
	}
	if s[i] < utf8.RuneSelf {
		return isLower(s[i]) || isUpper(s[i]) || isDigit(s[i])
	}
	c, _ := utf8.DecodeRune(s[i:])
	return isWordRune(c)
}

// wordEndsAt reports whether a letter or digit ends right before s[i] of an answer. Chinese
// characters do not count.
func wordEndsAt(s []byte, i int) bool {
	if i <= 0 {
		return false
	}
	if b := s[i-1]; b < utf8.RuneSelf {
		return isLower(b) || isUpper(b) || isDigit(b)
	}
	c, _ := utf8.DecodeLastRune(s[:i])
	return isWordRune(c)
}

// isWordRune reports whether a character is a letter or digit, but not a Chinese one.
func isWordRune(c rune) bool {
	return (unicode.IsLetter(c) || unicode.IsDigit(c)) && !unicode.Is(unicode.Han, c)
}

// normalizeOptions fills normTexts, usable and byLength for the question's options; later
// calls for the same question do nothing. Missing options ("" or "nan", docs/spec/vqa.md#r4)
// and options with equal texts are not usable. It overwrites oneLine, oneLineLower and norm.
func (r *Reader) normalizeOptions() {
	if r.normalized {
		return
	}
	r.normalized = true
	r.normMemory = r.normMemory[:0]
	var from, to [Most]int // positions, because normMemory moves while it grows
	for option, text := range r.optionTexts {
		from[option] = len(r.normMemory)
		r.normMemory = append(r.normMemory, normalizeOption(r, text)...)
		to[option] = len(r.normMemory)
	}
	for option := range r.optionTexts {
		r.normTexts[option] = r.normMemory[from[option]:to[option]]
		r.usable[option] = len(r.normTexts[option]) > 0 && string(r.normTexts[option]) != "nan"
		r.byLength[option] = option
	}
	for option := range r.optionTexts {
		for other := range option {
			if bytes.Equal(r.normTexts[option], r.normTexts[other]) {
				r.usable[option], r.usable[other] = false, false
			}
		}
	}
	// insertion sort by length, which allocates nothing
	longer := func(a, b int) bool { return len(r.normTexts[a]) > len(r.normTexts[b]) }
	for i := 1; i < len(r.optionTexts); i++ {
		for k := i; k > 0 && longer(r.byLength[k], r.byLength[k-1]); k-- {
			r.byLength[k], r.byLength[k-1] = r.byLength[k-1], r.byLength[k]
		}
	}
}

// normalizeOption returns the normalized text of an option: special letters folded into plain ones,
// marks of emphasis and formulas removed, in one line and in lower case, then as normalize leaves it.
// The reader's buffers, whose names are those of other uses, hold the steps between. The result lies in
// them, and the next call overwrites it.
func normalizeOption(r *Reader, text []byte) []byte {
	r.oneLine = plain.AppendFolded(r.oneLine[:0], text)
	r.oneLineLower = r.oneLineLower[:0]
	for _, b := range r.oneLine { // marks of emphasis and formulas, which were removed from the answer too
		if b != '*' && b != '$' && b != '`' {
			r.oneLineLower = append(r.oneLineLower, b)
		}
	}
	r.norm = appendFlat(r.norm[:0], r.oneLineLower)
	r.oneLineLower = appendLower(r.oneLineLower[:0], r.norm)
	return normalize(r.oneLineLower)
}

// optionWithText returns the usable option whose normalized text is norm, -1 for none.
func (r *Reader) optionWithText(norm []byte) int {
	r.normalizeOptions()
	for option := range r.optionTexts {
		if r.usable[option] && bytes.Equal(r.normTexts[option], norm) {
			return option
		}
	}
	return -1
}

// normalizeAnswer returns a part of the answer, normalized as the options are. It lies in a
// buffer of the reader, which the next call overwrites.
func (r *Reader) normalizeAnswer(s []byte) []byte {
	r.normalizeOptions()
	r.oneLine = appendFlat(r.oneLine[:0], s)
	r.norm = appendLower(r.norm[:0], r.oneLine)
	return normalize(r.norm)
}

// optionTextAt returns the longest option whose text stands at lower[i] of an answer as whole
// words, after optional spaces, quotes, brackets and an article, and where the text ends; -1 for
// none.
func (r *Reader) optionTextAt(lower []byte, i int) (option, end int) {
	r.normalizeOptions()
	for i < len(lower) && (lower[i] == ' ' || isQuote(lower[i]) || isOpener(lower[i])) {
		i++
	}
	for _, from := range [...]int{i, i + articleLength(lower[i:])} {
		for _, candidate := range r.byLength[:len(r.optionTexts)] {
			if !r.usable[candidate] {
				continue
			}
			if end := matchEnd(lower, from, r.normTexts[candidate]); end >= 0 {
				return candidate, end
			}
		}
	}
	return -1, i
}

// matchEnd returns where an option's normalized text, norm, ends if it stands at lower[i] of an
// answer as whole words, or -1 if it does not. A space in norm matches any run of white space.
func matchEnd(lower []byte, i int, norm []byte) int {
	last := byte(' ')
	for _, b := range norm {
		if b == ' ' {
			if i >= len(lower) || !isSpace(lower[i]) {
				return -1
			}
			i = skipSpace(lower, i)
		} else {
			if i >= len(lower) || lower[i] != b {
				return -1
			}
			i++
		}
		last = b
	}
	if (last >= utf8.RuneSelf || wordEndsAt([]byte{last}, 1)) && wordStartsAt(lower, i) {
		return -1
	}
	return i
}

// OptionByText returns the option whose text is the whole answer, -1 for none. Labels do not
// count.
func (r *Reader) OptionByText(answer []byte) int {
	text, _ := r.cleaner.Clean(answer)
	return r.optionWithText(r.normalizeAnswer(text))
}
