// Package plain turns the text of a language model into plain text, to which rules of scoring can
// be applied. In: the text as received. Out: the same words without reasoning blocks, such as
// <think>...</think>, and without markup. Characters that look like ASCII ones, such as curly quotes,
// become ASCII. Rules of scoring are those that find the answer in the text. The package does not
// interpret the text, and takes time linear in its length.
package plain

import (
	"bytes"
	"unicode/utf8"
)

// Cleaner cleans texts of models. It keeps its memory from one text to the next. One goroutine
// uses it at a time.
type Cleaner struct {
	noLookAlikes, noReasoning, out []byte // the text after each step
	wrappingDepths                 []int  // of the open braces of commands that were removed, see appendInline
}

// Clean returns a model's text without look-alikes of ASCII characters, reasoning blocks and markup, and
// trimmed; it is empty where nothing is left. reasoned says whether a reasoning block was removed.
// The result is valid until the next call and may share memory with s.
func (cleaner *Cleaner) Clean(s []byte) (text []byte, reasoned bool) {
	if mayHaveLookAlikes(s) {
		cleaner.noLookAlikes = AppendWithoutLookAlikes(cleaner.noLookAlikes[:0], s)
		s = cleaner.noLookAlikes
	}
	if bytes.IndexByte(s, '<') >= 0 {
		cleaner.noReasoning, reasoned = appendWithoutReasoning(cleaner.noReasoning[:0], s)
		if reasoned {
			s = cleaner.noReasoning
		}
	}
	if bytes.ContainsAny(s, "\\$*`_#>-") {
		cleaner.removeMarkup(s)
		s = cleaner.out
	}
	return bytes.TrimSpace(s), reasoned
}

// WithoutReasoning returns a model's text without its reasoning blocks, such as <think>, and s itself where
// it has none.
func WithoutReasoning(s string) string {
	data, removed := appendWithoutReasoning(nil, []byte(s))
	if !removed {
		return s
	}
	return string(data)
}

// mayHaveLookAlikes reports whether s has a byte for which AppendWithoutLookAlikes might change the text.
// Most answers have none, and are not copied then.
func mayHaveLookAlikes(s []byte) bool {
	for _, b := range s {
		if b >= utf8.RuneSelf || b == '\r' || b == '\t' {
			return true
		}
	}
	return false
}

// AppendWithoutLookAlikes appends a model's text with look-alike characters replaced by ASCII: line ends,
// full-width and circled letters, quotes, dashes and spaces. Zero-width characters and pictographs
// are left out. See docs/spec/vqa.md#r12.
func AppendWithoutLookAlikes(dst, text []byte) []byte {
	for i := 0; i < len(text); {
		b := text[i]
		switch {
		case b == '\r':
			if i+1 >= len(text) || text[i+1] != '\n' {
				dst = append(dst, '\n')
			}
			i++
		case b == '\t':
			dst = append(dst, ' ')
			i++
		case b < utf8.RuneSelf:
			dst = append(dst, b)
			i++
		default:
			r, n := utf8.DecodeRune(text[i:])
			dst = appendLookAlike(dst, r)
			i += n
		}
	}
	return dst
}

// appendLookAlike appends one character of a model's text as AppendWithoutLookAlikes does: its ASCII
// look-alike, nothing for an invisible one, else the character.
func appendLookAlike(dst []byte, r rune) []byte {
	switch {
	case r >= 0xff01 && r <= 0xff5e: // full-width ASCII
		return append(dst, byte(r-0xff01+'!'))
	case r >= 0x2460 && r <= 0x2468: // circled digits
		return append(dst, byte(r-0x2460+'1'))
	case r >= 0x24b6 && r <= 0x24cf: // circled capitals
		return append(dst, byte(r-0x24b6+'A'))
	case r >= 0x24d0 && r <= 0x24e9: // circled lower-case letters
		return append(dst, byte(r-0x24d0+'a'))
	case isInvisible(r):
		return dst
	}
	switch r {
	case 0x2018, 0x2019, 0x201a, 0x201b, 0x2039, 0x203a: // single quotes
		return append(dst, '\'')
	case 0x201c, 0x201d, 0x201e, 0x201f, 0xab, 0xbb: // double quotes
		return append(dst, '"')
	case 0x2013, 0x2014, 0x2212: // dashes, the minus sign
		return append(dst, '-')
	case 0x3002: // Chinese full stop
		return append(dst, '.')
	case 0x2026: // ellipsis
		return append(dst, "..."...)
	case 0xa0, 0x202f, 0x205f, 0x3000, 0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007, 0x2008,
		0x2009, 0x200a: // spaces of other widths
		return append(dst, ' ')
	case 0x2028, 0x2029, 0x85: // line ends
		return append(dst, '\n')
	}
	return utf8.AppendRune(dst, r)
}

// isInvisible reports whether a character of a model's text shows no letter, digit or mark, and is left
// out: zero-width characters, variation selectors and pictographs.
func isInvisible(r rune) bool {
	switch {
	case r >= 0x200b && r <= 0x200f, r >= 0x2060 && r <= 0x2064, r == 0xfeff, r == 0xad, // zero-width
		r >= 0xfe00 && r <= 0xfe0f, r >= 0xe0100 && r <= 0xe01ef, // variation selectors
		r >= 0x2600 && r <= 0x27bf, r >= 0x2b00 && r <= 0x2bff, r >= 0x1f000 && r <= 0x1faff: // pictographs
		return true
	}
	return false
}
