package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"plumb/scoring/aspire/scenario"
	"plumb/scoring/aspire/scenario/program"
)

// item is one answer to score.
type item struct {
	line     []byte // of a dump, without line break
	label    string // the same without the answer: what a trainer sends
	response string
	want     []byte  // the result line of plumb score
	reward   float64 // in it
}

// makeItems makes n different items of ASPIRE tests for the load test of the daemon, with answers that
// programs of different skill give. Items without an answer are left out, because requests of the trainer
// OpenRLHF have no form for a missing answer.
func makeItems(n int, tests ...string) ([]item, error) {
	programs := program.All()
	items := make([]item, 0, n)
	for i := 0; len(items) < n; i++ {
		// The tests take turns, and in each test the programs do.
		const seed = 7
		test, k := tests[i%len(tests)], i/len(tests) // k counts the items of a test
		made, err := scenario.Make(seed, test, k)
		if err != nil {
			return nil, err
		}
		answerer := programs[k%len(programs)]
		answer := answerer.Answer(uint64(i), made)
		if answer == nil {
			continue
		}
		added := item{response: *answer}
		line, err := made.AppendLine(nil, answerer.Name, answer)
		if err != nil {
			return nil, err
		}
		added.line = bytes.TrimSpace(line)
		if added.label, err = labelOf(added.line); err != nil {
			return nil, err
		}
		items = append(items, added)
	}
	return items, nil
}

// labelOf returns a dump line without its answer: the label by which trainers tell the daemon which task an
// answer is to.
func labelOf(line []byte) (string, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(line, &fields); err != nil {
		return "", err
	}
	delete(fields, "response")
	label, err := json.Marshal(fields)
	return string(label), err
}

// runPlumbScore runs the program plumb, as `plumb score`, on the items and keeps in each item its result line and its
// reward, with which the daemon's answers are compared later. It returns how long the process took from
// start to end. An item without a reward is an error.
func (config config) runPlumbScore(items []item) (took time.Duration, err error) {
	dir, err := os.MkdirTemp("", "plumb-bench-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	var dump bytes.Buffer
	for i := range items {
		dump.Write(items[i].line)
		dump.WriteByte('\n')
	}
	in, out := filepath.Join(dir, "in.jsonl"), filepath.Join(dir, "out.jsonl")
	if err := os.WriteFile(in, dump.Bytes(), 0o600); err != nil {
		return 0, err
	}
	cmd := exec.Command(config.plumb, append([]string{"score", "--suite", "aspire", in, "-o", out}, config.commonArgs...)...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	start := time.Now()
	if err := cmd.Run(); err != nil {
		return 0, fmt.Errorf("cannot score in process: %w: %s", err, errs.Bytes())
	}
	took = time.Since(start)
	data, err := os.ReadFile(out)
	if err != nil {
		return 0, err
	}
	lines := bytes.Split(bytes.TrimSpace(data), []byte("\n"))
	if len(lines) != len(items) {
		return 0, fmt.Errorf("cannot score in process: got %d results; want %d", len(lines), len(items))
	}
	for i := range items {
		var result struct {
			Reward *float64 `json:"reward"`
		}
		if err := json.Unmarshal(lines[i], &result); err != nil || result.Reward == nil {
			return 0, fmt.Errorf("cannot use item %d: in process it gets %s, %v; want a reward", i, lines[i], err)
		}
		items[i].want, items[i].reward = lines[i], *result.Reward
	}
	return took, nil
}
