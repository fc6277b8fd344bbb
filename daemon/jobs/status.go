package jobs

import (
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
