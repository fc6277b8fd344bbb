package tangram

import (
	"fmt"
	"strings"
	"testing"

	"github.com/valyala/fastjson"

	"plumb/scoring"
	"plumb/scoring/tangram/generate"
)

// TestMoved: pieces whose vertices can be read are listed and moved; exact coordinates stay exact, decimal ones decimal, and
// everything else stays.
func TestMoved(t *testing.T) {
	s := New()
	const exact, other = `{"id":"a","type":"square","vertices":[[0,"\\sqrt{2}"],[3,"0"],"(0, -3)"]}`, `{"type":"square","V":[{"x":0.5,"y":1},[1,1],[0,0]],"k":[1.50]}`
	const exactMoved = `{"id":"a","type":"square","vertices":[["\\frac{1}{4}","-1+\\sqrt{2}"],["\\frac{13}{4}","-1"],["\\frac{1}{4}","-4"]]}`
	const otherMoved = `{"type":"square","V":[["0.750000000000","0"],["\\frac{5}{4}","0"],["\\frac{1}{4}","-1"]],"k":[1.50]}`
	wrap := func(pieces ...string) string {
		return `{"final_state":{"pieces":[` + strings.Join(pieces, ",") + `],"n":1.0}}`
	}
	for _, c := range []struct{ response, parts, part, want string }{
		{"x " + wrap(exact, other, `{"id":"b"}`, `7`) + " y", "1 a 1,-0.529; 2 square 0.5,0.667", "", wrap(exactMoved, otherMoved, `{"id":"b"}`, `7`)},
		{wrap(exact, other), "1 a 1,-0.529; 2 square 0.5,0.667", "1 a", wrap(exactMoved, other)},
		{`{"tce":{"final_state":{"p":` + other + `}}}`, "1 p 0.5,0.667", "", `{"final_state":{"p":` + otherMoved + `}}`},
		{wrap(exact), "1 a 1,-0.529", "2 a", "!"},
		{"nothing", "", "", "!"},
	} {
		it := &scoring.Item{Fields: fastjson.MustParse(`{"response":` + quoted(c.response) + `}`)}
		var got []string
		for _, p := range s.MovableParts(it, nil) {
			got = append(got, fmt.Sprintf("%s %.3g,%.3g", p.Name, p.X, p.Y))
		}
		out, err := s.MoveParts(it, nil, c.part, 0.25, -1)
		if err != nil {
			out = []byte("!")
		}
		if strings.Join(got, "; ") != c.parts || string(out) != c.want {
			t.Errorf("%s: got %q and, with %q moved,\n%s\nwant %q and\n%s", c.response, got, c.part, out, c.parts, c.want)
		}
	}
	if list := s.MovableParts(&scoring.Item{Test: Outline, Fields: fastjson.MustParse(`{"response":"A"}`)}, nil); list != nil {
		t.Errorf("got %v for a letter; want nothing to move", list)
	}
}

// TestUnmoved: answers of every quality that are written anew without a move have all metrics of the answer.
func TestUnmoved(t *testing.T) {
	s := New()
	for k := range 8 {
		in := generate.Instance(9, k)
		line := string(in.AppendJSON(nil))
		for _, q := range generate.Qualities {
			item := func(response string) string { return line[:len(line)-1] + `,"response":` + response + "}" }
			answer := item(quoted(generate.Answer(in, q)))
			it := &scoring.Item{Fields: fastjson.MustParse(answer)}
			if len(s.MovableParts(it, nil)) == 0 {
				continue
			}
			out, err := s.MoveParts(it, nil, "", 0, 0)
			if err != nil {
				t.Fatal(err)
			}
			want, got := score(t, answer, nil), score(t, item(string(out)), nil)
			for i, m := range want.Metrics {
				if i < len(got.Metrics) && fmt.Sprint(m) == fmt.Sprint(got.Metrics[i]) || strings.HasPrefix(m.Name, "repair_") {
					continue
				}
				t.Errorf("%s %s: %s differs when the answer is written anew: got %v; want %v", in.ID, q, m.Name, got.Metrics, want.Metrics)
				break
			}
		}
	}
}
