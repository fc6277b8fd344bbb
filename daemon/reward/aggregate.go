package reward

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"plumb/daemon/jsoncut"
	"plumb/scoring"
)

// Aggregate sums up verify responses: every number at the top of a row, and of its
// response's usage, in all and per task. See docs/spec/http.md#r19.
type Aggregate struct {
	all   group
	tasks map[string]*group // by the text of _ng_task_index
	order []string          // of tasks, as they came
}

// taskIndex is the member by which rows belong to a task.
const taskIndex = "_ng_task_index"

// group is a set of rows.
type group struct {
	rows, failed int
	names        []string // as they came
	values       map[string][]float64
}

// maskSample marks a row whose reward is no measurement.
const maskSample = "mask_sample"

// Add adds one verify response, a JSON object, to the statistics of all rows and of its task. It takes
// the numbers and booleans at the top of the row and in the usage of its response, but none of NeMo
// Gym's own members, which begin with _ng_. A row with a failure class or a true mask_sample is counted,
// and its numbers stay out of the statistics.
func (a *Aggregate) Add(row []byte) {
	failed, task := false, "0"
	type number struct {
		name  string
		value float64
	}
	var numbers []number
	take := func(key, value []byte) error {
		if x, ok := numberOf(value); ok {
			numbers = append(numbers, number{jsoncut.Name(key), x})
		}
		return nil
	}
	jsoncut.Members(row, func(key, value []byte) error {
		switch name := string(key); {
		case name == "_ng_failure_class":
			failed = failed || !jsoncut.Null(value)
		case name == maskSample:
			failed = failed || string(value) == "true"
		case name == taskIndex:
			task = string(value)
		case strings.HasPrefix(name, "_ng_"):
		case name == "response" && value[0] == '{':
			return jsoncut.Members(value, func(key, value []byte) error {
				if string(key) == "usage" && value[0] == '{' {
					return jsoncut.Members(value, take)
				}
				return nil
			})
		default:
			take(key, value)
		}
		return nil
	})
	if a.tasks == nil {
		a.tasks = map[string]*group{}
	}
	g := a.tasks[task]
	if g == nil {
		g = &group{}
		a.tasks[task] = g
		a.order = append(a.order, task)
	}
	for _, g := range []*group{&a.all, g} {
		g.rows++
		if failed {
			g.failed++
			continue
		}
		for _, n := range numbers {
			g.add(n.name, n.value)
		}
	}
}

// numberOf returns a JSON number as float64, or a boolean as 0 or 1. ok is false for any other value, and
// for a number that is too large.
func numberOf(v []byte) (x float64, ok bool) {
	switch v[0] {
	case 't':
		return 1, true
	case 'f':
		return 0, true
	case '"', '{', '[', 'n': // a text, an object, a list or null
		return 0, false
	}
	x, err := strconv.ParseFloat(string(v), 64)
	return x, err == nil && !math.IsInf(x, 0)
}

// add adds a value of a verify response to the series of that name.
func (g *group) add(name string, x float64) {
	if g.values == nil {
		g.values = map[string][]float64{}
	}
	list, ok := g.values[name]
	if !ok {
		g.names = append(g.names, name)
	}
	g.values[name] = append(list, x)
}

// AppendJSON appends the aggregate metrics as NeMo Gym reads them: group_level_metrics has the statistics
// of each task, agent_metrics those of all rows, and key_metrics the means of all rows alone. n and failed
// count the rows.
func (a *Aggregate) AppendJSON(b []byte) []byte {
	b = append(b, `{"group_level_metrics":[`...)
	for i, task := range a.order {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, '{')
		b = append(b, `"`+taskIndex+`":`...)
		b = append(b, task...)
		b = append(a.tasks[task].appendStats(append(b, ',')), '}')
	}
	b = append(b, `],"agent_metrics":{`...)
	b = a.all.appendStats(b)
	b = a.coverage(b)
	b = append(b, `},"key_metrics":{`...)
	for i, name := range a.all.names {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendStat(b, "mean", name, statsOf(a.all.values[name]).mean)
	}
	b = append(b, `},"n":`...)
	b = strconv.AppendInt(b, int64(a.all.rows), 10)
	b = append(b, `,"failed":`...)
	return append(strconv.AppendInt(b, int64(a.all.failed), 10), '}')
}

// coverage appends further members that say of how many rows and tasks the statistics are made, under the
// names of NeMo Gym. It appends nothing if no row was left out.
func (a *Aggregate) coverage(b []byte) []byte {
	if a.all.failed == 0 {
		return b
	}
	measured := 0
	for _, g := range a.tasks {
		if g.failed < g.rows {
			measured++
		}
	}
	b = fmt.Appendf(b, `,"coverage/measured_rollouts":%d,"coverage/masked_rollouts":%d`, a.all.rows-a.all.failed, a.all.failed)
	return fmt.Appendf(b, `,"coverage/measured_tasks":%d,"coverage/fully_masked_tasks":%d`, measured, len(a.tasks)-measured)
}

// appendStats appends the metrics of the group as members of a JSON object, without its braces:
// the number of rows as "n", of failed rows as "n_failed", then for each series NAME its mean,
// max, min, median and standard deviation under the keys of NeMo Gym, such as "mean/NAME", and the
// number of its values as "n/NAME". A series may have fewer values than there are rows.
func (g *group) appendStats(b []byte) []byte {
	b = strconv.AppendInt(append(b, `"n":`...), int64(g.rows), 10)
	b = strconv.AppendInt(append(b, `,"n_failed":`...), int64(g.failed), 10)
	for _, name := range g.names {
		s := statsOf(g.values[name])
		for _, m := range []struct {
			stat  string
			value float64
		}{{"mean", s.mean}, {"max", s.max}, {"min", s.min}, {"median", s.median}, {"std", s.std}} {
			b = appendStat(append(b, ','), m.stat, name, m.value)
		}
		b = append(b, ',')
		b = scoring.AppendString(b, "n/"+name)
		b = append(b, ':')
		b = strconv.AppendInt(b, int64(len(g.values[name])), 10)
	}
	return b
}

// appendStat appends one statistic as a JSON member, "mean/reward".
func appendStat(b []byte, stat, name string, x float64) []byte {
	b = append(scoring.AppendString(b, stat+"/"+name), ':')
	return scoring.AppendFloat(b, x)
}

// stats are the statistics of a series of numbers over rows or tasks.
type stats struct{ mean, max, min, median, std float64 }

// statsOf returns the statistics of a list, which must not be empty. The standard deviation
// is that of a sample, 0 for a single value. Other than in scoring/stats, terms are divided
// before they are added, so that large values do not overflow.
func statsOf(list []float64) (stats stats) {
	sorted := slices.Sorted(slices.Values(list))
	n := float64(len(list))
	for _, x := range list {
		stats.mean += x
	}
	stats.mean /= n
	if math.IsInf(stats.mean, 0) { // the sum was too large
		stats.mean = 0
		for _, x := range list {
			stats.mean += x / n
		}
	}
	stats.min, stats.max = sorted[0], sorted[len(sorted)-1]
	mid := len(sorted) / 2
	stats.median = sorted[mid]
	if len(sorted)%2 == 0 {
		stats.median = sorted[mid-1]/2 + sorted[mid]/2 // halves first: the sum could be too large
	}
	if len(list) > 1 {
		for _, x := range list {
			stats.std += float64((x-stats.mean)*(x-stats.mean)) / (n - 1) // float64: no fused multiply-add, equal on every machine
		}
		stats.std = math.Sqrt(stats.std)
	}
	return stats
}
