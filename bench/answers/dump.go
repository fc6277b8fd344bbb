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

// kind is a kind of dump of many answers to few tasks.
type kind struct {
	name string
	task func(i int) int // of answer i
	// exact says that every second round of answers is the right one, so that answers repeat.
	exact bool
}

var kinds = []kind{
	{"distinct", func(i int) int { return i }, true},
	{"8 per task", func(i int) int { return i / 8 }, false},
	{"64 per task", func(i int) int { return i / 64 }, false},
	{"1000 per task", func(i int) int { return i / 1000 }, false},
	{"25 tasks", func(i int) int { return i % scenario.PerTest }, true},
}

// make writes a dump of n answers of this kind. Each seed has tasks of its own.
func (k kind) make(dir string, n int, seed uint64) (*dump, error) {
	d := &dump{path: filepath.Join(dir, "dump.jsonl")}
	f, err := os.Create(d.path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	out := bufio.NewWriter(f)
	all := program.All()
	exact, noisy := all[0], all[1]
	for i := range n {
		s, err := scenario.Make(seed, "balance", k.task(i))
		if err != nil {
			return nil, err
		}
		p := noisy
		if k.exact && i/scenario.PerTest%2 == 0 {
			p = exact
		}
		line, err := s.AppendLine(nil, p.Name, p.Answer(uint64(i), s))
		if err != nil {
			return nil, fmt.Errorf("cannot make an answer: %w", err)
		}
		if _, err := out.Write(line); err != nil {
			return nil, err
		}
		d.lines = append(d.lines, bytes.TrimSpace(line))
	}
	return d, out.Flush()
}
