package aspire

import (
	"strconv"
	"unicode/utf8"

	"plumb/scoring"
)

// maxNotes is how many notes one answer gets; one more says that there were
// more. An answer may hold a million mistakes.
const maxNotes = 100

// notes collects what was changed or left out while an answer was read.
type notes struct {
	list   []scoring.Note
	always int // of list: not counted towards maxNotes
	more   int
}

// must adds a note that has a place in any case: that part of the answer was not
// read at all. There are a few of them at most.
func (n *notes) must(note scoring.Note) {
	n.list = append(n.list, note)
	n.always++
}

func (n *notes) add(note scoring.Note) {
	if !n.full() {
		n.list = append(n.list, note)
	}
}

// full reports whether there is no room for another note, which it then counts:
// callers need not make its text.
func (n *notes) full() bool {
	if len(n.list)-n.always < maxNotes {
		return false
	}
	n.more++
	return true
}

// all returns the notes, with the last one for those left out.
func (n *notes) all() []scoring.Note {
	if n.more > 0 {
		return append(n.list, scoring.Note{Code: "more_notes", Message: strconv.Itoa(n.more) + " more"})
	}
	return n.list
}

// place is an entry of a list of operations; its text is made only for notes.
type place struct {
	list string
	i    int
}

func (p place) String() string { return p.list + "[" + strconv.Itoa(p.i) + "]" }

// quote quotes what a model wrote, shortened.
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
