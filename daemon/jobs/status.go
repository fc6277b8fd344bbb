package jobs

import (
	"io/fs"
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
	l, err := j.look()
	if err != nil {
		return s, err
	}
	err = j.Each(func(sh Shard) error {
		done, lines, err := l.done(sh)
		if err != nil {
			return err
		}
		if done {
			s.Done++
		}
		s.Whole = s.Whole || sh.Lines < 0
		s.Scored += int64(lines)
		if info, err := l.stat(Part{sh.N, 0}.name() + markerSuffix); err == nil {
			t := info.Modified
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

// Undone lists the shards that are not done.
func (j *Job) Undone() (list []int, err error) {
	l, err := j.look()
	if err != nil {
		return nil, err
	}
	err = j.Each(func(s Shard) error {
		done, _, err := l.done(s)
		if !done {
			list = append(list, s.N)
		}
		return err
	})
	return list, err
}

// look lists which files of a job are there. A folder is asked for each; an object store is listed
// once, because it takes milliseconds for each question.
type look struct {
	job   *Job
	names map[string]Info // nil for a folder
}

// look lists the files of the job, where its store is not a folder.
func (j *Job) look() (*look, error) {
	l := &look{job: j}
	if _, ok := j.Store.(*Folder); ok {
		return l, nil
	}
	list, err := j.Store.List("part-")
	if err != nil {
		return nil, err
	}
	l.names = make(map[string]Info, len(list))
	for _, info := range list {
		l.names[info.Name] = info
	}
	return l, nil
}

// stat is Store.Stat by the list.
func (l *look) stat(name string) (Info, error) {
	if l.names == nil {
		return l.job.Store.Stat(name)
	}
	info, ok := l.names[name]
	if !ok {
		return info, fs.ErrNotExist
	}
	return info, nil
}

// done is Job.Done by the list. A shard that is one part is done where part and marker are listed; that they
// match is checked when the part is read.
func (l *look) done(s Shard) (done bool, lines int, err error) {
	if l.names == nil || s.Lines < 0 && l.listed(Part{s.N, 0}) {
		return l.job.Done(s)
	}
	if s.Lines >= 0 && l.listed(Part{s.N, 0}) {
		return true, s.Lines, nil
	}
	return false, 0, nil
}

// listed reports whether a part and its marker are in the list.
func (l *look) listed(p Part) bool {
	_, part := l.names[p.name()]
	_, marker := l.names[p.name()+markerSuffix]
	return part && marker
}

// Rate returns the lines per second between the first and the last marker, 0 where that is not
// known.
func (s *Status) Rate() float64 {
	if took := s.Last.Sub(s.First).Seconds(); took > 0 {
		return float64(s.Scored) / took
	}
	return 0
}
