package record

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"plumb/bench/figure"
	"plumb/bench/stage"
	"plumb/scoring/plural"
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
	// apartConfidence is the confidence of each interval of runs made apart.
	apartConfidence = 0.95
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

// Ratio is new / old, with the bounds within which it lies with the comparison's confidence. Without a
// verdict the bounds are nil: those of a few runs that spread may lie at any distance, and say nothing.
type Ratio struct {
	Value float64  `json:"value"`
	Low   *float64 `json:"low"`
	High  *float64 `json:"high"`
}

// Change is one figure on both sides.
type Change struct {
	What    string  `json:"what"` // "S8 end to end"
	Figure  string  `json:"figure"`
	Old     float64 `json:"old"` // medians
	New     float64 `json:"new"`
	Ratio   Ratio   `json:"ratio"`
	Verdict Verdict `json:"verdict"`
}

// newChange returns the change of a figure between two medians, whose ratio lies in an interval.
func newChange(row row, old, new float64, interval figure.Interval, margin float64) Change {
	return Change{What: row.what, Figure: row.figure, Old: old, New: new,
		Ratio:   Ratio{Value: interval.Value, Low: &interval.Low, High: &interval.High},
		Verdict: verdict(interval, margin, row.direction)}
}

// withdrawVerdict takes the verdict of a change back, and with it the bounds of the ratio.
func (change *Change) withdrawVerdict() {
	change.Verdict = Undecided
	change.Ratio.Low, change.Ratio.High = nil, nil
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

// CompareApart compares two result files of plumb bench that were measured at different times. Between them the
// machine may have become faster or slower, so only differences above Drift have a verdict. If a machine was
// busy, no figure has one. Figures that only one file has are left out.
func CompareApart(old, new *File) (*Comparison, error) {
	comparison := beginComparison(old, new)
	comparison.Confidence = apartConfidence
	comparison.Method = fmt.Sprintf("percentile bootstrap of the ratio of medians, %d resamples", figure.Resamples)
	comparison.Warnings = append(comparison.Warnings, fmt.Sprintf("measured apart: only differences above %.0f %% have a verdict; give two programs instead of two files for runs in turn", 100*Drift))
	busy := false
	for _, file := range []*File{old, new} {
		if load, known := loadPerCore(file); known && load > MaxLoad {
			busy = true
			comparison.Warnings = append(comparison.Warnings, fmt.Sprintf("load forbids a verdict: %.1f per core when %s was measured, want at most %.1f", load, file.Commit, MaxLoad))
		}
	}
	before := comparedFigures(old)
	for _, row := range comparedFigures(new) {
		i := slices.IndexFunc(before, row.same)
		if i < 0 {
			continue
		}
		interval, err := figure.Bootstrap(comparison.Confidence, figure.RatioOf, before[i].values, row.values)
		if err != nil {
			return nil, err
		}
		change := newChange(row, figure.Median(before[i].values), figure.Median(row.values), interval, Drift)
		if busy {
			change.withdrawVerdict()
		}
		comparison.Changes = append(comparison.Changes, change)
	}
	comparison.withdrawWide()
	return comparison, nil
}

// CompareInTurn compares the results of two programs that ran in turn, so that whatever else the machine did met
// both alike. Each figure has an interval for the ratio of new to old, and a verdict. There must be three
// rounds or more. Figures that one program does not have are left out.
func CompareInTurn(rounds []Round) (*Comparison, error) {
	if len(rounds) < 3 {
		return nil, fmt.Errorf("cannot compare %d rounds: want 3 or more", len(rounds))
	}
	first := rounds[0]
	comparison := beginComparison(first.Old, first.New)
	rows := comparedFigures(first.New)
	comparison.Confidence, comparison.Rounds = Confidence, len(rounds)
	comparison.Method = fmt.Sprintf("Student's t of the logarithm of each round's ratio, %s in turn, all rows together", plural.Of(len(rounds), "round"))
	if others := meanOthers(rounds); others > MaxOthers {
		comparison.Warnings = append(comparison.Warnings, fmt.Sprintf("other programs used %.0f %% of the processors: intervals are wider than on a quiet machine", 100*others))
	}
	// The chance to be wrong is divided among the rows.
	confidenceOfRow := 1 - (1-Confidence)/float64(max(1, len(rows)))
	for _, row := range rows {
		var old, new, ratios []float64 // medians of each round, and new to old
		for _, round := range rounds {
			before, after := samplesOf(round.Old, row), samplesOf(round.New, row)
			if len(before) == 0 || len(after) == 0 {
				break
			}
			old = append(old, figure.Median(before))
			new = append(new, figure.Median(after))
			ratios = append(ratios, figure.Median(after)/figure.Median(before))
		}
		if len(ratios) < len(rounds) { // a figure that one side does not have
			continue
		}
		interval, err := figure.Ratio(confidenceOfRow, ratios)
		if err != nil {
			return nil, fmt.Errorf("cannot compare %s, %s: %w", row.what, row.figure, err)
		}
		comparison.Changes = append(comparison.Changes, newChange(row, figure.Median(old), figure.Median(new), interval, Margin))
	}
	comparison.withdrawWide()
	return comparison, nil
}

// beginComparison starts the comparison of two result files. It warns of each difference of machine, driver or
// settings, which makes the speeds hard to compare, and records for each class of scenes whether both
// files hold the same results.
func beginComparison(old, new *File) *Comparison {
	comparison := &Comparison{Old: old.Commit + " " + old.Date, New: new.Commit + " " + new.Date, Warnings: []string{}, Changes: []Change{}, Results: []Same{}}
	for _, setting := range []struct{ what, old, new string }{
		{"processor", old.Machine.CPU, new.Machine.CPU}, {"cores", fmt.Sprint(old.Machine.Cores), fmt.Sprint(new.Machine.Cores)},
		{"driver", old.Driver, new.Driver}, {"backend", old.Backend, new.Backend}, {"raster", old.Raster, new.Raster},
		{"batch", fmt.Sprint(old.Batch), fmt.Sprint(new.Batch)}, {"workers", fmt.Sprint(old.Workers), fmt.Sprint(new.Workers)},
	} {
		if setting.old != setting.new {
			comparison.Warnings = append(comparison.Warnings, fmt.Sprintf("%s differs: %q and %q", setting.what, setting.old, setting.new))
		}
	}
	for _, class := range new.Classes {
		for _, before := range old.Classes {
			if before.Name == class.Name {
				known := old.Seed == new.Seed && before.Distinct == class.Distinct && before.Digest != "" && class.Digest != ""
				comparison.Results = append(comparison.Results, Same{Class: class.Name, Known: known, Equal: known && before.Digest == class.Digest})
			}
		}
	}
	return comparison
}

// verdict returns what an interval for the ratio of the new program's figure to the old one's shows: Better
// or Worse if the whole interval lies more than margin above or below 1, and Alike otherwise. direction is +1
// for a figure of which more is better, such as a rate, and -1 for one of which less is better.
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

// withdrawWide replaces the verdict Alike ("no difference shown") by Undecided where the interval is so wide
// that a difference may well be hidden in it, and adds a warning if there is such a row.
func (comparison *Comparison) withdrawWide() {
	wide := 0
	for i := range comparison.Changes {
		change := &comparison.Changes[i]
		if change.Verdict == Alike && *change.Ratio.High-*change.Ratio.Low > 2*MaxSpread*change.Ratio.Value {
			change.withdrawVerdict()
			wide++
		}
	}
	if wide > 0 {
		comparison.Warnings = append(comparison.Warnings, fmt.Sprintf("spread forbids a verdict in %d of %d rows: their intervals are wider than %.0f %% either way; free the machine or raise --rounds", wide, len(comparison.Changes), 100*MaxSpread))
	}
}

// row is one figure of a result file with its samples, such as the scenes per second of a class. Rows of two files
// are compared if they are of the same figure.
type row struct {
	what, figure string
	direction    int // +1 where more is better, -1 where less is
	values       []float64
}

func (r row) same(s row) bool { return r.what == s.what && r.figure == s.figure }

// comparedFigures returns the figures of a result file of plumb bench that are compared with those of another file,
// each with its samples: processor time and speed of scenes, items and sweeps.
func comparedFigures(file *File) (rows []row) {
	const moreIsBetter, lessIsBetter = 1, -1
	add := func(what string, samples []stage.Sample) {
		if len(samples) > 0 {
			rows = append(rows, row{what, "core us/scene", lessIsBetter, Values(samples, ProcessorTimeOf)}, row{what, "scenes/s", moreIsBetter, Values(samples, RateOf)})
		}
	}
	for _, class := range file.Classes {
		add(class.Name+" end to end", class.EndToEnd)
		add(class.Name+" render stage", class.Render)
	}
	for _, class := range file.Items {
		rows = append(rows, row{class.Name, "core us/item", lessIsBetter, class.Core}, row{class.Name, "items/s", moreIsBetter, class.Rate})
	}
	for _, sweep := range file.Sweeps {
		for _, point := range sweep.Points {
			add(fmt.Sprintf("%s %g", sweep.Name, point.X), point.Samples)
		}
	}
	return rows
}

// samplesOf returns the samples that a result file of `plumb bench` has of the same figure as wanted, which is a
// row of another file. It returns nil if the file has no such figure.
func samplesOf(file *File, wanted row) []float64 {
	for _, row := range comparedFigures(file) {
		if wanted.same(row) {
			return row.values
		}
	}
	return nil
}

// loadPerCore returns how busy the machine was when a result file was measured: the load average of the
// minute before, divided by the number of cores. known is false if the file does not say.
func loadPerCore(file *File) (load float64, known bool) {
	lastMinute, _, _ := strings.Cut(file.Machine.Load, " ")
	average, err := strconv.ParseFloat(lastMinute, 64)
	if err != nil || file.Machine.Cores < 1 {
		return 0, false
	}
	return average / float64(file.Machine.Cores), true
}

// meanOthers returns the mean over the rounds of the share of the machine's processor time that other
// programs took, from 0 to 1.
func meanOthers(rounds []Round) (mean float64) {
	for _, round := range rounds {
		mean += round.Others / float64(len(rounds))
	}
	return mean
}
