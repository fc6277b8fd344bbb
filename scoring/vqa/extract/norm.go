package extract

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"plumb/scoring/vqa/plain"
)

// appendLower appends an answer in lower case. A character whose lower case has another length
// stays as it is, so that positions in the result are those in text.
func appendLower(dst, text []byte) []byte {
	for i := 0; i < len(text); {
		b := text[i]
		if b < utf8.RuneSelf {
			if b >= 'A' && b <= 'Z' {
				b += 'a' - 'A'
			}
			dst = append(dst, b)
			i++
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		if lowerRune := unicode.ToLower(r); r != utf8.RuneError && utf8.RuneLen(lowerRune) == size {
			dst = utf8.AppendRune(dst, lowerRune)
		} else {
			dst = append(dst, text[i:i+size]...)
		}
		i += size
	}
	return dst
}

// appendFlat appends an answer with every run of white space replaced by one space, so that patterns
// need not care about line breaks. White space at the start is dropped.
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

// normalize returns the part of text by which texts of options and answers are compared: without
// quotes and brackets around it, punctuation at its end and a leading article. text must be in lower
// case with single spaces. The result shares memory with text. See docs/spec/vqa.md#r15.
func normalize(text []byte) []byte {
	for len(text) > 0 {
		first, last := text[0], text[len(text)-1]
		switch {
		case first == ' ' || isQuote(first) || isOpener(first):
			text = text[1:]
		case last == ' ' || isQuote(last) || isCloser(last) || isStop(last):
			text = text[:len(text)-1]
		default:
			return text[articleLength(text):]
		}
	}
	return text
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

// wordStartsAt reports whether a letter or digit begins at text[i] of an answer. Chinese characters do
// not count, because text without spaces would be one word.
func wordStartsAt(text []byte, i int) bool {
	if i >= len(text) {
		return false
	}
	if text[i] < utf8.RuneSelf {
		return isLower(text[i]) || isUpper(text[i]) || isDigit(text[i])
	}
	c, _ := utf8.DecodeRune(text[i:])
	return isWordRune(c)
}

// wordEndsAt reports whether a letter or digit ends right before text[i] of an answer. Chinese
// characters do not count.
func wordEndsAt(text []byte, i int) bool {
	if i <= 0 {
		return false
	}
	if b := text[i-1]; b < utf8.RuneSelf {
		return isLower(b) || isUpper(b) || isDigit(b)
	}
	c, _ := utf8.DecodeLastRune(text[:i])
	return isWordRune(c)
}

// isWordRune reports whether a character is a letter or digit, but not a Chinese one.
func isWordRune(c rune) bool {
	return (unicode.IsLetter(c) || unicode.IsDigit(c)) && !unicode.Is(unicode.Han, c)
}

// normalizeOptions fills normTexts, usable and byLength for the question's options; later
// calls for the same question do nothing. Missing options ("" or "nan", docs/spec/vqa.md#r4)
// and options with equal texts are not usable. It overwrites oneLine, oneLineLower and norm.
func (reader *Reader) normalizeOptions() {
	if reader.normalized {
		return
	}
	reader.normalized = true
	reader.normMemory = reader.normMemory[:0]
	var from, to [MaxOptions]int // positions, because normMemory moves while it grows
	for option, text := range reader.optionTexts {
		from[option] = len(reader.normMemory)
		reader.normMemory = append(reader.normMemory, normalizeOption(reader, text)...)
		to[option] = len(reader.normMemory)
	}
	for option := range reader.optionTexts {
		reader.normTexts[option] = reader.normMemory[from[option]:to[option]]
		reader.usable[option] = len(reader.normTexts[option]) > 0 && string(reader.normTexts[option]) != "nan"
		reader.byLength[option] = option
	}
	for option := range reader.optionTexts {
		for other := range option {
			if bytes.Equal(reader.normTexts[option], reader.normTexts[other]) {
				reader.usable[option], reader.usable[other] = false, false
			}
		}
	}
	// insertion sort by length, which allocates nothing
	longer := func(a, b int) bool { return len(reader.normTexts[a]) > len(reader.normTexts[b]) }
	for i := 1; i < len(reader.optionTexts); i++ {
		for k := i; k > 0 && longer(reader.byLength[k], reader.byLength[k-1]); k-- {
			reader.byLength[k], reader.byLength[k-1] = reader.byLength[k-1], reader.byLength[k]
		}
	}
}

// normalizeOption returns the normalized text of an option: without look-alikes of ASCII characters and
// without marks of emphasis and formulas, which are removed from answers too, in one line and in lower
// case, then as normalize leaves it. It lies in a buffer of the reader, which the next call overwrites.
func normalizeOption(reader *Reader, text []byte) []byte {
	ascii := plain.AppendWithoutLookAlikes(reader.oneLine[:0], text)
	unmarked := reader.oneLineLower[:0]
	for _, b := range ascii {
		if b != '*' && b != '$' && b != '`' {
			unmarked = append(unmarked, b)
		}
	}
	flat := appendFlat(reader.norm[:0], unmarked)
	lower := appendLower(unmarked[:0], flat)
	reader.oneLine, reader.oneLineLower, reader.norm = ascii, lower, flat // keeps memory that has grown
	return normalize(lower)
}

// optionWithText returns the usable option whose normalized text is norm, -1 for none.
func (reader *Reader) optionWithText(norm []byte) int {
	reader.normalizeOptions()
	for option := range reader.optionTexts {
		if reader.usable[option] && bytes.Equal(reader.normTexts[option], norm) {
			return option
		}
	}
	return -1
}

// normalizeAnswer returns a part of the answer, normalized as the options are. It lies in a
// buffer of the reader, which the next call overwrites.
func (reader *Reader) normalizeAnswer(s []byte) []byte {
	reader.normalizeOptions()
	reader.oneLine = appendFlat(reader.oneLine[:0], s)
	reader.norm = appendLower(reader.norm[:0], reader.oneLine)
	return normalize(reader.norm)
}

// optionTextAt returns the longest option whose text stands at lower[i] of an answer as whole words, after
// optional spaces, quotes, brackets and an article, and where the text ends; -1 for none.
func (reader *Reader) optionTextAt(lower []byte, i int) (option, end int) {
	reader.normalizeOptions()
	for i < len(lower) && (lower[i] == ' ' || isQuote(lower[i]) || isOpener(lower[i])) {
		i++
	}
	for _, from := range [...]int{i, i + articleLength(lower[i:])} {
		for _, candidate := range reader.byLength[:len(reader.optionTexts)] {
			if !reader.usable[candidate] {
				continue
			}
			if end := matchEnd(lower, from, reader.normTexts[candidate]); end >= 0 {
				return candidate, end
			}
		}
	}
	return -1, i
}

// matchEnd returns where an option's normalized text, norm, ends if it stands at lower[i] of an
// answer, or -1 if it does not. A space in norm matches any run of white space. The text must not end within
// a word; whether it begins within one is for the caller to look at.
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
	endsInWord := isLower(last) || isUpper(last) || isDigit(last) || last >= utf8.RuneSelf // as part of a character
	if endsInWord && wordStartsAt(lower, i) {
		return -1
	}
	return i
}

// OptionByText returns the option whose text is the whole answer, -1 for none. Labels do not count.
func (reader *Reader) OptionByText(answer []byte) int {
	text, _ := reader.cleaner.Clean(answer)
	return reader.optionWithText(reader.normalizeAnswer(text))
}
