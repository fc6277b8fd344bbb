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

// copier copies the lines of results and dumps that are compressed, and those of other tools' dumps as plumb's own, so that the
// explorer finds lines at their places.
type copier struct {
	read  records.Options
	items dump.ItemConfig
}

// copierOf returns a copier for dumps that need no flags to be read.
func copierOf(cc *daemon.CoreConfig) *copier {
	return &copier{read: records.Options{Limits: input.Limits{Limits: cc.Lines}, JSON: cc.Scenes, Suites: cc.Suites, Suite: cc.Suite},
		items: dump.ItemConfig{Suites: cc.Suites, Suite: cc.Suite, Limits: cc.Scenes}}
}

// results implements explorer.Config.Results.
func (k *copier) results(path string) (index.Copy, error) {
	if !packed(path) {
		return nil, nil
	}
	return func(ctx context.Context, w io.Writer, read func(int64)) error {
		r, err := dump.Open(path, k.read.Limits.Limits)
		if err != nil {
			return err
		}
		defer r.Close()
		return copyLines(ctx, r, w, read)
	}, nil
}

// dumps implements explorer.Config.Dumps.
func (k *copier) dumps(path string) (index.Copy, error) {
	r, err := records.Open(path, nil, k.read)
	if err != nil {
		return nil, err
	}
	if r.Cuttable() {
		return nil, r.Close()
	}
	return func(ctx context.Context, w io.Writer, read func(int64)) (err error) {
		defer func() { err = errors.Join(err, r.Close()) }()
		if r.Format != records.Own {
			return copyRecords(ctx, r, w, read)
		}
		r.Lines().Lists(k.items)
		return copyLines(ctx, r.Lines(), w, read)
	}, nil
}

// packed reports whether a file is compressed.
func packed(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 10)
	n, _ := io.ReadFull(f, head)
	return dump.Packed(head[:n])
}

// copyLines copies lines with their numbers; those that cannot be read are blank.
func copyLines(ctx context.Context, r *dump.Reader, w io.Writer, read func(int64)) error {
	for n := 1; ; n++ {
		l, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err = errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		for ; n < l.N; n++ {
			if _, err := w.Write([]byte("\n")); err != nil {
				return err
			}
		}
		if err := writeLine(w, l.Bytes); err != nil {
			return err
		}
		read(r.Offset())
	}
}

// copyRecords writes the dump lines of another tool's records. Records without a task or an answer line have none.
func copyRecords(ctx context.Context, r *records.Reader, w io.Writer, read func(int64)) error {
	var buf []byte
	for n := 1; ; n++ {
		a, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err = errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		l, _ := r.Line(buf[:0], a, n)
		if l.Bytes == nil {
			continue
		}
		buf = l.Bytes
		if err := writeLine(w, l.Bytes); err != nil {
			return err
		}
		read(r.Lines().Offset())
	}
}

// writeLine writes a line with its end.
func writeLine(w io.Writer, line []byte) error {
	if _, err := w.Write(line); err != nil {
		return err
	}
	_, err := w.Write([]byte("\n"))
	return err
}

// check returns the error with which results would be refused, from their first line.
func (k *copier) check(path string) error {
	if !packed(path) {
		return index.Check(path)
	}
	r, err := dump.Open(path, k.read.Limits.Limits)
	if err != nil {
		return err
	}
	defer r.Close()
	l, err := r.Next()
	if err == io.EOF {
		return nil
	}
	var v *fastjson.Value
	if err == nil && l.Fault != "" {
		err = errors.New(l.Fault)
	}
	if err == nil {
		v, err = fastjson.ParseBytes(l.Bytes)
	}
	if err == nil {
		_, err = scoring.CheckResult(v)
	}
	if err != nil {
		return fmt.Errorf("cannot open results %s: line %d: %w", path, max(l.N, 1), err)
	}
	return nil
}
