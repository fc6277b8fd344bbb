package drawingbench

import (
	"fmt"
	"strings"

	"github.com/valyala/fastjson"

	"plumb/scoring"
)

// Stop is the score from which a task ends after its first turn. See
// docs/spec/drawingbench.md#r81.
const Stop = perfect

// appDescription tells a model about the drawing app. The wording is this project's, as the
// benchmark's is not published. See docs/spec/drawingbench.md#r7.
const appDescription = `You control a drawing app with a mouse. Answer with one JSON array of actions and nothing else.

Actions:
  {"action": "moveTo", "x": X, "y": Y}   move the mouse; draws while the button is down and the tool is pen or eraser
  {"action": "click", "x": X, "y": Y}    press a button of the app; on the canvas a dot, or a fill with the fill tool
  {"action": "mouseDown"}                press the mouse button where the mouse is
  {"action": "mouseUp"}                  release it where the mouse is; line, rectangle and circle are drawn then
A shape goes from where the button was pressed to where it is released: a line, the corners of a rectangle's outline,
or the centre of a circle's outline and a point on it.

The screen is 1500 x 900 px, x to the right and y down. The canvas is white and covers x 90 to 1090 and y 70 to 770;
draw inside it. Buttons:
  tools at x = 35:   pen (35, 45), eraser (35, 125), fill (35, 205), line (35, 285), rectangle (35, 365), circle (35, 445)
  colours at y = 25: black (405, 25), red (429, 25), green (453, 25), blue (477, 25), yellow (501, 25), magenta (525, 25),
                     cyan (549, 25), white (573, 25)
  stroke widths:     2 px (35, 525), 5 px (35, 605), 10 px (35, 685)
The app starts with the pen, black and 2 px. Click the button of every tool and colour that you use.

Example, a red circle of radius 100 about the middle:
[{"action": "click", "x": 35, "y": 445}, {"action": "click", "x": 429, "y": 25}, {"action": "moveTo", "x": 590, "y": 420},
 {"action": "mouseDown"}, {"action": "moveTo", "x": 690, "y": 420}, {"action": "mouseUp"}]
`

// Prompt returns what a model is asked in the first turn of a DrawingBench task. The error names
// what the task lacks. See docs/spec/drawingbench.md#r82.
func Prompt(task *fastjson.Value) (string, error) {
	p := stringMember(task, "prompt")
	if p == "" {
		return "", badItem("prompt", "got none; want the text of the task")
	}
	return appDescription + "\nTask: " + p + "\n", nil
}

// Again asks for another answer on an empty canvas; it ends the prompt of a second turn.
const Again = "\n\nImprove your drawing. It starts again on an empty canvas: answer with one complete JSON array of actions and nothing else.\n"

// Followup returns what a model is asked in the second turn of a DrawingBench task, from the result
// of the first: the feedback with the request for another answer. ok is false where the task ends:
// the score is Stop or more, there is no score, or it was not the first turn. See
// docs/spec/drawingbench.md#r83.
func Followup(result *scoring.Result) (prompt string, ok bool) {
	turn, known := result.Float("turn")
	if !result.Scored || result.Score >= Stop || known && turn != 1 {
		return "", false
	}
	return Feedback(result) + Again, true
}

// Feedback returns the feedback of a DrawingBench result: the published evaluator's or, for an
// answer on which that crashes, a text of this project with the exception.
func Feedback(result *scoring.Result) string {
	for _, f := range result.Fields {
		feedback, isText := f.Value.(string)
		if isText && f.Name == "feedback_text" {
			return feedback
		}
	}
	var why []string
	for _, n := range result.Notes {
		if n.Code == "release_crash" {
			why = append(why, n.Message)
		}
	}
	return fmt.Sprintf("Your answer could not be evaluated (%s). Every element must be an object with the field \"action\", and coordinates must be numbers.",
		strings.Join(why, "; "))
}
