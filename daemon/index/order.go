package index

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Sort says in what order rows are listed. Rows without a value come last; rows of equal values are
// in the order of their files.
type Sort struct {
	By   string // "row", "score", "reward", "time", "cost", "repeat", "id", "test", "model", "status", "metric:NAME"
	Down bool
}

// Check returns an error for an order of results that is not known.
func (s Sort) Check() error {
	switch s.By {
	case "", "row", "score", "reward", "time", "cost", "repeat", "turn", "id", "test", "model", "status", "failure":
		return nil
	}
	if strings.HasPrefix(s.By, "metric:") {
		return nil
	}
	return fmt.Errorf("cannot sort by %.40q; want row, score, reward, time, cost, repeat, turn, id, test, model, status, failure or metric:NAME", s.By)
}

// Order returns the rows of a selection in order, as rows of the set. The slice must not be
// changed, because the last few orders are kept for later calls.
func (s *Set) Order(f Filter, order Sort) []uint32 {
	key := fmt.Sprintf("%s %v %s", order.By, order.Down, f.Key())
	s.mu.Lock()
	got, ok := s.orders.get(key)
	s.mu.Unlock()
	if ok {
		return got
	}
	got = s.sorted(s.Select(f), order)
	s.mu.Lock()
	defer s.mu.Unlock()
	keep := 8
	if s.Rows() > 4<<20 { // 4 bytes a row each
		keep = 2
	}
	s.orders.put(key, got, keep)
	return got
}

// entry is a row of results with its sort key.
type entry struct {
	key uint64
	row uint32
}

// noValue is the key of rows without a value.
const noValue = math.MaxUint64

// sorted returns the rows of a selection in the given order. Rows without a value come last in both
// directions.
func (s *Set) sorted(sel *Selection, order Sort) []uint32 {
	rows := make([]uint32, 0, sel.Rows)
	if order.By == "" || order.By == "row" {
		for i, f := range s.Files {
			for row := range f.Rows() {
				if sel.bits[i].has(row) {
					rows = append(rows, uint32(s.First(i)+row))
				}
			}
		}
		if order.Down {
			slices.Reverse(rows)
		}
		return rows
	}
	list := make([]entry, 0, sel.Rows)
	ranks := s.ranks(order.By)
	for i, f := range s.Files {
		first := s.First(i)
		keyOf := f.sortKey(order.By, ranks[i])
		for row := range f.Rows() {
			if !sel.bits[i].has(row) {
				continue
			}
			k := keyOf(row)
			if order.Down && k != noValue {
				k = noValue - 1 - k // reverses the order of all other keys
			}
			list = append(list, entry{k, uint32(first + row)})
		}
	}
	list = radixSort(list)
	if order.By == "id" {
		s.sortByID(list, order.Down)
	}
	for _, e := range list {
		rows = append(rows, e.row)
	}
	return rows
}

// floatKey returns a key by which numbers of results are sorted as integers: negative ones below
// positive ones. NaN has the key noValue.
func floatKey(x float64) uint64 {
	if x != x {
		return noValue
	}
	b := math.Float64bits(x + 0) // +0: -0 and 0 have one key
	if b>>63 != 0 {              // negative: larger bits are smaller numbers
		return ^b >> 1
	}
	return (b | 1<<63) >> 1 // the shift keeps keys below noValue; numbers that differ in the last bit may share a key
}

// sortKey returns the function that gives the key of a row for an order. ranks are from
// Set.ranks, for orders by words. Rows without a value have the key noValue.
func (f *File) sortKey(key string, ranks []uint64) func(row int) uint64 {
	ranked := func(column []uint16) func(int) uint64 { return func(row int) uint64 { return ranks[column[row]] } }
	whole := func(column []uint16) func(int) uint64 {
		return func(row int) uint64 {
			if column[row] == 0 {
				return noValue
			}
			return uint64(column[row])
		}
	}
	switch key {
	case "score":
		return func(row int) uint64 { return floatKey(f.Score[row]) }
	case "reward":
		return func(row int) uint64 { return floatKey(f.Reward[row]) }
	case "time":
		return func(row int) uint64 { return floatKey(float64(f.Time[row])) }
	case "cost":
		return func(row int) uint64 { return floatKey(float64(f.Cost[row])) }
	case "repeat":
		return whole(f.Repeat)
	case "turn":
		return whole(f.Turn)
	case "test":
		return ranked(f.Test)
	case "model":
		return ranked(f.Series)
	case "status":
		return ranked(f.Status)
	case "failure":
		return ranked(f.Code)
	case "id":
		return func(row int) uint64 {
			var b [8]byte
			copy(b[:], f.ID(row))
			return binary.BigEndian.Uint64(b[:]) >> 1 // the first 8 bytes; sortByID orders ids that begin alike
		}
	}
	name := slices.Index(f.Metrics, strings.TrimPrefix(key, "metric:"))
	return func(row int) uint64 {
		if name < 0 {
			return noValue
		}
		x, ok := f.Metric(row, uint16(name))
		if !ok {
			return noValue
		}
		return floatKey(float64(x))
	}
}

// ranks returns, for each file, the ranks of the words of a column among the words of all
// files, in alphabetical order. An empty word has the rank noValue. Orders that are not by
// words get no ranks.
func (s *Set) ranks(by string) [][]uint64 {
	wordsOf := func(f *File) []Word {
		switch by {
		case "test":
			return f.Tests
		case "model":
			return f.SeriesOf
		case "status":
			return f.Statuses
		case "failure":
			return f.Codes
		}
		return nil
	}
	var all []Word
	for _, f := range s.Files {
		all = append(all, wordsOf(f)...)
	}
	slices.SortFunc(all, func(a, b Word) int { return slices.Compare(a, b) })
	out := make([][]uint64, len(s.Files))
	for i, f := range s.Files {
		for _, w := range wordsOf(f) {
			n, _ := slices.BinarySearchFunc(all, w, func(a, b Word) int { return slices.Compare(a, b) })
			rank := uint64(n)
			if len(w) == 0 || w[0] == "" {
				rank = noValue
			}
			out[i] = append(out[i], rank)
		}
	}
	return out
}

// sortByID sorts by whole ids the runs of entries with equal keys, since keys hold only the
// first bytes of ids.
func (s *Set) sortByID(list []entry, down bool) {
	id := func(e entry) string {
		i, row, _ := s.Find(int(e.row))
		return s.Files[i].ID(row)
	}
	for from := 0; from < len(list); {
		to := from + 1
		for to < len(list) && list[to].key == list[from].key {
			to++
		}
		if to-from > 1 {
			slices.SortStableFunc(list[from:to], func(a, b entry) int {
				if down {
					a, b = b, a
				}
				return cmp.Compare(id(a), id(b))
			})
		}
		from = to
	}
}

// radixSort sorts rows by key and keeps the order of equal keys. It sorts by 11 bits at a
// time, from the lowest, and skips digits that all keys share. list is overwritten.
func radixSort(list []entry) []entry {
	const bitsPer = 11
	other := make([]entry, len(list))
	for shift := 0; shift < 64; shift += bitsPer {
		var count [1 << bitsPer]int
		for i := range list {
			count[list[i].key>>shift&(1<<bitsPer-1)]++
		}
		if len(list) == 0 || count[list[0].key>>shift&(1<<bitsPer-1)] == len(list) {
			continue
		}
		at := 0
		for i, n := range count { // count becomes the place of the first entry with the digit
			count[i] = at
			at += n
		}
		for _, e := range list {
			d := e.key >> shift & (1<<bitsPer - 1)
			other[count[d]] = e
			count[d]++
		}
		list, other = other, list
	}
	return list
}

// recent keeps the values that were asked for last.
type recent[T any] struct {
	keys   []string
	values []T
}

// get returns the value of a key that was asked for lately, such as the order of a filter's
// results.
func (r *recent[T]) get(key string) (v T, ok bool) {
	i := slices.Index(r.keys, key)
	if i < 0 {
		return v, false
	}
	v = r.values[i]
	r.keys = append(slices.Delete(r.keys, i, i+1), key)
	r.values = append(slices.Delete(r.values, i, i+1), v)
	return v, true
}

// put adds the value of a key, such as the order of a filter's results, and drops the least
// recently used ones beyond limit.
func (r *recent[T]) put(key string, v T, limit int) {
	r.keys = append(r.keys, key)
	r.values = append(r.values, v)
	for len(r.keys) > limit {
		r.keys, r.values = slices.Delete(r.keys, 0, 1), slices.Delete(r.values, 0, 1)
	}
}
