package main

import (
	"archive/zip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/zstd"

	"plumb/bench/figure"
)

// floor prints what unpacking alone takes of the dumps that are archives, and the rate beside own lines
// that a reader would have which does nothing else: none can be faster.
func floor(dir string, own float64, records, rounds int) error {
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
		fmt.Printf("%-34s %10.2f %10.3f\n", f.name, 1e6*s/float64(records), own/(own+s))
	}
	return nil
}

// unpack reads all entries of an archive and returns the seconds of core time that it took.
func unpack(path string) (float64, error) {
	from := used()
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	z, err := zip.NewReader(f, info.Size())
	if err != nil {
		return 0, err
	}
	inflate := flate.NewReader(nil)
	z.RegisterDecompressor(zip.Deflate, func(r io.Reader) io.ReadCloser {
		inflate.(flate.Resetter).Reset(r, nil)
		return inflate
	})
	z.RegisterDecompressor(zstdMethod, zstd.ZipDecompressor(zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true)))
	buf := make([]byte, 64<<10)
	for _, e := range z.File {
		r, err := e.Open()
		if err != nil {
			return 0, err
		}
		_, err = io.CopyBuffer(io.Discard, struct{ io.Reader }{r}, buf)
		r.Close()
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
