package chattest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"plumb/daemon/canonical"
	"plumb/scoring/aspire/scenario"
	"plumb/scoring/aspire/scenario/program"
)

// Answers is the text for each request by its hash, as a file of one JSON object has it.
// Other requests get an empty text.
func Answers(file []byte) (func(*Call) string, error) {
	var texts map[string]string
	if err := json.Unmarshal(file, &texts); err != nil {
		return nil, fmt.Errorf("cannot read answers: %w; want {\"HASH\":\"text\"}", err)
	}
	return func(c *Call) string { return texts[c.Hash] }, nil
}

// Exact returns answers to tasks of ASPIRE, given as lines of a task file, as the first
// simulated model of scenario/program gives them. It recognises a task by its shapes and
// text in the prompt. Tasks of DrawingBench get one shape of each kind of drawing, whatever
// they ask for. Other requests get an answer that changes nothing.
func Exact(tasks []byte) (func(*Call) string, error) {
	answers := map[string]string{}
	for line := range bytes.Lines(tasks) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var t struct {
			scenario.Scenario
			Seed   uint64          `json:"seed"`
			Shapes json.RawMessage `json:"shapes"`
		}
		err := json.Unmarshal(line, &t)
		if err == nil {
			err = json.Unmarshal(t.Shapes, &t.Scenario.Shapes)
		}
		if err != nil {
			return nil, fmt.Errorf("cannot read tasks of ASPIRE: %w", err)
		}
		state, err := canonical.JSON(t.Shapes)
		if err != nil {
			return nil, fmt.Errorf("cannot read tasks of ASPIRE: %w", err)
		}
		if a := program.All()[0].Answer(t.Seed, &t.Scenario); a != nil {
			answers[string(state)+t.Prompt] = *a
		}
	}
	return func(call *Call) string {
		if a, ok := answers[taskKey(call.Prompt)]; ok {
			return a
		}
		if strings.Contains(call.Prompt, "JSON array of actions") {
			return drawing
		}
		return "```json\n{\"createShapes\": [], \"deleteShapes\": [], \"updateShapes\": []}\n```"
	}, nil
}

// taskKey returns the key of the task that a prompt of ASPIRE asks: the shapes as
// canonical JSON and the text. It is "" if the prompt has no shapes.
func taskKey(prompt string) string {
	_, rest, _ := strings.Cut(prompt, "```json\n")
	state, rest, _ := strings.Cut(rest, "\n```\n\nTask:\n")
	task, _, _ := strings.Cut(rest, "\n\nOutput actions")
	shapes, err := canonical.JSON([]byte(state))
	if err != nil {
		return ""
	}
	return string(shapes) + task
}

// drawing draws a red rectangle, a blue circle and a black line.
const drawing = `[{"action":"click","x":35,"y":365},{"action":"click","x":429,"y":25},{"action":"moveTo","x":390,"y":270},{"action":"mouseDown"},{"action":"moveTo","x":790,"y":570},{"action":"mouseUp"},` +
	`{"action":"click","x":35,"y":445},{"action":"click","x":477,"y":25},{"action":"moveTo","x":590,"y":420},{"action":"mouseDown"},{"action":"moveTo","x":690,"y":420},{"action":"mouseUp"},` +
	`{"action":"click","x":35,"y":285},{"action":"click","x":405,"y":25},{"action":"moveTo","x":290,"y":670},{"action":"mouseDown"},{"action":"moveTo","x":890,"y":670},{"action":"mouseUp"}]`
