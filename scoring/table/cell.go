package table

import (
	"hash/maphash"
	"math"

	"plumb/scoring"
)

// The number of results is unbounded, so the memory of a table is limited.
const (
	// maxKept is how many answers and how many items with numbered repeats are
	// remembered. Beyond it duplicates count again, and each repeat counts as an item.
	maxKept = 2 << 20
	// maxPlain is how many items are remembered for answers without a repeat. Beyond
	// it such an answer counts as the only one of its item, which is nearly always
	// true.
	maxPlain = 1 << 18
)

// cell holds the sums of one test of one series.
type cell struct {
	n, missing, failed int
	items              []item // remembered items with a score, in order of appearance
	rest               mean   // of the other items
	tokens             mean
}

// item adds up the repeats of one item.
type item struct {
	sum float64
	n   int32
}

// mean is a running mean with the sum of squared distances from it. The difference of
// two large sums would lose digits.
type mean struct {
	n         int
	value, m2 float64
}

func (m *mean) add(x float64) {
	m.n++
	d := x - m.value
	m.value += d / float64(m.n)
	m.m2 += float64(d * (x - m.value))
}

// join merges another mean into m.
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
// divided by sqrt(n). ok is false for fewer than two values.
func (m *mean) standardError() (se float64, ok bool) {
	if m.n < 2 {
		return 0, false
	}
	return math.Sqrt(m.m2/float64(m.n-1)) / math.Sqrt(float64(m.n)), true
}

// scores returns the mean over items of the means over their repeats. Its standard
// error is over items, because repeats of one item are not independent.
func (c *cell) scores() (m mean) {
	for _, it := range c.items {
		m.add(it.sum / float64(it.n))
	}
	m.join(c.rest)
	return m
}

// ledger records the answers and items so far by their hashes, with a seed of the
// process. The chance that any two of a million keys collide is 3e-8.
type ledger struct {
	seed    maphash.Seed
	answers map[uint64]struct{}
	items   map[itemKey]int32 // index in cell.items
	key     []byte
	most    int  // maxKept
	plain   int  // maxPlain
	full    bool // a result could not be recorded
}

// itemKey identifies an item within a cell.
type itemKey struct {
	cell *cell
	hash uint64
}

func newLedger() ledger {
	return ledger{seed: maphash.MakeSeed(), answers: map[uint64]struct{}{}, items: map[itemKey]int32{}, most: maxKept, plain: maxPlain}
}

// first reports whether an answer is new, and records it.
func (l *ledger) first(r *scoring.Result) bool {
	key, ok := r.Answer(l.key[:0])
	l.key = key
	if !ok {
		return true
	}
	h := maphash.Bytes(l.seed, key)
	if _, ok := l.answers[h]; ok {
		return false
	}
	if len(l.answers) >= l.most {
		l.full = true
		return true
	}
	l.answers[h] = struct{}{}
	return true
}

// score adds the score x of an answer to its item.
func (l *ledger) score(c *cell, r *scoring.Result, x float64) {
	key, named := r.Item(l.key[:0])
	l.key = key
	at := itemKey{c, maphash.Bytes(l.seed, key)}
	if i, ok := l.items[at]; ok && named {
		c.items[i].sum += x
		c.items[i].n++
		return
	}
	counted := r.Who.Repeat > 0
	if len(l.items) >= l.most || !counted && len(l.items) >= l.plain || !named {
		l.full = l.full || counted && named
		c.rest.add(x)
		return
	}
	l.items[at] = int32(len(c.items))
	c.items = append(c.items, item{x, 1})
}
