package pyjson

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// AppendFloat appends a double as Python's repr prints it: the shortest digits that read
// back as x, with ".0" where there is no fraction. From 1e16 upward and below 1e-4 it has an
// exponent.
func AppendFloat(dst []byte, x float64) []byte {
	switch {
	case math.IsNaN(x):
		return append(dst, "nan"...)
	case math.IsInf(x, 0):
		if x < 0 {
			dst = append(dst, '-')
		}
		return append(dst, "inf"...)
	}
	size := math.Abs(x)
	if size != 0 && (size < 1e-4 || size >= 1e16) { // Python's bounds
		return strconv.AppendFloat(dst, x, 'e', -1, 64)
	}
	n := len(dst)
	dst = strconv.AppendFloat(dst, x, 'f', -1, 64)
	if slices.Contains(dst[n:], '.') {
		return dst
	}
	return append(dst, '.', '0')
}

// AppendText appends a value as Python's str() prints it: a string as it is, anything else as by
// repr().
func (value *Value) AppendText(dst []byte) []byte {
	if value.Kind == Str {
		return append(dst, value.S...)
	}
	return value.AppendRepr(dst)
}

// AppendRepr appends a value as Python's repr() prints it, with quoted strings and None, True and
// False.
func (value *Value) AppendRepr(dst []byte) []byte {
	switch value.Kind {
	case None:
		return append(dst, "None"...)
	case Bool:
		if value.F != 0 { // 1 for true
			return append(dst, "True"...)
		}
		return append(dst, "False"...)
	case Int:
		return append(dst, value.S...)
	case Float:
		return AppendFloat(dst, value.F)
	case Str:
		return appendQuoted(dst, value.S)
	case List:
		dst = append(dst, '[')
		for i := range value.Items() {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			dst = value.Items()[i].AppendRepr(dst)
		}
		return append(dst, ']')
	}
	dst = append(dst, '{')
	for i := range value.Items() {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = append(appendQuoted(dst, value.Keys()[i]), ": "...)
		dst = value.Items()[i].AppendRepr(dst)
	}
	return append(dst, '}')
}

// appendQuoted appends a string as Python's repr quotes it: in single quotes, or in double
// ones if it holds single quotes and no double ones. Characters that are not printable are
// escaped.
func appendQuoted(dst []byte, text string) []byte {
	quote := byte('\'')
	if strings.Contains(text, "'") && !strings.Contains(text, `"`) {
		quote = '"'
	}
	dst = append(dst, quote)
	for _, c := range text {
		switch {
		case c == rune(quote) || c == '\\':
			dst = append(dst, '\\', byte(c))
		case c == '\n':
			dst = append(dst, `\n`...)
		case c == '\r':
			dst = append(dst, `\r`...)
		case c == '\t':
			dst = append(dst, `\t`...)
		case c == ' ' || unicode.IsPrint(c):
			dst = append(dst, string(c)...)
		// Escapes have two, four or eight digits, as few as hold the character.
		case c < 0x100:
			dst = fmt.Appendf(dst, `\x%02x`, c)
		case c < 0x10000:
			dst = fmt.Appendf(dst, `\u%04x`, c)
		default:
			dst = fmt.Appendf(dst, `\U%08x`, c)
		}
	}
	return append(dst, quote)
}

// ParseFloat reads a string as Python's float() does: with optional white space around it,
// single underscores between digits, and inf, infinity and nan in any case. A digit may be any
// decimal digit of Unicode 15, as in Python 3.12. Numbers that are too large become infinities.
// ok is false where Python raises ValueError.
func ParseFloat(text string) (x float64, ok bool) {
	text = strings.TrimFunc(strings.Map(asciiDigit, text), unicode.IsSpace)
	if unsigned := strings.TrimLeft(text, "+-"); len(text)-len(unsigned) == 1 && strings.EqualFold(unsigned, "nan") {
		return math.NaN(), true // strconv takes no sign before nan
	}
	return ParseASCIIFloat(text)
}

// asciiDigit returns '0' to '9' for a decimal digit of any script, and other characters as they are.
// Unicode has decimal digits in runs of ten, from the digit 0 on, so that a digit's place in its run
// is its value. Where runs adjoin, all have ten.
func asciiDigit(c rune) rune {
	if c < utf8.RuneSelf || !unicode.Is(unicode.Nd, c) {
		return c
	}
	first := c
	for unicode.Is(unicode.Nd, first-1) {
		first--
	}
	return '0' + (c-first)%10
}

// ParseASCIIFloat reads a string as ParseFloat does if its digits are ASCII, and refuses a nan with a
// sign and digits of other scripts. It is for numbers that are not Python's, such as those of an app
// in JavaScript.
func ParseASCIIFloat(text string) (x float64, ok bool) {
	text = strings.TrimFunc(text, unicode.IsSpace)
	for i := range len(text) {
		c := text[i]
		digit := func(i int) bool { return i >= 0 && i < len(text) && text[i]-'0' < 10 }
		switch {
		case c == '_':
			if !digit(i-1) || !digit(i+1) {
				return 0, false
			}
		case c == 'x' || c == 'X' || c == 'p' || c == 'P': // Go reads hexadecimal floats, Python does not
			return 0, false
		}
	}
	f, err := strconv.ParseFloat(strings.ReplaceAll(text, "_", ""), 64)
	return f, err == nil || errors.Is(err, strconv.ErrRange)
}
