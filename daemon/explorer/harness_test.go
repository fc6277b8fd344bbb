package explorer_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"plumb/daemon"
	"plumb/daemon/dump"
	"plumb/daemon/explorer"
	"plumb/daemon/queue"
	"plumb/render"
	"plumb/render/scene"
	"plumb/scoring"
	"plumb/scoring/suites"
)

// coreConfig draws natively, so that a browser is started by tests of the pages alone.
func coreConfig() daemon.CoreConfig {
	return daemon.CoreConfig{Engine: render.Config{Backend: "auto", Fidelity: "native"}, Suites: suites.New(suites.Config{}), Scenes: scene.DefaultLimits(),
		Queue: queue.Config{Scorer: "plumb test"}}
}

// scored scores a dump and writes its results.
func scored(t *testing.T, dumpPath, results string) {
	t.Helper()
	core, err := daemon.Open(coreConfig())
	if err != nil {
		t.Fatal(err)
	}
	defer core.Close()
	r, err := dump.Open(dumpPath, dump.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	out, err := os.Create(results)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	s := core.Queue.Stream(context.Background(), &queue.Options{Reward: scoring.Clamp01})
	go func() {
		defer s.End()
		for {
			l, err := r.Next()
			if err != nil {
				return
			}
			s.Put(l)
		}
	}()
	for {
		a, err := s.Next()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(out, "%s\n", a.JSON)
	}
}

// server is an explorer that a test has started.
type server struct {
	url  string // ends with the prefix
	stop func()
}

// serve starts an explorer of results on a loopback address.
func serve(t *testing.T, listen string, job explorer.Job) *server {
	t.Helper()
	cc := coreConfig()
	items, err := daemon.Items(cc)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	r, w := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := daemon.View(ctx, daemon.ViewConfig{Listen: listen, Core: cc, Out: w, Log: slog.New(slog.DiscardHandler), Explorer: explorer.Config{
			Title: "test", Jobs: func() ([]explorer.Job, error) { return []explorer.Job{job}, nil }, Items: items, Client: explorer.PagesDir(""), Version: "test"}})
		w.CloseWithError(fmt.Errorf("ended: %w", err))
		ended <- err
	}()
	line, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	s := &server{url: strings.TrimSpace(strings.TrimPrefix(line, "listening on "))}
	stopped := false
	s.stop = func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(s.stop)
	return s
}

// get asks for a route and reads its JSON into v; it waits while indexes are made. It returns the status.
func (s *server) get(t *testing.T, route string, v any) int {
	t.Helper()
	for range 300 {
		r, err := http.Get(s.url + "api/" + route)
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(r.Body)
		r.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		if r.StatusCode == http.StatusServiceUnavailable {
			time.Sleep(100 * time.Millisecond)
			continue
		}
		if v != nil {
			if err := json.Unmarshal(b, v); err != nil {
				t.Fatalf("%s: got %.200s: %v", route, b, err)
			}
		}
		return r.StatusCode
	}
	t.Fatalf("%s: the index is not made after 30 s", route)
	return 0
}

// filter is the parameter q.
func filter(json string) string { return "q=" + url.QueryEscape(json) }

// maze is a dump line of the maze test whose answer places a red star at a point; extra members begin with a comma.
func maze(id string, x, y float64, extra string) string {
	return mazeAnswer(id, fmt.Sprintf("Here it is.\n```json\n{\"createShapes\":[{\"id\":\"shape:star\",\"type\":\"geo\",\"x\":%g,\"y\":%g,\"props\":{\"geo\":\"star\",\"color\":\"red\",\"w\":90,\"h\":90,\"fill\":\"solid\"}}]}\n```", x, y), extra)
}

// mazeAnswer is a dump line of the maze test with any text as its answer.
func mazeAnswer(id, answer, extra string) string {
	b, _ := json.Marshal(map[string]any{"id": id, "suite": "aspire", "test": "maze", "prompt": "Draw a red star.", "response": answer,
		"shapes": []any{map[string]any{"id": "shape:heart", "type": "geo", "x": 130, "y": 580, "props": map[string]any{"geo": "heart", "color": "green", "w": 90, "h": 90, "fill": "solid"}}},
		"task":   map[string]any{"target": []int{175, 475}, "grid_width": 600, "cell_width": 150}})
	return strings.TrimSuffix(string(b), "}") + extra + "}\n"
}

// written writes a dump and its results, and returns the job of both.
func written(t *testing.T, lines ...string) explorer.Job {
	t.Helper()
	dir := t.TempDir()
	d, r := filepath.Join(dir, "dump.jsonl"), filepath.Join(dir, "results.jsonl")
	if err := os.WriteFile(d, []byte(strings.Join(lines, "")), 0o600); err != nil {
		t.Fatal(err)
	}
	scored(t, d, r)
	return explorer.Job{Results: []string{r}, Dumps: []string{d}}
}
