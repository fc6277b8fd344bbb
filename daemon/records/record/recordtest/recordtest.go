// Package recordtest compares what a reader delivers with what the samples of its format say. In:
// the folder of a format in the reference data. Out: failures of the test.
package recordtest

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/valyala/fastjson"

	"plumb/daemon/records/input"
	"plumb/daemon/records/record"
	"plumb/testdata"
)

// Opener opens the dump at a path with the options of an expected line, nil for none.
type Opener func(path string, options json.RawMessage) (record.Source, func(), error)

// Via returns an Opener that opens the input of a path and reads it with read.
func Via(limits input.Limits, read func(in *input.Input) (record.Source, error)) Opener {
	return func(path string, _ json.RawMessage) (record.Source, func(), error) {
		in, err := input.Open(path, nil, limits)
		if err != nil {
			return nil, func() {}, err
		}
		src, err := read(in)
		return src, func() { in.Close() }, err
	}
}

// Got is a record with its strings copied, and its repeat counted.
type Got struct {
	record.Record
	Running int // Repeat, or the running number of the key
}

// All reads every record of a dump, for tests, with its strings copied. err is what ended the file
// early, nil at its end.
func All(src record.Source) (all []Got, err error) {
	seen := map[string]int{}
	for {
		r, err := src.Next()
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return all, err
		}
		g := Got{Record: *r}
		g.SetCut()
		for _, of := range []*fastjson.Value{g.Labels, g.Labels.Get("label")} { // as joins do
			if g.Suite == "" {
				g.Suite = string(of.GetStringBytes("suite"))
			}
			if g.Test == "" {
				g.Test = string(of.GetStringBytes("test"))
			}
		}
		g.Fields, g.Labels = nil, nil
		if g.Running = g.Repeat; g.Running == 0 && g.Fault == "" {
			seen[g.Key]++
			g.Running = seen[g.Key]
		}
		all = append(all, g)
	}
}

// Good compares the records of the dumps in a folder with the lines of its expected.jsonl.
// keep chooses the files by name. Options in a line are given to open.
func Good(t *testing.T, folder string, keep func(file string) bool, open Opener) {
	t.Helper()
	files := map[string][]map[string]any{}
	options := map[string]json.RawMessage{}
	var order []string
	testdata.Lines(t, folder+"/expected.jsonl", func(line []byte) {
		var v map[string]any
		if err := json.Unmarshal(line, &v); err != nil {
			t.Fatal(err)
		}
		file := v["file"].(string)
		if !keep(file) {
			return
		}
		if files[file] == nil {
			order = append(order, file)
		}
		files[file] = append(files[file], v)
		var o struct{ Options json.RawMessage }
		json.Unmarshal(line, &o)
		options[file] = o.Options
	})
	if len(order) == 0 {
		t.Fatalf("%s: no expected line was kept", folder)
	}
	for _, file := range order {
		src, done, err := open(testdata.Path(t, path.Join(folder, file)), options[file])
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		all, err := All(src)
		if err != nil {
			t.Errorf("%s: %v", file, err)
		}
		compare(t, file, files[file], all)
		src.Close()
		done()
	}
}

// compare matches expected lines with records by place and repeat, and reports missing,
// unexpected and different ones.
func compare(t *testing.T, file string, want []map[string]any, all []Got) {
	t.Helper()
	for _, w := range want {
		i := slices.IndexFunc(all, func(g Got) bool { return g.At == w["at"] && float64(g.Running) == w["repeat"] })
		if i < 0 {
			t.Errorf("%s: no record at %v, repeat %v", file, w["at"], w["repeat"])
			continue
		}
		for _, e := range differences(w, &all[i]) {
			t.Errorf("%s at %s: %s", file, all[i].At, e)
		}
		all = slices.Delete(all, i, i+1)
	}
	for _, g := range all {
		t.Errorf("%s: unexpected record at %s, repeat %d, fault %q", file, g.At, g.Running, g.Fault)
	}
}

// differences returns what differs between the fields of an expected line and of a record that was
// read. Line ends count as equal.
func differences(w map[string]any, g *Got) (all []string) {
	check := func(name string, got any) {
		want := w[name]
		if s, ok := want.(string); ok {
			want = strings.ReplaceAll(s, "\r\n", "\n")
		}
		if s, ok := got.(string); ok {
			got = strings.ReplaceAll(s, "\r\n", "\n")
			if s == "" && want == nil {
				got = nil
			}
		}
		if want != got {
			all = append(all, fmt.Sprintf("%s: got %.300q; want %.300q", name, fmt.Sprint(got), fmt.Sprint(want)))
		}
	}
	check("id", g.Key)
	check("model", g.Model)
	check("reasoning", g.Reasoning)
	check("finish_reason", g.FinishReason)
	if _, ok := w["suite"].(string); ok || g.Suite != "" {
		check("suite", g.Suite)
	}
	if w["test"] != nil || g.Test != "" {
		check("test", g.Test)
	}
	if g.Cut == record.Whole {
		check("cut", false)
	} else {
		check("cut", string(g.Cut))
	}
	if n, ok := w["response_chars"]; ok {
		check("response_sha256", fmt.Sprintf("%x", sha256.Sum256([]byte(g.Response))))
		if float64(utf8.RuneCountInString(g.Response)) != n {
			all = append(all, fmt.Sprintf("response_chars: got %d; want %v", utf8.RuneCountInString(g.Response), n))
		}
	} else if g.Missing == nil {
		if w["response"] == nil {
			all = append(all, fmt.Sprintf("response: got %.100q; want null", g.Response))
		} else {
			check("response", g.Response)
		}
	} else if w["response"] != nil {
		all = append(all, "response: got null; want "+fmt.Sprintf("%.100q", w["response"]))
	}
	if e, _ := w["error"].(map[string]any); e != nil || g.Missing != nil {
		got := [2]any{}
		if g.Missing != nil {
			got = [2]any{g.Missing.Code, g.Missing.Message}
		}
		if want := [2]any{e["code"], e["words"]}; got != want {
			all = append(all, fmt.Sprintf("error: got %q; want %q", got, want))
		}
	}
	return append(all, tokenDifferences(w, g)...)
}

// tokenDifferences returns which numbers of tokens of a record differ from the expected ones, if
// any are expected.
func tokenDifferences(w map[string]any, g *Got) (all []string) {
	u, _ := w["usage"].(map[string]any)
	for name, got := range map[string]int{"input": g.Usage.Prompt, "output": g.Usage.Completion,
		"reasoning": g.Usage.Reasoning} {
		want := -1.0
		if f, ok := u[name].(float64); ok {
			want = f
		}
		if u != nil && float64(got) != want {
			all = append(all, fmt.Sprintf("usage.%s: got %d; want %v", name, got, want))
		}
	}
	return all
}

// Fault is what a damaged file must lead to.
type Fault struct {
	File    string
	Records int      // delivered before or beside the faults
	Faults  int      // records that cannot be read
	Ends    bool     // the file ends with an error, or does not open
	Words   []string // that the errors and notes hold, in any order
}

// Bad checks that each damaged file of a folder gives the expected records and error.
func Bad(t *testing.T, folder string, open Opener, faults ...Fault) {
	t.Helper()
	for _, f := range faults {
		src, done, err := open(testdata.Path(t, path.Join(folder, f.File)), nil)
		var all []Got
		if err == nil {
			all, err = All(src)
			src.Close()
		}
		done()
		CheckFault(t, f, all, err)
	}
}

// CheckFault compares the records and the error that were read of a damaged dump with what its fault must give.
func CheckFault(t *testing.T, f Fault, all []Got, err error) {
	t.Helper()
	var words bytes.Buffer
	n, bad := 0, 0
	for _, g := range all {
		if g.Fault != "" {
			bad++
			fmt.Fprintln(&words, g.Fault)
		} else {
			n++
		}
		for _, note := range g.Notes {
			fmt.Fprintln(&words, note.Code, note.Message)
		}
		if g.Missing != nil {
			fmt.Fprintln(&words, g.At, g.Missing.Code, g.Missing.Message)
		}
	}
	if err != nil {
		fmt.Fprintln(&words, err)
	}
	if n != f.Records || bad != f.Faults || (err != nil) != f.Ends {
		t.Errorf("%s: got %d records, %d faults, error %v; want %d, %d, error: %v\n%s", f.File, n, bad, err,
			f.Records, f.Faults, f.Ends, words.String())
	}
	for _, w := range f.Words {
		if !strings.Contains(words.String(), w) {
			t.Errorf("%s: got %q; want %q in it", filepath.Base(f.File), words.String(), w)
		}
	}
	if strings.Contains(words.String(), "BUG") {
		t.Errorf("%s: %s", f.File, words.String())
	}
}
