package lines

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"plumb/daemon/records/input"
	"plumb/daemon/records/record"
)

// readText returns the records of a dump with a name and a text, in a folder with other files, by name.
func readText(t *testing.T, format, name, text string, others map[string]string) (all []record.Record) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range others {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	in, err := input.Open(path, nil, input.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	source, err := Open(format, in, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for {
		r, err := source.Next()
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		kept := *r
		kept.Fields, kept.Labels = nil, nil // valid until the next record only
		if r.Labels != nil {
			kept.Join = stringOf(r.Labels.Get("label"))
		}
		all = append(all, kept)
	}
}

// TestVerifiersErrors checks why a failed trace or episode of verifiers has no answer: its last error, and
// where it names none, only what is true of it.
func TestVerifiersErrors(t *testing.T) {
	for line, want := range map[string]string{
		`{"task":{"key":"k"},"ok":false,"traces":[{"ok":false,"nodes":[]}]}`:                                    "no error is named",
		`{"task":{"key":"k"},"ok":false,"traces":[{"ok":false,"nodes":[],"errors":[]}],"errors":["outer"]}`:     "outer",
		`{"task":{"key":"k"},"ok":false,"traces":[{"nodes":[],"errors":["inner"]}],"errors":["outer"]}`:         "inner",
		`{"task":{"key":"k"},"ok":false,"nodes":[]}`:                                                            "no error is named",
		`{"task":{"key":"k"},"ok":false,"nodes":[],"errors":["first",{"type":"Timeout","message":"too late"}]}`: "Timeout: too late",
		`{"task":{"key":"k"},"ok":false,"traces":[]}`:                                                           "the episode has no trace and names no error",
		`{"task":{"key":"k"},"ok":false,"traces":[],"errors":["outer"]}`:                                        "outer",
	} {
		all := readText(t, "verifiers", "x.jsonl", line, nil)
		if len(all) != 1 || all[0].Missing == nil || all[0].Missing.Code != record.NoResponse || all[0].Missing.Message != want {
			t.Errorf("%s: got %+v; want one record with the reason %q", line, all, want)
		}
	}
}

// compressions are the endings of dumps, which may be compressed. The endings alone matter here, so the text is not.
var compressions = []string{".jsonl", ".jsonl.gz", ".jsonl.zst", ".jsonl.bz2", ".jsonl.GZ"}

// TestInputsBesideCompressedRollouts checks that the labels beside a dump of NeMo Gym are found if it is compressed.
func TestInputsBesideCompressedRollouts(t *testing.T) {
	const rollout = `{"_ng_task_index":3,"_ng_rollout_index":0,"response":{"status":"completed","output":[]}}`
	beside := map[string]string{"x_materialized_inputs.jsonl": `{"_ng_task_index":3,"_ng_rollout_index":0,"label":"the label"}`}
	for _, end := range compressions {
		for _, stem := range []string{"x", "x_failures"} {
			all := readText(t, "nemo-gym", stem+end, rollout, beside)
			if len(all) != 1 || all[0].Join != "the label" || all[0].NoTask != "" || all[0].Fault != "" {
				t.Errorf("%s: got %+v; want one record with the label beside it", stem+end, all)
			}
		}
	}
}

// TestModelBesideCompressedSamples checks that the model beside samples of lm-eval and lmms-eval is found if they
// are compressed.
func TestModelBesideCompressedSamples(t *testing.T) {
	beside := map[string]string{"results_2026-01-02T03-04-05.json": `{"model_name":"m"}`}
	for _, format := range []string{"lm-eval", "lmms-eval"} {
		for _, end := range compressions {
			name := "samples_task_name_2026-01-02T03-04-05" + end
			all := readText(t, format, name, `{"doc_id":0,"doc":{"id":"a"},"resps":[["x"]],"filtered_resps":["x"]}`, beside)
			if len(all) != 1 || all[0].Model != "m" || all[0].Fault != "" {
				t.Errorf("%s, %s: got %+v; want one record of the model m", format, name, all)
			}
		}
	}
}

// TestTokenCounts checks that a number of tokens is read as it is written, and that what is no number of tokens is unknown.
func TestTokenCounts(t *testing.T) {
	for text, want := range map[string]int{"0": 0, "100": 100, "100.0": 100, "1e2": 100, "-5": -1, "1e300": -1, `"7"`: -1, "null": -1} {
		line := `{"custom_id":"a","response":{"status_code":200,"body":{"object":"chat.completion","choices":[{"index":0,"message":{"content":"x"}}],` +
			fmt.Sprintf(`"usage":{"prompt_tokens":%s,"completion_tokens":%[1]s,"completion_tokens_details":{"reasoning_tokens":%[1]s}}}}}`, text)
		all := readText(t, "openai-batch", "x.jsonl", line, nil)
		if len(all) != 1 || all[0].Usage != (record.Usage{Prompt: want, Completion: want, Reasoning: want}) {
			t.Errorf("%s: got %+v; want one record with %d tokens of each kind", text, all, want)
		}
	}
}
