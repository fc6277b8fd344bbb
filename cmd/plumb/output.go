package main

import (
	"bufio"
	"fmt"
	"hash/maphash"
	"image"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"plumb/daemon"
	"plumb/daemon/atomicfile"
	"plumb/daemon/flatpng"
	"plumb/daemon/index"
	"plumb/daemon/records/address"
	"plumb/scoring"
	"plumb/scoring/plural"
)

// sink is an output of a command: standard output, or a file that is replaced as a whole
// when the command has done all of its work.
type sink struct {
	*bufio.Writer
	file     *atomicfile.File // nil for standard output
	writeEnd func() error     // ends what was written, where the work ended well; nil for nothing
	index    *index.Recorder  // makes the index of the lines; nil for none
	log      io.Writer        // gets why there is no index
}

// writeLine writes a result line to the output of a command, adds a line break, and adds the line to the index
// of the output if there is one. result is the result that the line was made of. It is nil for a line
// that may hold more than result would, such as that of a daemon; the index then parses the line.
func (s *sink) writeLine(line []byte, result *scoring.Result) error {
	s.Write(line) // an error is kept, and WriteByte returns it
	if s.index != nil {
		s.index.Add(line, result)
	}
	return s.WriteByte('\n')
}

// endIndex writes the index with which plumb view finds results in the output if the work ended well, and
// discards it otherwise. That an index cannot be written is only printed and no error: the results are
// complete without it, and plumb view makes a missing index.
func (s *sink) endIndex(endedWell bool) {
	if s.index == nil {
		return
	}
	if !endedWell {
		s.index.Discard()
		return
	}
	if err := s.index.Finish(); err != nil {
		fmt.Fprintf(s.log, "plumb: %v; plumb view makes the index\n", err)
	}
}

// outputBuffer is how many bytes are collected before they are written to an output.
const outputBuffer = 64 << 10

// output prepares the file at path for writing; "" and "-" are standard output. A run that ends
// early leaves the former file as it was, and its own partial file beside it. The inputs are the
// files that the run reads: a missing one is an error, and one that is the output is a usageError.
// Partial files of earlier runs are named on standard error. See docs/spec/cli.md#r5.
func output(path string, std streams, inputs ...string) (*sink, error) {
	toStd := path == "-" || path == ""
	for _, in := range inputs {
		if err := readable(in, path, toStd); err != nil {
			return nil, err
		}
	}
	if toStd {
		return &sink{Writer: bufio.NewWriterSize(std.out, outputBuffer)}, nil
	}
	file, err := atomicfile.Create(path)
	if err == nil {
		err = file.Probe() // whether the folder can be written to
	}
	if err != nil {
		return nil, fmt.Errorf("cannot write output: %w", err)
	}
	tellLeftovers(std.err, atomicfile.Leftovers(path))
	return &sink{Writer: bufio.NewWriterSize(file, outputBuffer), file: file}, nil
}

// discard gives an output up: the index and the partial file are removed, and the former file stays. What
// went to standard output cannot be taken back.
func (s *sink) discard() {
	s.endIndex(false)
	if s.file != nil {
		s.file.Discard()
	}
}

// failed reports whether an earlier write to the output failed.
func (s *sink) failed() bool {
	_, err := s.Write(nil) // a bufio.Writer returns its first error again
	return err != nil
}

// secondOutput prepares a further output of a run at path, which must not be the file of its first
// output, at first. If path is "", the run has no such output, and what is written to it is discarded.
func secondOutput(path, first string, std streams, inputs ...string) (*sink, error) {
	switch {
	case path == "":
		return &sink{Writer: bufio.NewWriter(io.Discard)}, nil
	case sameFile(path, first):
		return nil, usage("cannot write two outputs to %s: want a file for each", path)
	}
	return output(path, std, inputs...)
}

// finish ends this one output of a command as the function finish does.
func (s *sink) finish(err error) error { return finish(err, s) }

// finish ends the outputs of a command. err is the error that ended the work early, or nil.
// Without an error the files replace the former ones. Otherwise all of them stay partial files,
// which the returned error names. All outputs are flushed before the first file is replaced, so that
// an output that cannot be written leaves the former files of the others.
func finish(err error, outputs ...*sink) error {
	// Flush all outputs before any file is replaced.
	for _, s := range outputs {
		flushed := s.Flush()
		if err == nil && flushed == nil && s.writeEnd != nil { // such as the end of an HTML page
			flushed = s.writeEnd()
		}
		if err == nil && flushed != nil {
			err = fmt.Errorf("cannot write output: %w", flushed)
		}
	}
	// Replace the former files, or keep the partial ones after an error.
	var kept []string
	for _, sink := range outputs {
		if sink.file == nil {
			continue
		}
		if err == nil {
			replaced := sink.file.Sync()
			if replaced == nil {
				replaced = sink.file.Commit()
			}
			if replaced != nil {
				err = fmt.Errorf("cannot write output: %w", replaced)
			}
		}
		sink.endIndex(err == nil) // the index of the lines belongs to the finished file alone
		if err != nil {
			if part := sink.file.Keep(); part != "" {
				kept = append(kept, fmt.Sprintf("what was written is in %s, and %s is as it was", part, sink.file.Path()))
			}
		}
	}
	if len(kept) > 0 {
		err = fmt.Errorf("%w; %s", err, strings.Join(kept, "; "))
	}
	return err
}

// tellLeftovers prints the partial files of other runs that a command finds when it begins, and what
// to do about them: the first five in full, the rest as a number.
func tellLeftovers(w io.Writer, all []atomicfile.Leftover) {
	const printed = 5
	for i, l := range all {
		if i == printed {
			fmt.Fprintf(w, "plumb: found %s *.partial\n", plural.Of(len(all)-printed, "more file"))
			return
		}
		what := "left by a run that did not end; remove it where it is not needed"
		if l.Running {
			what = "another run is writing it; the run that ends last replaces the file"
		}
		fmt.Fprintf(w, "plumb: found %s (%d bytes, %s): %s\n", l.Path, l.Bytes, l.Time.Format(time.DateTime), what)
	}
}

// sameFile reports whether two paths of outputs name the same regular file. If one of them does not exist
// yet, their absolute paths are compared. A device counts as two files, because it may be both outputs.
func sameFile(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	if errA == nil && errB == nil {
		return infoA.Mode().IsRegular() && os.SameFile(infoA, infoB)
	}
	x, errX := filepath.Abs(a)
	y, errY := filepath.Abs(b)
	return a == b || errX == nil && errY == nil && x == y
}

// readable returns an error if the input file in cannot be opened, so that a mistyped name is found
// before any work. It returns a usageError if in is the same file as the output out, unless toStdout says that
// the output is no file. Standard input, addresses and pipes are not looked at.
func readable(in, out string, toStdout bool) error {
	if in == "-" || address.Is(in) { // addresses were looked up when the arguments were expanded
		return nil
	}
	info, err := os.Stat(in)
	if err != nil {
		return fmt.Errorf("cannot open dump: %w", err)
	}
	if !info.Mode().IsRegular() {
		return nil // opening a pipe would take it from its reader
	}
	file, err := os.Open(in)
	if err != nil {
		return fmt.Errorf("cannot open dump: %w", err)
	}
	file.Close()
	if toStdout {
		return nil
	}
	if there, err := os.Stat(out); err == nil && os.SameFile(info, there) {
		return usage("cannot write output to %s: it is an input; want another file", out)
	}
	return nil
}

// writePicture stores the picture of a scene in a partial file, as alpha alone with --channels alpha. Scenes are
// drawn in any order, but of two with the same id the later one must get the name. So the file gets its
// name in commitPicture, which is called in the order of the scenes.
func (run *renderRun) writePicture(renderTask *renderTask, img *image.NRGBA) error {
	file, err := atomicfile.Create(filepath.Join(run.pictureDir, fileName(renderTask.pictureID)+".png"))
	if err != nil {
		return outputError(err)
	}
	switch {
	case run.alpha:
		_, err = file.Write(flatpng.Alpha(img))
	case run.encodePNG != nil:
		err = run.encodePNG(file, img)
	default:
		_, err = file.Write(flatpng.RGBA(img))
	}
	if err != nil {
		file.Discard()
		return outputError(err)
	}
	renderTask.partialFile = file
	return nil
}

// commitPicture gives the file with the picture of a scene its name. If that fails, the scene's line becomes one
// with the error. It is called in the order of the input: of scenes with the same id, the last one keeps
// the name in every run. The line of each scene whose id an earlier one has gets the note duplicate_id.
func (run *renderRun) commitPicture(renderTask *renderTask) {
	if renderTask.pictureID == "" {
		return
	}
	if renderTask.partialFile != nil {
		if err := renderTask.partialFile.Commit(); err != nil {
			renderTask.partialFile.Discard()
			renderTask.resultLine = renderTask.fail(renderTask.pictureID, outputError(err))
		}
	}
	// Hashes of 64 bits instead of ids bound the memory of long runs. Two ids with the same hash are so
	// unlikely that a wrong note is accepted.
	if run.idHashes == nil {
		run.idHashes, run.hashSeed = map[uint64]struct{}{}, maphash.MakeSeed()
	}
	hash := maphash.String(run.hashSeed, renderTask.pictureID)
	if _, twice := run.idHashes[hash]; twice {
		note := `,"notes":[{"code":"duplicate_id","path":"id","message":"an earlier line has the same id"}]`
		open := renderTask.resultLine[:len(renderTask.resultLine)-len("}\n")] // the object without its end
		renderTask.resultLine = append(append(open, note...), "}\n"...)
	}
	run.idHashes[hash] = struct{}{}
}

// outputError marks an error of writing a picture, so that the run fails and not only the scene.
func outputError(err error) error {
	return &scoring.Error{Code: "output", Message: "cannot write picture: " + err.Error()}
}

// tellFallback prints why the CPU computes pixels although no flag asks for it; nothing if it does not.
func tellFallback(w io.Writer, c *daemon.Core) {
	if why := c.Engine.Info().Reason; why != "" {
		fmt.Fprintf(w, "plumb: using the CPU: %s\n", why)
	}
}
