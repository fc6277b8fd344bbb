package explorer_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image/png"
	"io"
	"math"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"plumb/daemon/explorer"
	"plumb/scoring/tangram/generate"
)

// TestItem demands what explains a score: pictures, metrics, the part of the text that was read, the command.
func TestItem(t *testing.T) {
	job := written(t, maze("a", 130, 430, `,"model":"m"`), mazeAnswer("b", "no answer", `,"model":"m"`), maze("a", 200, 430, `,"model":"other"`))
	s := serve(t, "127.0.0.1:0", job)
	var it explorer.Item
	if got := s.get(t, "item?row=0", &it); got != 200 {
		t.Fatalf("got status %d", got)
	}
	if it.Score == nil || *it.Score != 1 || it.ID != "a" || it.Problem != "" || len(it.Panels) != 2 || len(it.Panels[1].Marks) == 0 || len(it.Parts) != 1 {
		t.Errorf("got %+v", it)
	}
	if len(it.Answer) != 3 || it.Answer[0].Read || !it.Answer[1].Read || !strings.HasPrefix(it.Answer[1].Text, `{"createShapes"`) {
		t.Errorf("the part that was read: got %+v", it.Answer)
	}
	if want := "sed -n 1p " + job.Dumps[0] + " | plumb score -"; it.Command != want {
		t.Errorf("the command: got %s, want %s", it.Command, want)
	}
	if len(it.Others) != 1 || it.Others[0].Row != 2 {
		t.Errorf("other answers: got %+v, want row 2", it.Others)
	}
	if it.Position != 0 || it.Total != 3 || it.Next == nil || *it.Next != 1 || it.Previous != nil {
		t.Errorf("got place %d of %d", it.Position, it.Total)
	}
	s.get(t, "item?row=1", &it)
	if it.Reading == "" || *it.Score != 0 {
		t.Errorf("an answer of which nothing is read: got %+v", it)
	}
	if got := s.get(t, "item?row=3", &it); got != 422 {
		t.Errorf("a row that is not there: got status %d, want 422", got)
	}
}

// TestPicture demands PNG pictures of the sizes that are asked for, with a tag of their content.
func TestPicture(t *testing.T) {
	s := serve(t, "127.0.0.1:0", written(t, maze("a", 130, 430, "")))
	s.get(t, "rows", nil)
	for _, c := range []struct{ query, tag, wide string }{{"panel=0&w=160", "", "≤160"}, {"panel=1&w=760", "", "≤760"}} {
		r, err := http.Get(s.url + "api/picture?row=0&" + c.query)
		if err != nil {
			t.Fatal(err)
		}
		b, _ := io.ReadAll(r.Body)
		r.Body.Close()
		img, err := png.Decode(bytes.NewReader(b))
		if err != nil || r.Header.Get("Content-Type") != "image/png" {
			t.Fatalf("%s: %v, %s", c.query, err, r.Header)
		}
		if w := img.Bounds().Dx(); c.wide == "≤160" && w > 160 || w > 760 || w < 80 {
			t.Errorf("%s: got %d px", c.query, w)
		}
		req, _ := http.NewRequest("GET", s.url+"api/picture?row=0&"+c.query, nil)
		req.Header.Set("If-None-Match", r.Header.Get("ETag"))
		again, err := http.DefaultClient.Do(req)
		if err != nil || again.StatusCode != http.StatusNotModified {
			t.Errorf("%s: with its tag %s: got %v, %v; want 304", c.query, r.Header.Get("ETag"), again.Status, err)
		}
		again.Body.Close()
	}
	if got := s.get(t, "picture?row=0&panel=9", nil); got != http.StatusNoContent {
		t.Errorf("a panel that is not there: got status %d, want 204", got)
	}
}

// TestNoDump shows results without their dump, and says what is missing.
func TestNoDump(t *testing.T) {
	job := written(t, maze("a", 130, 430, ""))
	s := serve(t, "127.0.0.1:0", explorer.Job{Results: job.Results})
	var it explorer.Item
	s.get(t, "item?row=0", &it)
	if it.Score == nil || *it.Score != 1 || !strings.Contains(it.Problem, "--dump") || len(it.Metrics) == 0 {
		t.Errorf("got %+v", it)
	}
	other := filepath.Join(t.TempDir(), "other.jsonl")
	os.WriteFile(other, []byte(maze("z", 1, 1, "")), 0o600)
	s = serve(t, "127.0.0.1:0", explorer.Job{Results: job.Results, Dumps: []string{other}})
	s.get(t, "item?row=0", &it)
	if !strings.Contains(it.Problem, "no open dump has an answer") {
		t.Errorf("with another dump: got %q", it.Problem)
	}
}

// TestForbidden refuses requests of other pages, for other hosts, and that change something; headers forbid markup.
func TestForbidden(t *testing.T) {
	s := serve(t, "127.0.0.1:0", written(t, maze("a", 130, 430, "")))
	s.get(t, "rows", nil)
	for _, c := range []struct {
		method, header, value string
		want                  int
	}{
		{"GET", "Origin", "https://evil.example", 403}, {"GET", "Origin", strings.TrimSuffix(s.url, explorer.Prefix), 200}, {"GET", "Host", "evil.example", 403},
		{"GET", "Host", "localhost:1", 200}, {"GET", "Host", "localhost.evil.example:1", 403}, {"GET", "Host", "[::1]", 200}, {"GET", "Sec-Fetch-Site", "cross-site", 403}, {"GET", "Sec-Fetch-Site", "same-origin", 200}, {"POST", "", "", 405}, {"DELETE", "", "", 405},
	} {
		req, _ := http.NewRequest(c.method, s.url+"api/rows", nil)
		if c.header == "Host" {
			req.Host = c.value
		} else if c.header != "" {
			req.Header.Set(c.header, c.value)
		}
		r, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		r.Body.Close()
		if r.StatusCode != c.want {
			t.Errorf("%s with %s: %s: got status %d, want %d", c.method, c.header, c.value, r.StatusCode, c.want)
		}
		if p := r.Header.Get("Content-Security-Policy"); !strings.HasPrefix(p, "default-src 'none'; script-src 'self';") || strings.Contains(p, "unsafe") {
			t.Errorf("got the policy %q", p)
		}
	}
}

// TestBadQueries names what is wrong with a request.
func TestBadQueries(t *testing.T) {
	s := serve(t, "127.0.0.1:0", written(t, maze("a", 130, 430, "")))
	for _, c := range []struct {
		route  string
		status int
		want   string
	}{
		{"rows?" + filter(`{"values":{"colour":["red"]}}`), 400, "q.values.colour"}, {"rows?" + filter(`{"x":1}`), 400, "unknown field"}, {"rows?" + filter(`{`), 400, "q"},
		{"rows?" + filter(`{} {}`), 400, "one JSON object"}, {"rows?sort=shoe", 400, "shoe"}, {"rows?from=x", 400, "from"}, {"rows?" + filter(`{"rule":"none"}`), 400, "rule"},
		{"compare?a=0.0&b=7.7", 422, "7.7"}, {"nothing", 404, "route"}, {"rows?job=other", 422, "no such job"}, {"rows?" + filter(`{"id":"`+strings.Repeat("x", 40_000)+`"}`), 400, "32768"},
	} {
		var f explorer.Fault
		if got := s.get(t, c.route, &f); got != c.status || !strings.Contains(f.Error, c.want) {
			t.Errorf("%.60s: got status %d, %q; want %d and %q", c.route, got, f.Error, c.status, c.want)
		}
	}
}

// Every route takes a query with all names that the pages send it, and refuses any other name.
func TestUnknownNames(t *testing.T) {
	s := serve(t, "127.0.0.1:0", written(t, maze("a", 130, 430, "")))
	for _, c := range []struct{ route, names string }{
		{"schema.json", ""}, {"info", "job, away"}, {"select", "job, q"}, {"rows", "job, q, sort, down, from, n"}, {"overview", "job, q"},
		{"compare", "job, q, a, b"}, {"against", "job, q, a"}, {"pairs", "job, q, a, b, down, from, n"}, {"suspects", "job, q"},
		{"item", "job, q, sort, down, row"}, {"sensitivity", "job, row, part, metric, steps, step"}, {"asked", "job, row"},
		{"seen", "job, row, panel"}, {"picture", "job, row, panel, w"}, {"save", "job, q, sort, down, a, b, items, state"}, {"raw", "job, row"},
	} {
		known := strings.TrimPrefix(c.names+", token", ", ")
		if got := s.get(t, c.route+"?"+strings.ReplaceAll(known, ", ", "=&")+"=", nil); got == 400 || got == 404 {
			t.Errorf("%s with %s: got status %d", c.route, known, got)
		}
		var f explorer.Fault
		want := `cannot use query: got "rows"; want ` + known
		if got := s.get(t, c.route+"?token=x&rows=1", &f); got != 400 || f.Error != want || f.Type != "bad_query" {
			t.Errorf("%s: got status %d, %+v; want 400 and %q", c.route, got, f, want)
		}
	}
}

// TestSuspects has for each rule a result that it catches and one that it does not.
func TestSuspects(t *testing.T) {
	var lines []string
	add := func(l ...string) { lines = append(lines, l...) }
	add(maze("in", 130, 430, `,"model":"m"`), maze("out", 1600, 430, `,"model":"m"`)) // outside: only the second
	for i := range 5 {                                                                // same-answer: five questions
		add(maze(fmt.Sprintf("same-%d", i), 400, 300, `,"model":"collapsed"`))
	}
	add(maze("two-0", 401, 305, `,"model":"free"`), maze("two-1", 401, 305, `,"model":"free"`)) // two questions are too few
	add(maze("jump", 131, 430, `,"model":"a"`), maze("jump", 129, 432, `,"model":"b"`))         // near, with the scores below
	add(maze("far", 131, 430, `,"model":"a"`), maze("far", 300, 432, `,"model":"b"`))
	add(mazeAnswer("unread", "nothing", `,"model":"m"`), maze("read", 130, 430, `,"model":"c"`))
	add(maze("near", 130, 430, `,"model":"c"`), maze("not-near", 130, 700, `,"model":"c"`))
	add(mazeAnswer("unchanged", "```json\n{\"createShapes\":[]}\n```", `,"model":"m"`))
	job := written(t, lines...)
	// Scores that a right scorer does not give: the rules look for wrong ones.
	b, err := os.ReadFile(job.Results[0])
	if err != nil {
		t.Fatal(err)
	}
	results := strings.Split(strings.TrimSpace(string(b)), "\n")
	for i, l := range results {
		for id, score := range map[string]string{`"unread"`: "1.0", `"near"`: "0.0", `"not-near"`: "0.0", `"unchanged"`: "1.0"} {
			if strings.Contains(l, `"id":`+id) {
				results[i] = rescored(l, score)
			}
		}
		if strings.Contains(l, `"id":"jump"`) && strings.Contains(l, `"model":"b"`) {
			results[i] = rescored(l, "0.2")
		}
	}
	os.WriteFile(job.Results[0], []byte(strings.Join(results, "\n")+"\n"), 0o600)
	s := serve(t, "127.0.0.1:0", job)
	var all explorer.Suspects
	for s.get(t, "suspects", &all); all.Scanning; s.get(t, "suspects", &all) {
		time.Sleep(20 * time.Millisecond)
	}
	want := map[string][]string{"full-unread": {"unread"}, "full-unchanged": {"unchanged", "unread"}, "zero-near": {"near"}, "outside": {"out"},
		"same-answer": {"same-0", "same-1", "same-2", "same-3", "same-4"}, "reward-jump": {"jump", "jump"}}
	if len(all.Rules) != len(want) || all.Scanned != len(lines) {
		t.Errorf("got %d rules and %d answers, want %d and %d", len(all.Rules), all.Scanned, len(want), len(lines))
	}
	for _, r := range all.Rules {
		var rows explorer.Rows
		s.get(t, "rows?sort=id&"+filter(`{"rule":"`+r.Name+`"}`), &rows)
		var got []string
		for _, x := range rows.Rows {
			got = append(got, x.ID)
		}
		if fmt.Sprint(got) != fmt.Sprint(want[r.Name]) || r.N != len(got) {
			t.Errorf("%s: got %v, %d counted; want %v", r.Name, got, r.N, want[r.Name])
		}
		if doc, _ := os.ReadFile("../../docs/explorer.md"); !bytes.Contains(doc, []byte("| `"+r.Name+"` |")) {
			t.Errorf("%s is not documented", r.Name)
		}
	}
}

// rescored replaces the score of a result line.
func rescored(line, score string) string {
	from := strings.Index(line, `"score":`)
	to := strings.Index(line, `,"status"`)
	return line[:from] + `"score":` + score + `,"reward":` + score + line[to:]
}

// TestSensitivity moves an answer: the score without a move is the result's, and it falls with the distance.
func TestSensitivity(t *testing.T) {
	s := serve(t, "127.0.0.1:0", written(t, maze("a", 130, 430, ""), mazeAnswer("b", "nothing", "")))
	var got explorer.Sensitivity
	if status := s.get(t, "sensitivity?row=0&steps=2&step=10", &got); status != 200 {
		t.Fatalf("got status %d", status)
	}
	if len(got.Scores) != 25 || got.Base == nil || *got.Base != 1 || got.Remark != "" {
		t.Fatalf("got %+v", got)
	}
	for i, x := range got.Scores {
		if x == nil || i != 12 && *x >= 1 {
			t.Errorf("move %d: got %v, want less than 1", i, x)
		}
	}
	if *got.Scores[10] != *got.Scores[14] || *got.Scores[2] != *got.Scores[22] || *got.Scores[10] >= *got.Scores[11] {
		t.Errorf("moves to both sides differ, or far ones score more: %v", got.Scores)
	}
	var f explorer.Fault
	if status := s.get(t, "sensitivity?row=1", &f); status != 422 || !strings.Contains(f.Error, "places nothing") {
		t.Errorf("an answer that places nothing: got status %d, %q", status, f.Error)
	}
}

// TestSensitivityOfSuites moves a piece of a puzzle and what was drawn on the canvas, and maps metrics.
func TestSensitivityOfSuites(t *testing.T) {
	in := generate.Instance(9, 0)
	line := string(in.AppendJSON(nil))
	puzzle, _ := json.Marshal(generate.Answer(in, generate.Right))
	s := serve(t, "127.0.0.1:0", written(t, line[:len(line)-1]+`,"id":"p","suite":"tangram","response":`+string(puzzle)+"}\n",
		`{"id":"d","suite":"drawingbench","criteria":{"coverage_range":[0.05,1]},"response":[{"action":"moveTo","x":95,"y":75},{"action":"mouseDown"},{"action":"moveTo","x":400,"y":400},{"action":"mouseUp"}]}`+"\n"))
	var it explorer.Item
	s.get(t, "item?row=0", &it)
	if len(it.Parts) != 7 || len(it.Panels) != 1 || len(it.Panels[0].Axes) != 4 || it.Panels[0].Axes[3] >= 0 {
		t.Fatalf("got parts %v, panels %v", it.Parts, it.Panels)
	}
	for _, c := range []struct {
		row    int
		metric string
		rises  bool // towards the middle from the left
	}{{0, "", true}, {0, "iou", true}, {0, "pe_overlap", false}, {1, "", false}, {1, "drawing_segments", false}} {
		var got explorer.Sensitivity
		part := url.QueryEscape(it.Parts[0].Name)
		if c.row == 1 {
			part = ""
		}
		if status := s.get(t, fmt.Sprintf("sensitivity?row=%d&steps=2&part=%s&metric=%s", c.row, part, c.metric), &got); status != 200 {
			t.Fatalf("%v: got status %d", c, status)
		}
		if len(got.Scores) != 25 || got.Base == nil || got.Remark != "" || got.Up != (c.row == 0) || slices.Contains(got.Scores, nil) {
			t.Fatalf("%v: got %+v", c, got)
		}
		if rises := *got.Scores[12] > *got.Scores[10]; rises != c.rises {
			t.Errorf("%v: got %v in the middle and %v to its left", c, *got.Scores[12], *got.Scores[10])
		}
	}
	var got explorer.Sensitivity
	s.get(t, "sensitivity?row=0&steps=1&metric=n_none", &got)
	if got.Base != nil {
		t.Errorf("got %v for a metric that is not there; want null", *got.Base)
	}
}

// TestTexts finds texts in answers, and not in prompts.
func TestTexts(t *testing.T) {
	s := serve(t, "127.0.0.1:0", written(t, mazeAnswer("a", "say \"hello\" to <b>", ""), mazeAnswer("b", "hello", ""), mazeAnswer("c", "nothing", "")))
	for text, want := range map[string]int{`hello`: 2, `\"hello\" to <b`: 1, "Draw a red star": 0, "thing": 1} {
		var got explorer.Selected
		s.get(t, "select?"+filter(`{"text":"`+text+`"}`), &got)
		if got.Rows != want || got.Remark != "" {
			t.Errorf("%s: got %d rows, %q; want %d", text, got.Rows, got.Remark, want)
		}
	}
}

// TestCompare pairs two series by question.
func TestCompare(t *testing.T) {
	var lines []string
	for i := range 8 {
		lines = append(lines, maze(fmt.Sprint("q", i), 130, 430, `,"model":"right"`), maze(fmt.Sprint("q", i), 130+float64(10*i), 430, `,"model":"near"`))
	}
	s := serve(t, "127.0.0.1:0", written(t, append(lines, maze("alone", 130, 430, `,"model":"right"`))...))
	var got explorer.Comparison
	s.get(t, "compare?a=0.0&b=0.1", &got)
	if got.Pairs != 8 || got.Unpaired != 1 || len(got.Lines) != 1 || got.Lines[0].Worse != 7 || got.Lines[0].Better != 0 || got.Lines[0].A != 1 || !(got.Lines[0].Difference < 0) {
		t.Errorf("got %+v", got)
	}
	if p := got.Lines[0].Sign; p == nil || math.Abs(*p-2.0/128) > 1e-12 {
		t.Errorf("sign test of 7 losses: got %v, want 2/128", p)
	}
	var all explorer.Against
	s.get(t, "against?a=0.0", &all)
	if len(all.Lines) != 1 || all.Lines[0].ID != "0.1" || all.Lines[0].N != 8 || all.Lines[0].Unpaired != 1 || all.Lines[0].Difference != got.Lines[0].Difference {
		t.Errorf("got %+v; want the comparison of the other series", all)
	}
	if status := s.get(t, "against?a=7.0", nil); status != 422 {
		t.Errorf("a series that is not there: got status %d", status)
	}
	var pairs explorer.Pairs
	s.get(t, "pairs?a=0.0&b=0.1&n=1", &pairs)
	if pairs.Total != 8 || pairs.Pairs[0].ID != "q7" {
		t.Errorf("the largest loss: got %+v, want q7", pairs)
	}
}

// TestCutIndex cuts the index while it is in use; the next request has it made again.
func TestCutIndex(t *testing.T) {
	job := written(t, maze("a", 130, 430, ""), maze("b", 130, 430, ""))
	s := serve(t, "127.0.0.1:0", job)
	for _, damage := range []func(path string) error{
		func(path string) error { return os.Truncate(path, 100) },
		func(path string) error { return os.WriteFile(path, bytes.Repeat([]byte{255}, 5000), 0o600) },
		os.Remove,
	} {
		var rows explorer.Rows
		s.get(t, "rows?sort=score", &rows)
		if err := damage(job.Results[0] + ".plumbidx"); err != nil {
			t.Fatal(err)
		}
		if got := s.get(t, "rows?sort=id&"+filter(`{"score":{"low":0.5}}`), &rows); got != 200 || rows.Total != 2 {
			t.Errorf("after damage: got status %d, %d rows; want 200, 2", got, rows.Total)
		}
	}
}

// TestAsked shows what the model was asked, and the picture that it saw.
func TestAsked(t *testing.T) {
	job := written(t, maze("a", 130, 430, ""), maze("b", 130, 430, `,"asked":{"model":"m","input":"minimal"}`), "{\"id\":\n")
	s := serve(t, "127.0.0.1:0", job)
	for row, want := range map[int]int{0: 1, 1: 1} {
		var got explorer.Asked
		if status := s.get(t, fmt.Sprintf("asked?row=%d", row), &got); status != 200 || got.Text != "Draw a red star." || len(got.Images) != want || got.Images[0].Error != "" {
			t.Fatalf("row %d: got status %d, %+v; want the prompt of the dump and %d pictures", row, status, got, want)
		}
		r, err := http.Get(s.url + fmt.Sprintf("api/seen?row=%d&panel=0", row))
		if err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(r.Body)
		r.Body.Close()
		if err != nil || r.Header.Get("Content-Type") != "image/png" || img.Bounds().Dx() != got.Images[0].Width {
			t.Errorf("row %d: got %v, %s, %d px; want a picture of %d px", row, err, r.Header.Get("Content-Type"), img.Bounds().Dx(), got.Images[0].Width)
		}
	}
	if got := s.get(t, "seen?row=0&panel=7", nil); got != http.StatusNoContent {
		t.Errorf("a picture that is not there: got status %d, want 204", got)
	}
	var f explorer.Fault
	if got := s.get(t, "asked?row=2", &f); got != 422 || !strings.Contains(f.Error, "cannot tell what was asked") {
		t.Errorf("a line that cannot be read: got status %d, %q; want 422", got, f.Error)
	}
}
