package record

import (
	"bytes"
	"errors"

	"github.com/valyala/fastjson"

	"plumb/render/jsontree"
	"plumb/render/scene"
)

// Parser parses the JSON of foreign dumps. Python writes NaN, Infinity and -Infinity, which are not JSON:
// outside strings they count as null. It is not safe for concurrent use. See docs/spec/dumps.md#r8.
type Parser struct {
	Limits scene.Limits // on the number and depth of values

	parser fastjson.Parser
	copied []byte // the text with null in place of NaN and infinities
}

// ErrBreaksOff marks JSON that ends before its brackets are closed.
var ErrBreaksOff = errors.New("the JSON breaks off")

// Parse returns the JSON value of b, a part of a dump, with null for NaN and infinities. The value is
// valid until the next call. The error is ErrBreaksOff for a text that ends too early, and another for a
// text that is not JSON or exceeds the limits.
func (p *Parser) Parse(b []byte) (*fastjson.Value, error) {
	if bytes.Contains(b, nan) || bytes.Contains(b, infinity) {
		p.copied = appendWithNulls(p.copied[:0], b)
		b = p.copied
	}
	// Counting commas is cheap and shows whether there may be too many values; only then count those.
	if p.Limits.Values > 0 && bytes.Count(b, []byte{','}) >= p.Limits.Values {
		if err := p.Limits.Check(b); err != nil {
			return nil, err
		}
	}
	v, err := jsontree.Parse(&p.parser, b)
	if err != nil && breaksOff(b) {
		return nil, ErrBreaksOff
	}
	return v, err
}

// TrimMemory frees the parser's memory if an unusually large value of a dump has made it large.
func (p *Parser) TrimMemory() {
	jsontree.Trim(&p.parser)
	const keep = 4 << 20 // bytes of a buffer that is used again
	if cap(p.copied) > keep {
		p.copied = nil
	}
}

var (
	nan      = []byte("NaN")
	infinity = []byte("Infinity")
)

// appendWithNulls appends the JSON text b, a part of a dump, to dst, with null in place of each NaN,
// Infinity and -Infinity outside of strings.
func appendWithNulls(dst, b []byte) []byte {
	quoted := false // within a string
	start := 0      // of the text that was not appended yet
	for i := 0; i < len(b); i++ {
		word := 0 // the length of the word that begins here, 0 for none
		switch c := b[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == 'N' && bytes.HasPrefix(b[i:], nan):
			word = len(nan)
		case c == 'I' && bytes.HasPrefix(b[i:], infinity):
			word = len(infinity)
		case c == '-' && bytes.HasPrefix(b[i+1:], infinity):
			word = 1 + len(infinity)
		}
		if word > 0 {
			dst = append(append(dst, b[start:i]...), "null"...)
			i += word - 1
			start = i + 1
		}
	}
	return append(dst, b[start:]...)
}

// breaksOff reports whether the JSON text b, a part of a dump, breaks off: a string or a bracket is not
// closed at its end. It assumes that the brackets match otherwise.
func breaksOff(b []byte) bool {
	depth, inString := 0, false
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
		}
	}
	return inString || depth > 0
}
