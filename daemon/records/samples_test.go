package records

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"plumb/daemon/records/input"
	"plumb/daemon/records/lines"
	"plumb/daemon/reward"
	"plumb/render/scene"
	"plumb/scoring/suites"
	"plumb/testdata"
)

// testOptions are the options with which samples are read.
func testOptions() Options {
	all := suites.New(suites.Config{})
	return Options{Cut: CutScore, Suites: all, Labels: &reward.Labels{Suites: all}}
}

// read returns the records of a dump as their JSON objects, and the error that ended it.
func read(t *testing.T, path string, o Options) (all []map[string]any, err error) {
	t.Helper()
	r, err := Open(path, nil, o)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	for {
		a, err := r.Next()
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return all, err
		}
		var v map[string]any
		if err := json.Unmarshal(a.AppendJSON(nil), &v); err != nil {
			t.Fatalf("%s: %v in %s", path, err, a.AppendJSON(nil))
		}
		all = append(all, v)
	}
}

// sampleFormats are the folders of samples.
var sampleFormats = []string{"openai-batch", "vllm-batch", "anthropic-batch", "lm-eval", "lmms-eval", "openai-evals", "nemo-gym", "verifiers", "table",
	"inspect", "helm", "vlmevalkit", "hf-parquet"}

// TestSamples compares what is read from files that the tools themselves wrote with what a reader
// must deliver.
func TestSamples(t *testing.T) {
	for _, folder := range sampleFormats {
		t.Run(folder, func(t *testing.T) {
			dir := filepath.Dir(testdata.Path(t, "formats/"+folder+"/expected.jsonl"))
			want := map[string][]map[string]any{}
			testdata.Lines(t, "formats/"+folder+"/expected.jsonl", func(line []byte) {
				var v map[string]any
				if err := json.Unmarshal(line, &v); err != nil {
					t.Fatal(err)
				}
				want[v["file"].(string)] = append(want[v["file"].(string)], v)
			})
			for file, records := range want {
				got, err := read(t, filepath.Join(dir, file), testOptions())
				if err != nil {
					t.Errorf("%s: %v", file, err)
				}
				compare(t, file, got, records)
			}
		})
	}
}

// compare compares records without regard to their order.
func compare(t *testing.T, file string, got, want []map[string]any) {
	t.Helper()
	at := func(v map[string]any) string { return fmt.Sprint(v["at"], " ", v["repeat"]) }
	found := map[string]map[string]any{}
	for _, v := range got {
		if found[at(v)] != nil {
			t.Errorf("%s %s: two records", file, at(v))
		}
		found[at(v)] = v
	}
	if len(got) != len(want) {
		t.Errorf("%s: got %d records; want %d", file, len(got), len(want))
	}
	for _, w := range want {
		v := found[at(w)]
		if v == nil {
			t.Errorf("%s %s: no record", file, at(w))
			continue
		}
		for _, name := range []string{"id", "repeat", "model", "response", "reasoning", "finish_reason", "cut", "error", "suite", "test", "join", "usage"} {
			if _, ok := w[name]; !ok {
				continue
			}
			if g, x := unixLines(v[name]), unixLines(w[name]); !reflect.DeepEqual(g, x) {
				t.Errorf("%s %s: %s: got %#v; want %#v", file, at(w), name, g, x)
			}
		}
	}
}

// unixLines replaces CRLF in a text by LF.
func unixLines(v any) any {
	if s, ok := v.(string); ok {
		return strings.ReplaceAll(s, "\r\n", "\n")
	}
	return v
}

// TestBadSamples checks the errors of damaged files: their number, and words that must be in them.
func TestBadSamples(t *testing.T) {
	for _, c := range []struct {
		file            string
		records, faults int
		words           []string // of the faults, or of the error of the file
	}{
		{"openai-batch/bad/requests-alone.jsonl", 0, 0, []string{"requests, not answers"}},
		{"openai-batch/bad/torn.jsonl", 1, 1, []string{"line 2", "the JSON breaks off"}},
		{"openai-batch/bad/utf16.jsonl", 0, 0, []string{"UTF-16", "want UTF-8"}},
		{"vllm-batch/bad/nan.jsonl", 1, 0, nil},
		{"anthropic-batch/bad/new-type.jsonl", 1, 1, []string{"line 1", `"paused"`, "want succeeded, errored, canceled or expired"}},
		{"openai-evals/bad/killed.jsonl", 3, 1, []string{"line 4", "the JSON breaks off"}},
		{"lm-eval/bad/torn.jsonl", 2, 1, []string{"line 2", "the JSON breaks off"}},
		{"verifiers/bad/traces.jsonl", 1, 1, []string{"line 2", "traces[0].version", "knows 1"}},
		{"helm/bad/torn.json", -1, 0, []string{"request_states", "breaks off"}},
		{"table/bad/cut.jsonl.bz2", -1, 0, []string{"bzip2"}},
		{"helm/bad/unrun.json", 1, 0, []string{"dry run"}},
		{"inspect/bad/truncated.eval", 0, 0, []string{"central directory", "broke off"}},
		{"inspect/bad/bomb.eval", 2, 1, []string{"bomb_epoch_1.json", "--max-ratio"}},
		{"inspect/bad/version.eval", 0, 0, []string{"version 99", "knows 1 and 2"}},
		{"inspect/bad/crc.eval", 1, 1, []string{"line-dev-01_epoch_1.json", "checksum"}},
		{"hf-parquet/bad/truncated.parquet", 0, 0, []string{"no footer"}},
		{"hf-parquet/bad/no-response.parquet", 0, 0, []string{"columns: a, b", "--response FIELD"}},
		{"hf-parquet/bad/corrupt-page.parquet", 2, 1, []string{"row group 0", "cannot be decoded"}},
		{"vlmevalkit/bad/formula.xlsx", 2, 0, nil},
		{"vlmevalkit/bad/no-prediction.xlsx", 0, 0, []string{`no column "prediction"`, "row 1 of Sheet"}},
		{"vlmevalkit/bad/utf16.tsv", 0, 0, []string{"UTF-16"}},
		{"vlmevalkit/bad/quote.tsv", 1, 1, []string{"record 2", "quote"}},
		{"vlmevalkit/bad/pickle.pkl", 0, 0, []string{"pickle", "can run code"}},
		{"table/bad/quotes.csv", 1, 2, []string{"record 1", "record 3"}},
		{"table/bad/utf16.csv", 0, 0, []string{"UTF-16"}},
		{"nemo-gym/bad/alone.jsonl", 1, 0, []string{"alone_materialized_inputs.jsonl", "task index 0"}},
	} {
		path := testdata.Path(t, "formats/"+c.file)
		got, err := read(t, path, testOptions())
		text := fmt.Sprint(err)
		records, faults := 0, 0
		for _, v := range got {
			e, _ := v["error"].(map[string]any)
			if e != nil {
				text += fmt.Sprint(e["words"])
			}
			if e != nil && e["code"] == "bad_line" {
				faults++
			} else {
				records++
			}
		}
		if c.records >= 0 && records != c.records || faults != c.faults {
			t.Errorf("%s: got %d records and %d faults; want %d and %d: %s", c.file, records, faults, c.records, c.faults, text)
		}
		for _, w := range c.words {
			if !strings.Contains(text, w) {
				t.Errorf("%s: got %s; want %q in it", c.file, text, w)
			}
		}
		if c.words == nil && err != nil {
			t.Errorf("%s: %v", c.file, err)
		}
	}
}

// write makes a file of a test and returns its path.
func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// loadRequests loads one file of requests.
func loadRequests(path string) (*lines.Requests, error) {
	return lines.LoadRequests([]string{path}, input.Limits{}, scene.Limits{})
}
