package drawingbench

import (
	"regexp"
	"strings"
	"testing"

	"github.com/valyala/fastjson"

	"plumb/scoring"
	"plumb/scoring/drawingbench/layout"
	"plumb/scoring/drawingbench/parse"
	"plumb/scoring/drawingbench/replay"
	"plumb/scoring/pyjson"
)

// Every button that the prompt names is where it says, and its example draws.
func TestPromptLayout(t *testing.T) {
	text, err := Prompt(fastjson.MustParse(`{"prompt":"Draw a hat."}`))
	if err != nil || !strings.HasSuffix(text, "Task: Draw a hat.\n") {
		t.Fatalf("got %v, %q", err, text)
	}
	found := regexp.MustCompile(`([a-z]+|\d+ px) \((\d+), (\d+)\)`).FindAllStringSubmatch(text, -1)
	if len(found) != 17 {
		t.Errorf("got %d buttons; want 6 tools, 8 colours and 3 widths", len(found))
	}
	d := replay.New()
	for _, f := range found {
		var r pyjson.Reader
		r.Reset(`[{"action":"click","x":` + f[2] + `,"y":` + f[3] + `}]`)
		v, _ := r.All()
		s := d.Draw(&v).State
		ok := s.Tool == f[1] || strings.HasPrefix(f[1], "2 px") || s.Size > 2 && strings.HasPrefix(f[1], map[int]string{5: "5", 10: "10"}[s.Size])
		for _, c := range layout.Palette {
			ok = ok || strings.ToLower(c.Name) == f[1] && c.Hex == s.Colour
		}
		if !ok {
			t.Errorf("%s at (%s, %s): got %+v", f[1], f[2], f[3], s)
		}
	}
	var r pyjson.Reader
	v, how, _ := parse.Extract(&r, text[strings.Index(text, "Example"):])
	if p := d.Draw(&v); how != parse.Scan || p.Stats.Colours[1] == 0 || p.State.Tool != "circle" {
		t.Errorf("the example: read as %s, state %+v; want a red circle", how, p.State)
	}
	if _, err := Prompt(fastjson.MustParse(`{}`)); err == nil {
		t.Error("got no error for a task without a prompt")
	}
}

func TestFollowup(t *testing.T) {
	criteria := `"criteria":{"required_tools":["circle"]},"turn":`
	for _, c := range []struct{ name, item, want string }{
		{"done", `{"turn":1,"actions":` + pen + `}`, ""},
		{"poor", `{` + criteria + `1,"actions":` + pen + `}`, "Required tool 'circle' was not used"},
		{"second turn", `{` + criteria + `2,"actions":` + pen + `}`, ""},
		{"crash", `{"response":"[1]"}`, "AttributeError"},
		{"no answer", `{"response":"no"}`, "Score: 0.00"},
		{"never heard", `{}`, ""},
	} {
		r := result(t, c.item, nil)
		line := r.AppendJSON(nil, scoring.Clamp01, "")
		back, _ := scoring.ReadResult(fastjson.MustParseBytes(line))
		got, ok := Followup(back)
		if ok != (c.want != "") || !strings.Contains(got, c.want) || ok && !strings.HasSuffix(got, Again) {
			t.Errorf("%s: got %v %q; want %q", c.name, ok, got, c.want)
		}
	}
}
