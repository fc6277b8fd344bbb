package table

import (
	"hash/maphash"
	"math"
	"strconv"

	"plumb/scoring"
	"plumb/scoring/stats"
)

// maxPlain is how many items are remembered for answers without a repeat. Beyond it such
// an answer counts as the only one of its item, which is nearly always true.
const maxPlain = 1 << 18

// cell holds the running sums of one test in one series.
type cell struct {
	n, missing, failed, cut int
	items                   []item           // remembered items with a score, in order of appearance
	hashes                  []uint64         // of items, until at is made
	at                      map[uint64]int32 // index in items by hash; nil until an item may have a second answer
	rest                    mean             // of items that are not remembered
	shared                  bool             // an item names a cluster
	tokens                  mean
}

// item adds up the repeats of one item.
type item struct {
	sum     float64
	n, hits int32  // hits are successes
	cluster uint64 // hash of what it shares with other items, 0 for nothing
}

// mean is a running mean with the sum of squared distances from it. The difference of
// two large sums would lose digits.
type mean struct {
	n         int
	value, m2 float64
}

// add adds a score to the running mean.
func (m *mean) add(x float64) {
	m.n++
	d := x - m.value
	m.value += d / float64(m.n)
	m.m2 += float64(d * (x - m.value))
}

// join merges the running mean of other scores into m.
func (m *mean) join(o mean) {
	if o.n == 0 {
		return
	}
	n := m.n + o.n
	d := o.value - m.value
	m.m2 += o.m2 + float64(d*d)*float64(m.n)*float64(o.n)/float64(n)
	m.value += d * float64(o.n) / float64(n)
	m.n = n
}

// standardError returns the standard error of the mean: the sample standard deviation
// divided by sqrt(n). ok is false for fewer than two values. See docs/spec/aspire.md#r66.
func (m *mean) standardError() (se float64, ok bool) {
	if m.n < 2 {
		return 0, false
	}
	return math.Sqrt(m.m2/float64(m.n-1)) / math.Sqrt(float64(m.n)), true
}

// scores returns the mean over items of the means over their repeats. Its standard
// error is over items, because repeats of one item are not independent. See
// docs/spec/cli.md#r29.
func (c *cell) scores() (m mean) {
	for _, it := range c.items {
		m.add(it.sum / float64(it.n))
	}
	m.join(c.rest)
	return m
}

// standardError returns the standard error of the mean m of the cell. Where items share
// something, such as a picture, it is over these clusters, because scores within one are not
// independent. ok is false for fewer than two items or clusters. See docs/spec/runs.md#r45.
func (c *cell) standardError(m *mean) (se float64, ok bool) {
	if !c.shared || c.rest.n > 0 {
		return m.standardError()
	}
	list := make([]stats.Value, len(c.items))
	for i, it := range c.items {
		name := strconv.FormatUint(it.cluster, 16)
		if it.cluster == 0 {
			name = "item " + strconv.Itoa(i)
		}
		list[i] = stats.Value{Cluster: name, Mean: it.sum / float64(it.n)}
	}
	_, se = stats.Clustered(list)
	return se, !math.IsNaN(se)
}

// ledger records the answers and items so far by their hashes, to find duplicates and repeats. The
// chance that any two of a million keys collide is 3e-8. It is bounded, because the number of
// results is not: beyond the bound duplicates count again, and each repeat counts as an item.
type ledger struct {
	answers *scoring.Answers
	seed    maphash.Seed
	items   int    // recorded items, in all cells
	key     []byte // memory for score
	most    int    // limit of items with a numbered repeat
	plain   int    // limit of items without: maxPlain, less in tests
	full    bool   // an item could not be recorded
}

// newLedger returns an empty ledger for at most that many answers.
func newLedger(most int) ledger {
	return ledger{answers: scoring.NewAnswers(most), seed: maphash.MakeSeed(), most: most, plain: maxPlain}
}

// score adds the score x of an answer, the result r, to its item in cell c.
func (l *ledger) score(c *cell, r *scoring.Result, x float64, o *Options) {
	key, named := r.Item(l.key[:0])
	l.key = key
	hash := maphash.Bytes(l.seed, key)
	// Answers without a repeat and settings would be duplicates if they had the same
	// item, so no map is needed while a cell has no others.
	if c.at == nil && (r.Who.Repeat > 1 || r.Who.Asked != nil) {
		c.index()
	}
	if i, ok := c.at[hash]; ok && named {
		c.items[i].sum += x
		c.items[i].n++
		c.items[i].hits += hit(r, o.Success)
		return
	}
	counted := r.Who.Repeat > 0
	if l.items >= l.most || !counted && l.items >= l.plain || !named {
		l.full = l.full || counted && named
		c.rest.add(x)
		return
	}
	if c.at == nil {
		c.hashes = append(c.hashes, hash)
	} else {
		c.at[hash] = int32(len(c.items))
	}
	cluster := l.cluster(r, o)
	c.shared = c.shared || cluster != 0
	c.items = append(c.items, item{x, 1, hit(r, o.Success), cluster})
	l.items++
}

// cluster returns the hash of what an item shares with others, 0 for nothing.
func (l *ledger) cluster(r *scoring.Result, o *Options) uint64 {
	name := r.Cluster
	if o.Cluster != nil && name == "" {
		name = o.Cluster(r.Suite, r.ID)
	}
	if name == "" {
		return 0
	}
	return maphash.String(l.seed, name) | 1 // not 0
}

// index makes the map from an item's hash to its place in the cell, once a list is too long to
// search.
func (c *cell) index() {
	c.at = make(map[uint64]int32, len(c.hashes))
	for i, hash := range c.hashes {
		c.at[hash] = int32(i)
	}
	c.hashes = nil
}
