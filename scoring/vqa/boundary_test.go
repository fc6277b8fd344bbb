package vqa

import (
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
