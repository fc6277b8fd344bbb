package aspire

import (
	"strings"
	"testing"

	"github.com/valyala/fastjson"

	"plumb/scoring"
)

const promptItem = `{"prompt":"Do it.","shapes":[
 {"props":{"dash":"solid","fill":"solid","h":483,"w":454.5,"color":"yellow","geo":"rectangle","meta":{},"list":[1,"é\n"]},"y":410.0,"x":173,"type":"geo","id":"shape:yellow","rotation":0},
 {"id":"shape:b","type":"geo","x":0,"y":1,"rotation":0.5,"opacity":0.5,"props":{}}]}`

const promptFull = "Initial whiteboard state (TLDraw JSON):\n```json\n" + `[
  {
    "id": "shape:yellow",
    "type": "geo",
    "x": 173,
    "y": 410.0,
    "props": {
      "geo": "rectangle",
      "color": "yellow",
      "w": 454.5,
      "h": 483,
      "fill": "solid",
      "dash": "solid",
      "meta": {},
      "list": [
        1,
        "é\n"
      ]
    }
  },
  {
    "id": "shape:b",
    "type": "geo",
    "x": 0,
    "y": 1,
    "rotation": 0.5,
    "opacity": 0.5,
    "props": {}
  }
]
` + "```\n\n" + promptEnd

const promptEnd = "Task:\nDo it.\n\nOutput actions to update the whiteboard scene.\n" +
	"Your output should be in a JSON block from tldraw using the following schema: " +
	`{"createShapes": [TLShapePartial], "deleteShapes": [shape id], "updateShapes": [TLShapePartial]}`

const promptMinimal = "Initial whiteboard state (TLDraw JSON):\n```json\n" +
	"[\n  {\n    \"id\": \"shape:yellow\"\n  },\n  {\n    \"id\": \"shape:b\"\n  }\n]\n```\n\n" + promptEnd

func TestPrompt(t *testing.T) {
	arrow := strings.Replace(promptFull, promptEnd[strings.Index(promptEnd, `{"create`):], `{"shape": shape id, "rotation": number}`, 1)
	cases := []struct {
		name, test string
		o          scoring.PromptOptions
		want       string
	}{
		{"full", "overlap", scoring.PromptOptions{}, promptFull},
		{"balance, full", "balance", scoring.PromptOptions{}, promptFull},
		{"step by step", "maze", scoring.PromptOptions{StepWise: true}, promptFull + "\nThink step-by-step"},
		{"arrow", "arrow", scoring.PromptOptions{}, arrow},
		{"minimal", "graph", scoring.PromptOptions{Minimal: true}, promptMinimal},
		{"balance, minimal", "balance", scoring.PromptOptions{Minimal: true}, promptEnd},
	}
	item := fastjson.MustParse(promptItem)
	for _, c := range cases {
		got, err := prompt(&scoring.Item{Test: c.test, Fields: item}, c.o)
		if err != nil || got != c.want {
			t.Errorf("%s: %v, got\n%s\nwant\n%s", c.name, err, got, c.want)
		}
	}
	for _, bad := range []struct{ test, item string }{{"mazes", promptItem}, {"maze", `{"prompt":"x"}`}, {"maze", `{"shapes":[]}`}, {"maze", `{"shapes":{},"prompt":"x"}`}} {
		if got, err := prompt(&scoring.Item{Test: bad.test, Fields: fastjson.MustParse(bad.item)}, scoring.PromptOptions{}); err == nil {
			t.Errorf("%s %s: got %q", bad.test, bad.item, got)
		}
	}
}
