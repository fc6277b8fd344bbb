// Package jsoncut finds the parts of JSON text by brackets and quotes alone, without
// parsing. In: bytes. Out: parts of the same bytes, for code that passes them on
// unchanged or checks each by itself. It does not check the pieces (scene.Check does),
// and refuses only what it cannot cut.
package jsoncut

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/valyala/fastjson"

	"plumb/render/jsontree"
)

// ErrTooMany marks a list with more elements than were wanted.
var ErrTooMany = errors.New("too many elements")

var errBreaksOff = errors.New("the JSON is cut off")

// skipSpace returns the index of the first byte from b[i] on that is not white space, or
// len(b).
func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\n' || b[i] == '\r') {
		i++
	}
	return i
}

// stringEnd returns the index after the JSON string that begins at b[i], without decoding it.
func stringEnd(b []byte, i int) (end int, err error) {
	for i++; i < len(b); i++ {
		switch b[i] {
		case '\\': // pass the escaped byte, which may be a quote
			i++
		case '"':
			return i + 1, nil
		}
	}
	return 0, errBreaksOff
}

// valueEnd returns the index after the JSON value that begins at data[i]. It follows brackets and quotes
// alone and does not check what is between them. A number or a word such as true ends before a comma or a
// closing bracket, so blanks may be included. The error is errBreaksOff if data ends within the value.
func valueEnd(data []byte, i int) (end int, err error) {
	depth := 0
	for i < len(data) {
		switch data[i] {
		case '"':
			if i, err = stringEnd(data, i); err != nil {
				return 0, err
			}
			if depth == 0 { // the value is the string
				return i, nil
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 { // the bracket closes what is around the value
				return i, nil
			}
			depth--
			if depth == 0 {
				return i + 1, nil
			}
		case ',':
			if depth == 0 {
				return i, nil
			}
		}
		i++
	}
	return 0, errBreaksOff
}

// Members calls f for each member of the object data, which begins with its brace.
// Keys are without quotes and with their escapes, for copies (Named gives names), values without blanks around
// them and never empty. The error is that of f, or says at which byte data cannot be cut.
func Members(data []byte, f func(key, value []byte) error) error {
	i := skipSpace(data, 1) // after the brace
	if i < len(data) && data[i] == '}' {
		return requireEnd(data, i+1)
	}
	for {
		if i >= len(data) || data[i] != '"' {
			return fmt.Errorf("at byte %d: want a key", i)
		}
		// The key.
		end, err := stringEnd(data, i)
		if err != nil {
			return err
		}
		key := data[i+1 : end-1]
		// The colon.
		i = skipSpace(data, end)
		if i >= len(data) || data[i] != ':' {
			return fmt.Errorf("at byte %d: want a colon", i)
		}
		// The value.
		i = skipSpace(data, i+1)
		if end, err = valueEnd(data, i); err != nil {
			return err
		}
		if end == i {
			return fmt.Errorf("at byte %d: want a value", i)
		}
		if err := f(key, bytes.TrimSpace(data[i:end])); err != nil {
			return err
		}
		// Another member, or the end.
		i = skipSpace(data, end)
		switch {
		case i < len(data) && data[i] == ',':
			i = skipSpace(data, i+1)
		case i < len(data) && data[i] == '}':
			return requireEnd(data, i+1)
		default:
			return fmt.Errorf("at byte %d: want a comma or a closing brace", i)
		}
	}
}

// Named calls f as Members does, but with the names that the keys stand for: their escapes are undone, so that
// they can be compared.
func Named(data []byte, f func(name, value []byte) error) error {
	return Members(data, func(key, value []byte) error {
		if bytes.IndexByte(key, '\\') >= 0 {
			key = []byte(Name(key))
		}
		return f(key, value)
	})
}

// requireEnd returns an error if anything but white space follows at b[i].
func requireEnd(b []byte, i int) error {
	i = skipSpace(b, i)
	if i < len(b) {
		return fmt.Errorf("at byte %d: want the end", i)
	}
	return nil
}

// Elements returns the elements of the JSON list data, which begins with its bracket, without blanks around
// them. A list of more than limit elements is the error ErrTooMany. Other errors say at which byte data
// cannot be cut.
func Elements(data []byte, limit int) (list [][]byte, err error) {
	i := skipSpace(data, 1)
	if i < len(data) && data[i] == ']' {
		return nil, requireEnd(data, i+1)
	}
	for {
		if len(list) == limit {
			return nil, ErrTooMany
		}
		end, err := valueEnd(data, i)
		if err != nil {
			return nil, err
		}
		list = append(list, bytes.TrimSpace(data[i:end]))
		i = skipSpace(data, end)
		switch {
		case i < len(data) && data[i] == ',':
			i = skipSpace(data, i+1)
		case i < len(data) && data[i] == ']':
			return list, requireEnd(data, i+1)
		default:
			return nil, fmt.Errorf("at byte %d: want a comma or a closing bracket", i)
		}
	}
}

// Kind names the type of a JSON value for messages, such as "an object". It looks at the first byte alone;
// value has no blanks before it.
func Kind(value []byte) string {
	if len(value) == 0 {
		return "nothing"
	}
	switch value[0] {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return "a number"
}

// Null reports whether a value is absent or null.
func Null(v []byte) bool { return len(v) == 0 || v[0] == 'n' }

// Name returns the text of a key as Members gives it, without quotes and with its escapes undone.
func Name(key []byte) string {
	if bytes.IndexByte(key, '\\') < 0 {
		return string(key)
	}
	return string(Text([]byte(`"` + string(key) + `"`))) // Text wants the quotes
}

// Text returns a copy of the text of the JSON string value, which has its quotes. An unpaired
// surrogate becomes the replacement character. value must have passed scene.Check.
func Text(value []byte) []byte {
	if bytes.IndexByte(value, '\\') < 0 && len(value) >= 2 {
		return bytes.Clone(value[1 : len(value)-1])
	}
	s, err := jsontree.Parse(new(fastjson.Parser), value)
	if err != nil {
		return nil
	}
	return s.GetStringBytes()
}
