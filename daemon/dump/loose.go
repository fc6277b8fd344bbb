package dump

import (
	"bytes"
	"cmp"

	"plumb/daemon/jsoncut"
)

// answerMembers are the members of a line that hold an answer, which suites with
// scoring.Suite.LooseAnswers read by rules of their own.
var answerMembers = map[string]bool{"response": true, "actions": true}

// loosenAnswer returns a copy of a dump line that is not valid JSON because its answer has the word Infinity where
// a number stands. The copy has 1e999 in its place, which the parser reads as infinity. It returns nil if the
// fault is outside of the answer, or of another kind: the line must be valid with the number 0 in place of the
// answer. See docs/spec/cli.md#r13.
func (d *Decoder) loosenAnswer(line []byte) []byte {
	line = bytes.TrimSpace(line)
	if len(line) == 0 || line[0] != '{' {
		return nil
	}
	withoutAnswer, loosened := bytes.Clone(line), bytes.Clone(line)
	values, hasAnswer := 0, false
	err := jsoncut.Named(line, func(key, value []byte) error {
		if !answerMembers[string(key)] {
			return nil
		}
		if !bytes.HasPrefix(value, []byte("{")) && !bytes.HasPrefix(value, []byte("[")) {
			return nil // a text, which has no word Infinity
		}
		at := cap(line) - cap(value) // the offset of value, which is a slice of line
		overwriteWithZero(withoutAnswer[at : at+len(value)])
		replaceInfinities(loosened[at : at+len(value)])
		values += bytes.Count(value, []byte{','}) // a lower bound: each comma stands between two values
		hasAnswer = true
		return nil
	})
	if err != nil || !hasAnswer || values > d.maxValues() || d.cfg.Limits.Check(withoutAnswer) != nil {
		return nil
	}
	return loosened
}

// maxValues is the largest number of JSON values that a line may have.
func (d *Decoder) maxValues() int {
	return cmp.Or(max(d.cfg.Limits.Values, 0), 4_000_000)
}

// overwriteWithZero replaces the JSON value in b, a part of a dump line of at least one byte, by the number 0 and
// blanks, in place. So the line around it stays valid JSON of the same length.
func overwriteWithZero(b []byte) {
	for i := range b {
		b[i] = ' '
	}
	b[0] = '0'
}

var (
	infinity       = []byte("Infinity")
	paddedInfinity = []byte("1e999   ")
)

// replaceInfinities replaces each word Infinity of a dump line outside of strings by the number 1e999 and
// blanks, in place. JSON has no such word; the parser reads 1e999, beyond the range of a float64, as infinity.
func replaceInfinities(b []byte) {
	quoted := false
	for i := 0; i < len(b); i++ {
		switch {
		case b[i] == '\\' && quoted:
			i++
		case b[i] == '"':
			quoted = !quoted
		case !quoted && bytes.HasPrefix(b[i:], infinity):
			copy(b[i:], paddedInfinity)
		}
	}
}
