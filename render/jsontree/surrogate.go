package jsontree

import (
	"bytes"
	"strconv"
	"unicode/utf16"
)

// wellFormed replaces escapes of unpaired surrogates (\ud800) in a JSON text by that of
// the replacement character (\ufffd), which browsers show for them. fastjson would keep
// such an escape as six characters. The text is copied only where it has one.
func wellFormed(b []byte) []byte {
	if !bytes.Contains(b, []byte(`\ud`)) && !bytes.Contains(b, []byte(`\uD`)) {
		return b
	}
	i := Unpaired(b, 0)
	if i >= 0 {
		b = bytes.Clone(b) // the caller's text stays as it is
	}
	for ; i >= 0; i = Unpaired(b, i) {
		copy(b[i:], `\ufffd`) // of the same length
	}
	return b
}

// Unpaired returns the position from i of the first escape of an unpaired surrogate in
// a JSON text, or -1 where there is none. i must not be within an escape.
func Unpaired(b []byte, i int) int {
	for i < len(b) {
		n := bytes.IndexByte(b[i:], '\\')
		if n < 0 {
			break
		}
		i += n
		r, ok := escape(b[i:])
		if !ok { // a short escape
			i += 2
			continue
		}
		low, paired := escape(b[min(i+6, len(b)):])
		switch {
		case !utf16.IsSurrogate(r):
			i += 6
		case paired && utf16.DecodeRune(r, low) != '\uFFFD':
			i += 12
		default:
			return i
		}
	}
	return -1
}

// escape reads the escape \uXXXX at the start of b and returns its code unit; ok is false if there is none.
func escape(b []byte) (unit rune, ok bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	v, err := strconv.ParseUint(string(b[2:6]), 16, 16)
	return rune(v), err == nil
}
