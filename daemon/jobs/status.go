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

// Status counts the shards and lines that are done, and finds the times of the first and the
// last marker. Only the marker of a shard's first part is asked for its time. See
// docs/spec/jobs.md#r6.
func (job *Job) Status() (status Status, err error) {
	status = Status{Shards: job.Shards, Lines: job.Lines}
	listing, err := job.listing()
	if err != nil {
		return status, err
	}
	err = job.Each(func(shard Shard) error {
		done, lines, err := listing.isShardDone(shard)
		if err != nil {
			return err
		}
		if done {
			status.Done++
		}
		status.Whole = status.Whole || shard.Lines < 0 // a whole input, whose lines are not counted
		status.Scored += int64(lines)
		// The time of the marker is when the shard was done.
		if info, err := listing.stat(Part{shard.Number, 0}.fileName() + markerSuffix); err == nil {
			t := info.Modified
			if status.First.IsZero() || t.Before(status.First) {
				status.First = t
			}
			if t.After(status.Last) {
				status.Last = t
			}
		}
		return nil
	})
	return status, err
}

// Undone returns the numbers of the shards of which a part is still missing.
func (job *Job) Undone() (list []int, err error) {
	listing, err := job.listing()
	if err != nil {
		return nil, err
	}
	err = job.Each(func(s Shard) error {
		done, _, err := listing.isShardDone(s)
		if !done {
			list = append(list, s.Number)
		}
		return err
	})
	return list, err
}

// listing answers which files of a job exist. A folder is asked for each file; an object
// store is listed once, because each question takes milliseconds.
type listing struct {
	job   *Job
	files map[string]Info // nil for a folder
}

// listing lists the files of all parts with one request, because an object store would need a request
// for each file. A folder needs no list.
func (job *Job) listing() (*listing, error) {
	l := &listing{job: job}
	if _, ok := job.Store.(*Folder); ok {
		return l, nil
	}
	list, err := job.Store.List("part-")
	if err != nil {
		return nil, err
	}
	l.files = make(map[string]Info, len(list))
	for _, info := range list {
		l.files[info.Name] = info
	}
	return l, nil
}

// stat returns the size and time of a file of the job's store: from the list, if there is one, else
// from the store.
func (listing *listing) stat(name string) (Info, error) {
	if listing.files == nil {
		return listing.job.Store.Stat(name)
	}
	info, ok := listing.files[name]
	if !ok {
		return info, fs.ErrNotExist
	}
	return info, nil
}

// isShardDone is Job.Done, answered from the list if there is one. A shard of one part is done when
// its part and marker are listed; that they match is checked when the part is read. A shard
// of several parts (Lines below 0) is asked of the job, which reads the markers.
func (listing *listing) isShardDone(shard Shard) (done bool, lines int, err error) {
	if listing.files == nil {
		return listing.job.Done(shard)
	}
	if !listing.listed(Part{shard.Number, 0}) {
		return false, 0, nil
	}
	if shard.Lines < 0 {
		return listing.job.Done(shard)
	}
	return true, shard.Lines, nil
}

// listed reports whether a part and its marker are in the list.
func (listing *listing) listed(p Part) bool {
	_, part := listing.files[p.fileName()]
	_, marker := listing.files[p.fileName()+markerSuffix]
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
