package aspire

import (
	"bytes"
	"flag"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/valyala/fastjson"

	"plumb/render/metric"
	"plumb/scoring"
	"plumb/testdata"
)

var update = flag.Bool("update", false, "write testdata again")

// told returns the marks over a picture of a report, with three decimals.
func told(list []scoring.Mark) string {
	var b strings.Builder
	for _, m := range list {
		fmt.Fprintf(&b, " [%v %v %.3f %.3f r %.3f from %.3f to %.3f %s]", m.Form, m.Tone, m.A, m.B, m.R, m.From, m.To, m.Text)
	}
	return b.String()
}

// TestDemo compares what is scored and shown of the sample dump with what was recorded when the
// scores agreed with the reference (TestCases). The sums of pixels are made up. Some lines have their marks in full, all have a
// checksum of the result and of the marks.
func TestDemo(t *testing.T) {
	const file = "testdata/demo.txt"
	dump, err := os.ReadFile(filepath.Join(testdata.Root(), "testdata", "aspire", "demo.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil && !*update {
		t.Fatal(err)
	}
	want := strings.Split(string(text), "\n")
	s := New(Config{})
	var got []string
	n := 0
	for line := range bytes.Lines(dump) {
		n++
		v := fastjson.MustParseBytes(line)
		it := scoring.Item{ID: string(v.GetStringBytes("id")), Suite: suiteName, Test: string(v.GetStringBytes("test")), Fields: v}
		j, err := s.Prepare(&it, nil)
		if err != nil { // an answer that is missing has a line of its own
			got = append(got, it.ID+" "+err.Error())
			if !*update && (n > len(want) || got[n-1] != want[n-1]) {
				t.Errorf("line %d: got %s; want %s", n, got[n-1], want[min(n, len(want))-1])
			}
			continue
		}
		tallies := []metric.Tally{tally(5+float64(n%7), 5), tally(700-float64(n%11), 300+float64(n%5))}
		for i := range tallies {
			tallies[i].B.Covered, tallies[i].Both = tallies[i].A.Covered, tallies[i].A.Covered/2
		}
		r := j.Score(tallies[:len(j.Views())])
		e := j.(scoring.Shower).Show(&r)
		shown := fmt.Sprint(len(e.Panels), " panels, first ", e.First)
		for _, p := range e.Panels {
			b := p.View.Bounds
			shown += fmt.Sprintf("; %s %.3f %.3f %.3f %.3f:", p.Title, b.X, b.Y, b.W, b.H) + told(p.Marks)
		}
		result := r.AppendJSON(nil, scoring.Raw, "")
		one := fmt.Sprintf("%s %08x %08x", it.ID, crc32.ChecksumIEEE(result), crc32.ChecksumIEEE([]byte(shown)))
		if n%25 == 1 {
			one += " " + shown
		}
		got = append(got, strings.ReplaceAll(one, "\n", " "))
		if !*update && (n > len(want) || got[n-1] != want[n-1]) {
			t.Errorf("line %d: got\n%s\nwant\n%s\n%s\n%s", n, got[n-1], want[min(n, len(want))-1], result, shown)
		}
	}
	if *update {
		if err := os.WriteFile(file, []byte(strings.Join(got, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestMoved: what an answer placed is listed by path and middle, and moved by writing the answer
// anew with other x and y; everything else stays.
func TestMoved(t *testing.T) {
	s := newSuite(Config{})
	for _, c := range []struct{ response, parts, part, want string }{
		{`x {"createShapes":[{"id":"k","type":"geo","x":1,"y":2,"props":{"w":10,"h":20}},{"type":"star"},{"y":5}]}`,
			"createShapes[0] k 6,12; createShapes[2] 0,5", "createShapes[0] k",
			`{"createShapes":[{"id":"k","type":"geo","x":4.0,"y":6.0,"props":{"w":10.0,"h":20.0}},{"type":"star"},{"y":5.0}]}`},
		{`{"createShapes":[{"x":1},{"y":2}],"rotation":1,"note":["a",true,false,null,{"x":1,"y":[1,2]}]}`, "createShapes[0] 1,0; createShapes[1] 0,2", "createShapes[1]",
			`{"createShapes":[{"x":1.0},{"y":6.0}],"rotation":1.0,"note":["a",true,false,null,{"x":1.0,"y":[1.0,2.0]}]}`},
		{`{"createShapes":{"x":1,"y":2},"updateShapes":[{"id":"a","x":3},7]}`, "createShapes[0] 1,2; updateShapes[0] a 3,0", "",
			`{"createShapes":{"x":4.0,"y":6.0},"updateShapes":[{"id":"a","x":6.0},7.0]}`},
		{`{"createShapes":{"x":1,"y":2},"updateShapes":[{"id":"a","x":3},{"x":"3","y":null}]}`, "createShapes[0] 1,2; updateShapes[0] a 3,0", "updateShapes[0]",
			`{"createShapes":{"x":1.0,"y":2.0},"updateShapes":[{"id":"a","x":6.0},{"x":"3","y":null}]}`},
		{`{"createShapes":{"x":1,"y":2}}`, "createShapes[0] 1,2", "createShapes[0]", `{"createShapes":{"x":4.0,"y":6.0}}`},
		{`{"createShapes":{"x":1,"y":2}}`, "createShapes[0] 1,2", "createShapes[1]", `{"createShapes":{"x":1.0,"y":2.0}}`},
		{`{"createShapes":5,"deleteShapes":["a","b"]}`, "", "", `{"createShapes":5.0,"deleteShapes":["a","b"]}`},
		{`nothing`, "", "", "! cannot move shapes: nothing was read as an answer"},
	} {
		fields := fastjson.MustParse(`{}`)
		fields.Set("response", fastjson.MustParseBytes(scoring.AppendString(nil, c.response)))
		it := &scoring.Item{ID: "i", Test: "maze", Fields: fields}
		var parts []string
		for _, p := range s.listParts(it, nil) {
			parts = append(parts, fmt.Sprintf("%s %v,%v", p.Name, p.X, p.Y))
		}
		moved, err := s.moveParts(it, nil, c.part, 3, 4)
		got := string(moved)
		if err != nil {
			got = "! " + err.Error()
		}
		if strings.Join(parts, "; ") != c.parts || got != c.want {
			t.Errorf("%s: got %q and, with %q moved,\n%s\nwant %q and\n%s", c.response, parts, c.part, got, c.parts, c.want)
		}
		from, to, ok := s.reading(it, nil)
		if found := c.response != "nothing"; ok != found || found && c.response[from:to] != strings.TrimPrefix(c.response, "x ") {
			t.Errorf("%s: read from %d to %d, %v; want the object", c.response, from, to, ok)
		}
	}
	unknown := &scoring.Item{Test: "none", Fields: fastjson.MustParse(`{"response":"{}"}`)}
	if _, err := s.moveParts(unknown, nil, "", 1, 1); err == nil || s.listParts(unknown, nil) != nil {
		t.Errorf("got %v for a test that is not known; want an error", err)
	}
	if _, _, ok := s.reading(unknown, nil); ok {
		t.Error("an answer to a test that is not known was read")
	}
}
