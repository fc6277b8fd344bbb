package index

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"plumb/scoring"
)

// made is a result that a test has written, as the tests see it.
type made struct {
	id, test, model, status, code string
	score                         float64 // NaN for null
	notes                         []string
	iou                           float64
}

// makeResults writes n results and returns them.
func makeResults(t *testing.T, path string, n int, seed uint64) []made {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 2))
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	var all []made
	var b bytes.Buffer
	for i := range n {
		m := made{id: fmt.Sprintf("item-%04d", r.IntN(n)), test: pick("maze", "graph", "label"), model: pick("alpha", "beta", ""), status: pick("fenced", "bare", "no_json"),
			score: math.Round(r.Float64()*100) / 100, iou: float64(r.IntN(8)) / 8}
		if r.IntN(10) == 0 {
			m.score, m.code = math.NaN(), pick("backend", "no_response")
		}
		for _, code := range []string{"dropped_field", "clamped"} {
			if r.IntN(3) == 0 {
				m.notes = append(m.notes, code)
			}
		}
		b.WriteString(m.line())
		if i%7 == 0 {
			b.WriteString("\n") // blank lines are no rows
		}
		all = append(all, m)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return all
}

// line is the result as plumb score writes it.
func (m *made) line() string {
	r := scoring.Result{ID: m.id, Suite: "aspire", Test: m.test, Who: scoring.Identity{Model: m.model}, Scored: m.code == "", Score: m.score, Status: m.status,
		Metrics: []scoring.Metric{{Name: "iou", Value: m.iou}, {Name: "name", Value: "x"}}}
	if m.code != "" {
		r.Score, r.Err = 0, &scoring.Error{Code: m.code, Message: "why"}
	}
	for _, c := range m.notes {
		r.Notes = append(r.Notes, scoring.Note{Code: c, Path: "p", Message: "m"})
	}
	return string(r.AppendJSON(nil, scoring.Clamp01, "plumb test")) + "\n"
}

// open opens a set of the files.
func open(t *testing.T, paths ...string) *Set {
	t.Helper()
	s := &Set{}
	for _, p := range paths {
		f, err := OpenResults(context.Background(), p, Options{Cache: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		s.Files = append(s.Files, f)
	}
	return s
}

// The first thousand names of metrics are kept in every row, the first name of all too; further names are
// left out.
func TestManyMetrics(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.jsonl")
	var b bytes.Buffer
	add := func(metrics ...scoring.Metric) {
		r := scoring.Result{ID: "a", Suite: "aspire", Test: "maze", Scored: true, Metrics: metrics}
		b.Write(append(r.AppendJSON(nil, scoring.Clamp01, "plumb test"), '\n'))
	}
	for i := range maxMetrics + 1 {
		add(scoring.Metric{Name: fmt.Sprintf("m%d", i), Value: float64(i)})
	}
	add(scoring.Metric{Name: "m0", Value: 7.0}, scoring.Metric{Name: "m1", Value: 8.0})
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	f := open(t, path).Files[0]
	if len(f.Metrics) != maxMetrics {
		t.Fatalf("got %d names of metrics; want %d", len(f.Metrics), maxMetrics)
	}
	for number, want := range []float32{7, 8} {
		if got, ok := f.Metric(maxMetrics+1, uint16(number)); !ok || got != want {
			t.Errorf("metric %s of the last row: got %v, %t; want %v", f.Metrics[number], got, ok, want)
		}
	}
	if _, ok := f.Metric(maxMetrics, maxMetrics); ok {
		t.Error("a metric beyond the limit is there")
	}
}

func ptr(x float64) *float64 { return &x }

// TestSelect compares selections, counts and orders with loops over the results.
func TestSelect(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a.jsonl"), filepath.Join(dir, "b.jsonl")
	all := append(makeResults(t, a, 700, 1), makeResults(t, b, 300, 2)...)
	s := open(t, a, b)
	if s.Rows() != len(all) {
		t.Fatalf("got %d rows, want %d", s.Rows(), len(all))
	}
	for i, m := range all {
		f, row, _ := s.Find(i)
		if got := s.Files[f].ID(row); got != m.id {
			t.Fatalf("row %d: got the id %q, want %q", i, got, m.id)
		}
		line, err := s.Files[f].Line(row)
		if err != nil || string(line)+"\n" != m.line() {
			t.Fatalf("row %d: got the line %s, %v; want %s", i, line, err, m.line())
		}
	}
	in := func(m made, facet string) []string {
		switch facet {
		case "test":
			return []string{m.test}
		case "model":
			return []string{m.model}
		case "status":
			return []string{m.status}
		case "failure":
			return []string{m.code}
		case "note":
			if len(m.notes) > 0 {
				return m.notes
			}
			return []string{""}
		}
		return []string{"aspire"}
	}
	for _, f := range []Filter{
		{},
		{Values: map[string][]string{"test": {"maze", "label"}}},
		{Values: map[string][]string{"test": {"maze"}, "model": {""}, "note": {"clamped"}}},
		{Values: map[string][]string{"note": {""}, "status": {"bare"}}},
		{Values: map[string][]string{"note": {"", "clamped"}}, Score: &Range{ptr(0.25), ptr(0.75)}},
		{Values: map[string][]string{"failure": {"backend", "no_response"}}},
		{Values: map[string][]string{"model": {"nobody"}}},
		{Metric: "iou", Between: &Range{ptr(0.5), ptr(0.625)}, ID: "item-00"},
		{Metric: "unknown", Between: &Range{nil, nil}},
		{Score: &Range{High: ptr(0)}},
	} {
		name := f.Key()
		// holds tells whether a result passes all but one facet.
		holds := func(m made, without string) bool {
			for facet, list := range f.Values {
				if facet != without && !slices.ContainsFunc(in(m, facet), func(v string) bool { return slices.Contains(list, v) }) {
					return false
				}
			}
			if f.Score != nil && without != "score" && !f.Score.holds(m.score) {
				return false
			}
			if f.Metric != "" && (f.Metric != "iou" || !f.Between.holds(m.iou)) {
				return false
			}
			return strings.Contains(m.id, f.ID)
		}
		got := s.Select(f)
		want, scored, null := 0, 0, 0
		counts := map[string]map[string]int{}
		for i, m := range all {
			file, row, _ := s.Find(i)
			if got.Has(file, row) != holds(m, "") {
				t.Fatalf("%s: row %d, %+v: got %v", name, i, m, got.Has(file, row))
			}
			if holds(m, "") {
				want++
				if m.code == "" {
					scored++
				}
			}
			if holds(m, "score") && m.code != "" {
				null++
			}
			for _, facet := range []string{"suite", "test", "model", "status", "note", "failure"} {
				if counts[facet] == nil {
					counts[facet] = map[string]int{}
				}
				if holds(m, facet) {
					for _, v := range in(m, facet) {
						counts[facet][v]++
					}
				}
			}
		}
		bars := 0
		for _, n := range got.Histogram.Bars {
			bars += n
		}
		if got.Rows != want || got.Scored != scored || got.Histogram.Null != null {
			t.Errorf("%s: got %d rows, %d scored, %d without a score; want %d, %d, %d", name, got.Rows, got.Scored, got.Histogram.Null, want, scored, null)
		}
		for facet, m := range counts {
			if len(got.Counts[facet]) != len(m) {
				t.Errorf("%s: %s: got %v, want %v", name, facet, got.Counts[facet], m)
			}
			for _, c := range got.Counts[facet] {
				if m[c.Value] != c.N {
					t.Errorf("%s: %s %q: got %d, want %d", name, facet, c.Value, c.N, m[c.Value])
				}
			}
		}
		for _, by := range []Sort{{By: "row"}, {By: "score"}, {By: "score", Down: true}, {By: "id"}, {By: "id", Down: true}, {By: "metric:iou"}, {By: "model"}, {By: "test", Down: true}} {
			checkOrder(t, s, all, f, by, want)
		}
	}
}

// checkOrder demands that an order has each selected row once and that neighbours are in order.
func checkOrder(t *testing.T, s *Set, all []made, f Filter, by Sort, want int) {
	t.Helper()
	got := s.Order(f, by)
	if len(got) != want {
		t.Fatalf("%s %+v: got %d rows, want %d", f.Key(), by, len(got), want)
	}
	seen := map[uint32]bool{}
	sel := s.Select(f)
	for i, row := range got {
		file, in, _ := s.Find(int(row))
		if seen[row] || !sel.Has(file, in) {
			t.Fatalf("%s %+v: row %d stands there twice or is not selected", f.Key(), by, row)
		}
		seen[row] = true
		if i == 0 {
			continue
		}
		a, b := all[got[i-1]], all[row]
		less := 0
		switch by.By {
		case "score":
			if math.IsNaN(a.score) != math.IsNaN(b.score) {
				if math.IsNaN(a.score) {
					t.Fatalf("%+v: a row without a score stands before one with", by)
				}
				continue
			}
			less = compare(a.score, b.score)
		case "id":
			less = strings.Compare(a.id, b.id)
		case "metric:iou":
			less = compare(a.iou, b.iou)
		case "model":
			if (a.model == "") != (b.model == "") {
				if a.model == "" {
					t.Fatalf("%+v: a row without a model stands before one with", by)
				}
				continue
			}
			less = strings.Compare(a.model, b.model)
		case "test":
			less = strings.Compare(a.test, b.test)
		}
		if by.Down {
			less = -less
		}
		if less > 0 || less == 0 && got[i-1] > row && !by.Down {
			t.Fatalf("%s %+v: %+v stands before %+v", f.Key(), by, a, b)
		}
	}
}

func compare(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// TestRebuilt damages an index in every way and demands that it is made again, with the reason.
func TestRebuilt(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "r.jsonl")
	makeResults(t, path, 50, 3)
	said := ""
	rows := func() int {
		said = ""
		f, err := OpenResults(context.Background(), path, Options{Tell: func(s string) { said += s }, Cache: dir})
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		return f.Rows()
	}
	if got := rows(); got != 50 || said != "" {
		t.Fatalf("got %d rows, %q", got, said)
	}
	whole, err := os.ReadFile(path + Suffix)
	if err != nil {
		t.Fatal(err)
	}
	flipped := func(at int) []byte {
		b := slices.Clone(whole)
		b[at] ^= 1
		return b
	}
	for name, b := range map[string][]byte{"empty": {}, "cut": whole[:len(whole)-9], "magic": flipped(7), "checksum": flipped(8), "header length": flipped(16),
		"header": flipped(60), "column": flipped(len(whole) - 40), "other text": []byte(strings.Repeat("no index ", 20))} {
		if err := os.WriteFile(path+Suffix, b, 0o600); err != nil {
			t.Fatal(err)
		}
		if got := rows(); got != 50 || !strings.Contains(said, "is made again") {
			t.Errorf("%s: got %d rows, %q; want 50 and a word that the index is made again", name, got, said)
		}
		if got, _ := os.ReadFile(path + Suffix); !bytes.Equal(got, whole) {
			t.Errorf("%s: the new index differs from the first one", name)
		}
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(f, "{\"id\":\"torn")
	f.Close()
	if got := rows(); got != 51 || !strings.Contains(said, "changed") {
		t.Errorf("after a line was added: got %d rows, %q", got, said)
	}
	left, _ := filepath.Glob(filepath.Join(dir, ".*"))
	if len(left) > 0 {
		t.Errorf("temporary files are left: %v", left)
	}
}

// TestRefused names files that hold something else.
func TestRefused(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"\x1f\x8b\x08", "gunzip"}, {"\x28\xb5\x2f\xfd", "zstd -dk"}, {"PAR1", "Parquet"},
		{`{"id":"a","response":"x"}` + "\n", "score it first"}, {"no json\n", "line 1"}, {"\n\n[1]\n", "line 3"},
	} {
		path := filepath.Join(t.TempDir(), "r.jsonl")
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := OpenResults(context.Background(), path, Options{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: got %v; want an error with %q", c.text, err, c.want)
		}
		if err := Check(path); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: Check: got %v; want an error with %q", c.text, err, c.want)
		}
		if _, err := os.Stat(path + Suffix); err == nil {
			t.Errorf("%q: an index was written", c.text)
		}
	}
}

// TestScan gives every answer of a dump in order.
func TestScan(t *testing.T) {
	path := filepath.Join(t.TempDir(), "d.jsonl")
	if err := os.WriteFile(path, []byte("{\"id\":\"b\"}\n\n{\"id\":\"a\",\"run\":2}\n{\"id\":\"c\"}"), 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := OpenDump(context.Background(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	var got []string
	if err := d.Scan(context.Background(), func(key uint64, line []byte, done, total int64) bool {
		got = append(got, string(line))
		return true
	}); err != nil {
		t.Fatal(err)
	}
	if want := []string{`{"id":"b"}`, `{"id":"a","run":2}`, `{"id":"a","run":2}`, `{"id":"c"}`}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestDump finds answers by what results say of them.
func TestDump(t *testing.T) {
	path := filepath.Join(t.TempDir(), "d.jsonl")
	text := `{"id":"a","model":"m","response":"1"}
{"id":"a","model":"m","repeat":2,"response":"2"}

{"id":"a","model":"m","run":3,"response":"3"}
{"response":"4"}
not json
{"id":7,"test":"maze","response":"5"}
{"id":7,"test":"graph","response":"6"}
`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := OpenDump(context.Background(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for _, c := range []struct {
		id   string
		who  scoring.Identity
		want []int
	}{
		{"a", scoring.Identity{Model: "m"}, []int{1, 4}},
		{"a", scoring.Identity{Model: "m", Repeat: 1}, []int{1, 4}},
		{"a", scoring.Identity{Model: "m", Repeat: 2}, []int{2}},
		{"a", scoring.Identity{Model: "m", Repeat: 3}, []int{4}},
		{"a", scoring.Identity{Model: "other"}, nil},
		{"line:5", scoring.Identity{}, []int{5}},
		{"7", scoring.Identity{}, []int{7, 8}},
	} {
		lines, numbers, err := d.Find(answerKey(c.id, &c.who))
		if err != nil || !slices.Equal(numbers, c.want) || len(lines) != len(c.want) {
			t.Errorf("%s %+v: got lines %v, %v; want %v", c.id, c.who, numbers, err, c.want)
		}
		for i, n := range numbers {
			if want := strings.Split(text, "\n")[n-1]; string(lines[i]) != want {
				t.Errorf("%s: got %s, want %s", c.id, lines[i], want)
			}
		}
	}
}

// TestRelease gives the pages of a set back while it is read.
func TestRelease(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.jsonl")
	makeResults(t, path, 2000, 5)
	s := open(t, path)
	want := s.Select(Filter{}).Mean
	done := make(chan bool)
	go func() {
		for range 200 {
			s.Release()
		}
		close(done)
	}()
	for i := range 50 {
		if got := s.Select(Filter{Epoch: i + 1}); got.Mean != want || got.Rows != 2000 {
			t.Fatalf("got %d rows with mean %g; want 2000 with %g", got.Rows, got.Mean, want)
		}
	}
	<-done
}
