package jobs

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"time"
)

// Status says how far a job is.
type Status struct {
	Shards, Done int
	Lines        int64     // of inputs that can be cut
	Scored       int64     // lines in done parts
	Whole        bool      // some inputs are not counted in Lines
	First, Last  time.Time // of markers; zero without any
}

// Status counts what is done. See docs/spec/jobs.md#r6.
func (j *Job) Status() (s Status, err error) {
	s = Status{Shards: j.Shards, Lines: j.Lines}
	err = j.Each(func(sh Shard) error {
		done, lines, err := j.Done(sh)
		if err != nil {
			return err
		}
		if done {
			s.Done++
		}
		s.Whole = s.Whole || sh.Lines < 0
		s.Scored += int64(lines)
		if info, err := os.Stat(filepath.Join(j.Dir, Part{sh.N, 0}.name()+".done")); err == nil {
			t := info.ModTime()
			if s.First.IsZero() || t.Before(s.First) {
				s.First = t
			}
			if t.After(s.Last) {
				s.Last = t
			}
		}
		return nil
	})
	return s, err
}

// Rate returns the lines per second between the first and the last marker, 0 where that is not
// known.
func (s *Status) Rate() float64 {
	if took := s.Last.Sub(s.First).Seconds(); took > 0 {
		return float64(s.Scored) / took
	}
	return 0
}

// The journal of begun shards tells which ones were under way when a process died. See
// docs/spec/jobs.md#r7.
const journalName = "begun.jsonl"

// begun is a line of the journal: a part that a run began, or the end of a run.
type begun struct {
	Run   string `json:"run"`
	Shard int    `json:"shard"`
	Chunk int    `json:"part,omitempty"`
	Ended bool   `json:"ended,omitempty"`
}

// Journal is open for one run. It is not safe for concurrent use.
type Journal struct {
	f   *os.File
	run string
}

// Journal opens the journal for a run, whose name no other run has.
func (j *Job) Journal(run string) (*Journal, error) {
	f, err := os.OpenFile(filepath.Join(j.Dir, journalName), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	return &Journal{f, run}, nil
}

// Begin notes that a part is begun.
func (g *Journal) Begin(p Part) error {
	return g.note(begun{Run: g.run, Shard: p.Shard, Chunk: p.Chunk})
}

// Close notes that the run ended by itself.
func (g *Journal) Close() error {
	return errors.Join(g.note(begun{Run: g.run, Ended: true}), g.f.Close())
}

// note writes a line with one write, which appends whole.
func (g *Journal) note(b begun) error {
	line, err := json.Marshal(&b)
	if err == nil {
		_, err = g.f.Write(append(line, '\n'))
	}
	return err
}

// Deaths returns how many runs died while a part was under way that is not done, by part. A run that
// is going on counts too, so the caller asks before it begins.
func (j *Job) Deaths() (map[Part]int, error) {
	f, err := os.Open(filepath.Join(j.Dir, journalName))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	runs := map[string]map[Part]bool{}
	r := bufio.NewReader(f)
	for {
		line, err := r.ReadBytes('\n')
		var b begun
		if json.Unmarshal(line, &b) == nil && b.Run != "" {
			switch {
			case b.Ended:
				delete(runs, b.Run)
			case runs[b.Run] == nil:
				runs[b.Run] = map[Part]bool{{b.Shard, b.Chunk}: true}
			default:
				runs[b.Run][Part{b.Shard, b.Chunk}] = true
			}
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	deaths := map[Part]int{}
	for _, parts := range runs {
		for p := range parts {
			if _, done, err := j.Marker(p); err == nil && !done {
				deaths[p]++
			}
		}
	}
	return deaths, nil
}
