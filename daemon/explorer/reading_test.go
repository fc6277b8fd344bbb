package explorer_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plumb/scoring"
	"plumb/scoring/suites"

	"github.com/valyala/fastjson"
)

// TestReading marks the part of a text that each suite reads.
func TestReading(t *testing.T) {
	all := suites.New(suites.Config{})
	for _, c := range []struct{ suite, test, text, want string }{
		{"aspire", "maze", "so: {\"createShapes\":[]} or\n```json\n{\"createShapes\":[1]}\n```\nend", `{"createShapes":[1]}`},
		{"aspire", "maze", "first {\"createShapes\":[]} then {\"deleteShapes\":[]}.", `{"deleteShapes":[]}`},
		{"aspire", "maze", "nothing", ""},
		{"tangram", "solution", "a {\"x\":1} {\"final_state\":[]} b", `{"final_state":[]}`},
		{"tangram", "solution", "none", ""},
		{"drawingbench", "drawing", "  \n[{\"action\":\"click\"}] ", `[{"action":"click"}]`},
		{"drawingbench", "drawing", " see\n```json\n [{\"action\":\"click\"}]\n```\n", `[{"action":"click"}]`},
		{"drawingbench", "drawing", "then [1] and [{\"action\":\"up\"}] end", `[{"action":"up"}]`},
		{"drawingbench", "drawing", "none", ""},
	} {
		line := `{"response":` + string(scoring.AppendString(nil, c.text)) + `}`
		it := &scoring.Item{Suite: c.suite, Test: c.test, Fields: fastjson.MustParse(line)}
		from, to, ok := all.Find(c.suite).Reading(it, nil)
		if ok != (c.want != "") || ok && strings.TrimSpace(c.text[from:to]) != c.want {
			t.Errorf("%s %q: got %d to %d, %v; want %q", c.suite, c.text, from, to, ok, c.want)
		}
	}
}

// TestMoved writes ASPIRE's sample answers anew without a move; every one has the score of the answer as it stands.
func TestMoved(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("..", "..", "testdata", "aspire", "demo.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	suite := suites.New(suites.Config{}).Find("aspire")
	var before, after []string
	for _, l := range strings.SplitAfter(string(b), "\n")[:150] {
		v := fastjson.MustParse(l)
		it := &scoring.Item{Suite: "aspire", Test: string(v.GetStringBytes("test")), Fields: v}
		moved, err := suite.MoveParts(it, nil, "", 0, 0)
		if err != nil { // nothing was read
			continue
		}
		before = append(before, l)
		v.Set("response", fastjson.MustParseBytes(moved))
		after = append(after, v.String()+"\n")
	}
	if len(before) < 100 {
		t.Fatalf("only %d answers could be written anew", len(before))
	}
	a, c := written(t, before...), written(t, after...)
	x, _ := os.ReadFile(a.Results[0])
	y, _ := os.ReadFile(c.Results[0])
	xs, ys := strings.Split(string(x), "\n"), strings.Split(string(y), "\n")
	for i := range xs {
		p, q := fastjson.GetFloat64([]byte(xs[i]), "score"), fastjson.GetFloat64([]byte(ys[i]), "score")
		if p != q {
			t.Errorf("%.60s: got the score %v, want %v", before[i], q, p)
		}
	}
}
