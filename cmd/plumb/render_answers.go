package main

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"io"
	"maps"
	"runtime"
	"slices"
	"sync"

	"plumb/daemon"
	"plumb/daemon/dump"
	"plumb/render/canvas"
	"plumb/render/metric"
	"plumb/scoring"
)

// renderAnswers draws the answers of dumps with the painter of the suite of --suite, and writes
// pictures and measurements. It uses neither the engine nor the queue: such suites paint on the CPU.
func (c *renderCmd) renderAnswers(ctx context.Context, cc daemon.CoreConfig, std streams) error {
	items, err := daemon.Items(cc)
	if err != nil {
		return err
	}
	suite := items.Suites.Find(c.Suite)
	if suite == nil || suite.Paint == nil {
		return usage("cannot draw answers of suite %q: it has no pictures of answers; want drawingbench or tangram", c.Suite)
	}
	if err := c.folder(); err != nil {
		return err
	}
	stats, err := output(c.Stats, std, slices.Concat(c.Scenes, slices.Collect(maps.Values(cc.TaskFile)))...)
	if err != nil {
		return err
	}
	run := &answerRun{renderRun: renderRun{ctx: ctx, out: c.Out, alpha: c.Channels == "alpha", threads: cc.Queue.Workers}, suite: suite}
	if run.threads <= 0 {
		run.threads = runtime.GOMAXPROCS(0)
	}
	run.decoders.New = func() any { return dump.NewDecoder(items) }
	run.encoders.New = func() any { return new(canvas.Encoder) }
	run.encode = func(w io.Writer, img image.Image) error {
		e := run.encoders.Get().(*canvas.Encoder)
		defer run.encoders.Put(e)
		return e.Encode(w, img)
	}
	run.each, run.source = run.answer, func(path string, limits dump.Limits, stdin io.Reader, give func(*renderTask)) error {
		return eachItem(path, limits, stdin, items, give)
	}
	return stats.finish(run.run(c.Scenes, cc.Lines, std, stats))
}

// answerRun is a run that draws answers.
type answerRun struct {
	renderRun
	suite    *scoring.Suite
	decoders sync.Pool
	encoders sync.Pool
}

// eachItem calls give for every item of a dump, each with bytes of its own.
func eachItem(path string, limits dump.Limits, stdin io.Reader, items dump.ItemConfig, give func(*renderTask)) error {
	reader, err := openDump(path, limits, stdin)
	if err != nil {
		return err
	}
	defer reader.Close()
	reader.Lists(items)
	for {
		l, err := reader.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("cannot read %s: %w", path, err)
		}
		l.Bytes = bytes.Clone(l.Bytes)
		give(&renderTask{line: l, offset: reader.Offset(), done: make(chan struct{})})
	}
}

// answer draws one answer, writes its picture with --out, and returns its line of measurements, or a
// line with its error. An answer of another suite is an error.
func (e *answerRun) answer(renderTask *renderTask) []byte {
	d := e.decoders.Get().(*dump.Decoder)
	defer e.decoders.Put(d)
	it, fault := d.Item(renderTask.line, e.suite.Name)
	if fault != nil {
		return renderTask.fail(it.ID, fault)
	}
	if it.Suite != e.suite.Name {
		message := fmt.Sprintf("cannot draw answer: got suite %q; want %s", it.Suite, e.suite.Name)
		return renderTask.fail(it.ID, &scoring.Error{Code: "unknown_suite", Message: message})
	}
	id := it.ID
	p, err := e.suite.Paint(it, nil)
	if err == nil {
		renderTask.ownID = id
		if e.out != "" {
			err = e.write(renderTask, p.Image)
		}
	}
	if err != nil {
		return renderTask.fail(id, err)
	}
	return answerStats(id, &p)
}

// answerStats returns the measurements of an answer's picture as a JSON line, with the suite's own
// numbers in a member that the suite names. Positions and sums are those of alpha, as for scenes. See
// docs/spec/cli.md#r31.
func answerStats(id string, p *scoring.Painting) []byte {
	b := scoring.AppendString([]byte(`{"id":`), id)
	b = fmt.Appendf(b, `,"width":%d,"height":%d,`, p.Image.Rect.Dx(), p.Image.Rect.Dy())
	b = scoring.AppendStats(b, metric.Measure(metric.OfImage(p.Image), metric.CoveredFrom), nil)
	b = append(b, `,"backend":"cpu","`...)
	b = append(b, p.Name...)
	b = append(b, `":`...)
	b = scoring.AppendMetrics(b, p.Stats)
	return append(b, "}\n"...)
}
