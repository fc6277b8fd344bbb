package record

import (
	"bytes"
	"errors"

	"github.com/valyala/fastjson"

	"plumb/render/jsontree"
	"plumb/render/scene"
)

// Parser parses the JSON of foreign dumps. Python writes NaN, Infinity and -Infinity, which
// are not JSON: outside strings they count as null. It is not safe for concurrent use. See
// docs/spec/dumps.md#r8.
type Parser struct {
	Limits scene.Limits // on the number and depth of values

	parser fastjson.Parser
	copied []byte // the text with null in place of NaN and infinities
}

// ErrTorn marks JSON that ends before its brackets are closed.
var ErrTorn = errors.New("the JSON breaks off")

// Parse returns the JSON value of b, a part of a dump, valid until the next call, with null for NaN
// and infinities. The error is ErrTorn for a text that ends too early. The limit on the number of
// values is checked only if commas show that there may be too many, because counting them is cheap.
func (p *Parser) Parse(b []byte) (*fastjson.Value, error) {
	if bytes.Contains(b, nan) || bytes.Contains(b, infinity) {
		p.copied = appendDefined(p.copied[:0], b)
		b = p.copied
	}
	if p.Limits.Values > 0 && bytes.Count(b, []byte{','}) >= p.Limits.Values {
		if err := p.Limits.Check(b); err != nil {
			return nil, err
		}
	}
	v, err := jsontree.Parse(&p.parser, b)
	if err != nil && torn(b) {
		return nil, ErrTorn
	}
	return v, err
}

// Trim frees the memory that an unusually large value of a dump has taken in the parser.
func (p *Parser) Trim() {
	jsontree.Trim(&p.parser)
	const keep = 4 << 20 // bytes
	if cap(p.copied) > keep {
		p.copied = nil
	}
}

var (
	nan      = []byte("NaN")
	infinity = []byte("Infinity")
)

// appendDefined appends the JSON text b, a part of a dump, with null in place of each NaN and
// infinity outside of strings.
func appendDefined(dst, b []byte) []byte {
	quoted, start := false, 0
	for i := 0; i < len(b); i++ {
		word := 0
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

// torn reports whether a string or a bracket of the JSON text b is not closed, because the dump's
// text ends too early.
func torn(b []byte) bool {
	depth, quoted := 0, false
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
		}
	}
	return quoted || depth > 0
}
