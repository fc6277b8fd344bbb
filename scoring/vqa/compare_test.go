package vqa

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"plumb/scoring"
	"plumb/scoring/stats"
)

func packed(runs ...string) (columns [][]uint64, items int) {
	for _, r := range runs {
		c := make([]uint64, (len(r)+63)/64)
		for i, x := range r {
			if x == '1' {
				c[i/64] |= 1 << (i % 64)
			}
		}
		columns, items = append(columns, c), len(r)
	}
	return columns, items
}

// TestReliable: values worked out by hand, and what is undefined.
func TestReliable(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		runs []string
		want [5]float64 // mean, sd, r, alpha, ICC
	}{
		{[]string{"1100", "1110", "1000"}, [5]float64{50, 25, (2*2/math.Sqrt(12) + 1.0/3) / 3, 0.75, 0.75}},
		{[]string{"10", "10"}, [5]float64{50, 0, 1, 1, 1}},
		{[]string{"10", "01"}, [5]float64{50, 0, -1, nan, nan}},                           // every item's sum is 1
		{[]string{"110", "111"}, [5]float64{250 / 3.0, 50 * math.Sqrt(2) / 3, nan, 0, 0}}, // one run without a difference
		{[]string{"111", "111"}, [5]float64{100, 0, nan, nan, nan}},
		{[]string{"1", "0"}, [5]float64{50, math.Sqrt(5000), nan, nan, nan}},
		{[]string{"1010"}, [5]float64{50, nan, nan, nan, nan}},
		{[]string{"", ""}, [5]float64{nan, nan, nan, nan, nan}},
		{nil, [5]float64{nan, nan, nan, nan, nan}},
	} {
		columns, items := packed(c.runs...)
		s := Reliable(columns, items)
		for k, got := range []float64{s.Mean, s.SD, s.PairwiseR, s.Alpha, s.ICC} {
			if math.IsNaN(got) != math.IsNaN(c.want[k]) || math.Abs(got-c.want[k]) > 1e-12 {
				t.Errorf("%q: number %d: got %v; want %v", c.runs, k, got, c.want[k])
			}
		}
	}
}

// TestReliableByDefinition follows the formulas of docs/spec/vqa.md#r54 number by
// number.
func TestReliableByDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 3))
	for range 40 {
		n, runs := 5+rng.IntN(200), 2+rng.IntN(6)
		lists, texts := make([][]float64, runs), make([]string, runs)
		for i := range n {
			p := rng.Float64()
			for r := range runs {
				x := 0.0
				if i == 0 || i > 1 && rng.Float64() < p { // no run is constant
					x = 1
				}
				lists[r] = append(lists[r], x)
				texts[r] += fmt.Sprint(x)
			}
		}
		alpha, icc, r := byDefinition(lists)
		columns, items := packed(texts...)
		s := Reliable(columns, items)
		if math.Abs(s.Alpha-alpha) > 1e-9 || math.Abs(s.ICC-icc) > 1e-9 || math.Abs(s.Alpha-s.ICC) > 1e-9 || math.Abs(s.PairwiseR-r) > 1e-9 {
			t.Fatalf("%d items, %d runs: got %+v; want alpha %v, ICC %v, r %v", n, runs, s, alpha, icc, r)
		}
	}
}

func byDefinition(lists [][]float64) (alpha, icc, r float64) {
	n, runs := float64(len(lists[0])), float64(len(lists))
	variance := func(x []float64) float64 { sd := stats.Summarise(x).SampleSD; return sd * sd }
	sums, within, grand, pairs := make([]float64, len(lists[0])), 0.0, 0.0, 0.0
	for a, list := range lists {
		within += variance(list)
		for i, x := range list {
			sums[i] += x
			grand += x / (n * runs)
		}
		for b := range a {
			one, _ := stats.Pearson(list, lists[b])
			r += one
			pairs++
		}
	}
	alpha = runs / (runs - 1) * (1 - within/variance(sums))
	var items, residual float64
	for i, s := range sums {
		items += runs * (s/runs - grand) * (s/runs - grand)
		for _, list := range lists {
			e := list[i] - s/runs - stats.Sum(list)/n + grand
			residual += e * e
		}
	}
	items, residual = items/(n-1), residual/((n-1)*(runs-1))
	return alpha, (items - residual) / items, r / pairs
}

// compared feeds one answer per line to the tables, as a file of results would.
func compared(t *testing.T, s *suite, o scoring.TableOptions, lines ...string) map[string]scoring.TextTable {
	t.Helper()
	o.Papers = [][]byte{}
	tables := s.newTables(o)
	for _, line := range lines {
		r := outcome(t, s, `{`+line+`,`+rooms+`,"answer":"1"}`)
		tables.Add(&r)
	}
	out := map[string]scoring.TextTable{}
	for _, one := range tables.Tables() {
		_, what, _ := strings.Cut(one.Title, "multiple-choice")
		out[strings.TrimPrefix(what, ": ")] = one
	}
	return out
}

// answered are the answers of one run: 1 right, 0 wrong, - never heard.
func answered(model string, run int, more, answers string) (lines []string) {
	for i, a := range answers {
		response := map[rune]string{'1': `"1"`, '0': `"2"`, '-': "null"}[a]
		sub := []string{"layering_order", "partial_occlusion"}[i%2]
		lines = append(lines, fmt.Sprintf(`"id":"%d","model":"%s","run":%d,"category":"depth_occlusion","subcategory":"%s","response":%s%s`, i, model, run, sub, response, more))
	}
	return lines
}

func joined(t scoring.TextTable) string {
	var rows []string
	for _, r := range t.Rows {
		rows = append(rows, strings.Join(r, "|"))
	}
	return strings.Join(rows, "\n")
}

func lines(lists ...[]string) (all []string) {
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

// TestCompared: the tables that set runs and models beside one another.
func TestCompared(t *testing.T) {
	const again, solvers, blind, classes = "repeated runs", "items by how many models solved them", "accuracy with the picture minus without, points", "classes of wrong answers, % of those tagged"
	for _, c := range []struct {
		name, table string
		missing     bool
		lines       []string
		want        string
	}{
		{"one run", again, false, answered("a", 1, "", "1100"), ""},
		{"three runs", again, false, lines(answered("a", 1, "", "1100"), answered("b", 1, "", "1100"), answered("a", 2, "", "1110"), answered("a", 7, "", "1000")),
			"a|3|4|0|50.00|25.00|0.496|0.750|0.750"},
		{"an item short", again, false, lines(answered("a", 1, "", "11001"), answered("a", 2, "", "1110-"), answered("a", 3, "", "1000")),
			"a|3|4|1|50.00|25.00|0.496|0.750|0.750"},
		{"missing is wrong", again, true, lines(answered("a", 1, "", "1100"), answered("a", 2, "", "111-"), answered("a", 3, "", "1---")),
			"a|3|4|0|50.00|25.00|0.496|0.750|0.750"},
		{"blind runs are apart", again, false, lines(answered("a", 1, "", "1100"), answered("a", 2, `,"blind":true`, "1110")), ""},
		{"answered twice", again, false, lines(answered("a", 1, "", "10"), answered("a", 1, "", "01"), answered("a", 2, "", "10")), "a|2|2|0|50.00|0.00|1.000|1.000|1.000"},
		{"one model", solvers, false, lines(answered("a", 1, "", "1100"), answered("a", 2, "", "1111")), ""},
		{"two models", solvers, false, lines(answered("a", 2, "", "0000"), answered("a", 1, "", "11001"), answered("b", 1, "", "1010"), answered("b", 1, `,"blind":true`, "1111")),
			"Depth & Occlusion|Layering Order|2|0|1|1\nDepth & Occlusion|Partial Occlusion|2|1|1|0\nall||4|1|2|1"},
		{"blind", blind, false, lines(answered("a", 1, "", "1110"), answered("a", 1, `,"blind":true`, "1000"), answered("b", 1, `,"blind":true`, "1000")),
			"a|-|50.00|-|-|-|-|50.00"},
		{"blind over fewer items", blind, false, lines(answered("a", 1, "", "1110"), answered("a", 1, `,"blind":true`, "100")), "a|-|-|-|-|-|-|-"},
		{"no tags", classes, false, answered("a", 1, "", "1100"), ""},
		{"tags", classes, false, lines(answered("a", 1, `,"error_class":"Occlusion order"`, "100"), answered("a", 1, `,"error_class":"mislocalization"`, "10"), answered("a", 1, "", "10")),
			"a|4|3|1|33.33|0.00|66.67|0.00|0.00|0.00"},
	} {
		got := compared(t, newSuite(spatialab), scoring.TableOptions{Missing: c.missing}, c.lines...)
		if joined(got[c.table]) != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, joined(got[c.table]), c.want)
		}
		if c.name == "answered twice" && !strings.Contains(got[again].Note, "more than once") {
			t.Errorf("%s: got the note %q", c.name, got[again].Note)
		}
	}
}

// TestRemarks: what people say of an answer must be readable.
func TestRemarks(t *testing.T) {
	for _, c := range []struct{ field, variant, want string }{
		{`"blind":"yes"`, "", "blind"}, {`"error_class":"typo"`, "", "error_class"}, {`"error_class":7`, "", "error_class"},
		{`"error_class":"typo"`, AnyTaxonomy, ""}, {`"error_class":"","blind":null`, "", ""}, {`"blind":false`, "", ""},
	} {
		_, err := prepare(t, newSuite(spatialab), `{"id":"x",`+rooms+`,"answer":"2","response":"1",`+c.field+`}`, c.variant)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), "cannot read "+c.want+":") {
			t.Errorf("%s: got %v; want an error that names %q", c.field, err, c.want)
		}
	}
}
