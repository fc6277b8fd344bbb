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
	copied := false
	for i := 0; i < len(b); {
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
			if !copied {
				b, copied = bytes.Clone(b), true
			}
			copy(b[i:], `\ufffd`)
			i += 6
		}
	}
	return b
}

// escape reads \uXXXX at the start of b; ok is false where there is none.
func escape(b []byte) (rune, bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	v, err := strconv.ParseUint(string(b[2:6]), 16, 16)
	return rune(v), err == nil
}
