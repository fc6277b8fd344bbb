package main

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestPromptCommand(t *testing.T) {
	const shapes = `"shapes":[{"id":"shape:a","type":"geo","x":1}],"prompt":"Do it."`
	in := `{"id":"a","test":"line",` + shapes + `}` + "\n" + `{"id":7,"suite":"aspire","test":"arrow",` + shapes + "}\n" +
		`{"id":"c","test":"line","shapes":[]}` + "\nnonsense\n"
	code, out, errs := plumb(t, in, "prompt", "--minimal", "--cot", "-")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if code != 0 || len(lines) != 4 {
		t.Fatalf("got exit %d, %s%s; want four lines", code, out, errs)
	}
	for i, want := range []string{`a "createShapes"`, `7 "rotation"`, "c bad_task", "line:4 bad_line"} {
		var got struct {
			ID, Prompt string
			Error      struct{ Code string }
		}
		if err := json.Unmarshal([]byte(lines[i]), &got); err != nil {
			t.Fatal(err)
		}
		id, rest, _ := strings.Cut(want, " ")
		ok := got.Error.Code == rest
		if i < 2 {
			ok = strings.Contains(got.Prompt, "Task:\nDo it.\n") && strings.Contains(got.Prompt, rest) &&
				strings.HasSuffix(got.Prompt, "step-by-step") && !strings.Contains(got.Prompt, `"geo"`)
		}
		if got.ID != id || !ok {
			t.Errorf("got %s; want %s", lines[i], want)
		}
	}
}
