package index

import (
	"bytes"
	"cmp"
	"encoding/json"
	"math"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
)

// Facet is a property of results by whose values they are filtered and counted.
type Facet uint8

// The facets.
const (
	Suite Facet = iota
	Test
	Model
	Mode
	Input
	Setting
	Format
	Method
	Status
	Note
	Failure
	Source // the result file
	facetCount
)

// FacetNames are the names of the facets in filters and answers.
var FacetNames = [facetCount]string{"suite", "test", "model", "mode", "input", "setting", "format", "method", "status", "note", "failure", "file"}

// failsScore is the bit of a row outside the range of scores, beside the bits of the facets.
const failsScore = uint32(1) << facetCount

// Range is a closed interval; nil bounds are open.
type Range struct {
	Low  *float64 `json:"low,omitempty"`
	High *float64 `json:"high,omitempty"`
}

// holds reports whether x is in the range; NaN never is.
func (r *Range) holds(x float64) bool {
	return !math.IsNaN(x) && (r.Low == nil || x >= *r.Low) && (r.High == nil || x <= *r.High)
}

// holds32 is holds for a value that was rounded to 32 bits, as the bounds are then.
func (r *Range) holds32(x float32) bool {
	return x == x && (r.Low == nil || x >= float32(*r.Low)) && (r.High == nil || x <= float32(*r.High))
}

// Filter selects rows. The zero value selects all.
type Filter struct {
	Values  map[string][]string `json:"values,omitempty"` // by the name of a facet: the values that are wanted
	Score   *Range              `json:"score,omitempty"`
	Time    *Range              `json:"time,omitempty"`
	Metric  string              `json:"metric,omitempty"`
	Between *Range              `json:"between,omitempty"` // of Metric
	ID      string              `json:"id,omitempty"`      // part of an id, as it is written
	Rule    string              `json:"rule,omitempty"`    // name of a bitmap that Set.Rules has
	Text    string              `json:"text,omitempty"`    // part of an answer; the bitmap comes from Set.Texts
	Epoch   int                 `json:"epoch,omitempty"`   // of the bitmaps of Rule: kept selections of another one are not used
}

// Count is a value of a facet with the number of rows that have it.
type Count struct {
	Value string `json:"value"`
	N     int    `json:"n"`
}

// Bins is the number of bars of a histogram.
const Bins = 50

// Histogram counts the scores of a selection, whatever the filter says of scores. The bars divide
// the range from Low to High equally.
type Histogram struct {
	Low  float64   `json:"low"`
	High float64   `json:"high"`
	Bars [Bins]int `json:"bars"`
	Null int       `json:"null"` // without a score
}

// Selection is what a filter selects. It is read-only.
type Selection struct {
	Rows      int                `json:"rows"`
	Scored    int                `json:"scored"`
	Mean      float64            `json:"-"` // of the scores; NaN without one
	Counts    map[string][]Count `json:"counts"`
	Histogram Histogram          `json:"histogram"`
	bits      []bitmap           // by file
}

// Has reports whether a row is selected.
func (selection *Selection) Has(file, row int) bool { return selection.bits[file].has(row) }

// bitmap has a bit for each row.
type bitmap []uint64

func newBitmap(n int) bitmap         { return make(bitmap, (n+63)/64) }
func (b bitmap) has(row int) bool    { return b[row>>6]>>(row&63)&1 != 0 }
func (b bitmap) set(row int)         { b[row>>6] |= 1 << (row & 63) }
func (b bitmap) lacks(row int) uint8 { return uint8(^b[row>>6] >> (row & 63) & 1) }

// Bitmap marks rows of one file; it comes from a rule or a search in texts.
type Bitmap struct{ bits bitmap }

// NewBitmap returns an empty bitmap for n rows.
func NewBitmap(n int) Bitmap { return Bitmap{newBitmap(n)} }

// Set marks a row.
func (b Bitmap) Set(row int) { b.bits.set(row) }

// Set is the files of one view. It is safe for concurrent use.
type Set struct {
	Files []*File
	// Rules and Texts return the bitmaps of a rule or of a text, one for each file; nil means that
	// there is no such rule. They are called once per filter.
	Rules func(name string) []Bitmap
	Texts func(f Filter) []Bitmap

	mu     sync.Mutex // guards the caches
	recent recent[*Selection]
	orders recent[[]uint32]
}

// Rows returns the number of results in all files of the set.
func (set *Set) Rows() (n int) {
	for _, f := range set.Files {
		n += f.Rows()
	}
	return n
}

// Release gives the pages of the columns that were read back to the kernel, so that the memory of
// this process does not grow to the size of the indexes. Columns may be read meanwhile.
func (set *Set) Release() {
	for _, f := range set.Files {
		f.index.release()
	}
}

// Find returns in which file a row of the set is, and which row of that file it is; ok is false if
// there is no such row.
func (set *Set) Find(row int) (file, inFile int, ok bool) {
	for i, f := range set.Files {
		if row < f.Rows() {
			return i, row, row >= 0
		}
		row -= f.Rows()
	}
	return 0, 0, false
}

// First returns the row of the set with which a file's rows begin. Rows of a set count through its files in
// order.
func (set *Set) First(file int) (n int) {
	for _, f := range set.Files[:file] {
		n += f.Rows()
	}
	return n
}

// Range returns the range of histograms of scores: 0 to 1, or as large as the scores need.
func (set *Set) Range() (low, high float64) {
	low, high = 0, 1
	for _, f := range set.Files {
		low, high = min(low, f.Low), max(high, f.High)
	}
	return low, high
}

// Select returns which results a filter selects, with counts and means. Selections that were asked
// for lately are kept.
func (set *Set) Select(filter Filter) *Selection {
	key := filter.Key()
	set.mu.Lock()
	got, ok := set.recent.get(key)
	set.mu.Unlock()
	if ok {
		return got
	}
	got = set.evaluate(filter)
	set.mu.Lock()
	defer set.mu.Unlock()
	set.recent.put(key, got, 16)
	return got
}

// Key returns a text that identifies a filter of results: equal filters have equal keys.
func (f *Filter) Key() string {
	data, err := json.Marshal(f)
	if err != nil {
		return "" // a bound that is no number; the caller has refused it
	}
	return string(data)
}

// block is how many rows are scanned at once.
const block = 1 << 16

// partialCounts is what one goroutine has counted of a filter's rows.
type partialCounts struct {
	tallies   []*tallies // by file
	rows      int
	scored    int
	sum       float64
	histogram Histogram
}

// evaluate evaluates a filter over all rows, on all cores. The result does not depend on the
// number of cores: counts are integers, and scores are added by blocks in order. A panic of
// a goroutine, such as a memory fault in an index that was cut, is raised again here.
func (set *Set) evaluate(filter Filter) *Selection {
	selected := &Selection{Counts: map[string][]Count{}}
	// Plan: what the filter demands of each file, and blocks of rows as jobs.
	low, high := set.Range()
	plans := make([]*plan, len(set.Files))
	type job struct{ file, from, to int } // rows from (included) to to (excluded) of a file
	var jobs []job
	var rules, texts []Bitmap
	if filter.Rule != "" && set.Rules != nil {
		rules = set.Rules(filter.Rule)
	}
	if filter.Text != "" && set.Texts != nil {
		texts = set.Texts(filter)
	}
	for i, file := range set.Files {
		plans[i] = newPlan(file, &filter)
		if filter.Rule != "" {
			plans[i].requireBitmap(rules, i, file.Rows())
		}
		if filter.Text != "" {
			plans[i].requireBitmap(texts, i, file.Rows())
		}
		plans[i].lowScore, plans[i].barsPerScore = low, Bins/(high-low)
		selected.bits = append(selected.bits, newBitmap(file.Rows()))
		for at := 0; at < file.Rows(); at += block {
			jobs = append(jobs, job{i, at, min(at+block, file.Rows())})
		}
	}
	// Evaluate the blocks: each goroutine takes the next job and counts in a part of its own.
	parts := make([]partialCounts, min(runtime.GOMAXPROCS(0), max(1, len(jobs))))
	sums := make([]float64, len(jobs)) // added in order, so that the mean does not depend on the cores
	next := make(chan int, len(jobs))
	for i := range jobs {
		next <- i
	}
	close(next)
	var wait sync.WaitGroup
	var fault any
	for worker := range parts {
		part := &parts[worker]
		wait.Go(func() {
			// If another program cut the mapped index, reading it panics and does not end the process.
			defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
			defer func() {
				if e := recover(); e != nil {
					set.mu.Lock()
					fault = e
					set.mu.Unlock()
				}
			}()
			part.tallies = make([]*tallies, len(set.Files))
			for i := range next {
				j := jobs[i]
				if part.tallies[j.file] == nil {
					part.tallies[j.file] = newTallies(set.Files[j.file])
				}
				part.sum = 0
				plans[j.file].countRows(j.from, j.to, selected.bits[j.file], part, part.tallies[j.file])
				sums[i] = part.sum
			}
		})
	}
	wait.Wait()
	if fault != nil {
		panic(fault)
	}
	// Add up.
	sum := 0.0
	for _, x := range sums {
		sum += x
	}
	selected.addParts(set.Files, parts)
	selected.Histogram.Low, selected.Histogram.High = low, high
	selected.Mean = sum / float64(selected.Scored)
	return selected
}

// addParts adds up what the goroutines have counted, one part each, and lists the values of each facet with
// their counts, the most frequent first.
func (out *Selection) addParts(files []*File, parts []partialCounts) {
	counts := [facetCount]map[string]int{}
	for i := range counts {
		counts[i] = map[string]int{}
	}
	for _, partial := range parts {
		out.Rows += partial.rows
		out.Scored += partial.scored
		out.Histogram.Null += partial.histogram.Null
		for i, n := range partial.histogram.Bars {
			out.Histogram.Bars[i] += n
		}
		for i, tallies := range partial.tallies {
			if tallies != nil {
				tallies.addTo(files[i], &counts)
			}
		}
	}
	for i, ofFacet := range counts {
		list := []Count{}
		for v, n := range ofFacet {
			list = append(list, Count{v, n})
		}
		slices.SortFunc(list, func(a, b Count) int { return cmp.Or(b.N-a.N, cmp.Compare(a.Value, b.Value)) })
		out.Counts[FacetNames[i]] = list
	}
}

// plan is a filter for one file, with tables of what each word fails.
type plan struct {
	file                                 *File
	test, series, status, notes, code    []uint32
	fileFails                            uint32 // what the whole file fails
	score, time                          *Range
	metric                               *Range
	metricName                           uint16
	noMetric                             bool // the file has no metric of that name
	requiredBitmaps                      []bitmap
	lowScore, barsPerScore               float64
	wantsTime, wantsMetric, wantsBitmaps bool
}

// newPlan prepares a filter for one result file. For each word of a column a table has the
// bits of the facets whose filter the word fails, so that rows are tested by numbers alone.
func newPlan(file *File, filter *Filter) *plan {
	p := &plan{file: file, score: filter.Score, time: filter.Time, wantsTime: filter.Time != nil}
	failBit := func(facet Facet, value string) uint32 { // the facet's bit if its filter excludes the value, else 0
		list, given := filter.Values[FacetNames[facet]]
		if !given || slices.Contains(list, value) {
			return 0
		}
		return 1 << facet
	}
	for _, word := range file.Tests {
		p.test = append(p.test, failBit(Suite, word[0])|failBit(Test, word[1]))
	}
	for _, word := range file.SeriesOf {
		bits := uint32(0)
		for i, v := range word { // model, mode and so on, in the order of the facets from Model on
			bits |= failBit(Model+Facet(i), v)
		}
		p.series = append(p.series, bits)
	}
	for _, word := range file.Statuses {
		p.status = append(p.status, failBit(Status, word[0]))
	}
	for _, word := range file.Codes {
		p.code = append(p.code, failBit(Failure, word[0]))
	}
	for _, word := range file.NoteSets {
		bits := failBit(Note, "") // without notes
		if len(word) > 0 {
			bits = notesFail(word, failBit)
		}
		p.notes = append(p.notes, bits)
	}
	p.fileFails = failBit(Source, file.Path)
	if filter.Metric != "" && filter.Between != nil {
		i := slices.Index(file.Metrics, filter.Metric)
		p.metric = filter.Between
		p.metricName = uint16(max(i, 0))
		p.noMetric = i < 0
		p.wantsMetric = true
	}
	if filter.ID != "" {
		p.addRequired(file.rowsWithID(filter.ID))
	}
	return p
}

// notesFail returns 0 if the filter accepts one of a result's notes, whose codes are set, else the bit of the
// facet Note. failBit is 0 for a code that the filter accepts.
func notesFail(set Word, failBit func(Facet, string) uint32) uint32 {
	for _, v := range set {
		if failBit(Note, v) == 0 {
			return 0
		}
	}
	return 1 << Note
}

// requireBitmap demands that selected rows are in bitmap i of the list. If the list has none,
// because the rule is unknown, no row is selected.
func (plan *plan) requireBitmap(list []Bitmap, i, rows int) {
	if i < len(list) {
		plan.addRequired(list[i].bits)
		return
	}
	plan.addRequired(newBitmap(rows))
}

func (plan *plan) addRequired(b bitmap) {
	plan.requiredBitmaps, plan.wantsBitmaps = append(plan.requiredBitmaps, b), true
}

// countRows evaluates a filter on the rows from (included) to to (excluded) of a result file. It sets the bits of
// the selected rows and counts them in out and tallies. The counts of a facet's values ignore what the
// filter says of that facet, and the histogram ignores the range of scores. So a row that fails nothing but
// one facet still counts there, and one that fails nothing but the range of scores is in the histogram.
func (plan *plan) countRows(from, to int, bits bitmap, out *partialCounts, tallies *tallies) {
	file := plan.file
	for i := from; i < to; i++ {
		// A bit for each facet whose filter the row fails, by the tables of newPlan.
		fails := plan.fileFails | plan.test[file.Test[i]] | plan.series[file.Series[i]] | plan.status[file.Status[i]] | plan.notes[file.Notes[i]] | plan.code[file.Code[i]]
		score := file.Score[i]
		if plan.score != nil && !plan.score.holds(score) {
			fails |= failsScore
		}
		if atLeastTwo := fails&(fails-1) != 0; atLeastTwo { // more than one bit is set: no count has the row
			continue
		}
		failsOther := plan.wantsTime && !plan.time.holds32(file.Time[i]) || plan.wantsBitmaps && !plan.inAllBitmaps(i) || plan.wantsMetric && !plan.metricHolds(i)
		if failsOther { // no count ignores these parts of the filter
			continue
		}
		if fails&^failsScore == 0 { // nothing, or the range of scores alone
			if score != score { // NaN: no score
				out.histogram.Null++
			} else {
				out.histogram.Bars[min(Bins-1, max(0, int((score-plan.lowScore)*plan.barsPerScore)))]++
			}
		}
		if fails != 0 {
			if fails != failsScore { // one facet alone
				tallies.countFailingOneFacet(file, i, fails)
			}
			continue
		}
		bits.set(i)
		out.rows++
		if score == score {
			out.scored++
			out.sum += score
		}
		tallies.count(file, i)
	}
}

// inAllBitmaps reports whether a row of results is marked in all bitmaps that the filter demands, such as that
// of a text search.
func (plan *plan) inAllBitmaps(i int) bool {
	for _, b := range plan.requiredBitmaps {
		if b.lacks(i) != 0 {
			return false
		}
	}
	return true
}

// metricHolds reports whether a metric of a row is in the range of the filter.
func (plan *plan) metricHolds(i int) bool {
	if plan.noMetric {
		return false
	}
	x, ok := plan.file.Metric(i, plan.metricName)
	return ok && plan.metric.holds32(x)
}

// rowsWithID returns the rows whose ids contain a text. The column of ids is one text with a line break after
// each id, and idEnd has the place of each line break. So a match that runs over the end of an id does not
// count.
func (file *File) rowsWithID(text string) bitmap {
	out := newBitmap(file.Rows())
	want := []byte(text)
	for pos := 0; ; {
		n := bytes.Index(file.ids[pos:], want)
		if n < 0 {
			return out
		}
		pos += n
		row, _ := slices.BinarySearch(file.idEnd, uint32(pos))
		if row >= file.Rows() {
			return out
		}
		if pos+len(want) <= int(file.idEnd[row]) {
			out.set(row)
		}
		pos = int(file.idEnd[row]) // one match for each id is enough
	}
}
