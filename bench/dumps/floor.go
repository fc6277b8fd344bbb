package main

import (
	"fmt"
	"io"
	"path/filepath"
	"syscall"

	"plumb/bench/figure"
	"plumb/daemon/records/archive"
	"plumb/daemon/records/input"
)

// floor prints how long it takes to unpack those dumps that are archives, without reading them. From that
// follows the highest rate, relative to plumb's own lines, that any reader of the format can have.
// ownSeconds is the time of a record in plumb's own lines.
func floor(dir string, ownSeconds float64, records, rounds int) error {
	fmt.Printf("\n%-34s %10s %10s\n", "unpacking alone", "us/record", "rate <")
	for _, f := range formats {
		path := filepath.Join(dir, f.file)
		if ext := filepath.Ext(path); ext != ".eval" && ext != ".xlsx" {
			continue
		}
		var seconds []float64
		for range rounds {
			s, err := unpack(path)
			if err != nil {
				return fmt.Errorf("cannot unpack %s: %w", f.name, err)
			}
			seconds = append(seconds, s)
		}
		s := figure.Median(seconds)
		fmt.Printf("%-34s %10.2f %10.3f\n", f.name, 1e6*s/float64(records), ownSeconds/(ownSeconds+s))
	}
	return nil
}

// unpack reads all entries of an archive, as readers of dumps do, and returns the seconds of core time that
// it took.
func unpack(path string) (float64, error) {
	from := used()
	source, err := input.Open(path, nil, input.Limits{})
	if err != nil {
		return 0, err
	}
	defer source.Close()
	a, err := archive.Open(source)
	if err != nil {
		return 0, err
	}
	buf := make([]byte, 64<<10)
	for i := range a.Files {
		reader, err := a.Entry(&a.Files[i])
		if err != nil {
			return 0, err
		}
		_, err = io.CopyBuffer(io.Discard, struct{ io.Reader }{reader}, buf)
		reader.Close()
		if err != nil {
			return 0, err
		}
	}
	return used() - from, nil
}

// used returns the seconds of core time that this process took so far.
func used() float64 {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return float64(u.Utime.Sec+u.Stime.Sec) + float64(u.Utime.Usec+u.Stime.Usec)/1e6
}
