package aspire

import (
	"strconv"
	"unicode/utf8"

	"plumb/scoring"
)

// maxNotes bounds the notes of one answer, which may have a million mistakes. One more note counts
// the others.
const maxNotes = 100

// notes collects what was changed or left out while an answer was read.
type notes struct {
	list      []scoring.Note
	uncounted int // of list: not counted towards maxNotes
	omitted   int
}

// addAlways adds a note regardless of the limit. There are few of them: they say that a part of
// the answer was not read.
func (n *notes) addAlways(note scoring.Note) {
	n.list = append(n.list, note)
	n.uncounted++
}

// add adds a note unless the limit is reached.
func (n *notes) add(note scoring.Note) {
	if !n.full() {
		n.list = append(n.list, note)
	}
}

// full reports whether the limit on the notes of an answer is reached, and then counts a note as
// omitted: callers need not make its text.
func (n *notes) full() bool {
	if len(n.list)-n.uncounted < maxNotes {
		return false
	}
	n.omitted++
	return true
}

// all returns the notes on an answer and, if some were omitted, one that says how many.
func (n *notes) all() []scoring.Note {
	if n.omitted > 0 {
		return append(n.list, scoring.Note{Code: "more_notes", Message: strconv.Itoa(n.omitted) + " more"})
	}
	return n.list
}

// listPath is the JSON path of an entry of a list of operations; its text is made only for notes.
type listPath struct {
	list string
	i    int
}

// String returns a path such as createShapes[3].
func (p listPath) String() string { return p.list + "[" + strconv.Itoa(p.i) + "]" }

// quote quotes text of a model, shortened to 60 bytes.
func quote(s string) string {
	const most = 60
	if len(s) > most {
		n := most
		for n > 0 && !utf8.RuneStart(s[n]) {
			n--
		}
		s = s[:n] + "..."
	}
	return strconv.Quote(s)
}
