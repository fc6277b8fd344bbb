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

// renderAnswers draws the answers of dumps with the painter of their suite.
func (c *renderCmd) renderAnswers(ctx context.Context, cc daemon.CoreConfig, std streams) error {
	items, err := daemon.Items(cc)
	if err != nil {
		return err
	}
	suite := items.Suites.Find(c.Suite)
	if suite == nil || suite.Paint == nil {
		return usage("cannot draw answers of suite %q: it has no pictures of answers", c.Suite)
	}
	if err := c.folder(); err != nil {
		return err
	}
	stats, err := output(c.Stats, std, slices.Concat(c.Scenes, slices.Collect(maps.Values(cc.TaskFile)))...)
	if err != nil {
		return err
	}
	p := &answerRun{renderRun: renderRun{ctx: ctx, out: c.Out, alpha: c.Channels == "alpha", n: cc.Queue.Workers}, suite: suite}
	if p.n <= 0 {
		p.n = runtime.GOMAXPROCS(0)
	}
	p.decoders.New = func() any { return dump.NewDecoder(items) }
	p.encoders.New = func() any { return new(canvas.Encoder) }
	p.encode = func(w io.Writer, img image.Image) error {
		e := p.encoders.Get().(*canvas.Encoder)
		defer p.encoders.Put(e)
		return e.Encode(w, img)
	}
	p.each, p.source = p.answer, func(path string, limits dump.Limits, stdin io.Reader, give func(*renderTask)) error {
		return eachItem(path, limits, stdin, items, give)
	}
	return stats.finish(p.run(c.Scenes, cc.Lines, std, stats))
}

// answerRun is a run that draws answers.
type answerRun struct {
	renderRun
	suite    *scoring.Suite
	decoders sync.Pool
	encoders sync.Pool
}

// eachItem calls give for every item of a dump.
func eachItem(path string, limits dump.Limits, stdin io.Reader, items dump.ItemConfig, give func(*renderTask)) error {
	r, err := openDump(path, limits, stdin)
	if err != nil {
		return err
	}
	defer r.Close()
	r.Lists(items)
	for {
		l, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("cannot read %s: %w", path, err)
		}
		l.Bytes = bytes.Clone(l.Bytes)
		give(&renderTask{line: l, offset: r.Offset(), done: make(chan struct{})})
	}
}

// answer draws one answer and returns its line of statistics.
func (e *answerRun) answer(s *renderTask) []byte {
	d := e.decoders.Get().(*dump.Decoder)
	defer e.decoders.Put(d)
	it, fault := d.Item(s.line, e.suite.Name)
	if fault != nil {
		return s.fail(it.ID, fault)
	}
	if it.Suite != e.suite.Name {
		return s.fail(it.ID, &scoring.Error{Code: "unknown_suite", Message: fmt.Sprintf("cannot draw answer: got suite %q; want %s", it.Suite, e.suite.Name)})
	}
	id := it.ID
	p, err := e.suite.Paint(it, nil)
	if err == nil {
		s.own = id
		if e.out != "" {
			err = e.write(s, p.Image)
		}
	}
	if err != nil {
		return s.fail(id, err)
	}
	return answerStats(id, &p)
}

// answerStats returns the statistics of a picture as a JSON line, with the suite's own numbers.
// Positions and sums are those of alpha, as for scenes. See docs/spec/cli.md#r31.
func answerStats(id string, p *scoring.Painting) []byte {
	b := scoring.AppendString([]byte(`{"id":`), id)
	b = fmt.Appendf(b, `,"width":%d,"height":%d,`, p.Image.Rect.Dx(), p.Image.Rect.Dy())
	b = scoring.AppendStats(b, metric.Measure(metric.OfImage(p.Image), metric.CoveredFrom), nil)
	b = append(b, `,"backend":"cpu","`...)
	b = scoring.AppendMetrics(append(append(b, p.Name...), `":`...), p.Stats)
	return append(b, "}\n"...)
}
