package dump

import (
	"bytes"
	"strconv"
	"strings"

	"plumb/daemon/cut"
)

// halfID returns the raw id of a line where it has an unpaired surrogate, else nil. id
// is the decoded one, which has the replacement character instead, so that different
// ids could become equal.
func halfID(line []byte, id string) (raw []byte) {
	if !strings.ContainsRune(id, '\ufffd') {
		return nil
	}
	cut.Members(bytes.TrimSpace(line), func(key, value []byte) error {
		if cut.Name(key) == "id" && value[0] == '"' && loneSurrogate(value) {
			raw = value
		}
		return nil
	})
	return raw
}

// loneSurrogate reports whether a JSON string, with its quotes, has an escape that
// is half of a pair: there is no such character, so the text cannot be written
// again as it came.
func loneSurrogate(raw []byte) bool {
	for i := 0; i+1 < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		i++ // of two characters, or of \uXXXX
		unit, ok := unitAt(raw, i)
		switch {
		case !ok || unit < 0xd800 || unit > 0xdfff:
		case unit >= 0xdc00:
			return true
		default:
			if i+5 >= len(raw) || raw[i+5] != '\\' {
				return true
			}
			if low, ok := unitAt(raw, i+6); !ok || low < 0xdc00 || low > 0xdfff {
				return true
			}
			i += 6
		}
	}
	return false
}

// unitAt reads uXXXX at byte i.
func unitAt(raw []byte, i int) (unit uint64, ok bool) {
	if i+5 > len(raw) || raw[i] != 'u' {
		return 0, false
	}
	unit, err := strconv.ParseUint(string(raw[i+1:i+5]), 16, 16)
	return unit, err == nil
}
