package table

import (
	"hash/maphash"
	"math"
	"strconv"

	"plumb/scoring"
	"plumb/scoring/stats"
)

// maxUnnumbered is how many items are remembered for answers whose lines do not number their repeats. Beyond
// it such an answer counts as the only one of its item, which is nearly always true.
const maxUnnumbered = 1 << 18

// cell holds the running sums of one test in one series.
type cell struct {
	results, missing, failed, cutAnswers int
	items                                []item           // remembered items with a score, in order of appearance
	hashes                               []uint64         // of the items' keys, until indexOf is made
	indexOf                              map[uint64]int32 // index in items by hash of the key; nil until an item may have a second answer
	unremembered                         runningMean      // of scores whose items are not remembered
	hasClusters                          bool             // an item shares something with others, such as a picture
	tokens                               runningMean
}

// item adds up the repeats of one item.
type item struct {
	sum                float64 // of the scores of its answers
	answers, successes int32
	cluster            uint64 // hash of what it shares with other items, 0 for nothing
}

// runningMean is the mean of n values, which is updated value by value (Welford's method).
// squaredDeviations is the sum of the values' squared distances from it. To compute that as the
// difference of two large sums would lose digits.
type runningMean struct {
	n                        int
	value, squaredDeviations float64
}

// add adds a score to a running mean (Welford's method). The conversions to float64 prevent fused
// multiply-add, so that sums are equal on every machine.
func (mean *runningMean) add(value float64) {
	mean.n++
	delta := value - mean.value
	mean.value += delta / float64(mean.n)
	mean.squaredDeviations += float64(delta * (value - mean.value))
}

// join merges the running mean of other scores into mean, as if all scores had been added to one. The
// sum of squared deviations grows by what the distance of the two means adds.
func (mean *runningMean) join(other runningMean) {
	if other.n == 0 {
		return
	}
	n := mean.n + other.n
	delta := other.value - mean.value
	mean.squaredDeviations += other.squaredDeviations + float64(delta*delta)*float64(mean.n)*float64(other.n)/float64(n)
	mean.value += delta * float64(other.n) / float64(n)
	mean.n = n
}

// standardError returns the standard error of a mean of scores: the sample standard deviation
// divided by sqrt(n). ok is false for fewer than two scores. See docs/spec/aspire.md#r66.
func (mean *runningMean) standardError() (se float64, ok bool) {
	if mean.n < 2 {
		return 0, false
	}
	return math.Sqrt(mean.squaredDeviations/float64(mean.n-1)) / math.Sqrt(float64(mean.n)), true
}

// meanScore returns a cell's mean: the mean over items of the mean scores over their repeats. Its
// standard error is over items, because repeats of one item are not independent. See
// docs/spec/cli.md#r29.
func (cell *cell) meanScore() (mean runningMean) {
	for _, item := range cell.items {
		mean.add(item.sum / float64(item.answers))
	}
	mean.join(cell.unremembered)
	return mean
}

// standardError returns the standard error of a cell's mean score, which is given. Where items share
// something, such as a picture, it is clustered over what they share, because scores within a cluster are not
// independent. If the items of some scores were not remembered, it is the plain one. ok is false for fewer
// than two items or clusters. See docs/spec/runs.md#r45.
func (cell *cell) standardError(mean *runningMean) (se float64, ok bool) {
	if !cell.hasClusters || cell.unremembered.n > 0 {
		return mean.standardError()
	}
	values := make([]stats.Value, len(cell.items))
	for i, item := range cell.items {
		name := strconv.FormatUint(item.cluster, 16)
		if item.cluster == 0 { // it shares nothing, so it is a cluster of its own
			name = "item " + strconv.Itoa(i)
		}
		values[i] = stats.Value{Cluster: name, Mean: item.sum / float64(item.answers)}
	}
	_, se = stats.Clustered(values)
	return se, !math.IsNaN(se)
}

// ledger records the answers and items so far by their hashes, to find duplicates and repeats. The
// chance that any two of a million keys collide is 3e-8. It is bounded, because the number of
// results is not: beyond the bound duplicates count again, and each repeat counts as an item.
type ledger struct {
	answers         *scoring.Answers
	seed            maphash.Seed
	items           int    // recorded items, in all cells
	key             []byte // memory of addScore
	limit           int    // of recorded items
	unnumberedLimit int    // above which an answer without a numbered repeat adds no item: maxUnnumbered, less in tests
	isFull          bool   // an item with a numbered repeat could not be recorded
}

// newLedger returns an empty ledger for at most that many answers.
func newLedger(most int) ledger {
	return ledger{answers: scoring.NewAnswers(most), seed: maphash.MakeSeed(), limit: most, unnumberedLimit: maxUnnumbered}
}

// addScore adds the score of an answer to its item in a cell of the table, and adds the item if it is
// new. Items are known by hashes of their keys. If the item has no name, or the limit of remembered
// items is reached, the answer counts as the only one of its item.
func (ledger *ledger) addScore(cell *cell, result *scoring.Result, score float64, options *Options) {
	key, named := result.Item(ledger.key[:0])
	ledger.key = key
	hash := maphash.Bytes(ledger.seed, key)
	// Two answers to one item differ by the number of the repeat or by how they were asked for. Otherwise the second
	// is a duplicate, which does not come here. So a cell needs the map only from the first such answer on.
	if cell.indexOf == nil && (result.Who.Repeat > 1 || result.Who.Asked != nil) {
		cell.makeIndex()
	}
	success := successCount(result, options.Success)
	if i, ok := cell.indexOf[hash]; ok && named {
		cell.items[i].sum += score
		cell.items[i].answers++
		cell.items[i].successes += success
		return
	}
	if !named || !ledger.hasRoom(result.Who.Repeat > 0) {
		cell.unremembered.add(score)
		return
	}
	cell.addItem(hash, item{score, 1, success, ledger.clusterHash(result, options)})
	ledger.items++
}

// hasRoom reports whether one more item can be recorded. hasRepeatNumber says that the answer has the
// number of a repeat. Then others to the same item may follow, so the item may take the last room, and
// isFull notes where there is none.
func (ledger *ledger) hasRoom(hasRepeatNumber bool) bool {
	if hasRepeatNumber {
		ledger.isFull = ledger.isFull || ledger.items >= ledger.limit
		return ledger.items < ledger.limit
	}
	return ledger.items < min(ledger.limit, ledger.unnumberedLimit)
}

// addItem adds a new item, whose key has the hash, to the cell.
func (cell *cell) addItem(hash uint64, added item) {
	if cell.indexOf == nil {
		cell.hashes = append(cell.hashes, hash)
	} else {
		cell.indexOf[hash] = int32(len(cell.items))
	}
	cell.hasClusters = cell.hasClusters || added.cluster != 0
	cell.items = append(cell.items, added)
}

// clusterHash returns a hash of what an item shares with others, such as a picture; 0 for nothing.
// The result states it, or else Options.Cluster does.
func (ledger *ledger) clusterHash(result *scoring.Result, options *Options) uint64 {
	name := result.Cluster
	if options.Cluster != nil && name == "" {
		name = options.Cluster(result.Suite, result.ID)
	}
	if name == "" {
		return 0
	}
	return maphash.String(ledger.seed, name) | 1 // never 0, which stands for nothing
}

// makeIndex makes the map from an item's hash to its position, for a cell in which items may
// have several answers.
func (cell *cell) makeIndex() {
	cell.indexOf = make(map[uint64]int32, len(cell.hashes))
	for i, hash := range cell.hashes {
		cell.indexOf[hash] = int32(i)
	}
	cell.hashes = nil
}
