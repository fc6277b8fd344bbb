package explorer

import (
	"slices"

	"plumb/daemon/index"
)

// rule is a reason to suspect a result or the scorer. See docs/explorer.md.
type rule struct {
	name, title, doc string
	// A rule has one of three ways to find the suspects. rowTest returns the function that tells whether
	// a row of a file is suspect, from its columns.
	rowTest func(f *index.File) func(row int) bool
	// answerFlag is the bit of a scanned answer that tells it; 0 for a rule of the other kinds.
	answerFlag uint8
	// markGroups marks the suspects among all scanned answers.
	markGroups func(s *scanner, mark func(row int))
}

// needsAnswers reports whether the rule looks at answers, not only at columns.
func (rule *rule) needsAnswers() bool { return rule.rowTest == nil }

// Bits of a scanned answer.
const (
	flagScanned uint8 = 1 << iota
	flagUnchanged
	flagOutside
)

// The bounds of the rules.
const (
	fullScore  = 0.995 // from here a score counts as full
	sameTimes  = 5     // questions that get one answer
	nearJump   = 0.5   // difference of scores
	nearRound  = 10    // to which numbers of near-equal answers are rounded
	outsideBy  = 8     // px that strokes may stick out of the page
	pageWidth  = 1400
	pageHeight = 800
)

// rules are in the order of the page.
var rules = []rule{
	{name: "full-unread", title: "Full score, nothing read", doc: "A score of 0.995 or more although nothing in the text was read as an answer.", rowTest: fullUnread},
	{name: "full-unchanged", title: "Full score, unchanged picture", answerFlag: flagUnchanged,
		doc: "A score of 0.995 or more although the picture after the answer is the one before it, or is empty."},
	{name: "zero-near", title: "Score 0, metrics near their targets", doc: "A score of 0 or less although a metric of the test is as good as right: " +
		"maze distance up to 15 px, arrow theta_f up to 0.1, balance cf up to 20 px, tangram iou from 0.97.", rowTest: zeroNear},
	{name: "outside", title: "Draws outside the page", answerFlag: flagOutside, doc: "After the answer, shapes reach more than 8 px beyond the page of 1400 x 800 px and beyond where shapes were before."},
	{name: "same-answer", title: "One answer to many questions", doc: "The same answer, blanks apart, to at least 5 questions of one test by one series (mode collapse).", markGroups: sameAnswers},
	{name: "reward-jump", title: "Score jumps between near-equal answers", doc: "Two answers to one question are equal when their numbers are rounded to tens, and their scores differ by 0.5 or more.",
		markGroups: rewardJumps},
}

// findRule returns the rule of this name that finds suspicious answers, or nil if there is none.
func findRule(name string) *rule {
	if i := slices.IndexFunc(rules, func(r rule) bool { return r.name == name }); i >= 0 {
		return &rules[i]
	}
	return nil
}

// unreadStatuses are the statuses of answers in which nothing was read.
var unreadStatuses = []string{"no_json", "no_answer", "none"}

// fullUnread returns a function that reports whether a row has a full score although nothing
// of the answer was read.
func fullUnread(file *index.File) func(row int) bool {
	isUnread := make([]bool, len(file.Statuses)) // by the number of the status
	for i, status := range file.Statuses {       // a list of one text
		isUnread[i] = slices.Contains(unreadStatuses, status[0])
	}
	return func(row int) bool { return isUnread[file.Status[row]] && file.Score[row] >= fullScore }
}

// near tells from which value a metric of a test is as good as right.
type near struct {
	suite, test, metric string
	bound               float32
	above               bool // right values are above bound
}

var nearTargets = []near{
	{"aspire", "maze", "distance", 15, false}, {"aspire", "arrow", "theta_f", 0.1, false}, {"aspire", "balance", "cf", 20, false},
	{"tangram", "solution", "iou", 0.97, true},
}

// zeroNear returns a function that reports whether a row has score 0 or less although a
// metric of its test is as good as right by nearTargets.
func zeroNear(file *index.File) func(row int) bool {
	type check struct {
		near
		column uint16 // of the metric
	}
	checksOf := make([]*check, len(file.Tests)) // by the number of the test; nil for none
	for i, w := range file.Tests {
		for _, target := range nearTargets {
			column := slices.Index(file.Metrics, target.metric)
			if isTest := target.suite == w[0] && target.test == w[1]; isTest && column >= 0 {
				checksOf[i] = &check{target, uint16(column)}
			}
		}
	}
	return func(row int) bool {
		c := checksOf[file.Test[row]]
		if c == nil || !(file.Score[row] <= 0) { // a row without a score has NaN
			return false
		}
		x, ok := file.Metric(row, c.column)
		return ok && (c.above && x >= c.bound || !c.above && x <= c.bound)
	}
}

// sameAnswers marks the answers that one series gives, in one file, to at least sameTimes questions of a test.
func sameAnswers(scanner *scanner, mark func(row int)) {
	type key struct {
		text       uint64
		file, test int
		series     uint16
	}
	groups := map[key]map[uint64][]int{} // rows by question
	scanner.each(func(row int, a *scanned) {
		i, pos, _ := scanner.opened.set.Find(row)
		file := scanner.opened.set.Files[i]
		k := key{a.textHash, i, int(file.Test[pos]), file.Series[pos]}
		if groups[k] == nil {
			groups[k] = map[uint64][]int{}
		}
		groups[k][file.Item[pos]] = append(groups[k][file.Item[pos]], row)
	})
	for _, questions := range groups {
		if len(questions) < sameTimes {
			continue
		}
		for _, rows := range questions {
			for _, row := range rows {
				mark(row)
			}
		}
	}
}

// rewardJumps marks the answers with the lowest and the highest score among the near-equal answers
// to a question, if the scores differ by nearJump or more: nearly the same text should get nearly the
// same reward. Answers are near-equal if they have the same roughHash, that of the text with its numbers
// rounded. Rows without a score are left out.
func rewardJumps(scanner *scanner, mark func(row int)) {
	type key struct{ item, rough uint64 }
	type ends struct{ low, high int }
	groups := map[key]*ends{}
	score := func(row int) float64 {
		i, at, _ := scanner.opened.set.Find(row)
		return scanner.opened.set.Files[i].Score[at]
	}
	scanner.each(func(row int, a *scanned) {
		x := score(row)
		if x != x { // NaN: no score
			return
		}
		i, at, _ := scanner.opened.set.Find(row)
		k := key{scanner.opened.set.Files[i].Item[at], a.roughHash}
		extremes := groups[k]
		if extremes == nil {
			groups[k] = &ends{row, row}
			return
		}
		if x < score(extremes.low) {
			extremes.low = row
		}
		if x > score(extremes.high) {
			extremes.high = row
		}
	})
	for _, extremes := range groups {
		if score(extremes.high)-score(extremes.low) >= nearJump {
			mark(extremes.low)
			mark(extremes.high)
		}
	}
}
