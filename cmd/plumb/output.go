package main

import (
	"bufio"
	"fmt"
	"hash/maphash"
	"image"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"plumb/daemon"
	"plumb/daemon/atomicfile"
	"plumb/daemon/dump"
	"plumb/daemon/index"
	"plumb/daemon/records/address"
	"plumb/scoring"
)

// sink is an output of a command: standard output, or a file that is replaced as a whole
// when the command has done all of its work.
type sink struct {
	*bufio.Writer
	file  *atomicfile.File // nil for standard output
	end   func() error     // ends what was written, where the work ended well; nil for nothing
	index *index.Recorder  // makes the index of the lines; nil for none
	told  io.Writer        // gets why there is no index
}

// line writes a line to the output of a command. of is the result that it was made of, or nil where it has more.
func (s *sink) line(b []byte, of *scoring.Result) error {
	s.Write(b)
	if s.index != nil {
		s.index.Add(b, of)
	}
	return s.WriteByte('\n')
}

// endIndex writes the index of the file where the work ended well. A file without one is complete: plumb view makes it.
func (s *sink) endIndex(well bool) {
	if s.index == nil {
		return
	}
	if !well {
		s.index.Discard()
		return
	}
	if err := s.index.Finish(); err != nil {
		fmt.Fprintf(s.told, "plumb: %v; plumb view makes it\n", err)
	}
}

// output prepares the file at path; "-" is standard output. A run that ends early leaves
// the former file, and its own partial file beside it. The inputs are files that the run
// reads: it is an error if one is missing, and a usageError if one is the output. Partial
// files of earlier runs are named on stderr. See docs/spec/cli.md#r5.
func output(path string, std streams, inputs ...string) (*sink, error) {
	toStd := path == "-" || path == ""
	for _, in := range inputs {
		if err := readable(in, path, toStd); err != nil {
			return nil, err
		}
	}
	if toStd {
		return &sink{Writer: bufio.NewWriterSize(std.out, 64<<10)}, nil
	}
	f, err := atomicfile.Create(path)
	if err == nil {
		err = f.Probe()
	}
	if err != nil {
		return nil, fmt.Errorf("cannot write output: %w", err)
	}
	tellLeftovers(std.err, atomicfile.Leftovers(path))
	return &sink{Writer: bufio.NewWriterSize(f, 64<<10), file: f}, nil
}

// discard removes what a command has written to its output so far.
func (s *sink) discard() {
	s.endIndex(false)
	if s.file != nil {
		s.file.Discard()
	}
}

// failed reports whether the output could not be written.
func (s *sink) failed() bool {
	_, err := s.Write(nil)
	return err != nil
}

// secondOutput prepares a further output of a run, which must not be the first one. What
// is written to "" is discarded.
func secondOutput(path, first string, std streams, inputs ...string) (*sink, error) {
	switch {
	case path == "":
		return &sink{Writer: bufio.NewWriter(io.Discard)}, nil
	case sameFile(path, first):
		return nil, usage("cannot write two outputs to %s: want a file for each", path)
	}
	return output(path, std, inputs...)
}

// finish ends one output; see the function finish.
func (s *sink) finish(err error) error { return finish(err, s) }

// finish ends the outputs of a command. err is the error that ended the work early, or nil.
// Without an error the files replace the former ones; otherwise the returned error names
// the partial files.
func finish(err error, outputs ...*sink) error {
	for _, s := range outputs {
		e := s.Flush()
		if err == nil && e == nil && s.end != nil {
			e = s.end()
		}
		if err == nil && e != nil {
			err = fmt.Errorf("cannot write output: %w", e)
		}
	}
	var kept []string
	for _, s := range outputs {
		if s.file == nil {
			continue
		}
		if err == nil {
			e := s.file.Sync()
			if e == nil {
				e = s.file.Commit()
			}
			if e != nil {
				err = fmt.Errorf("cannot write output: %w", e)
			}
		}
		s.endIndex(err == nil)
		if err != nil {
			if part := s.file.Keep(); part != "" {
				kept = append(kept, fmt.Sprintf("what was written is in %s, and %s is as it was", part, s.file.Path()))
			}
		}
	}
	if len(kept) > 0 {
		err = fmt.Errorf("%w; %s", err, strings.Join(kept, "; "))
	}
	return err
}

// tellLeftovers prints the partial files of earlier runs that a command finds when it begins.
func tellLeftovers(w io.Writer, all []atomicfile.Leftover) {
	const most = 5
	for i, l := range all {
		if i == most {
			fmt.Fprintf(w, "plumb: found %d more files *.partial\n", len(all)-most)
			return
		}
		what := "left by a run that did not end; remove it where it is not needed"
		if l.Running {
			what = "another run is writing it; the run that ends last replaces the file"
		}
		fmt.Fprintf(w, "plumb: found %s (%d bytes, %s): %s\n", l.Path, l.Bytes, l.Time.Format(time.DateTime), what)
	}
}

// sameFile reports whether two paths of outputs, which may not exist yet, name one file.
func sameFile(a, b string) bool {
	there, err := os.Stat(a)
	if other, e := os.Stat(b); err == nil && e == nil {
		return there.Mode().IsRegular() && os.SameFile(there, other) // a device may be both outputs
	}
	x, errX := filepath.Abs(a)
	y, errY := filepath.Abs(b)
	return a == b || errX == nil && errY == nil && x == y
}

// readable returns an error for an input that cannot be opened, so that a mistyped name is found
// before any work.
func readable(in, out string, toStd bool) error {
	if in == "-" || address.Is(in) { // addresses have been looked up
		return nil
	}
	info, err := os.Stat(in)
	if err != nil {
		return fmt.Errorf("cannot open dump: %w", err)
	}
	if !info.Mode().IsRegular() {
		return nil // opening a pipe would take it from its reader
	}
	f, err := os.Open(in)
	if err != nil {
		return fmt.Errorf("cannot open dump: %w", err)
	}
	f.Close()
	if toStd {
		return nil
	}
	if there, err := os.Stat(out); err == nil && os.SameFile(info, there) {
		return usage("cannot write output to %s: it is an input", out)
	}
	return nil
}

// write stores a picture in a partial file; place gives it its name.
func (d *renderRun) write(s *renderTask, img *image.NRGBA) error {
	var out image.Image = img
	if d.alpha {
		out = dump.Alpha(img)
	}
	f, err := atomicfile.Create(filepath.Join(d.out, fileName(s.own)+".png"))
	if err != nil {
		return outputError(err)
	}
	encode := d.encode
	if encode == nil {
		encode = (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode
	}
	if err := encode(f, out); err != nil {
		f.Discard()
		return outputError(err)
	}
	s.file = f
	return nil
}

// place gives the picture of a scene its name. It is called in the order of the input, so
// of scenes with the same id the last one keeps the name in every run, and its line says
// so.
func (d *renderRun) place(s *renderTask) {
	if s.own == "" {
		return
	}
	if s.file != nil {
		if err := s.file.Commit(); err != nil {
			s.file.Discard()
			s.stat = s.fail(s.own, outputError(err))
		}
	}
	if d.ids == nil {
		d.ids, d.seed = map[uint64]struct{}{}, maphash.MakeSeed()
	}
	h := maphash.String(d.seed, s.own)
	if _, twice := d.ids[h]; twice {
		s.stat = append(s.stat[:len(s.stat)-len("}\n")], `,"notes":[{"code":"duplicate_id","path":"id","message":"an earlier line has the same id"}]}`+"\n"...)
	}
	d.ids[h] = struct{}{}
}

func outputError(err error) error {
	return &scoring.Error{Code: "output", Message: "cannot write picture: " + err.Error()}
}

// fallback prints why the CPU evaluates pixels although no flag asks for it.
func fallback(w io.Writer, c *daemon.Core) {
	if why := c.Engine.Info().Reason; why != "" {
		fmt.Fprintf(w, "plumb: using the CPU: %s\n", why)
	}
}
