package vqa

import (
	"fmt"
	"math"

	"github.com/valyala/fastjson"
)

// humanName is the row of the human baseline.
const humanName = "human"

// sub returns the printed accuracy of a subcategory, NaN where there is none.
func (h *human) sub(c, s int) float64 {
	if c < len(h.subs) && s < len(h.subs[c]) {
		return h.subs[c][s]
	}
	return math.NaN()
}

// CheckPaper reports what is wrong with a document of paper tables that a user
// gives: it must be JSON with a benchmark and rows of one of the suites.
func CheckPaper(doc []byte) error {
	v, err := fastjson.ParseBytes(doc)
	if err != nil {
		return err
	}
	for _, s := range []*suite{newSuite(spatialab), newSuite(spaceeval)} {
		if len(s.paper(doc)) > 0 {
			return nil
		}
	}
	return fmt.Errorf("got the benchmark %.40s without rows of a result table; want SPATIALAB (table2_mcq, table3_open) or SpaCE-Eval (table2)", v.Get("benchmark"))
}

// paper reads the rows of a document of paper tables: counts where the document
// derives them from what is printed, so that every cell is computed as the user's
// are, else the printed numbers. A cell that is null stays empty. A document of
// another benchmark has no rows. See docs/spec/vqa.md#r55.
func (s *suite) paper(doc []byte) (rows []*row) {
	v, err := fastjson.ParseBytes(doc)
	if err != nil || string(appendID(nil, v.GetStringBytes("benchmark"))) != string(appendID(nil, []byte(s.title))) {
		return nil
	}
	if s.kind == spaceeval {
		for _, r := range v.GetArray("table2", "rows") {
			rows = append(rows, s.paperRow(r, formatChoice, r.Get("subcategories")))
		}
		return rows
	}
	for _, t := range []struct{ name, format string }{{"table2_mcq", formatChoice}, {"table3_open", formatOpen}} {
		for _, r := range v.GetArray(t.name, "rows") {
			if string(r.GetStringBytes("group")) != "chance" {
				rows = append(rows, s.paperRow(r, t.format, nil))
			}
		}
	}
	if v.GetObject("subcategory_tables") == nil {
		return rows
	}
	v.GetObject("subcategory_tables").Visit(func(_ []byte, t *fastjson.Value) {
		for _, r := range t.GetArray("rows") {
			s.subRow(r, string(t.GetStringBytes("format")), rows)
		}
	})
	return rows
}

// paperRow reads one row of a table that the paper prints.
func (s *suite) paperRow(v *fastjson.Value, format string, subs *fastjson.Value) *row {
	at := s.row(rowKey{model: string(v.GetStringBytes("model")) + " (paper)", format: format, run: 1})
	if string(v.GetStringBytes("group")) == "human" {
		at.model = humanName
	}
	derived := v.Get("derived")
	correct, sizes := derived.Get("correct"), (*fastjson.Value)(nil)
	if subset := derived.Get("subset_solution"); subset != nil {
		correct, sizes = subset.Get("correct"), subset.Get("n")
		at.note = "measured on a subset, not comparable with rows over all items"
	}
	for name, p := range s.names {
		if n := correct.Get(name); n != nil && (p.sub >= 0) == (subs != nil) {
			s.counted(at, p, n.GetInt(), sizes.Get(name))
		}
	}
	if at.total.n > 0 {
		return at
	}
	h := human{overall: number(v.Get("overall"))}
	cells := v.Get("accuracy")
	if cells == nil {
		cells = v.Get("categories")
	}
	for _, c := range s.categories {
		h.categories = append(h.categories, number(cells.Get(c.id)))
		var list []float64
		for _, sub := range c.subs {
			list = append(list, number(subs.Get(sub.id)))
		}
		h.subs = append(h.subs, list)
	}
	at.printed = &h
	return at
}

// counted adds the correct items of a category or subcategory that the paper prints to a row.
func (s *suite) counted(at *row, p place, correct int, size *fastjson.Value) {
	c := &s.categories[p.category]
	one := counts{n: c.size, correct: correct}
	if p.sub >= 0 {
		one.n = c.subs[p.sub].size
		at.subs[p.category][p.sub].add(one)
	}
	if size != nil {
		one.n = size.GetInt()
	}
	at.cats[p.category].add(one)
	at.total.add(one)
}

// subRow reads a paper's accuracies of subcategories into the row of their model. Each is turned
// into a number of correct items.
func (s *suite) subRow(v *fastjson.Value, format string, rows []*row) {
	for _, at := range rows {
		if at.format != format || at.model != string(v.GetStringBytes("model"))+" (paper)" {
			continue
		}
		for name, p := range s.names {
			f := v.Get("accuracy", name)
			if p.sub < 0 || absent(f) {
				continue
			}
			n := s.categories[p.category].subs[p.sub].size
			at.subs[p.category][p.sub] = counts{n: n, correct: int(math.Round(f.GetFloat64() * float64(n) / 100))}
		}
	}
}

// number reads a cell of a table that the SpatiaLab or SpaCE-Eval paper prints, NaN for null.
func number(v *fastjson.Value) float64 {
	if absent(v) {
		return math.NaN()
	}
	return v.GetFloat64()
}
