package choice

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"plumb/testdata"
)

// TestItemsReference draws the items of the reference for seed 0.
func TestItemsReference(t *testing.T) {
	type instance struct {
		ID      string `json:"instance_id"`
		Outline struct {
			Vertices json.RawMessage `json:"vertices"`
		} `json:"target_outline"`
	}
	var set []Candidate
	testdata.Each(t, "tangram/instances-dev.jsonl", func(v *instance) {
		set = append(set, Candidate{v.ID, string(v.Outline.Vertices)})
	})
	items, err := Items(set, 0)
	if err != nil {
		t.Fatal(err)
	}
	type item struct {
		ID      string            `json:"instance_id"`
		Options map[string]string `json:"options"`
		Answer  string            `json:"answer"`
	}
	k := 0
	testdata.Each(t, "tangram/task1-items.jsonl", func(want *item) {
		got := items[k]
		k++
		if got.ID != want.ID || got.Answer != want.Answer {
			t.Errorf("item %d: got %s %s; want %s %s", k, got.ID, got.Answer, want.ID, want.Answer)
		}
		for i, o := range got.Options {
			if o != want.Options[Letters[i:i+1]] {
				t.Errorf("%s: option %c: got %s; want %s", got.ID, Letters[i], o, want.Options[Letters[i:i+1]])
			}
		}
	})
	if k != len(items) {
		t.Errorf("drew %d items; want %d", len(items), k)
	}
}

// TestExtractReference reads the answers of the reference.
func TestExtractReference(t *testing.T) {
	type answer struct {
		ID, Response string
		Extracted    *string
	}
	testdata.Each(t, "tangram/task1-answers.jsonl", func(a *answer) {
		got, ok := Extract(a.Response)
		if want := a.Extracted; ok != (want != nil) || ok && got != *want {
			t.Errorf("%s: %q: got %q, %v; want %v", a.ID, a.Response, got, ok, want)
		}
	})
}

// TestExtract has the corners of the rules; "" is an invalid answer.
func TestExtract(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`{"answer":"a"}`, "A"},
		{`{"Answer" : " (b) "}`, "B"},
		{`{"answer":"(b)."}`, ""},
		{`{"answer":"A"} no: {"prediction":"C"}`, "C"},
		{`{"answer":"A"} {"answer":"E"}`, ""},
		{`{"answer":"E"} \boxed{B}`, ""},
		{`{"answer":"all"} \boxed{B}`, "B"},
		{`\boxed{ \mathbf{ d } }`, "D"},
		{`\boxed {(c)}`, "C"},
		{`\boxed{AB}, answer A`, "A"},
		{"Answer\u00a0is\u00a0B", "B"},
		{"the answer is A bird; the choice is [C]", "C"},
		{"the answer is A Bird", "A"},
		{"Answer B, not option Bx", "B"},
		{"réanswer: B but D", ""},
		{"choice choice A", "A"},
		{"answer___B or answer D", "D"}, // the first word goes on
		{"_answer: C or D", ""},         // two letters stand alone
		{"**(b)**.", "B"},
		{"\n`c`\n", "C"},
		{"e", ""},
		{"A\\B", "A"},
		{"C, since C fits", "C"},
		{"C's shape", ""},
		{"A or B", "B"}, // an article
		{"A, B", ""},
		{"A bird, so B", "B"},
		{"", ""},
		{"0A", ""}, {"9A", ""}, {"AA", ""}, {"ZA", ""}, {"aA", ""}, {"zA", ""}, {"/A", "A"}, {":A", "A"}, {"@A", "A"}, {"[A", "A"}, {"{A", "A"}, {"so `A`-shaped", "A"},
		{"A0", ""}, {"A9", ""}, {"AZ", ""}, {"Aa", ""}, {"Az", ""}, {"A/", "A"}, {"A:", "A"}, {"A@", "A"}, {"A[", "A"}, {"A{", "A"}, {"it is A_", "A"},
		{"@, then B", "B"}, {"E, then B", "B"}, {"D, then nothing", "D"}, {"A b", ""}, {"A B", ""}, {"A ", "A"}, {"so A", "A"},
		{"answer: A b", ""}, {"answer: A B", "A"}, {"answer: @ or D", "D"}, {"answer: E", ""}, {"answer: D", "D"}, {"answer: A", "A"}, {"answer: a", ""},
	} {
		got, ok := Extract(c.text)
		if got != c.want && (ok || c.want != "") || ok != (c.want != "") {
			t.Errorf("%q: got %q, %v; want %q", c.text, got, ok, c.want)
		}
	}
}

func TestExtractLong(t *testing.T) {
	text := strings.Repeat(`"answer" : "( `, 20000) + strings.Repeat("answer is option ", 20000) + "D"
	if got, ok := Extract(text); got != "D" || !ok {
		t.Errorf("got %q, %v; want D", got, ok)
	}
}

// TestItems checks what holds for any set: the answer is among four options with
// different outlines, and an order of instances does not matter.
func TestItems(t *testing.T) {
	var set, back []Candidate
	for i := range 40 {
		set = append(set, Candidate{fmt.Sprintf("i%d", i), fmt.Sprint(i % 7)})
	}
	for i := range set {
		back = append(back, set[len(set)-1-i])
	}
	outline := map[string]string{}
	for _, c := range set {
		outline[c.ID] = c.Outline
	}
	a, err := Items(set, 5)
	if err != nil {
		t.Fatal(err)
	}
	b, err := Items(back, 5)
	if err != nil {
		t.Fatal(err)
	}
	for i, it := range a {
		if it != b[i] {
			t.Errorf("%s depends on the order: %v, %v", it.ID, it, b[i])
		}
		if it.Options[strings.Index(Letters, it.Answer)] != it.ID {
			t.Errorf("%s: answer %s is another instance: %v", it.ID, it.Answer, it.Options)
		}
		seen := map[string]bool{}
		for _, o := range it.Options {
			if seen[outline[o]] {
				t.Errorf("%s: two options look alike: %v", it.ID, it.Options)
			}
			seen[outline[o]] = true
		}
	}
}

func TestItemsRefused(t *testing.T) {
	few := []Candidate{{"a", "1"}, {"b", "2"}, {"c", "3"}, {"d", "3"}}
	if _, err := Items(few, 0); err == nil {
		t.Error("three outlines were taken; want an error")
	}
	if _, err := Items(append(few, Candidate{"e", "4"}), 0); err != nil {
		t.Errorf("four outlines: got %v; want them taken", err)
	}
	twice := []Candidate{{"a", "1"}, {"b", "2"}, {"c", "3"}, {"d", "4"}, {"a", "5"}}
	if _, err := Items(twice, 0); err == nil || !strings.Contains(err.Error(), `"a"`) {
		t.Errorf("an id that occurs twice: got %v; want an error that names it", err)
	}
}
