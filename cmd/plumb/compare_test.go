package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// resultsOf writes result lines and returns their path.
func resultsOf(t *testing.T, model, mode string, score func(i, repeat int) string, repeats int) string {
	t.Helper()
	var b strings.Builder
	for i := range 24 {
		for k := range repeats {
			fmt.Fprintf(&b, `{"id":"maze-%02d","suite":"aspire","test":"maze","model":%q,"repeat":%d,"score":%s,"status":"bare","metrics":{},"notes":[],"asked":{"model":%[2]q,"mode":%[5]q,"input":"full","repeat":%[3]d}}`+"\n",
				i, model, k+1, score(i, k), mode)
		}
	}
	path := filepath.Join(t.TempDir(), "results.jsonl")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestCompareCommand(t *testing.T) {
	half := func(i, _ int) string { return fmt.Sprint(float64(i%5) / 5) }
	better := func(i, _ int) string { return fmt.Sprint(float64(i%5)/5 + 0.1) }
	one, two := resultsOf(t, "one", "default", half, 2), resultsOf(t, "two", "cot", better, 2)
	code, out, errs := plumb(t, "", "compare", "--format", "json", two, one)
	if code != 0 {
		t.Fatal(errs)
	}
	list := jsonLines(t, out)[0]["comparisons"].([]any)
	got := list[0].(map[string]any)
	if len(list) != 2 || got["tasks"] != 24. || got["difference"].(float64) < 0.0999 || got["difference"].(float64) > 0.1001 || got["p"].(float64) > 0.001 {
		t.Errorf("got %v; want a difference of 0.1 over 24 tasks, repeats not counted as tasks", list)
	}
	code, out, _ = plumb(t, "", "compare", one, one)
	if code != 0 || !strings.Contains(out, "0.0000") || !strings.Contains(out, "1.0000") {
		t.Errorf("equal results: got exit %d, %s; want no difference and p = 1", code, out)
	}
	missing := resultsOf(t, "three", "default", func(i, _ int) string {
		if i < 4 {
			return `null,"error":{"code":"no_response","message":"it has no response"}`
		}
		return "0.5"
	}, 1)
	code, out, _ = plumb(t, "", "compare", "--format", "json", one, missing)
	if got := jsonLines(t, out)[0]["comparisons"].([]any)[0].(map[string]any); code != 0 || got["left_out"] != 4. || got["tasks"] != 20. {
		t.Errorf("got exit %d, %v; want 4 pairs left out and counted", code, got)
	}
	other := filepath.Join(t.TempDir(), "other.jsonl")
	os.WriteFile(other, []byte(`{"id":"x","suite":"aspire","test":"line","score":1.0,"status":"bare","metrics":{},"notes":[]}`+"\n"), 0o600)
	mixed := filepath.Join(t.TempDir(), "mixed.jsonl")
	os.WriteFile(mixed, []byte(fileText(t, one)+fileText(t, two)), 0o600)
	none := filepath.Join(t.TempDir(), "none.jsonl")
	os.WriteFile(none, []byte(`{"hello":1}`+"\n"), 0o600)
	for path, want := range map[string]string{other: "no task is on both sides", mixed: "results of 2 models", none: "no result line", "/nowhere.jsonl": "nowhere"} {
		if code, out, errs := plumb(t, "", "compare", one, path); code != 1 || out != "" || !strings.Contains(errs, want) {
			t.Errorf("%s: got exit %d, %s%s; want 1 and %s", path, code, out, errs, want)
		}
	}
}

func TestPowerCommand(t *testing.T) {
	one := resultsOf(t, "one", "default", func(i, _ int) string { return fmt.Sprint(i % 2) }, 1)
	two := resultsOf(t, "two", "default", func(i, _ int) string { return fmt.Sprint(i / 12) }, 1)
	code, out, errs := plumb(t, "", "power", "--difference", "0.1", one, two)
	if code != 0 || !strings.Contains(out, "tasks wanted") {
		t.Errorf("got exit %d, %s%s", code, out, errs)
	}
	if code, out, _ := plumb(t, "", "power", "--difference", "0.1", "--repeats", "5", one); code != 0 || !strings.Contains(out, "from one model") {
		t.Errorf("got exit %d, %s", code, out)
	}
	for _, args := range []string{"--difference 0 " + one, "--difference 0.1 --repeats 0 " + one} {
		if code, _, errs := plumb(t, "", append([]string{"power"}, strings.Fields(args)...)...); code != 2 || !strings.Contains(errs, "--difference") {
			t.Errorf("%s: got exit %d, %s; want 2", args, code, errs)
		}
	}
}

// Of several results each pair is looked at.
// Standard input is no sample: it is refused by name.
func TestPowerOfStandardInput(t *testing.T) {
	code, _, errs := plumb(t, "{}", "power", "--difference", "0.1", "-")
	if code != 2 || !strings.Contains(errs, "standard input") {
		t.Errorf("got exit %d, %s; want 2 and standard input", code, errs)
	}
}

func TestPowerOfMany(t *testing.T) {
	var all []string
	for k := range 3 {
		all = append(all, resultsOf(t, fmt.Sprint("m", k), "default", func(i, _ int) string { return fmt.Sprint((i + k) % 2) }, 1))
	}
	code, out, errs := plumb(t, "", append([]string{"power", "--difference", "0.1"}, all...)...)
	if code != 0 || strings.Count(out, "aspire") != 6 {
		t.Errorf("got exit %d, %s%s; want three pairs, with one test and all tests each", code, out, errs)
	}
}
