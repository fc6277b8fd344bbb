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
	By   string // an order that Check accepts, such as "score" or "metric:NAME"; "" is "row", the order of the files
	Down bool
}

// Check returns an error for an order of results that is not known.
func (sort Sort) Check() error {
	switch sort.By {
	case "", "row", "score", "reward", "time", "cost", "repeat", "turn", "id", "test", "model", "status", "failure":
		return nil
	}
	if strings.HasPrefix(sort.By, "metric:") {
		return nil
	}
	return fmt.Errorf("cannot sort by %.40q; want row, score, reward, time, cost, repeat, turn, id, test, model, status, failure or metric:NAME", sort.By)
}

// Order returns the rows of a selection in order, as rows of the set. The slice must not be
// changed, because the last few orders are kept for later calls.
func (set *Set) Order(filter Filter, order Sort) []uint32 {
	key := fmt.Sprintf("%s %v %s", order.By, order.Down, filter.Key())
	set.mu.Lock()
	got, ok := set.orders.get(key)
	set.mu.Unlock()
	if ok {
		return got
	}
	got = set.sortRows(set.Select(filter), order)
	set.mu.Lock()
	defer set.mu.Unlock()
	keep := 8
	if set.Rows() > 4<<20 { // 4 bytes a row each
		keep = 2
	}
	set.orders.put(key, got, keep)
	return got
}

// rowWithKey is a row of results with its sort key.
type rowWithKey struct {
	key uint64
	row uint32
}

// noValue is the key of rows without a value.
const noValue = math.MaxUint64

// sortRows returns the rows of a selection in the given order, by their numbers in the whole set. Rows
// without a value come last, upwards and downwards. Rows get a number as sort key and are sorted by
// it; ids, which do not fit into a key, are then compared in full.
func (set *Set) sortRows(sel *Selection, order Sort) []uint32 {
	rows := make([]uint32, 0, sel.Rows)
	if order.By == "" || order.By == "row" {
		for i, f := range set.Files {
			for row := range f.Rows() {
				if sel.bits[i].has(row) {
					rows = append(rows, uint32(set.First(i)+row))
				}
			}
		}
		if order.Down {
			slices.Reverse(rows)
		}
		return rows
	}
	list := make([]rowWithKey, 0, sel.Rows)
	ranks := set.wordRanks(order.By)
	for i, f := range set.Files {
		first := set.First(i)
		keyOf := f.sortKeyOf(order.By, ranks[i])
		for row := range f.Rows() {
			if !sel.bits[i].has(row) {
				continue
			}
			k := keyOf(row)
			if order.Down && k != noValue {
				k = noValue - 1 - k // reverses the order of all other keys
			}
			list = append(list, rowWithKey{k, uint32(first + row)})
		}
	}
	list = radixSort(list)
	if order.By == "id" {
		set.sortByID(list, order.Down)
	}
	for _, e := range list {
		rows = append(rows, e.row)
	}
	return rows
}

// floatKey returns an unsigned integer for a number of a result, such that a larger number never has a
// smaller key. So rows can be sorted by integers. NaN, which stands for no value, has the key noValue.
func floatKey(x float64) uint64 {
	if x != x {
		return noValue
	}
	b := math.Float64bits(x + 0) // +0: -0 and 0 have one key
	// The bits of positive numbers grow with the number, those of negative ones fall. The shift keeps all
	// keys below noValue; so two numbers that differ only in the last bit may share a key.
	if negative := b>>63 != 0; negative {
		return ^b >> 1
	}
	return (b | 1<<63) >> 1
}

// sortKeyOf returns the function that gives the key of a row for an order. ranks are from
// Set.wordRanks, for orders by words. Rows without a value have the key noValue.
func (file *File) sortKeyOf(key string, ranks []uint64) func(row int) uint64 {
	// Keys of words are their ranks, keys of whole numbers the numbers, 0 being no value.
	ofWord := func(column []uint16) func(int) uint64 { return func(row int) uint64 { return ranks[column[row]] } }
	ofNumber := func(column []uint16) func(int) uint64 {
		return func(row int) uint64 {
			if column[row] == 0 {
				return noValue
			}
			return uint64(column[row])
		}
	}
	switch key { // one of the orders that Sort.Check accepts
	case "score":
		return func(row int) uint64 { return floatKey(file.Score[row]) }
	case "reward":
		return func(row int) uint64 { return floatKey(file.Reward[row]) }
	case "time":
		return func(row int) uint64 { return floatKey(float64(file.Time[row])) }
	case "cost":
		return func(row int) uint64 { return floatKey(float64(file.Cost[row])) }
	case "repeat":
		return ofNumber(file.Repeat)
	case "turn":
		return ofNumber(file.Turn)
	case "test":
		return ofWord(file.Test)
	case "model":
		return ofWord(file.Series)
	case "status":
		return ofWord(file.Status)
	case "failure":
		return ofWord(file.Code)
	case "id":
		return func(row int) uint64 {
			var b [8]byte
			copy(b[:], file.ID(row))
			// The first 8 bytes without the last bit, so that the key is below noValue; sortByID then orders ids
			// with equal keys.
			return binary.BigEndian.Uint64(b[:]) >> 1
		}
	}
	// Any other order is by a metric.
	metric := slices.Index(file.Metrics, strings.TrimPrefix(key, "metric:"))
	return func(row int) uint64 {
		if metric < 0 {
			return noValue
		}
		x, ok := file.Metric(row, uint16(metric))
		if !ok {
			return noValue
		}
		return floatKey(float64(x))
	}
}

// wordRanks returns, for each file, the ranks of the words of a column among the words of all
// files, in alphabetical order. An empty word has the rank noValue. Orders that are not by
// words get no ranks.
func (set *Set) wordRanks(by string) [][]uint64 {
	wordsOf := func(file *File) []Word {
		switch by {
		case "test":
			return file.Tests
		case "model":
			return file.SeriesOf
		case "status":
			return file.Statuses
		case "failure":
			return file.Codes
		}
		return nil
	}
	// Sort the words of all files together.
	var all []Word
	for _, file := range set.Files {
		all = append(all, wordsOf(file)...)
	}
	slices.SortFunc(all, func(a, b Word) int { return slices.Compare(a, b) })
	// A word's rank is its place there.
	out := make([][]uint64, len(set.Files))
	for i, file := range set.Files {
		for _, word := range wordsOf(file) {
			n, _ := slices.BinarySearchFunc(all, word, func(a, b Word) int { return slices.Compare(a, b) })
			rank := uint64(n)
			if len(word) == 0 || word[0] == "" {
				rank = noValue
			}
			out[i] = append(out[i], rank)
		}
	}
	return out
}

// sortByID sorts by whole ids the runs of entries with equal keys, since keys hold only the
// first bytes of ids.
func (set *Set) sortByID(list []rowWithKey, down bool) {
	id := func(e rowWithKey) string {
		i, row, _ := set.Find(int(e.row))
		return set.Files[i].ID(row)
	}
	for from := 0; from < len(list); {
		to := from + 1
		for to < len(list) && list[to].key == list[from].key {
			to++
		}
		if to-from > 1 {
			slices.SortStableFunc(list[from:to], func(a, b rowWithKey) int {
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
func radixSort(list []rowWithKey) []rowWithKey {
	const bitsPer = 11 // of a digit
	other := make([]rowWithKey, len(list))
	for shift := 0; shift < 64; shift += bitsPer {
		var starts [1 << bitsPer]int
		for i := range list {
			starts[list[i].key>>shift&(1<<bitsPer-1)]++
		}
		if len(list) == 0 || starts[list[0].key>>shift&(1<<bitsPer-1)] == len(list) {
			continue
		}
		at := 0
		for i, n := range starts { // a count becomes the place of the first entry with the digit
			starts[i] = at
			at += n
		}
		for _, e := range list {
			digit := e.key >> shift & (1<<bitsPer - 1)
			other[starts[digit]] = e
			starts[digit]++
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

// get returns the value of a key that was put or asked for lately, such as the order of a filter's results,
// and makes it the most recent one.
func (recent *recent[T]) get(key string) (v T, ok bool) {
	i := slices.Index(recent.keys, key)
	if i < 0 {
		return v, false
	}
	v = recent.values[i]
	recent.keys = append(slices.Delete(recent.keys, i, i+1), key)
	recent.values = append(slices.Delete(recent.values, i, i+1), v)
	return v, true
}

// put adds the value of a key, such as the order of a filter's results, and drops the least
// recently used ones beyond limit.
func (recent *recent[T]) put(key string, v T, limit int) {
	recent.keys = append(recent.keys, key)
	recent.values = append(recent.values, v)
	for len(recent.keys) > limit {
		recent.keys, recent.values = slices.Delete(recent.keys, 0, 1), slices.Delete(recent.values, 0, 1)
	}
}
