package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"plumb/testdata"
)

// The command writes the sample dump of the repository to stdout.
func TestSampleDump(t *testing.T) {
	out, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	stdout := os.Stdout
	os.Stdout = out
	main()
	os.Stdout = stdout
	got, err := os.ReadFile(out.Name())
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(filepath.Join(testdata.Root(), "testdata", "aspire", "demo.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("got %d bytes that differ from testdata/aspire/demo.jsonl, of %d bytes", len(got), len(want))
	}
}
