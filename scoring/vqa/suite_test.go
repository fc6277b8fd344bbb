package vqa

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/valyala/fastjson"

	"plumb/scoring"
	"plumb/scoring/stats"
)

const rooms = `"options":["Hall","Kitchen","Bath","Terrace"]`

// TestScore scores items of both suites, every policy and every way to fail.
func TestScore(t *testing.T) {
	for _, c := range []struct {
		suite, variant, line string
		want                 string // score status extracted, or the code of the error
	}{
		{"lab", "", rooms + `,"answer_index":1,"response":"2"`, "1 literal B"},
		{"lab", "", rooms + `,"answer":"2","response":"3"`, "0 literal C"},
		{"lab", "", rooms + `,"answer":2,"response":"The answer is 2, I think"`, "1 stage4 B"},
		{"lab", "", rooms + `,"answer":"kitchen","response":"It is the kitchen, of course"`, "1 stage6 B"},
		{"lab", "vqa.profile=strict", rooms + `,"answer":"kitchen","response":"It is the kitchen, of course"`, "0 invalid -"},
		{"lab", "", rooms + `,"answer":"2","response":""`, "0 invalid -"},
		{"lab", "", rooms + `,"answer":"2","response":"<think>2"`, "0 invalid -"},
		{"lab", "", rooms + `,"answer":"2","response":null`, "no_response"},
		{"lab", "", rooms + `,"answer":"2"`, "no_response"},
		{"lab", "", rooms + `,"answer":"2","response":"{\"answer\":2}"`, "1 stage2 B"},
		{"lab", "", rooms + `,"answer":"2","response":2`, "bad_response"},
		{"lab", "", rooms + `,"answer":"B","labels":"letters","response":"B"`, "1 literal B"},
		{"lab", "", `"options":["x","nan",null,7],"answer":"4","response":"7"`, "1 literal D"},
		{"lab", "", rooms + `,"answer":"5","response":"2"`, "bad_item"},
		{"lab", "", rooms + `,"answer":"cellar","response":"2"`, "bad_item"},
		{"lab", "", rooms + `,"answer_index":4,"response":"2"`, "bad_item"},
		{"lab", "", rooms + `,"response":"2"`, "bad_item"},
		{"lab", "", `"options":["one"],"answer":"1","response":"1"`, "bad_item"},
		{"lab", "", `"options":"x","answer":"1","response":"1"`, "bad_item"},
		{"lab", "", `"options":[[1],"x"],"answer":"1","response":"1"`, "bad_item"},
		{"lab", "", `"answer":"1","response":"1"`, "bad_item"},
		{"lab", "", rooms + `,"answer":"2","category":"Depth & Occlusion","subcategory":"layering order","response":"2"`, "1 literal B"},
		{"lab", "", rooms + `,"answer":"2","category":"orientation","subcategory":"layering order","response":"2"`, "bad_item"},
		{"lab", "", rooms + `,"answer":"2","category":"cooking","response":"2"`, "bad_item"},
		{"lab", "vqa.allow_unknown_taxonomy", rooms + `,"answer":"2","category":"cooking","response":"2"`, "1 literal B"},
		{"lab", "", rooms + `,"answer":"2","format":"essay","response":"2"`, "bad_item"},
		{"lab", "", rooms + `,"answer":"2","benchmark":"spaceeval","response":"2"`, "bad_item"},
		{"lab", "", rooms + `,"answer":"2","order":[3,1,0,2],"response":"2"`, "1 literal B"},
		{"lab", "", rooms + `,"answer":"2","order":[3,1,0,2],"response":"4"`, "0 literal C"},
		{"lab", "", rooms + `,"answer":"2","order":[3,1,0,2],"response":"Terrace"`, "0 literal D"},
		{"lab", "", rooms + `,"answer":"2","order":[3,1,1,2],"response":"4"`, "bad_item"},
		// open answers
		{"lab", "", rooms + `,"answer":"2","format":"open","response":"A kitchen.","judge":"1"`, "1 judge -"},
		{"lab", "", rooms + `,"answer":"2","format":"open","response":"A bath.","judge":"Score: 0"`, "0 judge -"},
		{"lab", "", rooms + `,"answer":"2","format":"open","response":"A bath.","judge":true`, "1 judge -"},
		{"lab", "", rooms + `,"answer":"2","format":"open","response":"A bath.","judge":0`, "0 judge -"},
		{"lab", "", rooms + `,"answer":"2","format":"open","response":"A bath.","judge":"0 or 1"`, "unjudged"},
		{"lab", "", rooms + `,"answer":"2","format":"open","response":"A bath."`, "unjudged"},
		{"lab", "", rooms + `,"answer":"2","format":"open","response":"<think>hm</think> "`, "0 invalid -"},
		{"lab", "", `"open_answer":"The stove","format":"open","response":"stove","judge":"0"`, "0 judge -"},
		{"lab", "vqa.judge_shortcut", `"open_answer":"The stove","format":"open","response":"Stove."`, "1 shortcut -"},
		{"lab", "", `"format":"open","response":"stove"`, "bad_item"},
		{"lab", "", `"open_answer":7,"format":"open","response":"stove"`, "bad_item"},
		// SpaCE-Eval
		{"space", "", rooms + `,"answer":"B","response":"B. Kitchen"`, "1 literal B"},
		{"space", "", rooms + `,"answer":"B","response":"C"`, "0 literal C"},
		{"space", "", rooms + `,"answer":"B","response":"I would choose B"`, "unjudged"},
		{"space", "", rooms + `,"answer":"B","response":"I would choose B","judge":"1"`, "1 judge B"},
		{"space", "vqa.policy=paper", rooms + `,"answer":"B","response":"I would choose B","judge":"0"`, "0 judge B"},
		{"space", "vqa.policy=fallback", rooms + `,"answer":"B","response":"I would choose B"`, "1 stage4 B"},
		{"space", "vqa.policy=fallback", rooms + `,"answer":"B","response":"the one with the stove"`, "unjudged"},
		{"space", "vqa.policy=never", rooms + `,"answer":"B","response":"the one with the stove"`, "0 invalid -"},
		{"space", "vqa.policy=never", rooms + `,"answer":"B","response":"C, as it is tiled"`, "0 stage5 C"},
		{"space", "", rooms + `,"answer":"B","response":""`, "0 invalid -"},
		{"space", "", rooms + `,"answer":"B","response":"E"`, "unjudged"},
		{"space", "", rooms + `,"answer":"B","response":"<think>x</think>B"`, "unjudged"},
		{"space", "", rooms + `,"answer":"B","format":"open","response":"B"`, "bad_item"},
		{"space", "", rooms + `,"answer":"B","option_kind":"odd","response":"B"`, "bad_item"},
		{"space", "", rooms + `,"answer":"B","category":"SR","subcategory":"View Analysis","scale":"Room space","response":"B"`, "1 literal B"},
		{"space", "", rooms + `,"answer":"B","subcategory":"Material and Science","response":"B"`, "1 literal B"},
	} {
		s := newSuite(spatialab)
		if c.suite == "space" {
			s = newSuite(spaceeval)
		}
		got := "" // as want
		j, err := prepare(t, s, `{"id":"x",`+c.line+`}`, c.variant)
		if err != nil {
			got = err.(*scoring.Error).Code
		} else if r := j.Score(nil); r.Err != nil {
			got = r.Err.Code
		} else {
			letter := "-"
			if l := r.Strings("extracted"); l != nil {
				letter = l[0]
			}
			got = fmt.Sprint(r.Score, " ", r.Status, " ", letter)
		}
		if got != c.want {
			t.Errorf("%s %s {%s}: got %s (%v); want %s", c.suite, c.variant, c.line, got, err, c.want)
		}
	}
}

// prepare reads an item line with the suite. variant is NAME or NAME=VALUE, "" for none.
func prepare(t *testing.T, s *suite, line, variant string) (scoring.Job, error) {
	t.Helper()
	v, err := fastjson.Parse(line)
	if err != nil {
		t.Fatal(err)
	}
	chosen := scoring.Variants{}
	if variant != "" {
		if chosen, err = scoring.ParseVariants([]string{variant}, s.variants()); err != nil {
			t.Fatal(err)
		}
	}
	return s.prepare(&scoring.Item{ID: string(v.GetStringBytes("id")), Suite: s.name, Fields: v}, chosen)
}

// TestQuestion: what a judge is asked, and what its answer does.
func TestQuestion(t *testing.T) {
	j, err := prepare(t, newSuite(spaceeval), `{"id":"x","question":"Where?",`+rooms+`,"answer":"B","order":[1,0,2,3],"response":"<think>no</think> by the stove"}`, "")
	if err != nil {
		t.Fatal(err)
	}
	q, ok := j.(scoring.Judged).Question()
	want := scoring.Question{Kind: scoring.JudgeChoice, Text: "Where?", Truth: "A. Kitchen", Options: []string{"A. Kitchen", "B. Hall", "C. Bath", "D. Terrace"},
		Answer: "by the stove"}
	if !ok || !reflect.DeepEqual(q, want) {
		t.Errorf("got %+v; want %+v", q, want)
	}
	j.(scoring.Judged).Judge(scoring.Judgement{Err: &scoring.Error{Code: "judge", Message: "cannot reach it"}})
	if r := j.Score(nil); r.Scored || r.Err == nil || r.Err.Code != "unjudged" || r.Err.Message != "cannot reach it" {
		t.Errorf("a judge that failed: got %+v", r)
	}
	j.(scoring.Judged).Judge(scoring.Judgement{Right: true})
	if r := j.Score(nil); !r.Scored || r.Score != 1 || r.Status != "judge" {
		t.Errorf("a verdict: got %+v", r)
	}
	long := strings.Repeat("ü", 5000)
	j, _ = prepare(t, newSuite(spatialab), `{"id":"x","format":"open","open_answer":"stove","response":"Reasoning: x\nAnswer: `+long+`"}`, SelfReflection)
	if q, ok := j.(scoring.Judged).Question(); !ok || q.Kind != scoring.JudgeOpen || q.Answer != long[:2*4000] || q.Truth != "stove" {
		t.Errorf("a long answer: got %d bytes", len(q.Answer))
	}
	j, _ = prepare(t, newSuite(spatialab), `{"id":"x",`+rooms+`,"answer":"2","response":"stove"}`, "")
	if _, ok := j.(scoring.Judged).Question(); ok {
		t.Error("a question with options of SPATIALAB needs a judge")
	}
}

func TestShuffle(t *testing.T) {
	for _, c := range []struct {
		seed int64
		id   string
		n    int
		want string
	}{{42, "item-1", 4, "[0 1 2 3]"}, {42, "item-2", 4, "[3 2 0 1]"}, {7, "item-1", 4, "[2 0 1 3]"}, {0, "é-3", 5, "[4 0 1 2 3]"}} {
		if got := fmt.Sprint(Shuffle(c.seed, c.id, c.n)); got != c.want {
			t.Errorf("%d %s: got %s; want %s", c.seed, c.id, got, c.want)
		}
	}
	for _, c := range []struct {
		option string
		want   bool
	}{{"All of the above", true}, {"None of these.", true}, {"A and C", true}, {"fall of these", false}, {"A and Cellar", false}, {"Option C in the image", false}} {
		if got := MustKeepOrder([][]byte{[]byte("x"), []byte(c.option)}); got != c.want {
			t.Errorf("%q: got %v; want %v", c.option, got, c.want)
		}
	}
}

// TestShuffled: options that are shown in another order score the same.
func TestShuffled(t *testing.T) {
	for seed := range 50 {
		id := fmt.Sprint("item-", seed)
		perm := Shuffle(int64(seed), id, 4)
		for p, original := range perm {
			j, err := prepare(t, newSuite(spaceeval), fmt.Sprintf(`{"id":"%s",%s,"answer":"C","shuffle":%d,"response":"%c"}`, id, rooms, seed, 'A'+p), "")
			if err != nil {
				t.Fatal(err)
			}
			r := j.Score(nil)
			if want := string(rune('A' + original)); r.Strings("extracted")[0] != want || (r.Score == 1) != (original == 2) {
				t.Fatalf("seed %d, %c of %v: got %+v; want %s", seed, 'A'+p, perm, r, want)
			}
		}
	}
}

func TestVisual(t *testing.T) {
	for _, c := range []struct {
		options string
		want    bool
	}{{"Option A in the image|Option B in the image|Option C in the image|Option D in the image", true}, {"I|II|III|IV", true}, {"option 1|option 2|option 3|4", true},
		{"A|B|C|D", false}, {"90|45|180|120", false}, {"Hall|Kitchen|Bath|Terrace", false}, {"Option A|Option B|Option C|none of them", false}, {"1 in the image|2 in the image|3|4", false}} {
		var list [][]byte
		for _, o := range strings.Split(c.options, "|") {
			list = append(list, []byte(o))
		}
		if got := optionsPointToDrawings(list); got != c.want {
			t.Errorf("%s: got %v; want %v", c.options, got, c.want)
		}
	}
}

// TestTables counts what every table needs: runs, kinds, scales, bounds.
func TestTables(t *testing.T) {
	s := newSuite(spaceeval)
	for _, missing := range []bool{false, true} {
		tables := s.newTables(scoring.TableOptions{Missing: missing})
		for i, line := range []string{`"response":"A","scale":"object","option_kind":"visual"`, `"response":"B","scale":"urban space"`, `"response":"hm"`, `"response":null`,
			`"response":""`, `"response":"A","model":"other","run":2`} {
			r := outcome(t, s, fmt.Sprintf(`{"id":"%d",%s,"answer":"A","category":"SR","subcategory":"SA",%s}`, i, rooms, line))
			b := r.AppendJSON(nil, scoring.Clamp01, "")
			v, err := fastjson.ParseBytes(b)
			if err != nil {
				t.Fatal(err)
			}
			back, _ := scoring.ReadResult(v) // as from a file of results
			tables.Add(back)
		}
		got := tables.Tables()
		rows := map[string][]string{}
		for _, r := range got[0].Rows {
			rows[r[0]] = r
		}
		want := []string{"model", "25.00", "25.00", "-", "25.00"}
		if missing {
			want = []string{"model", "20.00", "20.00", "-", "20.00"}
		}
		if !reflect.DeepEqual(rows["model"][:5], want) || rows["other (run 2)"][1] != "100.00" || rows["chance"][1] != "25.00" || rows["human"][1] != "79.00" {
			t.Errorf("got %v; want %v", rows, want)
		}
		n := len(rows["model"])
		if !strings.Contains(got[0].Note, "INCOMPLETE") || rows["model"][n-1] != map[bool]string{true: "40.00", false: "50.00"}[missing] {
			t.Errorf("bounds: got %v, %s", rows["model"], got[0].Note)
		}
	}
}

// TestGapOfUnlike: a gap needs the same items in both formats, all of them judged.
func TestGapOfUnlike(t *testing.T) {
	s := newSuite(spatialab)
	for _, c := range []struct{ second, want string }{{`"id":"1","judge":"0"`, "100.00"}, {`"id":"2","judge":"0"`, "-"}, {`"id":"1"`, "-"}} {
		tables := s.newTables(scoring.TableOptions{})
		for _, line := range []string{`"id":"1","format":"mcq","response":"1"`, `"format":"open","response":"x",` + c.second} {
			r := outcome(t, s, `{`+line+`,`+rooms+`,"answer":"1","category":"orientation"}`)
			tables.Add(&r)
		}
		all := tables.Tables()
		gap := all[len(all)-1]
		if got := gap.Rows[0][len(gap.Rows[0])-1]; got != c.want {
			t.Errorf("%s: got a gap of %s; want %s", c.second, got, c.want)
		}
	}
}

func TestPercent(t *testing.T) {
	for _, c := range []struct {
		a, b int64
		want string
	}{{1, 3, "33.33"}, {2, 3, "66.67"}, {1, 800, "0.13"}, {-1, 800, "-0.12"}, {0, 7, "0.00"}, {7, 7, "100.00"}, {513, 1139, "45.04"}} {
		if got := decimals(hundredths(c.a, c.b)); got != c.want {
			t.Errorf("%d/%d: got %s; want %s", c.a, c.b, got, c.want)
		}
	}
	if low, high := stats.Wilson(0, 10); low != 0 || high < 0.277 || high > 0.278 {
		t.Errorf("got %v to %v; want 0 to 27.75", low, high)
	}
}
