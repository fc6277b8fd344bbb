package vqa

import (
	"math/bits"

	"plumb/scoring"
)

// maxFindings is how many answers are remembered one by one, over all rows of the tables, because the number of
// results has no limit. Past it the tables that compare rows item by item are left out.
const maxFindings = 2 << 20

// finding is the outcome of one answer, for tables that compare runs item by item. judged is
// false where the answer is missing and does not count, or is unjudged.
type finding struct {
	judged, right bool
	place         taxonomyPlace // of its subcategory; category is -1 where it has none
}

// remember keeps whether an answer is right under the hash of its question's id, for tables that
// compare answers item by item. Later answers to the same question in the same run are only counted
// as repeated. Past maxFindings nothing more is kept.
func (tables *tables) remember(run *modelRun, result *scoring.Result, idHash uint64, outcome counts) {
	if _, ok := run.findings[idHash]; ok {
		run.repeatedItems++
		return
	}
	if tables.heldFindings >= maxFindings {
		tables.findingsLeftOut = true
		return
	}
	place, ok := tables.places[wordOf(result, "subcategory")]
	if !ok || place.sub < 0 {
		place = taxonomyPlace{-1, -1} // none
	}
	isCounted := outcome.answers > 0 // false for a missing answer that does not count as wrong
	run.findings[idHash] = finding{judged: isCounted && outcome.unjudged == 0, right: outcome.correct > 0, place: place}
	tables.heldFindings++
}

// itemsOfAll returns the questions to which every run has a judged answer, in any order, and how many
// other questions some run has. Questions are known by 64-bit hashes of their ids, of which two are
// equal too rarely to matter.
func itemsOfAll(runs []*modelRun) (ids []uint64, others int) {
	judgedIn := map[uint64]int{}
	for _, run := range runs {
		for id, finding := range run.findings {
			n := judgedIn[id] // an item without a judged answer is kept with 0, to be counted in others
			if finding.judged {
				n++
			}
			judgedIn[id] = n
		}
	}
	for id, n := range judgedIn {
		if n == len(runs) {
			ids = append(ids, id)
		}
	}
	return ids, len(judgedIn) - len(ids)
}

// rightBits returns which questions a run has right as a bit set: bit i%64 of word i/64 is set
// where it has ids[i] right.
func (run *modelRun) rightBits(ids []uint64) []uint64 {
	list := make([]uint64, (len(ids)+63)/64)
	for i, id := range ids {
		if run.findings[id].right {
			list[i/64] |= 1 << (i % 64)
		}
	}
	return list
}

// countCommon counts the bits that are set in both bit sets: the questions that two runs both have right.
func countCommon(a, b []uint64) (n int) {
	for i := range a {
		n += bits.OnesCount64(a[i] & b[i])
	}
	return n
}
