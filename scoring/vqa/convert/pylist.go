package convert

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"
)

// pythonList reads a list of strings as Python's repr writes it, such as ['a', "it's"], into
// a JSON list. pandas writes lists in tables in this form. ok is false for other texts.
func pythonList(s string) (list json.RawMessage, ok bool) {
	s = strings.TrimSpace(s)
	if !strings.HasPrefix(s, "[") || !strings.HasSuffix(s, "]") {
		return nil, false
	}
	// Strings with commas between them; one may end the list.
	rest := strings.TrimSpace(s[1 : len(s)-1])
	texts := []string{}
	for rest != "" {
		text, after, ok := cutPythonString(rest)
		if !ok {
			return nil, false
		}
		texts = append(texts, text)
		rest = strings.TrimSpace(after)
		if rest == "" {
			break
		}
		if rest[0] != ',' {
			return nil, false
		}
		rest = strings.TrimSpace(rest[1:])
	}
	list, err := json.Marshal(texts)
	return list, err == nil
}

// pythonEscapes are the escapes of one character after a backslash.
var pythonEscapes = map[byte]string{'n': "\n", 't': "\t", 'r': "\r", '\\': "\\", '\'': "'", '"': `"`, 'a': "\a",
	'b': "\b", 'f': "\f", 'v': "\v", '0': "\x00"}

// cutPythonString reads the Python string literal at the start of s, with its escapes, and returns the text and
// what follows the literal. ok is false where there is no complete literal.
func cutPythonString(s string) (text, rest string, ok bool) {
	if s == "" || s[0] != '\'' && s[0] != '"' {
		return "", "", false
	}
	var out strings.Builder
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == s[0]:
			return out.String(), s[i+1:], true
		case c != '\\':
			out.WriteByte(c)
		case i+1 == len(s):
			return "", "", false
		default:
			i++
			digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[s[i]] // of \xhh, \uhhhh and \Uhhhhhhhh
			if digits == 0 {
				plain, known := pythonEscapes[s[i]]
				if !known {
					plain = s[i-1 : i+1] // Python keeps a backslash that begins no escape
				}
				out.WriteString(plain)
				continue
			}
			if i+digits >= len(s) {
				return "", "", false
			}
			code, err := strconv.ParseUint(s[i+1:i+1+digits], 16, 32)
			if err != nil || code > utf8.MaxRune {
				return "", "", false
			}
			out.WriteRune(rune(code))
			i += digits
		}
	}
	return "", "", false
}
