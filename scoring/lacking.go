package scoring

import (
	"strings"

	"github.com/valyala/fastjson"
)

// Lacking collects the members that an item needs and does not have, so that one
// error names all of them.
type Lacking struct {
	item *fastjson.Value
	code string
	list []string
}

// LackingIn begins with none for an item.
func LackingIn(it *Item) *Lacking { return &Lacking{item: it.Fields} }

// Want notes a member that is absent or null. what says what it holds; code is the
// code of the error where this is the first.
func (l *Lacking) Want(name, what, code string) {
	if v := l.item.Get(name); v == nil || v.Type() == fastjson.TypeNull {
		l.Add(name, what, code)
	}
}

// Add notes a member that was found missing.
func (l *Lacking) Add(name, what, code string) {
	if l.code == "" {
		l.code = code
	}
	l.list = append(l.list, name+" ("+what+")")
}

// Err names all that is missing, the answer too; nil where nothing was noted: an
// item that lacks its answer alone is none that lacks members. tasks says how a
// task file gives them.
func (l *Lacking) Err(tasks string) error {
	if len(l.list) == 0 {
		return nil
	}
	if !l.item.Exists("actions") { // which are an answer too
		l.Want("response", "the model's answer", "")
	}
	return &Error{Code: l.code, Message: "cannot score item: it lacks " + strings.Join(l.list, ", ") + "; " + tasks}
}
