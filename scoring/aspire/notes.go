package aspire

import (
	"strconv"
	"unicode/utf8"

	"plumb/scoring"
)

// maxNotes bounds the notes of one answer, which may have a million mistakes. One more note counts the others.
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
	if !n.omitIfFull() {
		n.list = append(n.list, note)
	}
}

// omitIfFull reports whether the limit on notes is reached. If so, it counts one note as omitted: the one
// that the caller was about to add, whose text the caller then need not make.
func (n *notes) omitIfFull() bool {
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

// quote returns a model's text in quotes, shortened to about 60 bytes at a character.
func quote(text string) string {
	const limit = 60
	if len(text) > limit {
		cut := limit
		for cut > 0 && !utf8.RuneStart(text[cut]) {
			cut--
		}
		text = text[:cut] + "..."
	}
	return strconv.Quote(text)
}
