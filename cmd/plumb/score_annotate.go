package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"plumb/daemon/atomicfile"
	"plumb/daemon/dump"
	"plumb/daemon/records"
	"plumb/daemon/records/annotate"
	"plumb/daemon/records/input"
	"plumb/daemon/records/write"
	"plumb/scoring"
)

// inspectFormat is the name of the format of inspect_ai's logs.
const inspectFormat = "inspect"

// annotator keeps the results of a run by dump until it writes the copies of the dumps with their
// scores. See docs/spec/dumps-files.md#r20.
type annotator struct {
	copies     map[string]string // files of the copies, by dump
	folder     string            // for the results
	files      map[string]string // of results, by dump
	dump       string            // whose results come now
	out        *bufio.Writer     // nil before the first result
	resultFile *os.File
}

// openAnnotator makes the folder dir for copies of the dumps with the scores in them. It also makes a
// temporary folder in it, in which the results are kept until the copies are written. It refuses copies
// that would replace their dumps.
func openAnnotator(dir string, dumps []string) (*annotator, error) {
	copies, err := namesIn(dir, dumps, dump.WithoutCompression) // the copies are not compressed
	if err != nil {
		return nil, err
	}
	for _, d := range dumps {
		if sameFile(copies[d], d) {
			return nil, usage("cannot use --annotate %s: the copy of %s would replace it; want another folder", dir, d)
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("cannot write copies: %w", err)
	}
	folder, err := os.MkdirTemp(dir, ".plumb-results-")
	if err != nil {
		return nil, fmt.Errorf("cannot write copies: %w", err)
	}
	return &annotator{copies: copies, folder: folder, files: map[string]string{}}, nil
}

// addResult appends a result line to the temporary file for the results of its dump. The results of one dump
// must follow each other, because only one file is open at a time.
func (annotator *annotator) addResult(dump string, line []byte) error {
	if annotator.out == nil || dump != annotator.dump {
		if err := annotator.closeFile(); err != nil {
			return err
		}
		path := filepath.Join(annotator.folder, fmt.Sprint(len(annotator.files)))
		file, err := os.Create(path)
		if err != nil {
			return fmt.Errorf("cannot keep results for --annotate: %w", err)
		}
		annotator.dump = dump
		annotator.resultFile = file
		annotator.out = bufio.NewWriterSize(file, 1<<20)
		annotator.files[dump] = path
	}
	annotator.out.Write(line)
	if err := annotator.out.WriteByte('\n'); err != nil {
		return fmt.Errorf("cannot keep results for --annotate: %w", err)
	}
	return nil
}

// closeFile flushes and closes the temporary file for the results of the current dump, if one is open.
func (annotator *annotator) closeFile() error {
	if annotator.out == nil {
		return nil
	}
	err := errors.Join(annotator.out.Flush(), annotator.resultFile.Close())
	annotator.out = nil
	if err != nil {
		return fmt.Errorf("cannot keep results for --annotate: %w", err)
	}
	return nil
}

// remove removes the temporary files of results.
func (annotator *annotator) remove() {
	annotator.closeFile()
	os.RemoveAll(annotator.folder)
}

// annotate writes a copy of each dump with the scores in it. An error of one copy does not keep the
// others from being written. For a dump without results it prints a message instead.
func (j *job) annotate() (err error) {
	annotator := j.annotator
	if err := annotator.closeFile(); err != nil {
		return err
	}
	for _, dump := range j.cmd.Dumps {
		path, ok := annotator.files[j.nameInResults(dump)]
		if !ok {
			fmt.Fprintf(j.std.err, "plumb: %s has no results and gets no copy\n", dump)
			continue
		}
		if e := j.annotateDump(dump, path); e != nil {
			err = errors.Join(err, fmt.Errorf("cannot write a copy of %s with its scores: %w", dump, e))
		}
	}
	return err
}

// annotateDump writes the annotated copy of a dump, each record with its score; path is the file of the dump's
// results. For a log of inspect_ai it writes a file of scores instead, because such a log cannot be extended.
func (j *job) annotateDump(dump, path string) error {
	target := j.annotator.copies[dump]
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return err
	}
	// Results of a dump in plumb's own format do not say at which place of the dump their records are, so
	// this is added.
	reader, err := records.Open(dump, nil, j.recordOptions)
	if err != nil {
		return err
	}
	format := reader.Format
	if format == records.Own {
		path, err = copyWithPlaces(reader, path)
	}
	if err = errors.Join(err, reader.Close()); err != nil {
		return err
	}
	// A log of inspect_ai gets a file of scores.
	results, err := os.Open(path)
	if err != nil {
		return err
	}
	defer results.Close()
	if format == inspectFormat {
		return atomicfile.WriteFile(inspectName(target), func(f *atomicfile.File) error { return scoresOfLog(results, f, j.std.err) })
	}
	// Any other dump is copied with its scores.
	info, err := results.Stat()
	if err != nil {
		return err
	}
	resultsOfRecords, err := annotate.NewResults(results, info.Size(), j.nameInResults(dump), j.recordOptions.Limits.Line)
	if err != nil {
		return err
	}
	source, err := input.Open(dump, nil, j.recordOptions.Limits)
	if err != nil {
		return err
	}
	defer source.Close()
	if format == records.Own && bytes.HasPrefix(bytes.TrimLeft(source.Head(), " \t\r\n"), []byte("[")) {
		return errors.New("it is a JSON list, and several answers may stand in one element; want a JSON object on each line")
	}
	return atomicfile.WriteFile(target, func(f *atomicfile.File) error { return annotate.Copy(source, format, f, resultsOfRecords) })
}

// scoresOfLog reads the result lines of one log of the evaluation tool inspect_ai and writes its scores
// to f, in the form that inspect_ai's score command reads. Messages go to log.
func scoresOfLog(results io.Reader, f io.Writer, log io.Writer) error {
	out := bufio.NewWriterSize(f, 64<<10)
	s := &scores{write.NewInspect(out), log}
	if _, err := io.Copy(&lineWriter{results: s}, results); err != nil {
		return err
	}
	return errors.Join(s.Close(), out.Flush())
}

// copyWithPlaces writes a copy of the result file at path and returns the name of the copy. Each result gets a
// member "at" with the place of its record in the dump, which results of dumps in plumb's own format do
// not have. reader reads the dump again, and so gives the records in the order of the results.
func copyWithPlaces(reader *records.Reader, path string) (string, error) {
	in, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer in.Close()
	out, err := os.Create(path + ".placed")
	if err != nil {
		return "", err
	}
	defer out.Close()
	lines, writer := bufio.NewReaderSize(in, 1<<20), bufio.NewWriterSize(out, 1<<20)
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return out.Name(), writer.Flush()
		}
		if err != nil {
			return "", err
		}
		answer, err := reader.Next()
		if err == io.EOF { // the rest are results of --requests
			return out.Name(), writer.Flush()
		}
		if err != nil {
			return "", err
		}
		writer.Write(scoring.AppendString([]byte(`{"at":`), answer.At))
		writer.WriteByte(',')
		writer.Write(line[1:]) // without its opening brace
	}
}
