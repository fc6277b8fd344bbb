package stats

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"plumb/scoring"
)

// Sample is the results of one side of a comparison.
type Sample struct {
	rows    []row
	answers *scoring.Answers
	Twice   int // results left out because an earlier line has the same answer
}

// row is one result.
type row struct {
	suite, test, id string
	turn            int
	arm             [5]string
	model           string
	scored          bool
	score           float64
	cluster         string
}

// NewSample returns an empty sample of at most a million answers.
func NewSample() *Sample { return &Sample{answers: scoring.NewAnswers(1 << 20)} }

// Add adds a result to the sample. cluster names what its task shares with others; "" stands for
// the task itself.
func (s *Sample) Add(r *scoring.Result, cluster string) {
	if !s.answers.First(r) {
		s.Twice++
		return
	}
	if cluster == "" {
		cluster = r.ID
		if task := r.Strings("task"); r.Suite == "drawingbench" && len(task) == 1 { // both turns are of one task
			cluster = task[0]
		}
	}
	s.rows = append(s.rows, row{r.Suite, r.Test, r.ID, r.Who.Turn, r.Who.Arm(), r.Who.Model, r.Scored, r.Score, cluster})
}

// Len returns the number of results.
func (s *Sample) Len() int { return len(s.rows) }

// Models lists the models of the sample, "" for results that name none.
func (s *Sample) Models() (names []string) {
	for _, r := range s.rows {
		if !slices.Contains(names, r.model) {
			names = append(names, r.model)
		}
	}
	return names
}

// task is what pairs belong together by.
type task struct {
	suite, test, id string
	turn            int
	arm             [5]string // members that both sides have alike; "" for others
}

// scores are the answers to a task.
type scores struct {
	cluster string
	list    []float64
	lost    int // without a score
}

// tasks returns the scores by task, in the order of the results. members says by which members of
// the arm tasks differ.
func (s *Sample) tasks(members [5]bool) (order []task, at map[task]*scores) {
	at = map[task]*scores{}
	for _, r := range s.rows {
		k := task{r.suite, r.test, r.id, r.turn, [5]string{}}
		for i, on := range members {
			if on {
				k.arm[i] = r.arm[i]
			}
		}
		v := at[k]
		if v == nil {
			v = &scores{cluster: r.cluster}
			at[k] = v
			order = append(order, k)
		}
		if r.scored {
			v.list = append(v.list, r.score)
		} else {
			v.lost++
		}
	}
	return order, at
}

// alike reports which members of the arm (mode, input, format and so on) both samples have a value
// of in common.
func alike(a, b *Sample) (members [5]bool) {
	for i := range members {
		has := map[string]bool{}
		for _, r := range a.rows {
			has[r.arm[i]] = true
		}
		members[i] = slices.ContainsFunc(b.rows, func(r row) bool { return has[r.arm[i]] })
	}
	return members
}

// Line is the comparison of one test, or of all tests of a suite where Test is "".
type Line struct {
	Suite, Test string
	Paired
	Holm float64 // P adjusted for the number of tests; NaN for all tests together
	Out  int     // pairs left out because one side has no score
}

// CompareSamples compares two samples by test. unpaired counts the tasks that one side
// alone has. seed makes the random numbers. The error says that there is no pair.
func CompareSamples(a, b *Sample, seed uint64) (lines []Line, unpaired int, err error) {
	members := alike(a, b)
	order, left := a.tasks(members)
	_, right := b.tasks(members)
	type group struct {
		line  Line
		a, b  []Value
		plain bool // one answer of 0 or 1 for each task
	}
	var groups []*group
	find := func(suite, test string) *group {
		for _, g := range groups {
			if g.line.Suite == suite && g.line.Test == test {
				return g
			}
		}
		g := &group{line: Line{Suite: suite, Test: test}, plain: true}
		groups = append(groups, g)
		return g
	}
	paired := 0
	for _, k := range order {
		x, y := left[k], right[k]
		if y == nil {
			unpaired++
			continue
		}
		paired++
		for _, g := range []*group{find(k.suite, k.test), find(k.suite, "")} {
			if len(x.list) == 0 || len(y.list) == 0 {
				g.line.Out++
				continue
			}
			g.a, g.b = append(g.a, Value{x.cluster, Mean(x.list)}), append(g.b, Value{x.cluster, Mean(y.list)})
			g.plain = g.plain && len(x.list)+len(y.list) == 2 && whole(x.list[0]) && whole(y.list[0])
		}
	}
	unpaired += len(right) - paired
	if paired == 0 {
		return nil, unpaired, fmt.Errorf("cannot compare: no task is on both sides (%d and %d tasks)", len(left), len(right))
	}
	slices.SortStableFunc(groups, func(a, b *group) int {
		if a.line.Suite != b.line.Suite {
			return strings.Compare(a.line.Suite, b.line.Suite)
		}
		return boolInt(a.line.Test == "") - boolInt(b.line.Test == "")
	})
	var p []float64
	for _, g := range groups {
		if len(g.a) > 0 {
			g.line.Paired = Compare(g.a, g.b, g.plain, seed)
		}
		g.line.Holm = math.NaN()
		lines = append(lines, g.line)
		if g.line.Test != "" && len(g.a) > 0 {
			p = append(p, g.line.P)
		}
	}
	for i, adjusted := 0, Holm(p); i < len(lines); i++ {
		if lines[i].Test != "" && lines[i].Tasks > 0 {
			lines[i].Holm, adjusted = adjusted[0], adjusted[1:]
		}
	}
	return lines, unpaired, nil
}

func whole(x float64) bool { return x == 0 || x == 1 }

// boolInt returns 1 for true and 0 for false, for counting pairs.
func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Spread is how much the scores of a test vary.
type Spread struct {
	Suite, Test   string
	Tasks         int
	Repeats       float64 // answers of a task, on average
	Omega2        float64 // variance of true differences between tasks
	Within, Other float64 // variances of repeats within a task, of the two sides
	SD            float64 // of the differences as they were seen
}

// Spreads measures how much scores vary, by test and for each suite (Test ""). With two
// samples these are differences on the same tasks. With one (b nil), two models are taken
// to differ from task to task as much as the scores do.
func Spreads(a, b *Sample) (out []Spread) {
	members := [5]bool{true, true, true, true, true}
	if b != nil {
		members = alike(a, b)
	}
	order, left := a.tasks(members)
	var right map[task]*scores
	if b != nil {
		_, right = b.tasks(members)
	}
	type group struct {
		Spread
		differences, withinA, withinB []float64
		answers                       int
	}
	var groups []*group
	for _, k := range order {
		x := left[k]
		d, y := 0.0, (*scores)(nil)
		if len(x.list) == 0 {
			continue
		}
		d = Mean(x.list)
		if b != nil {
			y = right[k]
			if y == nil || len(y.list) == 0 {
				continue
			}
			d -= Mean(y.list)
		}
		for _, test := range []string{k.test, ""} {
			i := slices.IndexFunc(groups, func(g *group) bool { return g.Suite == k.suite && g.Test == test })
			if i < 0 {
				i = len(groups)
				groups = append(groups, &group{Spread: Spread{Suite: k.suite, Test: test}})
			}
			g := groups[i]
			g.differences = append(g.differences, d)
			g.answers += len(x.list)
			if len(x.list) > 1 {
				g.withinA = append(g.withinA, Variance(x.list))
			}
			if y != nil && len(y.list) > 1 {
				g.withinB = append(g.withinB, Variance(y.list))
			}
		}
	}
	for _, g := range groups {
		if len(g.differences) < 2 {
			continue
		}
		g.Tasks, g.Repeats = len(g.differences), float64(g.answers)/float64(len(g.differences))
		if len(g.withinA) > 0 {
			g.Within = Mean(g.withinA)
		}
		g.Other = g.Within
		if b != nil {
			g.Other = 0
			if len(g.withinB) > 0 {
				g.Other = Mean(g.withinB)
			}
		}
		v := Variance(g.differences)
		g.SD = math.Sqrt(v)
		seen := g.Within + g.Other
		if b == nil {
			seen = g.Within
		}
		g.Omega2 = max(0, v-seen/g.Repeats)
		out = append(out, g.Spread)
	}
	slices.SortStableFunc(out, func(a, b Spread) int {
		if a.Suite != b.Suite {
			return strings.Compare(a.Suite, b.Suite)
		}
		return boolInt(a.Test == "") - boolInt(b.Test == "")
	})
	return out
}
