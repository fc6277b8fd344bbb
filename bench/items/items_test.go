package items

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"plumb/daemon"
	"plumb/daemon/dump"
	"plumb/daemon/queue"
	"plumb/render"
	"plumb/render/scene"
	"plumb/scoring"
	"plumb/scoring/suites"
)

func open(t *testing.T) *daemon.Core {
	t.Helper()
	core, err := daemon.Open(daemon.CoreConfig{Engine: render.Config{Backend: render.BackendCPU, Fidelity: render.FidelityNative},
		Suites: suites.New(suites.Config{}), Lines: dump.Limits{}, Scenes: scene.DefaultLimits()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { core.Close() })
	return core
}

// TestMeasure measures made-up items of every test: all are scored, each item is
// named, and the slowest comes first.
func TestMeasure(t *testing.T) {
	core := open(t)
	sets, err := MakeSets(6, 3)
	if err != nil {
		t.Fatal(err)
	}
	again, err := MakeSets(6, 3)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range sets {
		if !slices.EqualFunc(s.Lines, again[i].Lines, bytes.Equal) {
			t.Errorf("%s: the same seed gave other lines", s.Name)
		}
	}
	sets = slices.DeleteFunc(sets, func(s Set) bool { return len(s.Lines) > 100 || s.HTTP }) // they take long
	classes, err := Measure(context.Background(), Config{Queue: core.Queue, Options: &queue.Options{Reward: scoring.Clamp01}, Rounds: 2}, sets)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range classes {
		want := len(sets[i].Lines)
		suite, _, _ := strings.Cut(c.Name, "/")
		if core.Items.Suites.Find(suite) == nil {
			t.Errorf("%s: there is no such suite", c.Name)
		}
		if c.Items != want || len(c.Slow) != want || len(c.Failed) > 0 || len(c.Rate) != 2 || len(c.Core) != 2 || !(c.P50 > 0) || c.P99 < c.P50 {
			t.Errorf("%s: got %+v", c.Name, c)
		}
		seen := map[string]bool{}
		for i, it := range c.Slow {
			part, us := it.Longest()
			if seen[it.ID] || strings.HasPrefix(it.ID, "line:") || part == "" || us > it.Took || i > 0 && it.Took > c.Slow[i-1].Took {
				t.Errorf("%s: got item %d %+v", c.Name, i, it)
			}
			seen[it.ID] = true
		}
	}
}

// TestRead sorts lines by suite and test, names items that are not scored, and
// refuses lines that cannot be read.
func TestRead(t *testing.T) {
	core := open(t)
	path := filepath.Join(t.TempDir(), "dump.jsonl")
	text := `{"id":"a","suite":"spatialab","options":["x","y"],"labels":"numbers","answer_index":0,"response":"1"}
{"id":"b","suite":"aspire","test":"maze","response":"x"}
{"id":"c","suite":"spatialab","options":["x","y"],"labels":"numbers","answer_index":0,"response":"2"}
`
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	sets, err := Read(path, dump.Limits{}, core.Items)
	if err != nil || len(sets) != 2 || sets[0].Name != "spatialab" || len(sets[0].Lines) != 2 || sets[1].Name != "aspire/maze" {
		t.Fatalf("got %v, %v", sets, err)
	}
	classes, err := Measure(context.Background(), Config{Queue: core.Queue, Options: &queue.Options{}, Rounds: 1}, sets)
	if err != nil {
		t.Fatal(err)
	}
	if c := classes[1]; len(c.Failed) != 1 || c.Slow[0].ID != "b" || c.Slow[0].Error == "" {
		t.Errorf("an item without its task: got %+v", c)
	}
	if _, err := Measure(context.Background(), Config{Queue: core.Queue, Options: &queue.Options{}, Rounds: 1}, []Set{{Name: "none"}}); err == nil {
		t.Error("an empty set was measured")
	}
}
