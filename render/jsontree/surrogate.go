package jsontree

import (
	"bytes"
	"strconv"
	"unicode/utf16"
)

// wellFormed replaces escapes of unpaired surrogates (\ud800) in a JSON text by that of
// the replacement character (\ufffd), which browsers show for them. fastjson would keep
// such an escape as six characters. The text is copied only where it has one.
func wellFormed(data []byte) []byte {
	if !bytes.Contains(data, []byte(`\ud`)) && !bytes.Contains(data, []byte(`\uD`)) {
		return data
	}
	i := Unpaired(data, 0)
	if i >= 0 {
		data = bytes.Clone(data) // the caller's text stays as it is
	}
	for ; i >= 0; i = Unpaired(data, i) {
		copy(data[i:], `\ufffd`) // of the same length
	}
	return data
}

// Unpaired returns the position from i of the first escape of an unpaired surrogate in
// a JSON text, or -1 where there is none. i must not be within an escape.
func Unpaired(data []byte, i int) int {
	for i < len(data) {
		n := bytes.IndexByte(data[i:], '\\')
		if n < 0 {
			break
		}
		i += n
		unit, ok := readEscape(data[i:])
		if !ok { // a short escape, such as \n
			i += 2
			continue
		}
		next, hasNext := readEscape(data[min(i+escapeBytes, len(data)):])
		switch {
		case !utf16.IsSurrogate(unit):
			i += escapeBytes
		case hasNext && utf16.DecodeRune(unit, next) != '\uFFFD': // a pair
			i += 2 * escapeBytes
		default:
			return i
		}
	}
	return -1
}

// escapeBytes is the length of an escape \uXXXX.
const escapeBytes = 6

// readEscape reads the escape \uXXXX at the start of data and returns its code unit; ok is false if there is none.
func readEscape(data []byte) (unit rune, ok bool) {
	if len(data) < escapeBytes || data[0] != '\\' || data[1] != 'u' {
		return 0, false
	}
	v, err := strconv.ParseUint(string(data[2:escapeBytes]), 16, 16)
	return rune(v), err == nil
}
