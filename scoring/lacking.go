package scoring

import (
	"strings"

	"github.com/valyala/fastjson"
)

// Lacking collects the required members that an item lacks, so that one error names
// all of them.
type Lacking struct {
	item *fastjson.Value
	code string
	list []string
}

// LackingIn returns a Lacking for an item, in which nothing is recorded yet.
func LackingIn(it *Item) *Lacking { return &Lacking{item: it.Fields} }

// AddIfAbsent records the member name where it is absent or null. what describes the member
// in the error; code is the code of the error where this member is the first.
func (lacking *Lacking) AddIfAbsent(name, what, code string) {
	if v := lacking.item.Get(name); v == nil || v.Type() == fastjson.TypeNull {
		lacking.Add(name, what, code)
	}
}

// Add records a member that an item lacks; name, what and code are as for AddIfAbsent.
func (lacking *Lacking) Add(name, what, code string) {
	if lacking.code == "" {
		lacking.code = code
	}
	lacking.list = append(lacking.list, name+" ("+what+")")
}

// Err returns an error that names all members that an item lacks, or nil if none was recorded. A
// missing answer is named with the others, but alone it is not an error here. tasks ends the
// message with how a task file supplies the members.
func (lacking *Lacking) Err(tasks string) error {
	if len(lacking.list) == 0 {
		return nil
	}
	if !lacking.item.Exists("actions") { // they are an answer too
		lacking.AddIfAbsent("response", "the model's answer", "") // never the first member, so its code does not matter
	}
	return &Error{Code: lacking.code, Message: "cannot score item: it lacks " + strings.Join(lacking.list, ", ") + "; " + tasks}
}
