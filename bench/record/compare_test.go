package record

import (
	"encoding/json"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"plumb/bench/stage"
)

// rounds are runs of two programs of which the new one takes times as long. The
// machine's speed changes from round to round by up to drift, and each run differs
// from the next by noise.
func rounds(r *rand.Rand, n int, times, drift, noise float64) (out []Round) {
	file := func(core float64) *File {
		f := &File{Commit: "c", Date: "d"}
		for _, class := range []string{"S8", "S8T", "S50", "S8x2"} {
			c := Class{Name: class, Digest: "0"}
			for range 3 {
				us := core * (1 + noise*(2*r.Float64()-1))
				c.EndToEnd = append(c.EndToEnd, stage.Sample{ProcessorTime: us, Rate: 1e6 / us})
			}
			f.Classes = append(f.Classes, c)
		}
		return f
	}
	for range n {
		speed := 100 * (1 + drift*r.Float64())
		out = append(out, Round{Old: file(speed), New: file(speed * times)})
	}
	return out
}

// TestInTurn holds that equal programs never get a verdict, however much the
// machine drifts, and that a real difference gets one on a quiet machine.
func TestInTurn(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for i := range 100 {
		for _, noise := range []float64{0.002, 0.02, 0.3} {
			c, err := CompareInTurn(rounds(r, 10, 1, 2, noise))
			if err != nil {
				t.Fatal(err)
			}
			for _, ch := range c.Changes {
				if ch.Verdict == Better || ch.Verdict == Worse {
					t.Fatalf("equal programs, comparison %d, noise %g: got %+v", i, noise, ch)
				}
			}
		}
	}
	for _, want := range []struct {
		times float64
		core  Verdict
	}{{1.1, Worse}, {0.9, Better}, {1.01, Alike}} {
		c, err := CompareInTurn(rounds(r, 10, want.times, 2, 0.005))
		if err != nil {
			t.Fatal(err)
		}
		for _, ch := range c.Changes {
			v := want.core
			if ch.Figure == "scenes/s" && ch.Ratio.Value > 0 && ch.Verdict == v {
				continue
			}
			if ch.Verdict != v {
				t.Errorf("%g times the time: got %+v; want %s", want.times, ch, v)
			}
		}
	}
	c, err := CompareInTurn(rounds(r, 4, 1, 0, 0.5))
	if err != nil || c.Changes[0].Verdict != Undecided || len(c.Warnings) != 1 {
		t.Errorf("runs that spread: got %+v, %v; want no verdict and a warning", c, err)
	}
	if _, err := CompareInTurn(rounds(r, 2, 1, 0, 0.1)); err == nil {
		t.Error("two rounds were compared; want an error")
	}
}

// A row without a verdict has no interval, in the table and in JSON. That of three runs that differ by
// half would reach from 0 to beyond what a float64 holds, which no JSON can say.
func TestNoVerdictNoInterval(t *testing.T) {
	all, err := CompareInTurn(rounds(rand.New(rand.NewPCG(1, 1)), 3, 1, 0, 0.5))
	if err != nil {
		t.Fatal(err)
	}
	all.Changes = all.Changes[:1]
	text, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	if want := `,"low":null,"high":null},"verdict":"no verdict"}]`; !strings.Contains(string(text), want) {
		t.Errorf("JSON: got %s; want %s in it", text, want)
	}
	var table strings.Builder
	if err := all.Table(&table); err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile(`(?m)^ *S8 end to end  core us/scene +[0-9.]+ +[0-9.]+ +[0-9.]+ +- +- +no verdict *$`)
	if !row.MatchString(table.String()) {
		t.Errorf("table: got %s; want a row like %s", &table, row)
	}
}
