package program

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// These types hold the JSON of an answer. encoding/json cannot write it: models keep the order of
// keys, and write comments, spare commas and sums.
type (
	object []field
	field  struct {
		name  string
		value any // object, list, string, float64, int, bool, raw
	}
	list []any
	raw  string // text that is written as it is, such as "400 + 183/2"
)

// dialect is how an answer departs from JSON.
type dialect struct {
	oneLine        bool   // all on one line
	trailingCommas bool   // a comma after the last entry too
	comment        string // written as the first line of the outer object
}

// write appends a value of a program's answer as JSON in one of the dialects that models write.
// depth is the number of lists and objects around v, for the indent.
func (dialect dialect) write(text *strings.Builder, v any, depth int) {
	switch v := v.(type) {
	case raw:
		text.WriteString(string(v))
	case string:
		text.WriteString(strconv.Quote(v)) // ASCII only, so Go's quoting is JSON's
	case float64:
		text.WriteString(strconv.FormatFloat(v, 'f', -1, 64))
	case object:
		dialect.writeEntries(text, '{', '}', len(v), depth, func(i int) {
			text.WriteString(strconv.Quote(v[i].name) + ": ")
			dialect.write(text, v[i].value, depth+1)
		})
	case list:
		dialect.writeEntries(text, '[', ']', len(v), depth, func(i int) { dialect.write(text, v[i], depth+1) })
	default:
		fmt.Fprint(text, v)
	}
}

// writeEntries writes a list or object of n entries between two brackets, with the dialect's line
// ends, commas and comment. writeEntry writes entry i.
func (dialect dialect) writeEntries(text *strings.Builder, open, end byte, n, depth int, writeEntry func(i int)) {
	text.WriteByte(open)
	if depth == 0 && dialect.comment != "" && !dialect.oneLine {
		text.WriteString("\n  // " + dialect.comment)
	}
	for i := range n {
		if !dialect.oneLine {
			text.WriteString("\n" + strings.Repeat("  ", depth+1))
		}
		writeEntry(i)
		switch {
		case i < n-1 && dialect.oneLine:
			text.WriteString(", ")
		case i < n-1 || dialect.trailingCommas:
			text.WriteByte(',')
		}
	}
	if n > 0 && !dialect.oneLine {
		text.WriteString("\n" + strings.Repeat("  ", depth))
	}
	text.WriteByte(end)
}

// text returns v as text.
func (dialect dialect) text(v any) string {
	var b strings.Builder
	dialect.write(&b, v, 0)
	return b.String()
}

// operations is the answer object of all tests but the arrow (docs/spec/aspire.md#r9).
func operations(create, remove, update list) object {
	return object{{"createShapes", create}, {"deleteShapes", remove}, {"updateShapes", update}}
}

// creating, deleting and updating are answers with operations of one kind.
func creating(shapes list) object   { return operations(shapes, list{}, list{}) }
func deleting(ids list) object      { return operations(list{}, ids, list{}) }
func updating(partials list) object { return operations(list{}, list{}, partials) }

// tenth rounds to one decimal, hundredth to two, as models do.
func tenth(v float64) float64     { return math.Round(v*10) / 10 }
func hundredth(v float64) float64 { return math.Round(v*100) / 100 }

// answerForm puts an answer into the text that a model sends. wrong is a draft that the text can
// show before the answer.
type answerForm func(answer, wrong object) string

// fence opens and closes a block of code.
const fence = "```"

// fenced returns a fenced block.
func fenced(tag, body string) string { return fence + tag + "\n" + body + "\n" + fence }

// readable are text forms from which the answer can be read (docs/spec/aspire.md#r11,
// docs/spec/aspire.md#r13).
var readable = []answerForm{
	func(a, _ object) string { return fenced("json", dialect{}.text(a)) },
	func(a, _ object) string {
		return "Looking at the whiteboard, I first note the positions of the shapes.\n\n" +
			"- x grows to the right and y grows downwards.\n- A shape's {x, y} is its top-left corner.\n\n" +
			fenced("json", dialect{}.text(a)) + "\n\nThis completes the task."
	},
	func(a, _ object) string { return dialect{oneLine: true}.text(a) },
	func(a, _ object) string { return "Here you go:\n" + fenced("", dialect{oneLine: true}.text(a)) },
	func(a, _ object) string { return "'''json\n" + dialect{}.text(a) + "\n'''" },
	func(a, _ object) string {
		return fenced("json", dialect{trailingCommas: true, comment: "the requested change"}.text(a))
	},
	func(a, _ object) string { return "Answer:\n" + fence + "json\n" + dialect{}.text(a) },
	func(a, wrong object) string {
		return "My first idea:\n" + fenced("json", dialect{}.text(wrong)) +
			"\nWait, that is not right. Let me compute it again.\n" + fenced("json", dialect{}.text(a))
	},
	func(a, _ object) string {
		return "Sure! The change you asked for is " + dialect{oneLine: true}.text(a) + " and nothing else has to move."
	},
	func(a, _ object) string { return fenced("json", dialect{}.text(list{a})) },
	func(a, _ object) string {
		return strings.ReplaceAll("Final answer\n\n"+fenced("JSON", dialect{}.text(a)), "\n", "\r\n")
	},
}

// unreadable are text forms without an answer: refusals, empty texts, truncated blocks.
var unreadable = []answerForm{
	func(object, object) string {
		return "I cannot see any whiteboard in this conversation, sorry. {no json}"
	},
	func(a, _ object) string {
		t := dialect{}.text(a)
		return fenced("json", t[:len(t)*3/5])
	},
	func(object, object) string { return "" },
	func(object, object) string {
		return "The task is complete. I have updated the whiteboard as you asked; please take a look."
	},
	func(a, _ object) string { // single quotes are no JSON
		return fenced("python", strings.ReplaceAll(dialect{}.text(a), `"`, "'"))
	},
}

// format puts the answer into one of the text forms, chosen by the index of the scenario.
// wrong is a draft that some forms show before the answer.
func (question *question) format(forms []answerForm, answer, wrong object) *string {
	s := forms[question.cycle(len(forms))](answer, wrong)
	return &s
}
