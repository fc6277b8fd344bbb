package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fasthttp/websocket"
)

// stepper is a session of OpenEnv.
type stepper struct {
	t    *testing.T
	conn *websocket.Conn
}

// dialEpisode opens a session.
func dialEpisode(t *testing.T, addr string) *stepper {
	t.Helper()
	conn, _, err := websocket.DefaultDialer.Dial("ws://"+addr+"/ws", nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return &stepper{t, conn}
}

// do sends a message and returns the observation as its bytes and its members.
func (s *stepper) do(kind string, data any) (string, map[string]json.RawMessage) {
	s.t.Helper()
	b, _ := json.Marshal(map[string]any{"type": kind, "data": data})
	if err := s.conn.WriteMessage(websocket.TextMessage, b); err != nil {
		s.t.Fatal(err)
	}
	_, b, err := s.conn.ReadMessage()
	if err != nil {
		s.t.Fatal(err)
	}
	var m struct {
		Type string
		Data struct{ Observation json.RawMessage }
	}
	if err := json.Unmarshal(b, &m); err != nil || m.Type != "observation" {
		s.t.Fatalf("%s: got %.400s", kind, b)
	}
	var members map[string]json.RawMessage
	json.Unmarshal(m.Data.Observation, &members)
	return string(m.Data.Observation), members
}

// An episode whose daemon is killed after any answer goes on with its history at the next daemon to
// the same bytes, and plumb score gives its turns the same scores. See docs/spec/episodes.md#r7.
func TestEpisodeKilled(t *testing.T) {
	tasks, ids := sampleTasks(t, 1)
	args := []string{"--backend", "cpu", "--tasks", "aspire=" + tasks}
	answers := []string{`{"createShapes":[{"id":"a","type":"star","color":"red","x":100,"y":100,"w":50,"h":50}],"rotation":0.5}`, "nothing", `{"updateShapes":[{"id":"a","x":333.5}],"rotation":-0.25}`}
	reset := map[string]any{"suite": "aspire", "seed": 11, "turns": 3, "threshold": 2, "mode": "canvas", "answer": true, "feedback": "full"}
	d := startDaemon(t, args...)
	g := dialEpisode(t, d.addr)
	g.do("reset", reset)
	var whole []string
	var lines strings.Builder
	var wanted []map[string]json.RawMessage
	for _, a := range answers {
		raw, m := g.do("step", map[string]any{"response": a})
		whole = append(whole, raw)
		fmt.Fprintf(&lines, "{\"suite\":\"aspire\",\"id\":%q,\"turn\":%d,\"response\":%s}\n", ids[11%len(ids)], len(whole), m["answer"])
		var r map[string]json.RawMessage
		json.Unmarshal(m["result"], &r)
		wanted = append(wanted, r)
	}
	for k := range answers {
		g := dialEpisode(t, d.addr)
		g.do("reset", reset)
		for _, a := range answers[:k] {
			g.do("step", map[string]any{"response": a})
		}
		d.cmd.Process.Kill()
		d.done <- <-d.done
		d = startDaemon(t, args...)
		g = dialEpisode(t, d.addr)
		again := map[string]any{"history": answers[:k]}
		for name, v := range reset {
			again[name] = v
		}
		g.do("reset", again)
		last := ""
		for _, a := range answers[k:] {
			last, _ = g.do("step", map[string]any{"response": a})
		}
		if last != whole[len(whole)-1] {
			t.Errorf("killed after %d answers: got\n%.1000s\nwant\n%.1000s", k, last, whole[len(whole)-1])
		}
	}
	path := filepath.Join(t.TempDir(), "dump.jsonl")
	if err := os.WriteFile(path, []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, errs := plumb(t, "", "score", "--backend", "cpu", "--fidelity", "native", "--tasks", "aspire="+tasks, path)
	if code != 0 {
		t.Fatal(errs)
	}
	i := 0
	for line := range strings.Lines(out) {
		var r map[string]json.RawMessage
		json.Unmarshal([]byte(line), &r)
		for _, key := range []string{"score", "status", "metrics"} {
			if string(r[key]) != string(wanted[i][key]) {
				t.Errorf("turn %d: plumb score has %s %s; the episode had %s", i+1, key, r[key], wanted[i][key])
			}
		}
		i++
	}
	if i != len(answers) {
		t.Errorf("got %d results; want %d", i, len(answers))
	}
}
