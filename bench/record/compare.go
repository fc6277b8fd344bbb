package record

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"plumb/bench/figure"
	"plumb/bench/stage"
)

// Rules of comparisons.
const (
	// Confidence that no row of a comparison in turn has a wrong verdict. It is
	// divided by the number of rows, as many rows mean many chances to be wrong.
	Confidence = 0.999
	// Margin is the smallest difference that counts: two copies of one program
	// differ a little by where they lie in memory.
	Margin = 0.02
	// Drift is by how much a machine's speed may differ between two runs that were
	// not made in turn.
	Drift = 0.25
	// MaxSpread is the half width of an interval, as a share of the ratio, above
	// which "no difference shown" would say too much.
	MaxSpread = 0.05
	// MaxLoad is the load per core above which runs made apart say nothing.
	MaxLoad = 0.5
	// MaxOthers is the share of the processors that other programs may use before a
	// comparison in turn warns.
	MaxOthers = 0.1
)

// Verdict says what a comparison shows of one figure.
type Verdict string

// The verdicts.
const (
	Better    Verdict = "better"
	Worse     Verdict = "worse"
	Alike     Verdict = "no difference shown"
	Undecided Verdict = "no verdict" // the runs spread too much, or the machine was busy
)

// Change is one figure on both sides. Ratio is new / old.
type Change struct {
	What    string          `json:"what"` // "S8 end to end"
	Figure  string          `json:"figure"`
	Old     float64         `json:"old"` // medians
	New     float64         `json:"new"`
	Ratio   figure.Interval `json:"ratio"`
	Verdict Verdict         `json:"verdict"`
}

// Same says of one class whether its results are equal on both sides.
type Same struct {
	Class string `json:"class"`
	Equal bool   `json:"equal"`
	Known bool   `json:"known"` // both have scenes of the same seed and number, and a digest
}

// Comparison is the result of comparing two sides.
type Comparison struct {
	Confidence float64  `json:"confidence"`
	Method     string   `json:"method"`
	Old        string   `json:"old"` // commit and date
	New        string   `json:"new"`
	Rounds     int      `json:"rounds"` // runs of each side in turn, 0 for files that were measured apart
	Warnings   []string `json:"warnings"`
	Changes    []Change `json:"changes"`
	Results    []Same   `json:"results"`
}

// Round is one run of each side, one directly after the other.
type Round struct {
	Old, New *File
	Others   float64 // share of all processors that other programs used meanwhile, 0 to 1
}

// Apart compares two files that were measured at different times. Between them
// the machine may have become faster or slower, so only differences above Drift
// have a verdict, and none has one where a machine was busy.
func Apart(old, new *File) (*Comparison, error) {
	comparison := begin(old, new)
	comparison.Confidence = 0.95
	comparison.Method = fmt.Sprintf("percentile bootstrap of the ratio of medians, %d resamples", figure.Resamples)
	comparison.Warnings = append(comparison.Warnings, fmt.Sprintf("measured apart: only differences above %.0f %% have a verdict; give two programs instead of two files for runs in turn", 100*Drift))
	busy := false
	for _, f := range []*File{old, new} {
		if l, ok := loadPerCore(f); ok && l > MaxLoad {
			busy = true
			comparison.Warnings = append(comparison.Warnings, fmt.Sprintf("load forbids a verdict: %.1f per core when %s was measured, want at most %.1f", l, f.Commit, MaxLoad))
		}
	}
	before := series(old)
	for _, row := range series(new) {
		i := slices.IndexFunc(before, row.same)
		if i < 0 {
			continue
		}
		interval, err := figure.Bootstrap(comparison.Confidence, figure.RatioOf, before[i].values, row.values)
		if err != nil {
			return nil, err
		}
		change := Change{What: row.what, Figure: row.figure, Old: figure.Median(before[i].values), New: figure.Median(row.values), Ratio: interval}
		change.Verdict = verdict(interval, Drift, row.direction)
		if busy {
			change.Verdict = Undecided
		}
		comparison.Changes = append(comparison.Changes, change)
	}
	comparison.refuseWide()
	return comparison, nil
}

// InTurn compares runs of two programs that took turns, so that whatever else the
// machine did met both alike. It wants three rounds or more.
func InTurn(rounds []Round) (*Comparison, error) {
	if len(rounds) < 3 {
		return nil, fmt.Errorf("cannot compare %d rounds: want 3 or more", len(rounds))
	}
	first := rounds[0]
	comparison := begin(first.Old, first.New)
	rows := series(first.New)
	comparison.Confidence, comparison.Rounds = Confidence, len(rounds)
	comparison.Method = fmt.Sprintf("Student's t of the logarithm of each round's ratio, %d rounds in turn, all rows together", len(rounds))
	if others := meanOthers(rounds); others > MaxOthers {
		comparison.Warnings = append(comparison.Warnings, fmt.Sprintf("other programs used %.0f %% of the processors: intervals are wider than on a quiet machine", 100*others))
	}
	each := 1 - (1-Confidence)/float64(max(1, len(rows)))
	for _, row := range rows {
		var old, new, ratios []float64
		for _, r := range rounds {
			a, b := find(r.Old, row), find(r.New, row)
			if len(a) == 0 || len(b) == 0 {
				break
			}
			old = append(old, figure.Median(a))
			new = append(new, figure.Median(b))
			ratios = append(ratios, figure.Median(b)/figure.Median(a))
		}
		if len(ratios) < len(rounds) { // a figure that one side does not have
			continue
		}
		interval, err := figure.Ratio(each, ratios)
		if err != nil {
			return nil, fmt.Errorf("cannot compare %s, %s: %w", row.what, row.figure, err)
		}
		comparison.Changes = append(comparison.Changes, Change{What: row.what, Figure: row.figure, Old: figure.Median(old), New: figure.Median(new), Ratio: interval, Verdict: verdict(interval, Margin, row.direction)})
	}
	comparison.refuseWide()
	return comparison, nil
}

// begin starts the comparison of two result files. It warns of each difference of machine, driver or
// settings, which makes the speeds hard to compare, and records for each class of scenes whether both
// files hold the same results.
func begin(old, new *File) *Comparison {
	comparison := &Comparison{Old: old.Commit + " " + old.Date, New: new.Commit + " " + new.Date, Warnings: []string{}, Changes: []Change{}, Results: []Same{}}
	for _, d := range []struct{ what, a, b string }{
		{"processor", old.Machine.CPU, new.Machine.CPU}, {"cores", fmt.Sprint(old.Machine.Cores), fmt.Sprint(new.Machine.Cores)},
		{"driver", old.Driver, new.Driver}, {"backend", old.Backend, new.Backend}, {"raster", old.Raster, new.Raster},
		{"batch", fmt.Sprint(old.Batch), fmt.Sprint(new.Batch)}, {"workers", fmt.Sprint(old.Workers), fmt.Sprint(new.Workers)},
	} {
		if d.a != d.b {
			comparison.Warnings = append(comparison.Warnings, fmt.Sprintf("%s differs: %q and %q", d.what, d.a, d.b))
		}
	}
	for _, class := range new.Classes {
		for _, a := range old.Classes {
			if a.Name == class.Name {
				known := old.Seed == new.Seed && a.Distinct == class.Distinct && a.Digest != "" && class.Digest != ""
				comparison.Results = append(comparison.Results, Same{Class: class.Name, Known: known, Equal: known && a.Digest == class.Digest})
			}
		}
	}
	return comparison
}

// verdict returns for a ratio of two programs Better or Worse where the whole interval lies outside
// of the margin around 1. direction is +1 where more is better, -1 where less is.
func verdict(interval figure.Interval, margin float64, direction int) Verdict {
	more, less := Better, Worse
	if direction < 0 {
		more, less = Worse, Better
	}
	switch {
	case interval.Low > 1+margin:
		return more
	case interval.High < 1/(1+margin):
		return less
	}
	return Alike
}

// refuseWide takes the verdict "no difference shown" back where the interval is too wide to say so, and warns
// of it.
func (comparison *Comparison) refuseWide() {
	wide := 0
	for i := range comparison.Changes {
		ch := &comparison.Changes[i]
		if ch.Verdict == Alike && ch.Ratio.High-ch.Ratio.Low > 2*MaxSpread*ch.Ratio.Value {
			ch.Verdict = Undecided
			wide++
		}
	}
	if wide > 0 {
		comparison.Warnings = append(comparison.Warnings, fmt.Sprintf("spread forbids a verdict in %d of %d rows: their intervals are wider than %.0f %% either way; free the machine or raise --rounds", wide, len(comparison.Changes), 100*MaxSpread))
	}
}

// row is a figure of a class of which both sides have samples.
type row struct {
	what, figure string
	direction    int // +1 where more is better, -1 where less is
	values       []float64
}

func (r row) same(s row) bool { return r.what == s.what && r.figure == s.figure }

// series lists the figures of a result file that comparisons compare, each with its samples: processor
// time and speed of scenes, items and sweeps. The third member of a row is 1 for a figure that should
// be high, -1 for one that should be low.
func series(file *File) (rows []row) {
	add := func(what string, samples []stage.Sample) {
		if len(samples) > 0 {
			rows = append(rows, row{what, "core us/scene", -1, Of(samples, CoreOf)}, row{what, "scenes/s", 1, Of(samples, RateOf)})
		}
	}
	for _, c := range file.Classes {
		add(c.Name+" end to end", c.EndToEnd)
		add(c.Name+" render stage", c.Render)
	}
	for _, c := range file.Items {
		rows = append(rows, row{c.Name, "core us/item", -1, c.Core}, row{c.Name, "items/s", 1, c.Rate})
	}
	for _, s := range file.Sweeps {
		for _, p := range s.Points {
			add(fmt.Sprintf("%s %g", s.Name, p.X), p.Samples)
		}
	}
	return rows
}

// find returns the samples of a figure in a result file of `plumb bench`, none where it has no such
// figure.
func find(f *File, r row) []float64 {
	for _, s := range series(f) {
		if r.same(s) {
			return s.values
		}
	}
	return nil
}

// loadPerCore reads the first figure of the load average that the file recorded.
func loadPerCore(file *File) (float64, bool) {
	text, _, _ := strings.Cut(file.Machine.Load, " ")
	l, err := strconv.ParseFloat(text, 64)
	if err != nil || file.Machine.Cores < 1 {
		return 0, false
	}
	return l / float64(file.Machine.Cores), true
}

// meanOthers returns the mean share of the machine that other programs took.
func meanOthers(rounds []Round) (sum float64) {
	for _, r := range rounds {
		sum += r.Others / float64(len(rounds))
	}
	return sum
}
