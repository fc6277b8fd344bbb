package dump

import (
	"github.com/valyala/fastjson"

	"plumb/daemon/message"
	"plumb/render/jsontree"
	"plumb/scoring"
)

// BadResponse is the code of a response that is not a text, a chat message or an
// answer in the suite's own form. It is a fault of the dump and not of the model.
const BadResponse = "bad_response"

// Unwrapped is the code of the note which says that a chat message was read as its text.
const Unwrapped = "response_unwrapped"

// checkItemAnswer checks that the suite can read the answer of an item: actions if it has any and the
// suite reads them, else response. See docs/spec/cli.md#r18.
func (d *Decoder) checkItemAnswer(it *scoring.Item) *scoring.Error {
	suite := d.cfg.Suites.Find(it.Suite)
	if v := it.Fields.Get("actions"); suite.AnswerForms["actions"] != "" && !jsontree.Absent(v) {
		return d.checkAnswerMember(it, suite, "actions", v) // these suites do not look at a response then
	}
	return d.checkAnswerMember(it, suite, "response", it.Fields.Get("response"))
}

// checkAnswerMember checks one member of a dump line that holds an answer, whose value is value. A text, a missing
// value and the suite's own form are accepted. Chat messages are replaced by their text, with a note. Any other
// value is an error that names it, because a score of 0 would say nothing about the model.
func (d *Decoder) checkAnswerMember(it *scoring.Item, suite *scoring.Suite, member string, value *fastjson.Value) *scoring.Error {
	if jsontree.Absent(value) || value.Type() == fastjson.TypeString {
		return nil
	}
	want := "a string"
	if form := suite.AnswerForms[member]; form != "" {
		want += " or " + form
	}
	chat, isChat, err := message.Read(value)
	isOwn := func() bool { return suite.OwnAnswer != nil && suite.OwnAnswer(it, member, value) }
	switch {
	case err != nil: // begins with the place within the member
		return refused(member + err.Error())
	case isChat:
		d.replaceByChatText(it, member, chat)
	case !isOwn():
		return refused(member + ": got " + message.Describe(value) + "; want " + want)
	}
	return nil
}

// refused returns the error for an answer that cannot be read.
func refused(text string) *scoring.Error {
	return &scoring.Error{Code: BadResponse, Message: "cannot read " + text}
}

// replaceByChatText replaces the value of a member of a dump line that holds a chat message by the
// message's text, and adds a note that says so. If the call of the model failed, so that there is no text, the
// value becomes null.
func (d *Decoder) replaceByChatText(it *scoring.Item, member string, chat message.ChatText) {
	d.arena.Reset()
	text := d.arena.NewNull()
	if chat.Answered {
		text = d.arena.NewString(chat.Text)
		it.Notes = append(it.Notes, scoring.Note{Code: Unwrapped, Path: member, Message: chat.Note()})
	}
	it.Fields.Set(member, text)
}
