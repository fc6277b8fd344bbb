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

// group is a set of rows, all rows or those of one task.
type group struct {
	rows, failed int                  // failed rows are those whose numbers do not count
	names        []string             // of the series, in the order in which they came
	values       map[string][]float64 // the series by name, with a value for each row that has one
}

// maskSample marks a row whose reward is no measurement.
const maskSample = "mask_sample"

// Add adds one verify response, a JSON object, to the statistics of all rows and of its task. It takes
// the numbers and booleans at the top of the row and in the usage of its response, but none of NeMo
// Gym's own members, which begin with _ng_. A row with a failure class or a true mask_sample is counted,
// and its numbers stay out of the statistics.
func (aggregate *Aggregate) Add(row []byte) {
	failed, taskKey := false, "0"
	type number struct {
		name  string
		value float64
	}
	var numbers []number
	addNumber := func(key, value []byte) error {
		if x, ok := numberOf(value); ok {
			numbers = append(numbers, number{string(key), x})
		}
		return nil
	}
	// Read the row.
	jsoncut.Named(row, func(key, value []byte) error {
		switch name := string(key); {
		case name == "_ng_failure_class":
			failed = failed || !jsoncut.Null(value)
		case name == maskSample:
			failed = failed || string(value) == "true"
		case name == taskIndex:
			taskKey = string(value)
		case strings.HasPrefix(name, "_ng_"):
		case name == "response" && value[0] == '{':
			return jsoncut.Named(value, func(key, value []byte) error {
				if string(key) == "usage" && value[0] == '{' {
					return jsoncut.Named(value, addNumber)
				}
				return nil
			})
		default:
			addNumber(key, value)
		}
		return nil
	})
	if aggregate.tasks == nil {
		aggregate.tasks = map[string]*group{}
	}
	// Find the group of its task.
	g := aggregate.tasks[taskKey]
	if g == nil {
		g = &group{}
		aggregate.tasks[taskKey] = g
		aggregate.order = append(aggregate.order, taskKey)
	}
	// Count it in the group of all rows and in that of its task.
	for _, g := range []*group{&aggregate.all, g} {
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

// numberOf returns a JSON number of a trainer's row as float64, or a boolean as 0 or 1. ok is false for any
// other value, and for a number that is too large.
func numberOf(value []byte) (x float64, ok bool) {
	switch value[0] {
	case 't':
		return 1, true
	case 'f':
		return 0, true
	case '"', '{', '[', 'n': // a text, an object, a list or null
		return 0, false
	}
	x, err := strconv.ParseFloat(string(value), 64)
	return x, err == nil && !math.IsInf(x, 0)
}

// add adds a value of a verify response, which has the reward of a rollout, to the series of that name.
func (group *group) add(name string, x float64) {
	if group.values == nil {
		group.values = map[string][]float64{}
	}
	list, ok := group.values[name]
	if !ok {
		group.names = append(group.names, name)
	}
	group.values[name] = append(list, x)
}

// AppendJSON appends the aggregate metrics as the trainer NeMo Gym reads them: group_level_metrics has the
// statistics of each task, agent_metrics those of all rows, and key_metrics the means of all rows alone. n and
// failed count the rows.
func (aggregate *Aggregate) AppendJSON(dst []byte) []byte {
	dst = append(dst, `{"group_level_metrics":[`...)
	for i, task := range aggregate.order {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, '{')
		dst = append(dst, `"`+taskIndex+`":`...)
		dst = append(dst, task...)
		dst = append(aggregate.tasks[task].appendStats(append(dst, ',')), '}')
	}
	dst = append(dst, `],"agent_metrics":{`...)
	dst = aggregate.all.appendStats(dst)
	dst = aggregate.appendCoverage(dst)
	dst = append(dst, `},"key_metrics":{`...)
	for i, name := range aggregate.all.names {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendStat(dst, "mean", name, statsOf(aggregate.all.values[name]).mean)
	}
	dst = append(dst, `},"n":`...)
	dst = strconv.AppendInt(dst, int64(aggregate.all.rows), 10)
	dst = append(dst, `,"failed":`...)
	return append(strconv.AppendInt(dst, int64(aggregate.all.failed), 10), '}')
}

// appendCoverage appends members, under the names of NeMo Gym, that say how many rows (rollouts) and tasks the
// statistics cover and how many are left out because they failed. It appends nothing if no row failed.
func (aggregate *Aggregate) appendCoverage(dst []byte) []byte {
	if aggregate.all.failed == 0 {
		return dst
	}
	measured := 0
	for _, g := range aggregate.tasks {
		if g.failed < g.rows {
			measured++
		}
	}
	dst = fmt.Appendf(dst, `,"coverage/measured_rollouts":%d,"coverage/masked_rollouts":%d`, aggregate.all.rows-aggregate.all.failed, aggregate.all.failed)
	return fmt.Appendf(dst, `,"coverage/measured_tasks":%d,"coverage/fully_masked_tasks":%d`, measured, len(aggregate.tasks)-measured)
}

// appendStats appends the metrics of the group as members of a JSON object, without its braces:
// the number of rows as "n", of failed rows as "n_failed", then for each series NAME its mean,
// max, min, median and standard deviation under the keys of NeMo Gym, such as "mean/NAME", and the
// number of its values as "n/NAME". A series may have fewer values than there are rows.
func (group *group) appendStats(dst []byte) []byte {
	dst = strconv.AppendInt(append(dst, `"n":`...), int64(group.rows), 10)
	dst = strconv.AppendInt(append(dst, `,"n_failed":`...), int64(group.failed), 10)
	for _, name := range group.names {
		stats := statsOf(group.values[name])
		for _, m := range []struct {
			stat  string
			value float64
		}{{"mean", stats.mean}, {"max", stats.max}, {"min", stats.min}, {"median", stats.median}, {"std", stats.std}} {
			dst = appendStat(append(dst, ','), m.stat, name, m.value)
		}
		dst = append(dst, ',')
		dst = scoring.AppendString(dst, "n/"+name)
		dst = append(dst, ':')
		dst = strconv.AppendInt(dst, int64(len(group.values[name])), 10)
	}
	return dst
}

// appendStat appends one statistic as a JSON member, "mean/reward".
func appendStat(b []byte, stat, name string, x float64) []byte {
	b = append(scoring.AppendString(b, stat+"/"+name), ':')
	return scoring.AppendFloat(b, x)
}

// stats are the statistics of a series of numbers over rows or tasks.
type stats struct{ mean, max, min, median, std float64 }

// statsOf returns the statistics of a list, which must not be empty. The standard deviation is that of a
// sample (divided by n-1), 0 for a single value. Its terms are divided before they are added, and the mean
// is computed so if the sum overflows, because trainers send numbers of any size. If the squares overflow, the
// numbers are scaled before.
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
			// float64 keeps the compiler from fusing the product and the sum, so that all machines agree.
			stats.std += float64((x-stats.mean)*(x-stats.mean)) / (n - 1)
		}
		stats.std = math.Sqrt(stats.std)
	}
	if math.IsInf(stats.std, 0) { // a square was too large
		stats.std = scaledDeviation(list, stats.mean, max(-stats.min, stats.max))
	}
	return stats
}

// scaledDeviation returns the standard deviation of a list of two numbers or more with that mean. It divides
// them by scale, the largest absolute value, so that no difference and no square overflows. The result is
// infinite only if it is too large itself.
func scaledDeviation(list []float64, mean, scale float64) float64 {
	sum := 0.0
	for _, x := range list {
		difference := x/scale - mean/scale
		// float64 keeps the compiler from fusing the product and the sum, so that all machines agree.
		sum += float64(difference*difference) / float64(len(list)-1)
	}
	return scale * math.Sqrt(sum)
}
