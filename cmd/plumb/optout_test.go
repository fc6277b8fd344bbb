package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// nasty are values that a model may write anywhere in its answer.
var nasty = []any{"\a", "a\x1bb", "\ufffe", "\u202eabc", "\U000e0001", strings.Repeat("x", 70_000), json.Number("1e9"), json.Number("1e300"), json.Number("-1e300"),
	json.Number("1e-300"), json.Number("-1"), json.Number("100000"), json.Number(strings.Repeat("9", 5000)), nil, true, []any{}, map[string]any{}, "1e400", "javascript:x"}

// mutants calls f with copies of v in which one leaf after the other is nasty; the
// nasty value changes from leaf to leaf.
func mutants(t *testing.T, v any, turn *int, f func(text string)) {
	t.Helper()
	var walk func(at any, set func(any))
	walk = func(at any, set func(any)) {
		switch at := at.(type) {
		case map[string]any:
			for _, k := range sortedKeys(at) {
				walk(at[k], func(x any) { at[k] = x })
			}
		case []any:
			for i := range at {
				walk(at[i], func(x any) { at[i] = x })
			}
		default:
			*turn++
			set(nasty[*turn%len(nasty)])
			f(encoded(t, v))
			set(at)
		}
	}
	walk(v, func(x any) { v = x })
}

// drawnAnswers are answers to one balance item and one label item whose shapes have
// every field that a model may give.
var drawnAnswers = []string{
	`{"type":"geo","x":100,"y":100,"rotation":0.1,"opacity":0.9,"props":{"geo":"cloud","w":120,"h":90,"text":"hi","fill":"solid","dash":"draw","font":"draw","size":"m","scale":1,"growY":0,"url":"https://x.y"}}`,
	`{"type":"text","x":150,"y":150,"props":{"text":"label","scale":1,"w":80,"autoSize":false,"font":"sans"}}`,
	`{"type":"note","x":150,"y":150,"props":{"text":"label","scale":1,"growY":0,"fontSizeAdjustment":0}}`,
	`{"type":"line","x":150,"y":150,"props":{"points":[{"x":0,"y":0},{"x":100,"y":50}],"spline":"cubic","scale":1}}`,
	`{"type":"draw","x":150,"y":150,"props":{"segments":[{"type":"free","points":[{"x":0,"y":0,"z":0.5},{"x":50,"y":60,"z":0.5}]}],"isClosed":true,"fill":"solid"}}`,
	`{"type":"arrow","x":150,"y":150,"props":{"start":{"x":0,"y":0},"end":{"x":100,"y":100},"bend":10,"text":"lab","labelPosition":0.5,"arrowheadEnd":"arrow"}}`,
	`{"type":"frame","x":150,"y":150,"props":{"w":100,"h":100,"name":"nm"}}`,
	`{"type":"embed","x":150,"y":150,"props":{"url":"https://x.y","w":100,"h":100}}`,
}

// Whatever a model writes, its answer has a score: what cannot be read or drawn is
// a bad answer. Without a score a model that is trained on it could choose to have
// none instead of a zero.
func TestNoAnswerOptsOut(t *testing.T) {
	browser(t)
	var dump strings.Builder
	turn, n := 0, 0
	add := func(format string, args ...any) {
		fmt.Fprintf(&dump, format+"\n", args...)
		n++
	}
	for _, test := range []string{"balance", "label"} {
		task := map[string]string{"balance": `{}`, "label": `{"shape":"shape:s"}`}[test]
		for _, shape := range drawnAnswers {
			var v any
			if err := json.Unmarshal([]byte(shape), &v); err != nil {
				t.Fatal(err)
			}
			mutants(t, v, &turn, func(text string) {
				answer := fmt.Sprintf(`{"createShapes":[%s],"updateShapes":[],"deleteShapes":[]}`, text)
				add(`{"id":"%s %d","suite":"aspire","test":%q,"shapes":[{"id":"shape:s","type":"geo","x":100,"y":100,"props":{"fill":"solid","w":300,"h":200}}],"task":%s,"response":%s}`,
					test, n, test, task, encoded(t, answer))
			})
		}
	}
	for _, r := range right { // answers in text, of every suite
		line := lineOf(t, r.suite, r.file, r.id)
		var text string
		if err := json.Unmarshal(line["response"], &text); err != nil {
			t.Fatal(err)
		}
		inner := strings.TrimSpace(strings.TrimSuffix(text[max(0, strings.IndexAny(text, "[{")):], "Done."))
		inner = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(inner), "```"))
		d := json.NewDecoder(strings.NewReader(inner))
		d.UseNumber()
		var v any
		if d.Decode(&v) != nil {
			v = text
		}
		mutants(t, v, &turn, func(text string) {
			line["response"] = json.RawMessage(encoded(t, text))
			add("%s", encoded(t, line))
		})
		line["response"] = json.RawMessage(encoded(t, strings.Repeat("[", 3_000_000)))
		add("%s", encoded(t, line))
		line["response"] = json.RawMessage(encoded(t, strings.Repeat("x", 5_000_000)))
		add("%s", encoded(t, line))
	}
	args := append([]string{"score", "--variant", "vqa.policy=never", "--variant", "drawingbench.pixels", "--deadline", "10m", "-"}, taskFiles()...)
	code, out, errs := plumb(t, dump.String(), args...)
	got := results(t, out)
	if len(got) != n || n < 200 {
		t.Fatalf("got exit %d and %d results; want %d\n%s", code, len(got), n, errs)
	}
	for i, m := range got {
		if _, ok := m["score"].(float64); !ok {
			t.Errorf("%v: got no score: %.300v\n%.500s", m["id"], m["error"], strings.Split(dump.String(), "\n")[i])
		}
	}
}

func sortedKeys(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }
