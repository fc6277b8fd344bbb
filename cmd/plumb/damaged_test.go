package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDamagedDumps checks that dumps which cannot be read cost their own results alone: those of a
// folder, and one of a known format beside others, with and without the folder of a run. See
// docs/spec/dumps.md#r23.
func TestDamagedDumps(t *testing.T) {
	good, dir := demo(t), t.TempDir()
	torn := written(t, filepath.Join(dir, "torn.eval"), "PK\x03\x04 a copy that broke off")
	written(t, filepath.Join(dir, "good.jsonl"), fileText(t, filepath.Dir(good), "short.jsonl"))
	parquet := written(t, filepath.Join(t.TempDir(), "torn.parquet"), "PAR1 a copy that broke off")
	out := filepath.Join(t.TempDir(), "out.jsonl")
	for _, c := range []struct {
		args    []string
		results int
		named   string // in the error
	}{
		{[]string{dir}, 40, torn},
		{[]string{dir, "-o", out}, 40, torn},
		{[]string{parquet, good}, 40, parquet},
		{[]string{parquet, good, "-o", out}, 40, parquet},
		{[]string{torn, good, "-o", out}, 0, torn}, // what was named and has no format ends the run
		{[]string{parquet, "-o", out}, 0, parquet},
	} {
		os.Remove(out)
		code, got, errs := plumb(t, "", append([]string{"score", "--backend", "cpu", "--paper", "none"}, c.args...)...)
		if b, err := os.ReadFile(out); err == nil {
			got = string(b)
		}
		if code != 1 || strings.Count(got, "\n") != c.results || !strings.Contains(errs, "cannot read "+c.named) {
			t.Errorf("%v: got exit %d, %d results, %s; want exit 1, %d results and the name of the damaged dump", c.args, code, strings.Count(got, "\n"), errs, c.results)
		}
	}
}

// TestPrefix checks that a prefix of a bucket is read as a folder: what is no dump is named, and damaged
// dumps fail the command and not the others.
func TestPrefix(t *testing.T) {
	backend, url := objects(t)
	good := []byte(fileText(t, filepath.Dir(demo(t)), "short.jsonl"))
	for key, text := range map[string][]byte{"d/good.jsonl": good, "d/notes.txt": []byte("# Title\n"), "d/.hidden.jsonl": good,
		"d/configs/c.jsonl": good, "d/torn.eval": []byte("PK\x03\x04 a copy that broke off")} {
		putObject(t, backend, key, text)
	}
	code, got, errs := plumb(t, "", "records", "--s3-endpoint", url, "s3://runs/d/")
	if code != 1 || strings.Count(got, "\n") != 40 || !strings.Contains(errs, "skipped: s3://runs/d/notes.txt") || !strings.Contains(errs, "cannot read s3://runs/d/torn.eval") {
		t.Errorf("got exit %d, %d records, %s; want exit 1, 40 records and two names", code, strings.Count(got, "\n"), errs)
	}
}
