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

// printUnpacking prints how long it takes to unpack those dumps in the folder dir that are archives, without
// reading what is in them. It also prints the highest speed that a reader of the format can have, as a share of
// that for plumb's own format: after unpacking it has at least the work that the own format takes. ownSeconds is
// how long `plumb score` takes for the dump in plumb's own format. Each dump has the given number of records.
func printUnpacking(dir string, ownSeconds float64, records, rounds int) error {
	fmt.Printf("\n%-34s %10s %10s\n", "unpacking alone", "us/record", "rate <")
	for _, format := range formats {
		path := filepath.Join(dir, format.file)
		if ext := filepath.Ext(path); ext != ".eval" && ext != ".xlsx" {
			continue
		}
		var seconds []float64
		for range rounds {
			took, err := unpack(path)
			if err != nil {
				return fmt.Errorf("cannot unpack %s: %w", format.name, err)
			}
			seconds = append(seconds, took)
		}
		unpacking := figure.Median(seconds)
		highestRate := ownSeconds / (ownSeconds + unpacking)
		fmt.Printf("%-34s %10.2f %10.3f\n", format.name, 1e6*unpacking/float64(records), highestRate)
	}
	return nil
}

// unpack reads all entries of an archive to their ends, as readers of dumps do, and returns how many seconds
// of processor time that took.
func unpack(path string) (float64, error) {
	before := coreSeconds()
	source, err := input.Open(path, nil, input.Limits{})
	if err != nil {
		return 0, err
	}
	defer source.Close()
	unpacked, err := archive.Open(source)
	if err != nil {
		return 0, err
	}
	buf := make([]byte, 64<<10)
	for i := range unpacked.Files {
		reader, err := unpacked.OpenEntry(&unpacked.Files[i])
		if err != nil {
			return 0, err
		}
		_, err = io.CopyBuffer(io.Discard, struct{ io.Reader }{reader}, buf) // the struct hides WriteTo, so that buf is used
		reader.Close()
		if err != nil {
			return 0, err
		}
	}
	return coreSeconds() - before, nil
}

// coreSeconds returns the seconds of core time that this process took so far.
func coreSeconds() float64 {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return float64(u.Utime.Sec+u.Stime.Sec) + float64(u.Utime.Usec+u.Stime.Usec)/1e6
}
