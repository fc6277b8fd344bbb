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
	at := Unpaired(b, 0)
	if at >= 0 {
		b = bytes.Clone(b)
	}
	for ; at >= 0; at = Unpaired(b, at) {
		copy(b[at:], `\ufffd`)
	}
	return b
}

// Unpaired returns the position from i of the first escape of an unpaired surrogate in
// a JSON text, or -1 where there is none. i must not be within an escape.
func Unpaired(b []byte, i int) int {
	for i < len(b) {
		at := bytes.IndexByte(b[i:], '\\')
		if at < 0 {
			break
		}
		i += at
		r, ok := escape(b[i:])
		if !ok {
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

// escape reads \uXXXX at the start of b; ok is false where there is none.
func escape(b []byte) (rune, bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	v, err := strconv.ParseUint(string(b[2:6]), 16, 16)
	return rune(v), err == nil
}
