package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"plumb/daemon"
	"plumb/daemon/queue/queuetest"
	"plumb/scoring"
)

// The states of a session, event by event. See docs/spec/episodes.md#r4.
func TestEpisodeStates(t *testing.T) {
	p := play(t, "cpu")
	g := p.session(t)
	task := aspireTasks(t)[0]
	var id struct{ ID string }
	json.Unmarshal(task.line, &id)
	label := fmt.Sprintf(`{"suite":"aspire","id":%q}`, id.ID)
	good := task.answers[0]
	for _, s := range []struct {
		kind string
		data map[string]any
		want string // "type needle"
	}{
		{"step", map[string]any{"response": "x"}, `error "error_type":"no_episode"`},
		{"step", map[string]any{"response": good, "label": label}, `observation "done":true`},
		{"step", map[string]any{"response": "x"}, `error "error_type":"no_episode"`},
		{"reset", map[string]any{"label": label, "turns": 3, "threshold": 2}, `observation "turn":0,"turns":3,"prompt":"Initial`},
		{"step", map[string]any{"response": "x", "label": label}, `error "code":"VALIDATION_ERROR"`},
		{"step", map[string]any{"response": "x"}, `observation "turn":1`},
		{"step", map[string]any{"response": 7}, `error "code":"VALIDATION_ERROR"`},
		{"state", nil, `state "step_count":1,"suite":"aspire"`},
		{"reset", map[string]any{"label": label, "turns": 99}, `error cannot use turns: got 99; want at most 16 (--max-turns)`},
		{"step", map[string]any{"response": "x"}, `observation "turn":2`}, // a reset that is refused drops nothing
		{"step", map[string]any{"response": good}, `observation "done":true`},
		{"step", map[string]any{"response": good}, `error "code":"EXECUTION_ERROR","error_type":"episode_done"`},
		{"step", map[string]any{"response": good, "label": label}, `observation "done":true`},
		{"reset", map[string]any{"suite": "aspire", "index": -1, "images": "none"}, `observation "images":[]`},
		{"reset", map[string]any{"seed": 3, "suite": "aspire"}, `observation "turns":2`},
		{"state", nil, `state "turn":0,"turns":2,"done":false,"seed":3`},
		{"reset", map[string]any{"label": label}, `observation "done":false`},
		{"step", map[string]any{"response": "x", "label": label}, `error an episode is under way`},
		{"step", map[string]any{"response": "x"}, `observation "done":true`},
		{"step", map[string]any{"response": "x"}, `error "error_type":"episode_done"`},
		{"reset", map[string]any{"label": label, "turns": 2}, `observation "turn":0`},
		{"step", map[string]any{"response": nil}, `observation "error":{"code":"no_response"`},
		{"step", map[string]any{"response": "x"}, `error "error_type":"episode_done"`},
		{"reset", map[string]any{"seed": 1}, `error cannot use suite: got nothing; want one of those with tasks, [aspire drawingbench spaceeval spatialab tangram]`},
		{"reset", map[string]any{"label": label, "history": []string{"a", "b", "c"}}, `error cannot use history: got 3 answers; want at most 2`},
		{"reset", map[string]any{"label": label, "threshold": 0.0, "history": []string{"a", "b"}}, `error the episode ends after 1`},
		{"reset", map[string]any{"suite": "spatialab", "split": "train", "index": 0, "turns": 2}, `error elimination`},
		{"reset", map[string]any{"suite": "aspire", "index": 100}, `error cannot use index`}, {"reset", map[string]any{"suite": "aspire"}, `error want label, index or seed`},
		{"reset", map[string]any{"suite": "chess", "index": 0}, `error cannot use suite`}, {"reset", map[string]any{"suite": "aspire", "split": "dev", "index": 0}, `error cannot use split`},
		{"reset", map[string]any{"label": label, "mode": "place"}, `error want retry or canvas`}, {"reset", map[string]any{"label": label, "mode": 5}, `error cannot use mode`},
		{"reset", map[string]any{"label": label, "feedback": "loud"}, `error cannot use feedback`}, {"reset", map[string]any{"label": label, "reward": "sum"}, `error cannot use reward`},
		{"reset", map[string]any{"label": label, "reward": map[string]any{"shaped": map[string]any{"beta": 1}}}, `error cannot use reward.shaped.beta`},
		{"reset", map[string]any{"label": label, "images": "some"}, `error cannot use images`}, {"reset", map[string]any{"label": label, "turns": 0}, `error cannot use turns`},
		{"reset", map[string]any{"label": label, "threshold": "0.5"}, `error cannot use threshold`}, {"reset", map[string]any{"label": label, "answer": 1}, `error cannot use answer`},
		{"reset", map[string]any{"label": label, "history": "x"}, `error cannot use history`}, {"reset", map[string]any{"label": label, "action": "naked"}, `error cannot use action`},
		{"reset", map[string]any{"label": label, "images": map[string]any{"region": "r", "byte_size": 100}}, `error --allow-client-shm`},
		{"reset", map[string]any{"label": label, "suite": "aspire", "turns": 2}, `error one way to name the task`},
		{"reset", map[string]any{"label": label, "other": 1, "turns": 2}, `observation "done":false`},
	} {
		kind, data := g.say(s.kind, s.data)
		want, needle, _ := strings.Cut(s.want, " ")
		if kind != want || !strings.Contains(string(data), needle) {
			t.Errorf("%s %v: got %s %.600s; want %s", s.kind, s.data, kind, data, s.want)
		}
	}
}

// An action without a response is the answer where reset says so: it scores as the same object.
func TestEpisodeBareAction(t *testing.T) {
	p := play(t, "cpu")
	g := p.session(t)
	for _, task := range aspireTasks(t) {
		var id struct{ ID, Test string }
		json.Unmarshal(task.line, &id)
		if id.Test != "arrow" {
			continue
		}
		label := fmt.Sprintf(`{"suite":"aspire","id":%q}`, id.ID)
		g.must("reset", map[string]any{"label": label, "action": "bare", "turns": 1})
		e := g.must("step", map[string]any{"rotation": -0.16, "timeout_s": 5})
		equal(t, "bare", e.Observation["result"], p.scored(t, []byte(strings.TrimSuffix(label, "}")+`,"response":{"rotation":-0.16}}`)))
		if string(e.Observation["status"]) != `"object"` {
			t.Errorf("got status %s; want the answer to be read", e.Observation["status"])
		}
		return
	}
	t.Fatal("no arrow task")
}

// No observation of any episode holds criteria, targets or right answers.
func TestEpisodeShowsNoCriteria(t *testing.T) {
	p := play(t, "cpu")
	g := p.session(t)
	planted := `"secret_9174":[{"x":91749174.25}],"expected":["shape:zz9174"],"target":`
	for _, c := range []struct {
		label  string
		answer string
	}{
		{`{"suite":"aspire","test":"maze","id":"m","prompt":"p","shapes":[],"task":{` + planted + `[9174.25,-9174.5]}}`, `{"createShapes":[]}`},
		{`{"suite":"drawingbench","id":"d","prompt":"p","criteria":{"required_tools":["pen"],"secret_9174":["zz9174"]}}`, `[]`},
		{outlineLabel(t), "no letter"},
	} {
		for _, feedback := range []string{"none", "status", "score", "full"} {
			reset := map[string]any{"label": c.label, "feedback": feedback, "images": "none"}
			got := g.must("reset", reset).raw + g.must("step", map[string]any{"response": c.answer}).raw
			var m map[string]any
			json.Unmarshal([]byte(c.label), &m)
			for _, secret := range []string{"9174", `"task":{`, `"criteria"`, `"expected"`, `"answer":"` + fmt.Sprint(m["answer"]) + `"`, `"options"`} {
				if strings.Contains(got, secret) {
					t.Errorf("%.80s: feedback %s: an observation holds %s: %.1500s", c.label, feedback, secret, got)
				}
			}
		}
	}
}

// Rewards of steps add up to the return, and the return has the bits of the result line.
func TestEpisodeRewards(t *testing.T) {
	p := play(t, "cpu")
	g := p.session(t)
	task := aspireTasks(t)[0]
	var id struct{ ID string }
	json.Unmarshal(task.line, &id)
	answers := append([]string{"nothing"}, task.answers...)
	if len(answers) < 3 {
		t.Fatal("want a task with two answers")
	}
	answers = []string{answers[0], answers[2], answers[1]}
	for _, c := range []struct {
		rule  any
		steps func(x []float64) []float64
		total func(x, r []float64) float64
	}{
		{"final", func(x []float64) []float64 { return []float64{0, 0, x[2]} }, func(x, _ []float64) float64 { return x[2] }},
		{"gain", func(x []float64) []float64 { return []float64{x[0] - 0, x[1] - x[0], x[2] - x[1]} }, func(x, _ []float64) float64 { return x[2] }},
		{"best", func(x []float64) []float64 {
			return []float64{max(0, x[0]-0), max(0, x[1]-max(0, x[0])), max(0, x[2]-max(0, x[0], x[1]))}
		}, func(x, _ []float64) float64 { return max(x[0], x[1], x[2]) }},
		{map[string]any{"shaped": map[string]any{"gamma": 0.99, "cost": 0.01}}, func(x []float64) []float64 {
			y := [3]float64{0.99 * x[0], 0.99 * x[1], 0.99 * x[2]}
			return []float64{y[0] - 0 - 0.01, y[1] - x[0] - 0.01, y[2] - x[1] - 0.01}
		}, func(_, r []float64) float64 { return r[0] + r[1] + r[2] }},
	} {
		g.must("reset", map[string]any{"suite": "aspire", "index": 0, "turns": 3, "threshold": 2, "reward": c.rule, "images": "none"})
		var x, got []float64
		var last envelope
		for _, a := range answers {
			last = g.must("step", map[string]any{"response": a})
			var r struct{ Reward float64 }
			json.Unmarshal(last.Observation["result"], &r)
			var step float64
			if err := json.Unmarshal(last.Reward, &step); err != nil {
				t.Fatal(err)
			}
			x, got = append(x, r.Reward), append(got, step)
		}
		var total float64
		json.Unmarshal(last.Observation["return"], &total)
		if want := c.steps(x); fmt.Sprint(got) != fmt.Sprint(want) || total != c.total(x, got) {
			t.Errorf("%v of %v: got %v, return %v; want %v, %v", c.rule, x, got, total, want, c.total(x, got))
		}
		var rewards []float64
		if json.Unmarshal(last.Observation["rewards"], &rewards); fmt.Sprint(rewards) != fmt.Sprint(got) {
			t.Errorf("%v: got rewards %v; want %v", c.rule, rewards, got)
		}
	}
}

// 512 sessions lose their daemon in the middle of their episodes. Each goes on with its history at
// another one, and ends with the bytes of an episode that was not cut.
func TestEpisodesThroughRestart(t *testing.T) {
	sessions := 512
	if n, err := strconv.Atoi(os.Getenv("PLUMB_EPISODES")); err == nil { // make load
		sessions = n
	}
	// Deadlines are not what is tested, and a busy machine passes the default one with so many at once.
	patient := func(c *daemon.CoreConfig) { c.Queue.Deadline = 10 * time.Minute }
	p, q := playWith(t, "cpu", patient), playWith(t, "cpu", patient)
	tasks := aspireTasks(t)
	reset := func(i int) map[string]any {
		return map[string]any{"suite": "aspire", "seed": i, "turns": 3, "threshold": 2, "images": "none", "mode": []string{"retry", "canvas"}[i/len(tasks)%2]}
	}
	answers := func(i int) []string {
		a := tasks[i%len(tasks)].answers
		return []string{a[len(a)-1], "", a[0]}
	}
	whole := map[int]string{} // by seed and mode
	for i := range 2 * len(tasks) {
		g := q.session(t)
		g.must("reset", reset(i))
		var e envelope
		for _, a := range answers(i) {
			e = g.must("step", map[string]any{"response": a})
		}
		whole[i] = e.raw
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	wrong := 0
	for i := range sessions {
		wg.Go(func() {
			g := p.session(t)
			k := i % 3
			g.must("reset", reset(i))
			for _, a := range answers(i)[:k] {
				g.must("step", map[string]any{"response": a})
			}
			g.conn.Close() // the session is lost
			g = q.session(t)
			r := reset(i)
			r["history"] = answers(i)[:k]
			g.must("reset", r)
			var e envelope
			for _, a := range answers(i)[k:] {
				e = g.must("step", map[string]any{"response": a})
			}
			if e.raw != whole[i%(2*len(tasks))] {
				mu.Lock()
				wrong++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if wrong > 0 {
		t.Errorf("%d of %d episodes ended otherwise", wrong, sessions)
	}
}

// TestEpisodeWaits: a step whose turn does not come before its deadline is an error, and the episode stays as
// it was, so that the step may come again.
func TestEpisodeWaits(t *testing.T) {
	block := make(chan struct{})
	var blocked atomic.Int64
	const workers, spares = 1, 2
	p := playWith(t, "cpu", func(c *daemon.CoreConfig) {
		fake := queuetest.Suite{Block: block, Blocked: &blocked}
		c.Suites = scoring.NewSuites(append(c.Suites, fake.As("fake"))...)
		c.Queue.Workers, c.Queue.MaxSpares, c.Queue.Deadline = workers, spares, 5*time.Second
	})
	answers := aspireTasks(t)[0].answers
	g := p.session(t)
	g.must("reset", map[string]any{"suite": "aspire", "index": 0, "turns": 3, "threshold": 2, "images": "none"})
	want := g.must("step", map[string]any{"response": answers[0]})
	g.must("reset", map[string]any{"suite": "aspire", "index": 0, "turns": 3, "threshold": 2, "images": "none"})
	for i := 0; blocked.Load() < workers+spares; i++ { // until every worker is stuck
		body := strings.NewReader(fmt.Sprintf(`{"suite":"fake","id":"%d","test":"sum","do":"block"}`, i))
		req, err := http.NewRequest("POST", "http://"+p.addr+"/v1/score", body)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("X-Deadline-Ms", "300")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
	}
	kind, data := g.say("step", map[string]any{"response": answers[0]})
	if kind != "error" || !strings.Contains(string(data), `"EXECUTION_ERROR"`) || !strings.Contains(string(data), `"deadline"`) {
		t.Errorf("got %s %s; want the error that its turn did not come", kind, data)
	}
	close(block)
	if got := g.must("step", map[string]any{"response": answers[0]}); got.raw != want.raw || got.Done != want.Done {
		t.Errorf("the step that came again: got %s; want %s", got.raw, want.raw)
	}
}
