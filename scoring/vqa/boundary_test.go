package vqa

import (
	"math"
	"strings"
	"testing"

	"github.com/valyala/fastjson"

	"plumb/scoring"
)

func TestAppendID(t *testing.T) {
	for in, want := range map[string]string{
		"AZ az": "az_az", "a0z9": "a0z9", "/a:b@c[d`e{f": "a_b_c_d_e_f", "  a -- b  ": "a_b", "": "", "--": "", "é\u007f": "é", "3D Geometry": "3d_geometry",
	} {
		if got := string(appendID([]byte("x"), []byte(in))); got != "x"+want {
			t.Errorf("%q: got %q; want %q behind x", in, got, want)
		}
	}
}

// A word ends where no letter, digit, underscore or byte of another character follows.
func TestWords(t *testing.T) {
	for _, c := range "azAZ09_é" {
		text := string(c)
		if refersToOthers([]byte("all of these"+text)) || refersToOthers([]byte(text+"all of these")) || namesTwoOptions([]byte("A and D"+text)) || namesTwoOptions([]byte(text+"A and D")) {
			t.Errorf("%s is no part of a word", text)
		}
	}
	for _, c := range "@[`{/:- " {
		text := string(c)
		if !refersToOthers([]byte("all of these"+text)) || !refersToOthers([]byte(text+"none of the above")) || !namesTwoOptions([]byte("A and D"+text)) || !namesTwoOptions([]byte(text+"D and A")) {
			t.Errorf("%s is a part of a word", text)
		}
	}
	for in, want := range map[string]bool{"E and A": false, "A and E": false, "@ and A": false, "A and @": false, "A and": false, "A and B": true, "aA and B or C and D": true} {
		if got := namesTwoOptions([]byte(in)); got != want {
			t.Errorf("%q: got %v; want %v", in, got, want)
		}
	}
	if !refersToOthers([]byte("xall of these, or all of these")) || refersToOthers([]byte("all of the")) {
		t.Error("the second phrase counts, a broken one does not")
	}
}

func TestOptionsPointToDrawings(t *testing.T) {
	for in, want := range map[string]bool{
		"option a|option z|option 0": true, "option 9|x in the image|option abcd": true, "option a|option b|c": false,
		"option abcde|option b|option c": false, "option |option b|option c": false, "option a|option b|option `": false,
		"option a|option b|option {": false, "option a|option b|option /": false, "option a|option b|option :": false, "i|ii|x": true, "i|ii|xi": false,
	} {
		var list [][]byte
		for _, o := range strings.Split(in, "|") {
			list = append(list, []byte(o))
		}
		if got := optionsPointToDrawings(list); got != want {
			t.Errorf("%s: got %v; want %v", in, got, want)
		}
	}
}

func TestTextForJudge(t *testing.T) {
	long := strings.Repeat("é", maxSentChars)
	for _, c := range []struct {
		in   string
		last bool
		want string
	}{{long, false, long}, {long + "x", false, long}, {"Answer: a Answer: b", true, "b"}, {"Answer: a", true, "a"}, {"Answer: a", false, "Answer: a"}, {"a", true, "a"}} {
		if got := textForJudge([]byte(c.in), c.last); got != c.want {
			t.Errorf("%.20q, %v: got %d bytes; want %d", c.in, c.last, len(got), len(c.want))
		}
	}
}

// read returns the error of reading an item, nil for none.
func read(s *suite, line string) error {
	v := fastjson.MustParse(line)
	_, err := s.prepare(&scoring.Item{ID: "a", Suite: s.name, Fields: v}, scoring.Variants{})
	return err
}

func TestItemBounds(t *testing.T) {
	s := newSuite(spatialab)
	for _, c := range []struct{ line, want string }{
		{`"options":["a","b"],"answer_index":0`, ""},
		{`"options":["a","b"],"answer_index":1`, ""},
		{`"options":["a","b"],"answer_index":2`, "got 2; want an integer from 0 to 1"},
		{`"options":["a","b"],"answer_index":-1`, "got -1; want an integer from 0 to 1"},
		{`"options":["a"],"answer_index":0`, "options"},
		{`"options":["a","b","c","d","e","f","g","h"],"answer_index":7`, ""},
		{`"options":["a","b","c","d","e","f","g","h","i"],"answer_index":7`, "options"},
		{`"options":["a","b"],"answer_index":1,"order":[1,0]`, ""},
		{`"options":["a","b"],"answer_index":1,"order":[1,2]`, "order: got [1,2]; want every position from 0 to 1 once"},
		{`"options":["a","b"],"answer_index":1,"order":[-1,0]`, "want every position from 0 to 1 once"},
		{`"options":["a","b"],"answer_index":1,"order":[1,1]`, "want every position from 0 to 1 once"},
		{`"options":["a","b"],"answer_index":1,"category":"nowhere"`, "category"},
		{`"options":["a","b"],"answer_index":1,"category":"orientation","subcategory":"gravity_effects"`, "subcategory"},
		{`"options":["a","b"],"answer_index":1,"category":"3d_geometry","subcategory":"gravity_effects"`, ""},
		{`"options":["a","b"],"answer_index":1,"completion_tokens":0`, ""},
		{`"options":["a","b"],"answer_index":1,"scale":3`, "scale"},
	} {
		err := read(s, `{"response":"1",`+c.line+`}`)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(strings.ReplaceAll(err.Error(), "cannot read order:", "order:"), c.want) {
			t.Errorf("%s: got %v; want %q", c.line, err, c.want)
		}
	}
}

// The tokens of an answer are kept where they are known, 0 included.
func TestTokens(t *testing.T) {
	s := newSuite(spatialab)
	for tokens, want := range map[string]bool{`0`: true, `7`: true, `-1`: false, `"7"`: false, `null`: false} {
		r := outcome(t, s, `{"id":"a","options":["a","b"],"answer":"1","response":"1","completion_tokens":`+tokens+`}`)
		got := strings.Contains(string(r.AppendJSON(nil, scoring.Clamp01, "")), `"tokens":`+tokens)
		if got != want {
			t.Errorf("%s: kept %v; want %v", tokens, got, want)
		}
	}
}

func TestLacking(t *testing.T) {
	s := newSuite(spatialab)
	for _, c := range []struct {
		line string
		want []string
	}{
		{`{"format":"mcq"}`, []string{"options", "answer"}},
		{`{"format":"mcq","options":["a","b"]}`, []string{"answer"}},
		{`{"format":"mcq","options":["a","b"],"answer":"1"}`, nil},
		{`{"format":"mcq","options":["a","b"],"answer_index":1}`, nil},
		{`{"format":"open"}`, []string{"open_answer"}},
		{`{"format":"open","judge":"1"}`, nil},
		{`{"format":"open","open_answer":"x"}`, nil},
		{`{"format":"essay"}`, []string{"format"}},
	} {
		err := s.lacking(&scoring.Item{ID: "a", Suite: s.name, Fields: fastjson.MustParse(c.line)})
		if (err == nil) != (c.want == nil) {
			t.Errorf("%s: got %v; want %q", c.line, err, c.want)
			continue
		}
		for _, w := range c.want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: got %v; want %q in it", c.line, err, w)
			}
		}
	}
}

func TestSizes(t *testing.T) {
	total := func(list []Size) (n int) {
		for _, s := range list {
			n += s.Items
		}
		return n
	}
	if a, b := total(Sizes("spatialab")), total(Sizes("spaceeval")); a != 1400 || b != 1139 {
		t.Errorf("got %d and %d items; want 1400 and 1139", a, b)
	}
	if got := Sizes("other"); got != nil {
		t.Errorf("an unknown benchmark: got %v", got)
	}
}

// With AnyTaxonomy names that the benchmark does not have are kept as they are, each at its level.
func TestUnknownTaxonomy(t *testing.T) {
	s := newSuite(spatialab)
	for _, c := range []struct{ fields, category, sub string }{
		{`"category":"Of Its Own"`, "of_its_own", ""},
		{`"subcategory":"Of Its Own"`, "", "of_its_own"},
		{`"category":"orientation","subcategory":"Of Its Own"`, "orientation", "of_its_own"},
		{`"category":"Of Its Own","subcategory":"Too"`, "of_its_own", "too"},
		{`"category":"3d_geometry","subcategory":"gravity_effects"`, "3d_geometry", "gravity_effects"},
		{`"subcategory":"gravity_effects"`, "3d_geometry", "gravity_effects"},
		{`"category":"gravity_effects"`, "gravity_effects", ""},
		{`"id":"a"`, "", ""},
	} {
		v := fastjson.MustParse(`{"response":"1","options":["a","b"],"answer":"1",` + c.fields + `}`)
		j, err := s.prepare(&scoring.Item{ID: "a", Suite: s.name, Fields: v}, scoring.Variants{AnyTaxonomy: ""})
		if err != nil {
			t.Errorf("%s: %v", c.fields, err)
			continue
		}
		r := j.Score(nil)
		if category, sub := strings.Join(r.Strings("category"), ""), strings.Join(r.Strings("subcategory"), ""); category != c.category || sub != c.sub {
			t.Errorf("%s: got %q, %q; want %q, %q", c.fields, category, sub, c.category, c.sub)
		}
		line := string(r.AppendJSON(nil, scoring.Clamp01, ""))
		if strings.Contains(line, `"category"`) != (c.category != "" || c.sub != "") {
			t.Errorf("%s: the result is %s", c.fields, line)
		}
	}
}

func TestCheckPaper(t *testing.T) {
	for name, ok := range map[string]bool{"spatialab": true, "spaceeval": true, "methods": false} {
		if err := CheckPaper(embeddedPaper(name)); (err == nil) != ok {
			t.Errorf("%s: got %v; want rows %v", name, err, ok)
		}
	}
	for _, doc := range []string{"", "{", `{"benchmark":"SPATIALAB"}`, `{"benchmark":"other"}`} {
		if err := CheckPaper([]byte(doc)); err == nil {
			t.Errorf("%q: got no error", doc)
		}
	}
}

// The part of an answer that a judge gets is found in the answer, from its first character to its last,
// where a reasoning block inside or a cut character keeps it from being one piece of it.
func TestSentPart(t *testing.T) {
	long := strings.Repeat("é", 100)
	for _, c := range []struct {
		name, answer string
		last         bool
		want         string // "" for nothing
	}{
		{"all", " yes ", false, "yes"}, {"nothing", "  ", false, ""},
		{"the last answer", "Answer: a. Answer: b", true, "b"},
		{"the same words before", "b. Answer: b", true, "b"},
		{"a block inside", long + "<think>no</think>" + long, false, long + "<think>no</think>" + long},
		{"a block before", "<think>no</think>" + long, false, long},
		{"bytes that are no text", "x" + long + "\xff" + long + "x", false, "x" + long + "\xff" + long + "x"},
	} {
		from, to, ok := sentPart([]byte(c.answer), c.last)
		got := c.answer[from:to]
		if ok != (c.want != "") || ok && got != c.want {
			t.Errorf("%s: got %q, %v; want %q", c.name, got, ok, c.want)
		}
	}
	from, to, _ := sentPart([]byte("b. Answer: b"), true)
	if from != 11 || to != 12 {
		t.Errorf("the same words before: got %d to %d; want the last ones", from, to)
	}
}

// TestSentPartEnds checks which part of an answer is marked as sent to a judge where reasoning stands in
// the middle: from the first to the last 64 bytes of what is sent, cut at whole characters.
func TestSentPartEnds(t *testing.T) {
	first, last := "x"+strings.Repeat("é", 40), strings.Repeat("é", 40)+"x"
	for _, c := range []struct{ answer, want string }{
		{first + "<think>a</think>" + last, first + "<think>a</think>" + last}, {"  " + first + "<think>a</think>" + last + "  ", first + "<think>a</think>" + last},
		{strings.Repeat("a", 70) + "<think>a</think>" + strings.Repeat("b", 70) + "\n", strings.Repeat("a", 70) + "<think>a</think>" + strings.Repeat("b", 70)},
		{" a<think>b</think>c ", " a<think>b</think>c "}, // too short to be found in parts: all of it
		{"a", "a"}, {" a ", "a"},
	} {
		from, to, ok := sentPart([]byte(c.answer), false)
		if !ok || c.answer[from:to] != c.want {
			t.Errorf("%q: got %q, %v; want %q", c.answer, c.answer[from:to], ok, c.want)
		}
	}
	if from, to, ok := sentPart([]byte(" <think>a</think> "), false); ok {
		t.Errorf("nothing sent: got %d to %d", from, to)
	}
}

// TestSmallParts has both sides of the bounds of small helpers.
func TestSmallParts(t *testing.T) {
	fits := strings.Repeat("a", 80)
	for in, want := range map[string]string{fits: fits, fits + "b": fits + "..."} {
		if got := quoteStart(in); got != `"`+want+`"` {
			t.Errorf("%d bytes: got %s", len(in), got)
		}
	}
	for in, want := range map[string]string{`so [1, 2] and {"a":1}`: `[1, 2]`, `{"a":[1]} [2]`: `[1]`, "[x [3]": "[3]", "[[4]": "[4]", "none": "-", "[": "-", "": "-"} {
		if got := firstJSON(in, "[", "-"); got != want {
			t.Errorf("%q: got %s; want %s", in, got, want)
		}
	}
	for in, want := range map[float64]string{0: "0.000", -0.25: "-0.250", 1: "1.000", math.Copysign(0, -1): "0.000"} {
		if got := thousandths(in); got != want {
			t.Errorf("%v: got %s; want %s", in, got, want)
		}
	}
	h := printedAccuracies{subs: [][]float64{{1, 2}, {3}}}
	for place, want := range map[[2]int]float64{{0, 0}: 1, {0, 1}: 2, {1, 0}: 3, {0, 2}: -1, {1, 1}: -1, {2, 0}: -1} {
		if got := h.sub(place[0], place[1]); got != want && !(want < 0 && math.IsNaN(got)) {
			t.Errorf("%v: got %v; want %v, or NaN for -1", place, got, want)
		}
	}
	if !isWordByte([]byte("À"), 1) || isWordByte([]byte("\x7f"), 0) {
		t.Error("the second byte of a character is a part of a word, and a control character none")
	}
	one := counts{answers: 2, idHashes: 7}
	for name, c := range map[string]struct {
		a, b counts
		want bool
	}{"equal": {one, one, true}, "empty": {counts{}, counts{}, false}, "other items": {one, counts{answers: 2, idHashes: 8}, false}, "more": {one, counts{answers: 3, idHashes: 7}, false},
		"unjudged in one": {counts{answers: 2, idHashes: 7, unjudged: 1}, one, false}, "unjudged in both": {counts{answers: 2, idHashes: 7, unjudged: 1}, counts{answers: 2, idHashes: 7, unjudged: 1}, false}} {
		if got := sameItems(c.a, c.b); got != c.want {
			t.Errorf("%s: got %v", name, got)
		}
	}
	run := modelRun{printed: &printedAccuracies{overall: 50}}
	if x, ok := run.overallAccuracy(); x != 50 || !ok {
		t.Errorf("a printed accuracy: got %v, %v", x, ok)
	}
	run.note = "a subset"
	if _, ok := run.overallAccuracy(); ok {
		t.Error("an accuracy over a subset ranks among those over all items")
	}
}

// TestRunCounts checks the numbers of a run by hand: chance by the number of options, the mean over
// categories with items, and the clusters of pictures (docs/spec/vqa.md#r47, docs/spec/runs.md#r45).
func TestRunCounts(t *testing.T) {
	s := newSuite(spaceeval)
	userRuns := s.newTables(scoring.TableOptions{Cluster: func(_, id string) string { return "of " + id }}).(*tables)
	run := s.newRun(runKey{})
	if _, ok := run.chanceAccuracy(); ok {
		t.Error("a run without items has a chance")
	}
	for _, options := range []float64{1, 2, 8, 9} { // those of no question are left out
		run.addToGroups(userRuns, &scoring.Result{Metrics: []scoring.Metric{{Name: "options", Value: options}}}, counts{answers: 1})
	}
	run.addToGroups(userRuns, &scoring.Result{Metrics: []scoring.Metric{{Name: "options", Value: 4.0}}}, counts{missing: 1})
	if got, ok := run.chanceAccuracy(); got != 3125 || !ok { // (1/2 + 1/8) / 2
		t.Errorf("got the chance %d, %v; want 3125 hundredths of a per cent", got, ok)
	}
	run.categories[1] = counts{answers: 4, correct: 3}
	if got := run.macroAccuracy(); got != 75 {
		t.Errorf("one category with items: got %v; want 75", got)
	}
	// Pictures a, b and one named by its item: of two items of one picture 2 and 0 are right, of another 1.
	count := func(name string, correct int) {
		outcome := counts{answers: 1}
		outcome.correct += correct
		run.total.add(outcome)
		run.countPicture(userRuns, &scoring.Result{ID: "x", Cluster: name}, outcome)
	}
	run.total = counts{}
	count("a", 1)
	count("b", 0)
	if _, ok := run.pictureError(); ok || run.sharesPictures {
		t.Error("no picture is shared, and the error is clustered")
	}
	count("a", 1)
	// Mean 2/3: deviations 2/3 and -2/3; sqrt(2/1 * 8/9) / 3.
	if se, ok := run.pictureError(); !ok || math.Abs(se-math.Sqrt(16./9)/3) > 1e-12 {
		t.Errorf("got the error %v, %v; want %v", se, ok, math.Sqrt(16./9)/3)
	}
	count("", 0)
	if _, ok := run.pictures["of x"]; !ok || len(run.pictures) != 3 {
		t.Errorf("got the pictures %v; want one that the item names", run.pictures)
	}
}

// TestCategories refuses a subcategory of another category, for each of them, and takes its own.
func TestCategories(t *testing.T) {
	for _, b := range []*benchmark{spatialab, spaceeval} {
		for i, c := range b.categories {
			for k, other := range b.categories {
				err := read(newSuite(b), `{"response":"A","options":["a","b"],"answer_index":1,"category":"`+c.id+`","subcategory":"`+other.subs[0].id+`"}`)
				if (err == nil) != (i == k) {
					t.Errorf("%s of %s: got %v", other.subs[0].id, c.id, err)
				}
			}
		}
	}
	if got := string(appendID(nil, []byte("aÀb"))); got != "aÀb" {
		t.Errorf("got %q; want bytes beyond ASCII as they are", got)
	}
}

// TestFallback checks that the first option decides by reading alone like any other one
// (docs/spec/vqa.md#r30).
func TestFallback(t *testing.T) {
	for _, letter := range []string{"A", "B"} {
		it := &scoring.Item{ID: "a", Fields: fastjson.MustParse(`{"options":["x1","x2"],"answer":"` + letter + `","response":"So I say: the answer is ` + letter + `."}`)}
		v := scoring.Variants{Policy: "fallback"}
		j, err := newSuite(spaceeval).prepare(it, v)
		if err != nil {
			t.Fatal(err)
		}
		if r := j.Score(nil); !r.Scored || r.Score != 1 {
			t.Errorf("%s: got %+v; want it right", letter, r)
		}
		if from, to, ok := Spaceeval().Reading(it, v); !ok || !strings.HasPrefix(string(it.Fields.GetStringBytes("response"))[from:to], "the answer is") {
			t.Errorf("%s: got %d to %d, %v; want the statement", letter, from, to, ok)
		}
	}
}
