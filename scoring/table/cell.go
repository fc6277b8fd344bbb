package table

import (
	"hash/maphash"
	"math"

	"plumb/scoring"
)

// Results have no limit, so a table remembers only so many of them.
const (
	// maxKept is how many answers it tells apart, and how many items with numbered
	// repeats. Past it the same answer twice counts twice, and each as an item.
	maxKept = 2 << 20
	// maxPlain is how many items it knows when an answer comes that names no repeat;
	// past it such an answer is taken for the only one to its item, as it nearly
	// always is.
	maxPlain = 1 << 18
)

// cell is what is known of one test of one series.
type cell struct {
	n, missing, failed int
	items              []item // with a score, in order of appearance
	rest               mean   // of items that are not remembered
	tokens             mean
}

// item adds up the repeats of one item.
type item struct {
	sum float64
	n   int32
}

// mean is a running mean with the sum of squared distances from it, which does
// not lose digits as the difference of two large sums would.
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

// join adds the values of another mean.
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

// standardError is that of the mean: the sample standard deviation over sqrt(n)
// (aspire.md D45). ok is false for fewer than two values.
func (m *mean) standardError() (se float64, ok bool) {
	if m.n < 2 {
		return 0, false
	}
	return math.Sqrt(m.m2/float64(m.n-1)) / math.Sqrt(float64(m.n)), true
}

// scores is the mean over items of the mean over their repeats, so that its
// standard error is that of items, which are independent of each other.
func (c *cell) scores() (m mean) {
	for _, it := range c.items {
		m.add(it.sum / float64(it.n))
	}
	m.join(c.rest)
	return m
}

// ledger remembers which answers and items there were. Keys are hashed with a seed
// of the process: two in a million are equal with a chance of 3e-8.
type ledger struct {
	seed    maphash.Seed
	answers map[uint64]struct{}
	items   map[itemKey]int32 // place in the items of the cell
	key     []byte
	most    int  // maxKept
	plain   int  // maxPlain
	full    bool // there were more than most
}

type itemKey struct {
	cell *cell
	hash uint64
}

func newLedger() ledger {
	return ledger{seed: maphash.MakeSeed(), answers: map[uint64]struct{}{}, items: map[itemKey]int32{}, most: maxKept, plain: maxPlain}
}

// first reports whether an answer is not there yet, and takes it in.
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

// score counts the score of an answer in its item.
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
