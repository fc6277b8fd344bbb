package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// A listing without a readable record ends with exit code 1 and says whether there was any.
func TestRecordsWithoutAny(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"no line", "", "no record could be listed: the dumps hold none"},
		{"no readable line", "[1]\n", "no record could be read; each line of the output says why"},
	} {
		code, _, errs := plumb(t, "", "records", "--format", "plumb", written(t, filepath.Join(t.TempDir(), "a.jsonl"), c.text))
		if code != 1 || !strings.Contains(errs, c.want) {
			t.Errorf("%s: got exit code %d and %q; want 1 and %q", c.name, code, errs, c.want)
		}
	}
}
