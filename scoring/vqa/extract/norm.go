package extract

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"plumb/scoring/vqa/plain"
)

// appendLower appends s in lower case. Every character keeps its length, so
// positions in both are the same.
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

// appendFlat appends s with every run of white space as one space.
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

// normed is the form in which texts are compared, as a part of s, which is in
// lower case and has single spaces: without quotes and brackets around it, marks
// at its end and one article. See docs/spec/vqa.md#r15.
func normed(s []byte) []byte {
	for len(s) > 0 {
		first, last := s[0], s[len(s)-1]
		switch {
		case first == ' ' || quote(first) || opener(first):
			s = s[1:]
		case last == ' ' || quote(last) || closer(last) || stop(last):
			s = s[:len(s)-1]
		default:
			return s[article(s):]
		}
	}
	return s
}

// article is the length of a leading article with its space.
func article(s []byte) int {
	for _, a := range [...]string{"the ", "a ", "an "} {
		if len(s) > len(a) && string(s[:len(a)]) == a {
			return len(a)
		}
	}
	return 0
}

func quote(b byte) bool  { return b == '"' || b == '\'' || b == '`' }
func opener(b byte) bool { return b == '(' || b == '[' || b == '{' || b == '<' }
func closer(b byte) bool { return b == ')' || b == ']' || b == '}' || b == '>' }
func stop(b byte) bool {
	return b == '.' || b == ',' || b == ';' || b == ':' || b == '!' || b == '?'
}
func space(b byte) bool { return b == ' ' || b == '\n' || b == '\v' || b == '\f' }
func digit(b byte) bool { return b >= '0' && b <= '9' }
func lower(b byte) bool { return b >= 'a' && b <= 'z' }
func upper(b byte) bool { return b >= 'A' && b <= 'Z' }

// wordAt and wordBefore report whether a letter or digit begins at i, or ends
// before it. Chinese characters do not join words to what stands beside them.
func wordAt(s []byte, i int) bool {
	if i >= len(s) {
		return false
	}
	if s[i] < utf8.RuneSelf {
		return lower(s[i]) || upper(s[i]) || digit(s[i])
	}
	c, _ := utf8.DecodeRune(s[i:])
	return inWord(c)
}

func wordBefore(s []byte, i int) bool {
	if i <= 0 {
		return false
	}
	if b := s[i-1]; b < utf8.RuneSelf {
		return lower(b) || upper(b) || digit(b)
	}
	c, _ := utf8.DecodeLastRune(s[:i])
	return inWord(c)
}

func inWord(c rune) bool {
	return (unicode.IsLetter(c) || unicode.IsDigit(c)) && !unicode.Is(unicode.Han, c)
}

// prepare makes the norms of the options: none for a missing option, and none
// that two options share. See docs/spec/vqa.md#r4 for missing options.
func (r *Reader) prepare() {
	if r.ready {
		return
	}
	r.ready = true
	r.arena = r.arena[:0]
	var from, to [Most]int
	for k, text := range r.texts {
		from[k] = len(r.arena)
		r.arena = append(r.arena, flatNorm(r, text)...)
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

// flatNorm is the norm of an option's text, in memory of the reader that the
// next call reuses.
func flatNorm(r *Reader, text []byte) []byte {
	r.flat = plain.AppendFolded(r.flat[:0], text)
	r.flow = r.flow[:0]
	for _, b := range r.flat { // marks of emphasis and formulas, which the answer has lost too
		if b != '*' && b != '$' && b != '`' {
			r.flow = append(r.flow, b)
		}
	}
	r.norm = appendFlat(r.norm[:0], r.flow)
	r.flow = appendLower(r.flow[:0], r.norm)
	return normed(r.flow)
}

// same is the option whose norm is n, -1 for none.
func (r *Reader) same(n []byte) int {
	r.prepare()
	for k := range r.texts {
		if r.usable[k] && bytes.Equal(r.norms[k], n) {
			return k
		}
	}
	return -1
}

// textNorm is the norm of a part of the answer.
func (r *Reader) textNorm(s []byte) []byte {
	r.prepare()
	r.flat = appendFlat(r.flat[:0], s)
	r.norm = appendLower(r.norm[:0], r.flat)
	return normed(r.norm)
}

// textAt is the longest option whose text stands at low[i], after quotes,
// brackets and an article, and ends with a word; end is where it ends. -1 for none.
func (r *Reader) textAt(low []byte, i int) (option, end int) {
	r.prepare()
	for i < len(low) && (low[i] == ' ' || quote(low[i]) || opener(low[i])) {
		i++
	}
	for _, from := range [...]int{i, i + article(low[i:])} {
		for _, k := range r.order[:len(r.texts)] {
			if !r.usable[k] {
				continue
			}
			if end := matches(low, from, r.norms[k]); end >= 0 {
				return k, end
			}
		}
	}
	return -1, i
}

// matches is where the text n ends that stands at low[i], -1 where it does not
// stand there as whole words. A space of n stands for any white space.
func matches(low []byte, i int, n []byte) int {
	last := byte(' ')
	for _, b := range n {
		if b == ' ' {
			if i >= len(low) || !space(low[i]) {
				return -1
			}
			for i < len(low) && space(low[i]) {
				i++
			}
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

// Same is the option that an answer is the text of, -1 for none; labels count
// nothing.
func (r *Reader) Same(answer []byte) int {
	text, _ := r.cleaner.Clean(answer)
	return r.same(r.textNorm(text))
}
