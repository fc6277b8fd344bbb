package vqa

import (
	"fmt"
	"math"

	"github.com/valyala/fastjson"
	"plumb/render/jsontree"
)

// humanName is the row of the human baseline.
const humanName = "human"

// sub returns the accuracy in per cent that the paper prints for a subcategory, by its index and that of
// its category; NaN where it prints none.
func (printed *printedAccuracies) sub(category, sub int) float64 {
	if category < len(printed.subs) && sub < len(printed.subs[category]) {
		return printed.subs[category][sub]
	}
	return math.NaN()
}

// CheckPaper returns an error unless doc is JSON with rows of SPATIALAB's or SpaCE-Eval's tables.
func CheckPaper(doc []byte) error {
	value, err := fastjson.ParseBytes(doc)
	if err != nil {
		return err
	}
	for _, s := range []*suite{newSuite(spatialab), newSuite(spaceeval)} {
		if len(s.readPaper(doc)) > 0 {
			return nil
		}
	}
	return fmt.Errorf("got the benchmark %.40s without rows of a result table; want SPATIALAB (table2_mcq, table3_open) or SpaCE-Eval (table2)", value.Get("benchmark"))
}

// readPaper reads the published rows of a document of paper tables. Where the document
// derives counts from what is printed, rows have these, so that every cell is computed as
// the user's are; else they have the printed numbers. A cell that is null stays empty. A
// document of another benchmark gives no rows. See docs/spec/vqa.md#r55.
func (suite *suite) readPaper(doc []byte) (runs []*modelRun) {
	value, err := fastjson.ParseBytes(doc)
	if err != nil {
		return nil
	}
	named, title := appendID(nil, value.GetStringBytes("benchmark")), appendID(nil, []byte(suite.title))
	if string(named) != string(title) {
		return nil
	}
	if suite.benchmark == spaceeval {
		for _, r := range value.GetArray("table2", "rows") {
			runs = append(runs, suite.readPaperRow(r, formatChoice, r.Get("subcategories")))
		}
		return runs
	}
	for _, t := range []struct{ name, format string }{{"table2_mcq", formatChoice}, {"table3_open", formatOpen}} {
		for _, r := range value.GetArray(t.name, "rows") {
			if string(r.GetStringBytes("group")) != "chance" {
				runs = append(runs, suite.readPaperRow(r, t.format, nil))
			}
		}
	}
	// Tables by subcategory add to the rows of the same models.
	bySubcategory := value.GetObject("subcategory_tables")
	if bySubcategory == nil {
		return runs
	}
	bySubcategory.Visit(func(_ []byte, t *fastjson.Value) {
		for _, r := range t.GetArray("rows") {
			suite.readSubcategoryRow(r, string(t.GetStringBytes("format")), runs)
		}
	})
	return runs
}

// readPaperRow reads one published row of a paper's main table. subs are its printed subcategories, nil in
// SPATIALAB, which counts by category. Without derived counts the row keeps the printed accuracies.
func (suite *suite) readPaperRow(value *fastjson.Value, format string, subs *fastjson.Value) *modelRun {
	run := suite.newRun(runKey{model: string(value.GetStringBytes("model")) + " (paper)", format: format, repeat: 1})
	if string(value.GetStringBytes("group")) == "human" {
		run.model = humanName
	}
	// Numbers of right answers that the document derives from what is printed.
	derived := value.Get("derived")
	correct := derived.Get("correct")
	var sizes *fastjson.Value // how many items of each group the paper measured; nil for all of them
	if subset := derived.Get("subset_solution"); subset != nil {
		correct, sizes = subset.Get("correct"), subset.Get("n")
		run.note = "measured on a subset, not comparable with rows over all items"
	}
	bySubcategory := subs != nil
	for name, place := range suite.places {
		// Only one level counts, the finer one if the paper prints it, so that no item counts twice.
		isCountedLevel := bySubcategory == (place.sub >= 0)
		if count := correct.Get(name); count != nil && isCountedLevel {
			suite.addPrintedCounts(run, place, count.GetInt(), sizes.Get(name))
		}
	}
	if run.total.answers > 0 {
		return run
	}
	// No counts: keep what is printed.
	printed := printedAccuracies{overall: printedNumber(value.Get("overall"))}
	cells := value.Get("accuracy")
	if cells == nil {
		cells = value.Get("categories")
	}
	for _, c := range suite.categories {
		printed.categories = append(printed.categories, printedNumber(cells.Get(c.id)))
		var list []float64
		for _, sub := range c.subs {
			list = append(list, printedNumber(subs.Get(sub.id)))
		}
		printed.subs = append(printed.subs, list)
	}
	run.printed = &printed
	return run
}

// addPrintedCounts adds the number of correct items of a category or subcategory to a published row. size is
// the number of items where the paper measured a subset, nil for all items of the benchmark.
func (suite *suite) addPrintedCounts(run *modelRun, place taxonomyPlace, correct int, size *fastjson.Value) {
	c := &suite.categories[place.category]
	group := counts{answers: c.size, correct: correct}
	if place.sub >= 0 {
		group.answers = c.subs[place.sub].size
		run.subcategories[place.category][place.sub].add(group)
	}
	if size != nil {
		group.answers = size.GetInt()
	}
	run.categories[place.category].add(group)
	run.total.add(group)
}

// readSubcategoryRow reads a published row of subcategories into the run of the same model and format, if there
// is one. Each accuracy in per cent is turned into a number of correct items.
func (suite *suite) readSubcategoryRow(value *fastjson.Value, format string, runs []*modelRun) {
	for _, run := range runs {
		if run.format != format || run.model != string(value.GetStringBytes("model"))+" (paper)" {
			continue
		}
		for name, place := range suite.places {
			accuracy := value.Get("accuracy", name)
			if place.sub < 0 || jsontree.Absent(accuracy) {
				continue
			}
			size := suite.categories[place.category].subs[place.sub].size
			run.subcategories[place.category][place.sub] = counts{answers: size,
				correct: int(math.Round(accuracy.GetFloat64() * float64(size) / 100))}
		}
	}
}

// printedNumber returns a cell of SPATIALAB's or SpaCE-Eval's published tables, NaN for null or a missing one.
func printedNumber(value *fastjson.Value) float64 {
	if jsontree.Absent(value) {
		return math.NaN()
	}
	return value.GetFloat64()
}
