package runs

import (
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"plumb/daemon/ask"
	"plumb/daemon/chat"
	"plumb/daemon/chat/chattest"
)

// talking is a suite of n tasks of one call.
type talking struct{ tasks []*ask.Task }

func (s *talking) Arms(ask.Options) ([]ask.Arm, []string, error) { return nil, nil, nil }
func (s *talking) Tasks() []*ask.Task                            { return s.tasks }
func (s *talking) Fits(*ask.Task, ask.Arm) bool                  { return true }
func (s *talking) Answers(t *ask.Task, _ ask.Arm, heard []ask.Heard) []ask.Answer {
	return []ask.Answer{{ID: t.ID, Text: heard[0].Text, OK: heard[0].OK}}
}
func (s *talking) Next(t *ask.Task, _ ask.Arm, heard []ask.Heard) (*ask.Step, error) {
	if len(heard) > 0 {
		return nil, nil
	}
	return &ask.Step{Turn: 1, Messages: []chat.Message{chat.User(chat.Text(t.ID))}}, nil
}

// TestHeld counts the bytes that a run holds of each answer: its key and its place in the log, not its
// text. A run of many answers would else need ever more memory. Resuming holds no more, and the dump has
// the whole texts.
func TestHeld(t *testing.T) {
	const tasks, length, most = 64, 32 << 10, 1 << 10
	long := strings.Repeat("word ", length/5)
	e := chattest.New(chattest.Config{Reasoning: "reasoning", Answer: func(*chattest.Call) string { return long }})
	defer e.Close()
	source := &talking{}
	for i := range tasks {
		source.tasks = append(source.tasks, &ask.Task{ID: fmt.Sprint("task-", i), Test: "maze", Group: "maze", Line: []byte(`{"a":1}`)})
	}
	cfg := Config{Suite: "aspire", Source: source, Arms: []ask.Arm{{Mode: "default"}}, Model: "m", Workers: 8, KeepReasoning: true, Settings: func(ask.Arm) Settings { return Settings{} }}
	path := filepath.Join(t.TempDir(), "calls.jsonl")
	var dumps [2]strings.Builder
	for i, name := range []string{"asking", "resuming"} {
		calls, err := OpenCalls(path)
		if err != nil {
			t.Fatal(err)
		}
		r, err := New(cfg, calls)
		if err != nil {
			t.Fatal(err)
		}
		client, err := chat.New(chat.Config{URL: e.Base(), Concurrency: 8})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.Ask(t.Context(), client); err != nil {
			t.Fatal(err)
		}
		client.Close()
		if p := r.Progress(); p.Answered != tasks || e.Counts().Billed != tasks {
			t.Fatalf("%s: got %+v and %d answers of the endpoint; want %d", name, p, e.Counts().Billed, tasks)
		}
		if n := held(reflect.ValueOf(r), map[uintptr]bool{}) / tasks; n > most {
			t.Errorf("%s: the run holds %d bytes of an answer of %d; want at most %d", name, n, len(long), most)
		}
		if _, err := r.Dump(&dumps[i]); err != nil {
			t.Fatal(err)
		}
		if err := calls.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if n := strings.Count(dumps[0].String(), long); n != tasks || dumps[0].String() != dumps[1].String() {
		t.Errorf("the dump has %d whole answers and that of the second command is equal: %v; want %d and true", n, dumps[0].String() == dumps[1].String(), tasks)
	}
}

// held returns the bytes that are reachable from a value. Functions and channels count nothing.
func held(v reflect.Value, seen map[uintptr]bool) int {
	n := int(v.Type().Size())
	switch v.Kind() {
	case reflect.String:
		n += v.Len()
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() || v.Kind() == reflect.Pointer && seen[v.Pointer()] {
			return n
		}
		if v.Kind() == reflect.Pointer {
			seen[v.Pointer()] = true
		}
		n += held(v.Elem(), seen)
	case reflect.Slice:
		if v.IsNil() || seen[v.Pointer()] {
			return n
		}
		seen[v.Pointer()] = true
		n += (v.Cap() - v.Len()) * int(v.Type().Elem().Size())
		for i := range v.Len() {
			n += held(v.Index(i), seen)
		}
	case reflect.Map:
		for i := v.MapRange(); i.Next(); {
			n += held(i.Key(), seen) + held(i.Value(), seen)
		}
	case reflect.Array:
		for i := range v.Len() {
			n += held(v.Index(i), seen)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			n += held(v.Field(i), seen) - int(v.Field(i).Type().Size())
		}
	}
	return n
}
