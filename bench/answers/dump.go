package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"plumb/scoring/aspire/scenario"
	"plumb/scoring/aspire/scenario/program"
)

// dump is a dump in a file and in memory.
type dump struct {
	path  string
	lines [][]byte
}

// kind is a kind of dump: which task each answer is for, and whether answers repeat.
type kind struct {
	name   string
	taskOf func(i int) int // of answer i
	// mixExact says that in every second pass, of as many answers as the test has tasks, all answers are right. If
	// the tasks repeat, so do these answers. The kind "distinct" has the same mix without repeating a task.
	mixExact bool
}

var kinds = []kind{
	{"distinct", func(i int) int { return i }, true},
	{"8 per task", func(i int) int { return i / 8 }, false},
	groupOf64,
	{"1000 per task", func(i int) int { return i / 1000 }, false},
	{"25 tasks", func(i int) int { return i % scenario.PerTest }, true},
}

var groupOf64 = kind{"64 per task", func(i int) int { return i / 64 }, false}

// makeDump writes a dump of n answers of this kind into the folder dir, and keeps its lines, which are
// also sent over HTTP. Each seed gives other tasks, so that a run finds none of them in a cache of the
// run before.
func (kind kind) makeDump(dir string, n int, seed uint64) (*dump, error) {
	made := &dump{path: filepath.Join(dir, "dump.jsonl")}
	file, err := os.Create(made.path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	out := bufio.NewWriter(file)
	for i := range n {
		line, err := kind.line(i, seed)
		if err != nil {
			return nil, err
		}
		made.lines = append(made.lines, line)
		if _, err := out.Write(append(line, '\n')); err != nil {
			return nil, err
		}
	}
	return made, out.Flush()
}

// line returns the dump line of answer i to a task of ASPIRE's balance test. The id of the line is that of the
// task with the number i before it, so that no two lines have the same id. A pass is as many answers as the
// test has tasks. In kinds with exact answers, the program that makes no mistakes gives those of every second
// pass, and the noisy one all others.
func (kind kind) line(i int, seed uint64) ([]byte, error) {
	task, err := scenario.Make(seed, "balance", kind.taskOf(i))
	if err != nil {
		return nil, err
	}
	programs := program.All()
	exact, noisy := programs[0], programs[1]
	answerer := noisy
	if pass := i / scenario.PerTest; kind.mixExact && pass%2 == 0 {
		answerer = exact
	}
	answerSeed := uint64(i) // so that the noisy program makes other mistakes in each answer
	line, err := task.AppendLine(nil, answerer.Name, answerer.Answer(answerSeed, task))
	if err != nil {
		return nil, fmt.Errorf("cannot make an answer: %w", err)
	}
	idWithNumber := fmt.Appendf(nil, `{"id":"%d/`, i)
	return bytes.TrimSpace(bytes.Replace(line, []byte(`{"id":"`), idWithNumber, 1)), nil
}
