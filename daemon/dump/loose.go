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
// the parser accepts it: infinities become 1e999, beyond the range of a double. It returns
// nil if the fault is outside of the answer, or of another kind. See docs/spec/cli.md#r13.
func (d *Decoder) loosened(line []byte) []byte {
	line = bytes.TrimSpace(line)
	if len(line) == 0 || line[0] != '{' {
		return nil
	}
	withoutAnswer, out := bytes.Clone(line), bytes.Clone(line)
	values, found := 0, false
	err := jsoncut.Members(line, func(key, value []byte) error {
		if !looseKeys[string(key)] || value[0] != '{' && value[0] != '[' {
			return nil
		}
		at := cap(line) - cap(value) // the offset of value, which is a slice of line
		overwrite(withoutAnswer[at : at+len(value)])
		replaceInfinities(out[at : at+len(value)])
		values += bytes.Count(value, []byte{','})
		found = true
		return nil
	})
	if err != nil || !found || values > d.values() || d.cfg.Limits.Check(withoutAnswer) != nil {
		return nil
	}
	return out
}

// values is the limit on the values of a line.
func (d *Decoder) values() int {
	return cmp.Or(max(d.cfg.Limits.Values, 0), 4_000_000)
}

// overwrite replaces a value of at least one byte by the number 0 and blanks, in place.
func overwrite(b []byte) {
	for i := range b {
		b[i] = ' '
	}
	b[0] = '0'
}

var (
	infinity = []byte("Infinity")
	beyond   = []byte("1e999   ")
)

// replaceInfinities replaces each Infinity outside of strings, which is no JSON, by the number 1e999
// and blanks, in place. Parsers read 1e999 as infinity.
func replaceInfinities(b []byte) {
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
