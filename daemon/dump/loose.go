package dump

import (
	"bytes"
	"cmp"

	"plumb/daemon/jsoncut"
)

// looseKeys are the members of a line that hold an answer, which suites with
// scoring.Suite.LooseAnswers read by rules of their own.
var looseKeys = map[string]bool{"response": true, "actions": true}

// loosened returns a copy of a line whose answer breaks the rules of JSON, changed so that
// the parser accepts it: infinities become numbers beyond the range of a double. It
// returns nil where the fault is outside the answer or of another kind. See
// docs/spec/cli.md#r13.
func (d *Decoder) loosened(line []byte) []byte {
	line = bytes.TrimSpace(line)
	if len(line) == 0 || line[0] != '{' {
		return nil
	}
	rest, out := bytes.Clone(line), bytes.Clone(line)
	values, found := 0, false
	err := jsoncut.Members(line, func(key, value []byte) error {
		if !looseKeys[string(key)] || value[0] != '{' && value[0] != '[' {
			return nil
		}
		at := cap(line) - cap(value) // both end with the same array
		blank(rest[at : at+len(value)])
		finite(out[at : at+len(value)])
		values += bytes.Count(value, []byte{','})
		found = true
		return nil
	})
	if err != nil || !found || values > d.values() || d.cfg.Limits.Check(rest) != nil {
		return nil
	}
	return out
}

// values is the limit on the values of a line.
func (d *Decoder) values() int {
	return cmp.Or(max(d.cfg.Limits.Values, 0), 4_000_000)
}

// blank overwrites a value of at least one byte by the number 0 and blanks.
func blank(b []byte) {
	for i := range b {
		b[i] = ' '
	}
	b[0] = '0'
}

var (
	infinity = []byte("Infinity")
	beyond   = []byte("1e999   ")
)

// finite replaces infinities outside strings by 1e999, in place.
func finite(b []byte) {
	quoted := false
	for i := 0; i < len(b); i++ {
		switch {
		case b[i] == '\\' && quoted:
			i++
		case b[i] == '"':
			quoted = !quoted
		case !quoted && bytes.HasPrefix(b[i:], infinity):
			copy(b[i:], beyond)
		}
	}
}
