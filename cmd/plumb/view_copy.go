package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"plumb/daemon"
	"plumb/daemon/dump"
	"plumb/daemon/index"
	"plumb/daemon/records"
	"plumb/daemon/records/input"
	"plumb/scoring"

	"github.com/valyala/fastjson"
)

// copier copies compressed results and dumps as plain lines, and other tools' dumps as lines of plumb's
// own format: the explorer goes back to a line by its place, which only a plain file allows.
type copier struct {
	recordOptions records.Options
	items         dump.ItemConfig
}

// copierOf returns a copier for dumps that need no flags to be read.
func copierOf(cc *daemon.CoreConfig) *copier {
	return &copier{recordOptions: records.Options{Limits: input.Limits{Limits: cc.Lines}, JSON: cc.Scenes, Suites: cc.Suites, Suite: cc.Suite},
		items: dump.ItemConfig{Suites: cc.Suites, DefaultSuite: cc.Suite, Limits: cc.Scenes}}
}

// copyResults returns a function that writes a compressed result file as plain lines, which plumb view needs
// because it reads lines at offsets. It returns nil for a file that is not compressed and needs no copy.
// It implements explorer.Config.ResultCopies.
func (k *copier) copyResults(path string) (index.Copy, error) {
	if !isCompressed(path) {
		return nil, nil
	}
	return func(ctx context.Context, w io.Writer, read func(int64)) error {
		reader, err := dump.Open(path, k.recordOptions.Limits.Limits)
		if err != nil {
			return err
		}
		defer reader.Close()
		return copyLines(ctx, reader, w, read)
	}, nil
}

// copyDumps returns a function that writes a dump of another tool, or a compressed one, as plain lines of
// plumb's own format, which plumb view needs because it reads lines at offsets. It returns nil for a dump
// that has this form. The function closes the dump, and so it can be called once. It implements
// explorer.Config.DumpCopies.
func (k *copier) copyDumps(path string) (index.Copy, error) {
	reader, err := records.Open(path, nil, k.recordOptions)
	if err != nil {
		return nil, err
	}
	if reader.Cuttable() { // it can be read at offsets, because it is a file of plain lines
		return nil, reader.Close()
	}
	return func(ctx context.Context, w io.Writer, progress func(bytesRead int64)) (err error) {
		defer func() { err = errors.Join(err, reader.Close()) }()
		if reader.Format != records.Own {
			return copyRecords(ctx, reader, w, progress)
		}
		reader.Lines().AcceptList(k.items) // plumb's own format may also be one JSON list
		return copyLines(ctx, reader.Lines(), w, progress)
	}, nil
}

// isCompressed reports whether a file is compressed, by its first bytes. For a file that cannot be opened it
// returns false: whoever opens it next gets the error.
func isCompressed(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	head := make([]byte, 10)        // as long as the longest magic number, that of bzip2
	n, _ := io.ReadFull(file, head) // a shorter file is looked at as far as it goes
	return dump.IsCompressed(head[:n])
}

// copyLines writes each line of reader so that it has the same number in the copy. Lines that reader
// leaves out, because they are blank, are written as blank lines. After each line, read is called
// with how many bytes of the input were read, for a progress bar.
func copyLines(ctx context.Context, reader *dump.Reader, w io.Writer, read func(int64)) error {
	for n := 1; ; n++ {
		line, err := reader.Next()
		if err == io.EOF {
			return nil
		}
		if err = errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		for ; n < line.Number; n++ {
			if _, err := w.Write([]byte("\n")); err != nil {
				return err
			}
		}
		if err := writeLine(w, line.Bytes); err != nil {
			return err
		}
		read(reader.Offset())
	}
}

// copyRecords writes each record of another tool's dump as a line of plumb's own format. A record that
// cannot be read, or that names no task, leaves no line. After each line that is written, read is called
// with how many bytes of the input were read, for a progress bar.
func copyRecords(ctx context.Context, reader *records.Reader, w io.Writer, read func(int64)) error {
	var buf []byte
	for n := 1; ; n++ {
		answer, err := reader.Next()
		if err == io.EOF {
			return nil
		}
		if err = errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		line, _ := reader.Line(buf[:0], answer, n) // where the record came from is not shown
		if line.Bytes == nil {
			continue
		}
		buf = line.Bytes
		if err := writeLine(w, line.Bytes); err != nil {
			return err
		}
		read(reader.Lines().Offset())
	}
}

// writeLine writes a line and the line feed that ends it.
func writeLine(w io.Writer, line []byte) error {
	if _, err := w.Write(line); err != nil {
		return err
	}
	_, err := w.Write([]byte("\n"))
	return err
}

// checkResults looks at the first line of a result file, compressed or not, and returns the error with
// which plumb view would refuse the file, or nil. A compressed file without lines has no error.
func checkResults(path string) error {
	if !isCompressed(path) {
		return index.Check(path)
	}
	reader, err := dump.Open(path, dump.Limits{})
	if err != nil {
		return err
	}
	defer reader.Close()
	line, err := reader.Next()
	if err == io.EOF {
		return nil
	}
	var value *fastjson.Value
	if err == nil && line.Fault != "" {
		err = errors.New(line.Fault)
	}
	if err == nil {
		value, err = fastjson.ParseBytes(line.Bytes)
	}
	if err == nil {
		_, err = scoring.CheckResult(value)
	}
	if err != nil {
		return fmt.Errorf("cannot open results %s: line %d: %w", inputName(path), max(line.Number, 1), err)
	}
	return nil
}
