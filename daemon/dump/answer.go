package dump

import (
	"github.com/valyala/fastjson"

	"plumb/daemon/message"
	"plumb/scoring"
)

// BadResponse is the code of a response that is neither a text, nor a chat
// message, nor an answer in the suite's own form. The harness that wrote it is to
// blame, not the model.
const BadResponse = "bad_response"

// Unwrapped is the code of the note that a chat message was read as its text.
const Unwrapped = "response_unwrapped"

// answer makes sure that the suite gets an answer it can read: a text, or an
// object of its own form. Chat messages become their text, with a note; what is
// none of these is refused by name, since scoring it would give a 0 that says
// nothing about the model.
func (d *Decoder) answer(it *scoring.Item) *scoring.Error {
	suite, _ := d.cfg.Suites[it.Suite].(scoring.Parsed)
	if v := it.Fields.Get("actions"); suite != nil && suite.AnswerForm("actions") != "" && !null(v) {
		return d.readable(it, suite, "actions", v) // goes before a response
	}
	return d.readable(it, suite, "response", it.Fields.Get("response"))
}

// readable is answer for one member. suite is nil where it takes texts only.
func (d *Decoder) readable(it *scoring.Item, suite scoring.Parsed, member string, v *fastjson.Value) *scoring.Error {
	if null(v) || v.Type() == fastjson.TypeString {
		return nil
	}
	want := "a string"
	if suite != nil && suite.AnswerForm(member) != "" {
		want += " or " + suite.AnswerForm(member)
	}
	said, ok, err := message.Read(v)
	switch {
	case err != nil:
		return refused(member + err.Error())
	case ok:
		d.unwrap(it, member, said)
	case suite == nil || !suite.OwnAnswer(it, member, v):
		return refused(member + ": got " + message.Describe(v) + "; want " + want)
	}
	return nil
}

func null(v *fastjson.Value) bool { return v == nil || v.Type() == fastjson.TypeNull }

func refused(text string) *scoring.Error {
	return &scoring.Error{Code: BadResponse, Message: "cannot read " + text}
}

// unwrap replaces a message by its text.
func (d *Decoder) unwrap(it *scoring.Item, member string, said message.Said) {
	d.arena.Reset()
	text := d.arena.NewNull()
	if said.Heard {
		text = d.arena.NewString(said.Text)
		it.Notes = append(it.Notes, scoring.Note{Code: Unwrapped, Path: member, Message: said.Note()})
	}
	it.Fields.Set(member, text)
}
