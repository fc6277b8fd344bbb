package convert

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"plumb/scoring/tangram/assembly"
	"plumb/testdata"
)

func outlineText(in *assembly.Instance) string {
	var b strings.Builder
	for _, p := range in.Outline {
		b.WriteString(p.X.LaTeX() + "," + p.Y.LaTeX() + " ")
	}
	return b.String()
}

// proven reads the instance back, which checks it by docs/spec/tangram.md#r10, and converts again.
func proven(t *testing.T, d *Drawing, r *Result) {
	t.Helper()
	in := assembly.Instance{ID: d.ID, Figure: r.Figure}
	line := in.AppendJSON(nil)
	if _, err := assembly.Read(line); err != nil {
		t.Error(err)
	}
	again, err := Convert(d)
	if err != nil {
		t.Fatal(err)
	}
	in.Figure = again.Figure
	if got := in.AppendJSON(nil); !bytes.Equal(got, line) {
		t.Errorf("%s: converted twice:\n%s\n%s", d.ID, line, got)
	}
}

// TestReference holds the conversion against the reference instances.
func TestReference(t *testing.T) {
	want := map[string]string{}
	testdata.Lines(t, "tangram/instances-dev.jsonl", func(line []byte) {
		in, err := assembly.Read(line)
		if err != nil {
			t.Fatal(err)
		}
		want[in.ID] = outlineText(in)
	})
	var should, does, equal, others, wrong int
	testdata.Lines(t, "tangram/drawings-dev.jsonl", func(line []byte) {
		var mark struct {
			Converts bool `json:"converts"`
		}
		if err := json.Unmarshal(line, &mark); err != nil {
			t.Fatal(err)
		}
		d, err := ReadDrawing(line)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Convert(d)
		if err == nil {
			proven(t, d, r)
		}
		if mark.Converts {
			should++
			if err != nil {
				t.Logf("marked as converting: %v", err)
				return
			}
			does++
			if got := outlineText(&assembly.Instance{Figure: r.Figure}); got == want[d.ID] {
				equal++
			} else {
				t.Logf("%s: another outline, deviation %.3f", d.ID, r.Deviation)
			}
			return
		}
		others++
		if err == nil {
			wrong++
			t.Logf("%s: converts with deviation %.3f, marked otherwise", d.ID, r.Deviation)
		}
	})
	t.Logf("of %d marked as converting %d do, %d with the outline; of %d others %d do", should, does, equal, others, wrong)
	if 100*does < 97*should || 100*equal < 95*should || 100*wrong > 3*others {
		t.Errorf("of %d marked as converting %d do, %d with the outline, want 97 %% and 95 %%; of %d others %d do, want at most 3 %%", should, does, equal, others, wrong)
	}
}
