// Package canonical writes JSON in one form only, so that equal values have equal bytes
// and equal hashes. In: any JSON value. Out: the value with the members of objects
// sorted by the code points of their names, without spaces, with numbers in their
// shortest form, and with no character escaped that JSON lets stand. It refuses what is
// no JSON. See docs/spec/runs.md#r2.
package canonical

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// JSON returns the canonical form of one JSON value. Of members with the same name the
// last one counts.
func JSON(value []byte) ([]byte, error) {
	dec := json.NewDecoder(bytes.NewReader(value))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, fmt.Errorf("cannot read JSON: %w", err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, fmt.Errorf("cannot read JSON: got more than one value")
	}
	return appendValue(nil, v)
}

// Of returns the canonical form of the JSON of a Go value, as encoding/json makes it.
func Of(v any) ([]byte, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return JSON(b)
}

// Key returns the first 32 hexadecimal digits of the SHA-256 of the canonical form of a
// Go value. See docs/spec/runs.md#r3.
func Key(v any) (string, error) {
	b, err := Of(v)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:16]), nil
}

// appendValue appends a decoded JSON value in canonical form. v is what encoding/json
// decodes with UseNumber.
func appendValue(b []byte, v any) (_ []byte, err error) {
	switch v := v.(type) {
	case nil:
		return append(b, "null"...), nil
	case bool:
		return strconv.AppendBool(b, v), nil
	case string:
		return AppendString(b, v), nil
	case json.Number:
		return appendNumber(b, string(v))
	case []any:
		b = append(b, '[')
		for i, x := range v {
			if i > 0 {
				b = append(b, ',')
			}
			if b, err = appendValue(b, x); err != nil {
				return nil, err
			}
		}
		return append(b, ']'), nil
	case map[string]any:
		b = append(b, '{')
		for i, name := range slices.Sorted(maps.Keys(v)) { // bytes of UTF-8 sort as code points do
			if i > 0 {
				b = append(b, ',')
			}
			b = append(AppendString(b, name), ':')
			if b, err = appendValue(b, v[name]); err != nil {
				return nil, err
			}
		}
		return append(b, '}'), nil
	}
	panic(fmt.Sprintf("BUG: JSON value of type %T", v))
}

// appendNumber appends a number in canonical form. Integers keep their digits; others become
// float64, written as ECMAScript writes them.
func appendNumber(b []byte, s string) ([]byte, error) {
	if !strings.ContainsAny(s, ".eE") {
		if s == "-0" {
			s = "0"
		}
		return append(b, s...), nil
	}
	x, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return nil, fmt.Errorf("cannot read the number %s: it is too large", s)
	}
	if x == math.Trunc(x) && math.Abs(x) < 1e21 {
		return strconv.AppendFloat(b, x+0, 'f', -1, 64), nil // x+0 turns -0 into 0
	}
	if a := math.Abs(x); a >= 1e-6 && a < 1e21 {
		return strconv.AppendFloat(b, x, 'f', -1, 64), nil
	}
	s = strconv.FormatFloat(x, 'e', -1, 64)
	if n := len(s); s[n-2] == '0' && (s[n-3] == '-' || s[n-3] == '+') { // e-07 becomes e-7
		s = s[:n-2] + s[n-1:]
	}
	return append(b, s...), nil
}

// AppendString appends a string as JSON with only those escapes that JSON requires. Bytes
// that are no UTF-8 become U+FFFD.
func AppendString(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	from := 0 // bytes before are in b
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && n == 1 {
				b = append(append(b, s[from:i]...), "\uFFFD"...)
				from = i + 1
			}
			i += n
			continue
		}
		b = append(b, s[from:i]...)
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, '\\', 'n')
		case '\r':
			b = append(b, '\\', 'r')
		case '\t':
			b = append(b, '\\', 't')
		case '\b':
			b = append(b, '\\', 'b')
		case '\f':
			b = append(b, '\\', 'f')
		default:
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
		i++
		from = i
	}
	return append(append(b, s[from:]...), '"')
}
