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
	results         []result
	answers         *scoring.Answers
	RepeatedAnswers int // results left out because an earlier line has the same answer
}

// result is what the comparison needs of one scoring.Result.
type result struct {
	suite, test, id string
	turn            int
	arm             [5]string
	model           string
	scored          bool
	score           float64
	cluster         string
}

// NewSample returns an empty sample. It finds repeated answers among the first million (2^20) different ones,
// and keeps every later answer that is none of these.
func NewSample() *Sample { return &Sample{answers: scoring.NewAnswers(1 << 20)} }

// Add adds a result to the sample of a model's scores, unless it is a duplicate of an earlier
// answer. cluster names what its task shares with others, such as a picture; "" stands for the task
// itself.
func (sample *Sample) Add(res *scoring.Result, cluster string) {
	if !sample.answers.First(res) {
		sample.RepeatedAnswers++
		return
	}
	if cluster == "" {
		cluster = res.ID
		// In DrawingBench the two turns of a task have ids of their own, and the metric "task" names the task.
		if task := res.Strings("task"); res.Suite == "drawingbench" && len(task) == 1 {
			cluster = task[0]
		}
	}
	sample.results = append(sample.results, result{suite: res.Suite, test: res.Test, id: res.ID, turn: res.Who.Turn,
		arm: res.Who.Arm(), model: res.Who.Model, scored: res.Scored, score: res.Score, cluster: cluster})
}

// Len returns the number of results.
func (sample *Sample) Len() int { return len(sample.results) }

// Models lists the models of the sample's results, "" for results that name none.
func (sample *Sample) Models() (names []string) {
	for _, r := range sample.results {
		if !slices.Contains(names, r.model) {
			names = append(names, r.model)
		}
	}
	return names
}

// taskKey identifies the task of a result: answers of both sides with equal keys are
// compared.
type taskKey struct {
	suite, test, id string
	turn            int
	arm             [5]string // members that both sides have alike; "" for others
}

// taskScores are the scores of the answers to a task that have one.
type taskScores struct {
	cluster string
	list    []float64
}

// scoresByTask returns the scores of each task, and the tasks in the order of the results. members
// says which members of the arm (mode, input and so on) distinguish tasks; the others are ignored.
func (sample *Sample) scoresByTask(members [5]bool) (order []taskKey, byTask map[taskKey]*taskScores) {
	byTask = map[taskKey]*taskScores{}
	for _, result := range sample.results {
		key := taskKey{result.suite, result.test, result.id, result.turn, [5]string{}}
		for i, distinguishes := range members {
			if distinguishes {
				key.arm[i] = result.arm[i]
			}
		}
		answers := byTask[key]
		if answers == nil {
			answers = &taskScores{cluster: result.cluster}
			byTask[key] = answers
			order = append(order, key)
		}
		if result.scored {
			answers.list = append(answers.list, result.score)
		}
	}
	return order, byTask
}

// sharedMembers reports for each member of the arm (mode, input, format and so on) whether
// both samples have some value of it in common. Only such members can distinguish tasks of
// both.
func sharedMembers(sampleA, sampleB *Sample) (members [5]bool) {
	for i := range members {
		has := map[string]bool{}
		for _, r := range sampleA.results {
			has[r.arm[i]] = true
		}
		members[i] = slices.ContainsFunc(sampleB.results, func(r result) bool { return has[r.arm[i]] })
	}
	return members
}

// Line is the comparison of one test, or of all tests of a suite where Test is "".
type Line struct {
	Suite, Test string
	Paired
	HolmP   float64 // P adjusted for the number of tests; NaN for all tests together
	LeftOut int     // pairs left out because one side has no score
}

// CompareSamples compares the scores of two models, test by test and for all tests of each suite.
// Repeats of a task are averaged. Tasks without a score on one side are counted in Line.LeftOut, and
// unpaired counts those that one side lacks. seed makes the random numbers. P values of single
// tests are adjusted for their number. It returns an error if no task is on both sides.
func CompareSamples(sampleA, sampleB *Sample, seed uint64) (lines []Line, unpaired int, err error) {
	members := sharedMembers(sampleA, sampleB)
	order, tasksA := sampleA.scoresByTask(members)
	_, tasksB := sampleB.scoresByTask(members)
	type group struct {
		line           Line
		meansA, meansB []Value // by task
		singleAnswers  bool    // one answer of 0 or 1 for each task on both sides, as McNemar's test needs
	}
	var groups []*group
	groupOf := func(suite, test string) *group {
		for _, g := range groups {
			if g.line.Suite == suite && g.line.Test == test {
				return g
			}
		}
		g := &group{line: Line{Suite: suite, Test: test}, singleAnswers: true}
		groups = append(groups, g)
		return g
	}
	// Pair the tasks of both sides.
	paired := 0
	for _, key := range order {
		scoresA, scoresB := tasksA[key], tasksB[key]
		if scoresB == nil {
			unpaired++
			continue
		}
		paired++
		for _, g := range []*group{groupOf(key.suite, key.test), groupOf(key.suite, "")} { // the test, all tests
			if len(scoresA.list) == 0 || len(scoresB.list) == 0 {
				g.line.LeftOut++
				continue
			}
			g.meansA = append(g.meansA, Value{scoresA.cluster, Mean(scoresA.list)})
			g.meansB = append(g.meansB, Value{scoresA.cluster, Mean(scoresB.list)})
			g.singleAnswers = g.singleAnswers && isSingleAnswer(scoresA.list) && isSingleAnswer(scoresB.list)
		}
	}
	unpaired += len(tasksB) - paired
	if paired == 0 {
		return nil, unpaired, fmt.Errorf("cannot compare: no task is on both sides (%d and %d tasks)", len(tasksA),
			len(tasksB))
	}
	slices.SortStableFunc(groups, func(a, b *group) int { // all tests of a suite come after the single ones
		if a.line.Suite != b.line.Suite {
			return strings.Compare(a.line.Suite, b.line.Suite)
		}
		return boolInt(a.line.Test == "") - boolInt(b.line.Test == "")
	})
	// Compare each group, then adjust the P values of single tests for their number.
	var pValues []float64
	for _, g := range groups {
		hasTasks := len(g.meansA) > 0
		if hasTasks {
			g.line.Paired = Compare(g.meansA, g.meansB, g.singleAnswers, seed)
		}
		g.line.HolmP = math.NaN()
		lines = append(lines, g.line)
		if hasTasks && g.line.Test != "" {
			pValues = append(pValues, g.line.P)
		}
	}
	for i, adjusted := 0, Holm(pValues); i < len(lines); i++ {
		if lines[i].Test != "" && lines[i].Tasks > 0 {
			lines[i].HolmP, adjusted = adjusted[0], adjusted[1:]
		}
	}
	return lines, unpaired, nil
}

// isSingleAnswer reports whether the scores of a task are one score, 0 or 1.
func isSingleAnswer(scores []float64) bool {
	return len(scores) == 1 && (scores[0] == 0 || scores[0] == 1)
}

// boolInt returns 1 for true and 0 for false, by which a sort puts all tests of a suite after the single ones.
func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Spread is how much the scores of a test vary.
type Spread struct {
	Suite, Test string
	Tasks       int
	Repeats     float64 // answers of a task, on average
	// TrueVariance is the variance over tasks of the differences between two models, without what
	// comes from repeats. RepeatVarianceA and RepeatVarianceB are the variances of repeats within a
	// task, of the two models.
	TrueVariance                     float64
	RepeatVarianceA, RepeatVarianceB float64
	SD                               float64 // of the differences as they were seen
}

// Spreads measures how much scores vary, by test and for each suite (Test ""), from which users
// plan how many tasks a comparison needs. With two samples it measures their differences on the
// same tasks. With one (sampleB nil), it assumes that two models differ from task to task as much
// as the scores do. Tests with fewer than two tasks are left out.
func Spreads(sampleA, sampleB *Sample) (out []Spread) {
	members := [5]bool{true, true, true, true, true}
	if sampleB != nil {
		members = sharedMembers(sampleA, sampleB)
	}
	order, tasksA := sampleA.scoresByTask(members)
	var tasksB map[taskKey]*taskScores
	if sampleB != nil {
		_, tasksB = sampleB.scoresByTask(members)
	}
	var groups []*spreadGroup
	// Collect the differences of each test and of each suite.
	for _, key := range order {
		scoresA, scoresB := tasksA[key], tasksB[key] // tasksB is nil with one sample
		if len(scoresA.list) == 0 {
			continue
		}
		difference := Mean(scoresA.list)
		if sampleB != nil {
			if scoresB == nil || len(scoresB.list) == 0 {
				continue
			}
			difference -= Mean(scoresB.list)
		}
		for _, test := range []string{key.test, ""} {
			i := slices.IndexFunc(groups, func(g *spreadGroup) bool { return g.Suite == key.suite && g.Test == test })
			if i < 0 {
				i = len(groups)
				groups = append(groups, &spreadGroup{Spread: Spread{Suite: key.suite, Test: test}})
			}
			group := groups[i]
			group.differences = append(group.differences, difference)
			group.answers += len(scoresA.list)
			if len(scoresA.list) > 1 {
				group.repeatVariancesA = append(group.repeatVariancesA, Variance(scoresA.list))
			}
			if scoresB != nil && len(scoresB.list) > 1 {
				group.repeatVariancesB = append(group.repeatVariancesB, Variance(scoresB.list))
			}
		}
	}
	// Measure how much they vary.
	for _, group := range groups {
		if len(group.differences) < 2 {
			continue
		}
		group.measure(sampleB != nil)
		out = append(out, group.Spread)
	}
	slices.SortStableFunc(out, func(a, b Spread) int { // all tests of a suite come after the single ones
		if a.Suite != b.Suite {
			return strings.Compare(a.Suite, b.Suite)
		}
		return boolInt(a.Test == "") - boolInt(b.Test == "")
	})
	return out
}

// spreadGroup collects the tasks of one test, or of all tests of a suite.
type spreadGroup struct {
	Spread
	differences                        []float64 // by task: of the mean scores, or with one sample the mean score
	repeatVariancesA, repeatVariancesB []float64 // variances of the repeats of tasks with several, by side
	answers                            int       // of side A
}

// measure computes how much the scores of at least two tasks vary. The variance of the observed
// differences between two models has a part that comes from repeats; the rest is that of true
// differences.
func (group *spreadGroup) measure(hasTwoSamples bool) {
	group.Tasks, group.Repeats = len(group.differences), float64(group.answers)/float64(len(group.differences))
	if len(group.repeatVariancesA) > 0 {
		group.RepeatVarianceA = Mean(group.repeatVariancesA)
	}
	group.RepeatVarianceB = group.RepeatVarianceA // with one sample the other model is taken to vary as much
	fromRepeats := group.RepeatVarianceA
	if hasTwoSamples {
		group.RepeatVarianceB = 0
		if len(group.repeatVariancesB) > 0 {
			group.RepeatVarianceB = Mean(group.repeatVariancesB)
		}
		fromRepeats = group.RepeatVarianceA + group.RepeatVarianceB
	}
	observed := Variance(group.differences)
	group.SD = math.Sqrt(observed)
	group.TrueVariance = max(0, observed-fromRepeats/group.Repeats) // a mean of repeats varies less by their number
}
