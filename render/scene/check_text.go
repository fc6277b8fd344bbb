package scene

import (
	"encoding/binary"
	"math"
	"strconv"
	"unicode/utf8"
)

// plainStringByte marks the bytes that may stand in a string as they are: ASCII without control
// characters, quotes and backslashes.
var plainStringByte = func() (t [256]bool) {
	for i := ' '; i < 0x80; i++ {
		t[i] = i != '"' && i != '\\'
	}
	return t
}()

const (
	ones  = 0x0101010101010101 // 1 in each of eight bytes
	highs = 0x8080808080808080 // the top bit of each
)

// markSpecial sets the top bit of each of the eight bytes of w at which the JSON checker must stop
// in a string: quotes, backslashes, control characters and what is not ASCII. Taking eight bytes at
// a time is faster.
func markSpecial(w uint64) uint64 {
	// (v - ones) &^ v has the top bit of each byte of v that is 0. A borrow from a lower byte may set
	// further bits, but only above a byte that is marked, so a word without marks has none.
	quote := w ^ ('"' * ones) // 0 in bytes that are quotes
	slash := w ^ ('\\' * ones)
	marks := (quote - ones) &^ quote
	marks |= (slash - ones) &^ slash
	marks |= w - ' '*ones // below a blank; bytes >= 0x80 are caught by w itself
	return (marks | w) & highs
}

// checkString checks the JSON string that begins with the quote at the current position, up to its last quote,
// and reports whether it has escapes. It refuses control characters, bad escapes and bad UTF-8.
func (checker *jsonChecker) checkString() (escaped, ok bool) {
	data, i := checker.input, checker.pos+1
	for {
		// Skip plain text, eight bytes at a time.
		for i+8 <= len(data) && markSpecial(binary.LittleEndian.Uint64(data[i:])) == 0 {
			i += 8
		}
		for i < len(data) && plainStringByte[data[i]] {
			i++
		}
		if i >= len(data) {
			checker.pos = i
			return false, checker.failUnexpected("the end of a string")
		}
		// Check what is special.
		switch ch := data[i]; {
		case ch == '"':
			checker.pos = i + 1
			return escaped, true
		case ch == '\\':
			n := escapeLen(data[i:])
			if n == 0 {
				checker.pos = i
				return false, checker.failUnexpected("an escape of JSON")
			}
			i += n
			escaped = true
		case ch < ' ':
			checker.pos = i
			return false, checker.failUnexpected("control characters escaped")
		default:
			r, n := utf8.DecodeRune(data[i:])
			if r == utf8.RuneError && n == 1 {
				checker.pos = i
				return false, checker.failUnexpected("valid UTF-8")
			}
			i += n
		}
	}
}

// escapeLen returns the length in bytes of the escape that data, a part of a JSON string, begins with,
// or 0 if it is not a valid escape.
func escapeLen(data []byte) int {
	if len(data) < 2 {
		return 0
	}
	switch data[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if len(data) < 6 {
			return 0
		}
		for _, ch := range data[2:6] {
			if hexDigit(ch) < 0 {
				return 0
			}
		}
		return 6
	}
	return 0
}

// hexDigit returns the value of a hexadecimal digit, or -1.
func hexDigit(ch byte) int {
	switch {
	case ch >= '0' && ch <= '9':
		return int(ch - '0')
	case ch >= 'a' && ch <= 'f':
		return int(ch-'a') + 10
	case ch >= 'A' && ch <= 'F':
		return int(ch-'A') + 10
	}
	return -1
}

// checkNumber checks a JSON number by the grammar of RFC 8259: no NaN, no leading zeros, and digits on
// both sides of a point.
func (checker *jsonChecker) checkNumber() bool {
	data, from := checker.input, checker.pos
	i := from
	if i < len(data) && data[i] == '-' {
		i++
	}
	whole := digits(data, i)
	if whole == 0 || whole > 1 && data[i] == '0' {
		return checker.failUnexpected("a value")
	}
	i += whole
	if i < len(data) && data[i] == '.' {
		n := digits(data, i+1)
		if n == 0 {
			return checker.failUnexpected("a digit after the point")
		}
		i += 1 + n
	}
	// A float64 reaches to about 10^308, so only many digits or a long exponent can be too much.
	mayOverflow := whole > 200
	if i < len(data) && data[i]|0x20 == 'e' {
		i++
		if i < len(data) && (data[i] == '+' || data[i] == '-') {
			i++
		}
		n := digits(data, i)
		if n == 0 {
			return checker.failUnexpected("a digit in the exponent")
		}
		i += n
		mayOverflow = mayOverflow || n > 2
	}
	if mayOverflow {
		if v, _ := strconv.ParseFloat(string(data[from:i]), 64); math.IsInf(v, 0) {
			checker.fail(shorten(string(data[from:i]), 40), "a number that fits a float64")
			return false
		}
	}
	checker.pos = i
	return true
}

// digits counts the decimal digits of a JSON number from b[i] on.
func digits(b []byte, i int) int {
	n := i
	for n < len(b) && b[n]-'0' <= 9 {
		n++
	}
	return n - i
}
