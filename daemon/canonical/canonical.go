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
	data, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return JSON(data)
}

// Key returns the first 32 hexadecimal digits of the SHA-256 of the canonical form of a
// Go value. See docs/spec/runs.md#r3.
func Key(v any) (string, error) {
	data, err := Of(v)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:16]), nil // two digits for each byte
}

// appendValue appends a JSON value in canonical form: no blanks, members sorted by name, numbers in
// one form. value is what encoding/json decodes with UseNumber.
func appendValue(dst []byte, value any) (_ []byte, err error) {
	switch v := value.(type) {
	case nil:
		return append(dst, "null"...), nil
	case bool:
		return strconv.AppendBool(dst, v), nil
	case string:
		return AppendString(dst, v), nil
	case json.Number:
		return appendNumber(dst, string(v))
	case []any:
		dst = append(dst, '[')
		for i, x := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			if dst, err = appendValue(dst, x); err != nil {
				return nil, err
			}
		}
		return append(dst, ']'), nil
	case map[string]any:
		dst = append(dst, '{')
		for i, name := range slices.Sorted(maps.Keys(v)) { // bytes of UTF-8 sort as code points do
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(AppendString(dst, name), ':')
			if dst, err = appendValue(dst, v[name]); err != nil {
				return nil, err
			}
		}
		return append(dst, '}'), nil
	}
	panic(fmt.Sprintf("BUG: JSON value of type %T", value))
}

// Between these magnitudes ECMAScript writes numbers without an exponent.
const plainFrom, plainBelow = 1e-6, 1e21

// appendNumber appends a JSON number in canonical form. Integers keep all their digits. Others become
// float64 and are written as ECMAScript does, with the fewest digits, and with an exponent only if they are
// very small or large. A number beyond float64 is an error.
func appendNumber(dst []byte, text string) ([]byte, error) {
	if !strings.ContainsAny(text, ".eE") {
		if text == "-0" {
			text = "0"
		}
		return append(dst, text...), nil
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil, fmt.Errorf("cannot read the number %s: it is too large", text)
	}
	if x == math.Trunc(x) && math.Abs(x) < plainBelow {
		return strconv.AppendFloat(dst, x+0, 'f', -1, 64), nil // x+0 turns -0 into 0
	}
	if a := math.Abs(x); a >= plainFrom && a < plainBelow {
		return strconv.AppendFloat(dst, x, 'f', -1, 64), nil
	}
	text = strconv.FormatFloat(x, 'e', -1, 64)
	// FormatFloat writes two digits of the exponent at least: e-07 becomes e-7.
	if n := len(text); text[n-2] == '0' && (text[n-3] == '-' || text[n-3] == '+') {
		text = text[:n-2] + text[n-1:]
	}
	return append(dst, text...), nil
}

// AppendString appends a string as JSON with only those escapes that JSON requires. Bytes
// that are no UTF-8 become U+FFFD.
func AppendString(dst []byte, text string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	from := 0 // the bytes of text before it are in dst already
	for i := 0; i < len(text); {
		c := text[i]
		if c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf { // stays as it is
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(text[i:])
			if r == utf8.RuneError && n == 1 {
				dst = append(append(dst, text[from:i]...), "\uFFFD"...)
				from = i + 1
			}
			i += n
			continue
		}
		dst = append(dst, text[from:i]...)
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		case '\b':
			dst = append(dst, '\\', 'b')
		case '\f':
			dst = append(dst, '\\', 'f')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
		i++
		from = i
	}
	return append(append(dst, text[from:]...), '"')
}
