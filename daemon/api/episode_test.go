package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fasthttp/websocket"

	"plumb/daemon"
	"plumb/daemon/api"
	"plumb/daemon/ask"
	"plumb/daemon/dump"
	"plumb/daemon/queue"
	"plumb/render"
	"plumb/render/scene"
	"plumb/scoring/suites"
	"plumb/testdata"
)

// playing is a daemon with the real suites and sample tasks of each.
type playing struct {
	addr string
	core *daemon.Core
}

// sample tasks of ASPIRE, one per test, with two answers each.
type aspireTask struct {
	line    []byte
	answers []string
}

// aspireTasks reads the first task of each test from the sample dump.
func aspireTasks(t *testing.T) (all []aspireTask) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(testdata.Root(), "testdata", "aspire", "demo.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]int{}
	for line := range bytes.Lines(b) {
		var item struct {
			ID, Test, Prompt string
			Response         string
			Shapes, Task     json.RawMessage
		}
		if err := json.Unmarshal(line, &item); err != nil {
			t.Fatal(err)
		}
		id, _, _ := strings.Cut(item.ID, "/")
		if i, ok := at[item.Test]; ok {
			var have struct{ ID string }
			json.Unmarshal(all[i].line, &have)
			if have.ID == id {
				all[i].answers = append(all[i].answers, item.Response)
			}
			continue
		}
		at[item.Test] = len(all)
		task, _ := json.Marshal(map[string]any{"id": id, "test": item.Test, "prompt": item.Prompt, "shapes": item.Shapes, "task": item.Task})
		all = append(all, aspireTask{task, []string{item.Response}})
	}
	return all
}

// play starts a daemon.
func play(t *testing.T, backend string) *playing {
	t.Helper()
	return playWith(t, backend, func(*daemon.CoreConfig) {})
}

// playWith is play with a changed configuration.
func playWith(t *testing.T, backend string, change func(*daemon.CoreConfig)) *playing {
	t.Helper()
	root := testdata.Root()
	dir := t.TempDir()
	var lines []byte
	for _, task := range aspireTasks(t) {
		lines = append(append(lines, task.line...), '\n')
	}
	aspire := filepath.Join(dir, "aspire.jsonl")
	if err := os.WriteFile(aspire, lines, 0o600); err != nil {
		t.Fatal(err)
	}
	limits := scene.DefaultLimits()
	cfg := daemon.CoreConfig{Engine: render.Config{Backend: backend}, Fonts: filepath.Join(root, "build", "fonts"),
		Suites: suites.New(suites.Config{}), Scenes: limits, Remote: true, Whole: true,
		TaskFile: map[string]string{"aspire": aspire, "tangram": filepath.Join(root, "testdata", "tangram", "instances.jsonl"),
			"drawingbench": filepath.Join(root, "testdata", "drawingbench", "tasks.json"), "spatialab:train": filepath.Join(root, "testdata", "vqa", "items.jsonl"), "spaceeval": filepath.Join(root, "testdata", "vqa", "items.jsonl")}}
	change(&cfg)
	core, err := daemon.Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	boards := sync.OnceValues(func() (*ask.Boards, error) { return ask.NewBoards(limits, 64<<20) })
	s := api.New(api.Config{Queue: core.Queue, Items: core.Items, Pictures: core.Pictures, MaxSessions: 4096,
		Prompts: &ask.Prompter{Suites: core.Items.Suites, Tasks: core.Items.Tasks, Boards: boards}})
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go s.Serve(ln, nil)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		s.Shutdown(ctx)
		core.Close()
	})
	return &playing{ln.Addr().String(), core}
}

// envelope is a reply of OpenEnv.
type envelope struct {
	Observation map[string]json.RawMessage
	Reward      json.RawMessage
	Done        bool
	raw         string // the observation
}

func readEnvelope(t *testing.T, b []byte) envelope {
	t.Helper()
	var e envelope
	var raw struct{ Observation json.RawMessage }
	if json.Unmarshal(b, &e) != nil || json.Unmarshal(b, &raw) != nil || e.Observation == nil {
		t.Fatalf("got %.500s; want an observation", b)
	}
	e.raw = string(raw.Observation)
	return e
}

// gym is one WebSocket session.
type gym struct {
	t    *testing.T
	conn *websocket.Conn
}

func (p *playing) session(t *testing.T) *gym {
	t.Helper()
	c, _, err := websocket.DefaultDialer.Dial("ws://"+p.addr+"/ws", nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	// The library gives its answer to a ping one second, and fails every later message where that passes.
	c.SetPingHandler(func(m string) error {
		return c.WriteControl(websocket.PongMessage, []byte(m), time.Now().Add(time.Minute))
	})
	return &gym{t, c}
}

// say sends a message and returns the data of the answer and its type.
func (g *gym) say(kind string, data any) (string, []byte) {
	g.t.Helper()
	b, err := json.Marshal(map[string]any{"type": kind, "data": data})
	if err != nil {
		g.t.Fatal(err)
	}
	if err := g.conn.WriteMessage(websocket.TextMessage, b); err != nil {
		g.t.Fatal(err)
	}
	_, b, err = g.conn.ReadMessage()
	if err != nil {
		g.t.Fatal(err)
	}
	var m struct {
		Type string
		Data json.RawMessage
	}
	if err := json.Unmarshal(b, &m); err != nil {
		g.t.Fatal(err)
	}
	return m.Type, m.Data
}

// must is say where an observation is wanted.
func (g *gym) must(kind string, data any) envelope {
	g.t.Helper()
	got, b := g.say(kind, data)
	if got != "observation" {
		g.t.Fatalf("%s %.300v: got %s %.500s", kind, data, got, b)
	}
	return readEnvelope(g.t, b)
}

// post sends a request and returns status and body.
func (p *playing) post(t *testing.T, path string, body any) (int, []byte) {
	t.Helper()
	b, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.Post("http://"+p.addr+path, "application/json", bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	out, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, out
}

// script is an episode with its answers.
type script struct {
	name    string
	reset   map[string]any // without label
	label   string
	answers []any // strings or objects
}

// piece is one of TangramPuzzle's as a model writes it.
func piece(id, kind, vertices string) string {
	return fmt.Sprintf(`{"id":%q,"type":%q,"vertices":%s}`, id, kind, vertices)
}

// scripts lists episodes of every suite and mode, with good, broken, empty and hostile answers.
func scripts(t *testing.T) (all []script) {
	for _, task := range aspireTasks(t) {
		var id struct{ ID, Test string }
		json.Unmarshal(task.line, &id)
		label := fmt.Sprintf(`{"suite":"aspire","id":%q}`, id.ID)
		good := task.answers[0]
		last := task.answers[len(task.answers)-1]
		for _, mode := range []string{"retry", "canvas"} {
			all = append(all, script{"aspire " + id.Test + " " + mode, map[string]any{"turns": 4, "mode": mode, "threshold": 2, "feedback": "full"}, label,
				[]any{last, "{\"createShapes\":[{\"type\":\"geo\",\"props\":{\"geo\":\"star\",\"color\":\"red\",\"w\":\"10+20\",\"h\":50},\"x\":1e3,\"y\":20},{\"type\":\"text\",\"text\":\"a\\\"b\\\\é\"}],\"updateShapes\":[{\"id\":\"new-0\",\"x\":33.1}],\"rotation\":0.25}",
					"", good}})
		}
		all = append(all, script{"aspire " + id.Test + " hostile", map[string]any{"turns": 3, "mode": "canvas", "threshold": 9}, label,
			[]any{`{"createShapes":[{"id":"a","type":"line","start":[0,0],"end":{"x":5,"y":6}},{"id":"b","type":"arrow","start":[1,2],"end":[3,4],"bend":9},{"type":"draw","props":{"segments":[{"type":"free","points":[{"x":1,"y":2},{"x":9,"y":9,"z":0.1}]}]}},{"type":"circle","color":"gray","x":1e308}],"deleteShapes":["nothing"],"rotation":1e308}`,
				map[string]any{"createShapes": []any{map[string]any{"id": "a", "type": "frame", "name": "x"}}, "deleteShapes": []any{"b"}, "updateShapes": []any{map[string]any{"id": "a", "props": map[string]any{"w": 7}}, 5, nil}, "rotation": -1e308},
				strings.Repeat("[", 5000) + "{\"createShapes\":" + "\x00"}})
	}
	draw := func(actions string) string { return "```json\n[" + actions + "]\n```" }
	const red, line = `{"action":"click","x":429,"y":25}`, `{"action":"moveTo","x":200,"y":200},{"action":"mouseDown"},{"action":"moveTo","x":500,"y":400}`
	for _, mode := range []string{"retry", "canvas"} {
		all = append(all, script{"drawingbench " + mode, map[string]any{"turns": 5, "mode": mode, "threshold": 2, "images": "all"}, `{"suite":"drawingbench","id":"` + firstDrawing(t) + `"}`,
			[]any{draw(red), draw(line), "no list at all", draw(`{"action":"mouseUp"},{"action":"moveTo","x":NaN,"y":1e400},{"action":"wash"}`), "[5,null]"}})
	}
	t1 := `[["0","0"],["2\\sqrt{2}","0"],["\\sqrt{2}","\\sqrt{2}"]]`
	all = append(all, script{"tangram place", map[string]any{"turns": 7, "feedback": "full"}, `{"suite":"tangram","id":"` + firstInstance(t) + `"}`,
		[]any{`{"final_state":{"pieces":[` + piece("T1", "large_triangle", t1) + `]}}`, `{"final_state":{"T2":` + piece("T2", "large_triangle", t1) + `}}`, "nothing", "",
			`{"final_state":{"T1":null,"X":5,"S1":{"type":"square","vertices":[["0","0"],["1","0"],["1","1"],["0","1"]]}}}`,
			`{"final_state":[{"type":"square"},{"id":"T2","vertices":null},` + piece("T3", "medium_triangle", `[[0,0],[1.5,0],["x","y"]]`) + `]}`}})
	all = append(all, script{"spatialab", map[string]any{"turns": 1, "images": "none"}, `{"suite":"spatialab","split":"train","id":"` + firstQuestion(t) + `"}`, []any{"The answer is B."}})
	// An answer without a letter waits for a judge, which is not there: the scorer fails.
	for i, answer := range []string{"The answer is D.", "the large one", "", strings.Repeat("(A", 3000) + "\x00"} {
		all = append(all, script{fmt.Sprintf("spaceeval %d", i), map[string]any{"turns": 1}, `{"suite":"spaceeval","id":"` + firstSpace(t) + `"}`, []any{answer}})
	}
	all = append(all, script{"tangram outline", map[string]any{}, outlineLabel(t), []any{"```json\n{\"answer\":\"C\"}\n```"}})
	return all
}

// first returns a member of the first line of a file below testdata.
func first(t *testing.T, member string, path ...string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(append([]string{testdata.Root(), "testdata"}, path...)...))
	if err != nil {
		t.Fatal(err)
	}
	line, _, _ := bytes.Cut(b, []byte("\n"))
	var m map[string]any
	if err := json.Unmarshal(line, &m); err != nil {
		t.Fatal(err)
	}
	return m[member].(string)
}

func firstInstance(t *testing.T) string { return first(t, "instance_id", "tangram", "instances.jsonl") }
func firstQuestion(t *testing.T) string { return first(t, "id", "vqa", "items.jsonl") }

// firstSpace returns the id of the first question of spaceeval.
func firstSpace(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(testdata.Root(), "testdata", "vqa", "items.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(b) {
		var item struct{ ID, Suite string }
		if json.Unmarshal(line, &item) == nil && item.Suite == "spaceeval" {
			return item.ID
		}
	}
	t.Fatal("no question of spaceeval")
	return ""
}

func firstDrawing(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(testdata.Root(), "testdata", "drawingbench", "tasks.json"))
	if err != nil {
		t.Fatal(err)
	}
	var doc any
	if err := json.Unmarshal(b, &doc); err != nil {
		t.Fatal(err)
	}
	if m, ok := doc.(map[string]any); ok {
		doc = m["prompts"]
	}
	return doc.([]any)[0].(map[string]any)["id"].(string) + "#0"
}

func outlineLabel(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(testdata.Root(), "testdata", "tangram", "outlines.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	line, _, _ := bytes.Cut(b, []byte("\n"))
	var m map[string]json.RawMessage
	json.Unmarshal(line, &m)
	delete(m, "response")
	m["suite"] = json.RawMessage(`"tangram"`)
	out, _ := json.Marshal(m)
	return string(out)
}

// scored is the result line of a dump line, as plumb score has it.
func (p *playing) scored(t *testing.T, line []byte) map[string]json.RawMessage {
	t.Helper()
	st := p.core.Queue.Stream(t.Context(), new(queue.Options))
	st.Put(dump.Line{Number: 1, Bytes: line})
	st.End()
	a, err := st.Next()
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]json.RawMessage
	if err := json.Unmarshal(a.JSON, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

// equal compares the members of a result that every turn has in common with plumb score.
func equal(t *testing.T, name string, observed json.RawMessage, want map[string]json.RawMessage) {
	t.Helper()
	var got map[string]json.RawMessage
	if err := json.Unmarshal(observed, &got); err != nil {
		t.Fatalf("%s: result %s", name, observed)
	}
	for _, key := range []string{"score", "status", "metrics", "error"} {
		if !bytes.Equal(got[key], want[key]) {
			t.Errorf("%s: %s: got %.300s; want %.300s", name, key, got[key], want[key])
		}
	}
}

// Every turn is scored as plumb score scores the task with the answer of its observation, over
// WebSocket and HTTP, on both backends; and a session that is lost after any turn goes on with its
// history to the same bytes. See docs/spec/episodes.md#r6.
func TestEpisodesEqualScore(t *testing.T) {
	for _, backend := range []string{"cpu", "gl"} {
		t.Run(backend, func(t *testing.T) {
			p := play(t, backend)
			for _, s := range scripts(t) {
				t.Run(s.name, func(t *testing.T) { p.run(t, s, backend == "cpu") })
			}
		})
	}
}

// run plays a script. Every history is tried where all is set, else the last alone.
func (p *playing) run(t *testing.T, s script, all bool) {
	reset := map[string]any{"label": s.label, "answer": true}
	for k, v := range s.reset {
		reset[k] = v
	}
	g := p.session(t)
	begin := g.must("reset", reset)
	var seen []envelope
	for k, answer := range s.answers {
		e := g.must("step", map[string]any{"response": answer})
		seen = append(seen, e)
		name := fmt.Sprintf("%s, answer %d", s.name, k+1)
		line := append([]byte(strings.TrimSuffix(strings.TrimSpace(s.label), "}")+`,"response":`), e.Observation["answer"]...)
		equal(t, name, e.Observation["result"], p.scored(t, append(line, '}')))
		if e.Done && k+1 < len(s.answers) {
			if string(e.Observation["error"]) == "null" {
				t.Fatalf("%s: the episode has ended", name)
			}
			s.answers = s.answers[:k+1] // the scorer failed
			break
		}
	}
	histories := []int{len(s.answers) - 1}
	if all {
		histories = nil
		for k := range s.answers {
			histories = append(histories, k)
		}
	}
	for _, k := range histories {
		again := map[string]any{"history": s.answers[:k+1]}
		step := map[string]any{"history": s.answers[:k], "response": s.answers[k]}
		for name, v := range reset {
			again[name], step[name] = v, v
		}
		if got := p.session(t).must("reset", again); got.raw != seen[k].raw || got.Done != seen[k].Done || string(got.Reward) != "null" {
			t.Errorf("%s: history of %d: got\n%.2000s\nwant\n%.2000s", s.name, k+1, got.raw, seen[k].raw)
		}
		status, b := p.post(t, "/step", map[string]any{"action": step})
		if status != 200 {
			t.Fatalf("%s: over HTTP: %d %s", s.name, status, b)
		}
		if got := readEnvelope(t, b); got.raw != seen[k].raw || got.Done != seen[k].Done || string(got.Reward) != string(seen[k].Reward) {
			t.Errorf("%s: answer %d over HTTP: got\n%.2000s\nwant\n%.2000s", s.name, k+1, got.raw, seen[k].raw)
		}
	}
	status, b := p.post(t, "/reset", reset)
	if got := readEnvelope(t, b); status != 200 || got.raw != begin.raw {
		t.Errorf("%s: reset over HTTP: got %d\n%.1000s\nwant\n%.1000s", s.name, status, got.raw, begin.raw)
	}
}
