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

// renderAnswers draws the answers in dumps, as the benchmark suite of --suite paints them, and writes
// pictures and measurements. It uses neither the engine nor its queue, because such suites paint on the
// CPU. A suite whose answers have no pictures is a usageError.
func (cmd *renderCmd) renderAnswers(ctx context.Context, config daemon.CoreConfig, std streams) error {
	items, err := daemon.Items(config)
	if err != nil {
		return err
	}
	suite := items.Suites.Find(cmd.Suite)
	if suite == nil || suite.Paint == nil {
		return usage("cannot draw answers of suite %q: it has no pictures of answers; want drawingbench or tangram", cmd.Suite)
	}
	if err := cmd.makeFolder(); err != nil {
		return err
	}
	stats, err := output(cmd.Stats, std, slices.Concat(cmd.Scenes, slices.Collect(maps.Values(config.TaskFile)))...)
	if err != nil {
		return err
	}
	// Decoders and encoders are pooled, because several goroutines draw.
	run := &answerRun{renderRun: renderRun{ctx: ctx, pictureDir: cmd.Out, alpha: cmd.Channels == "alpha", threads: config.Queue.Workers}, suite: suite}
	if run.threads <= 0 {
		run.threads = runtime.GOMAXPROCS(0)
	}
	run.decoders.New = func() any { return dump.NewDecoder(items) }
	run.encoders.New = func() any { return new(canvas.Encoder) }
	run.encodePNG = func(w io.Writer, img image.Image) error {
		encoder := run.encoders.Get().(*canvas.Encoder)
		defer run.encoders.Put(encoder)
		return encoder.Encode(w, img)
	}
	// Let the run draw items of dumps instead of scenes of files.
	run.drawTask, run.eachTask = run.drawAnswer, func(path string, limits dump.Limits, stdin io.Reader, give func(*renderTask)) error {
		return eachItem(path, limits, stdin, items, give)
	}
	return stats.finish(run.drawAll(cmd.Scenes, config.Lines, std, stats))
}

// answerRun is a run that draws answers.
type answerRun struct {
	renderRun
	suite    *scoring.Suite
	decoders sync.Pool
	encoders sync.Pool
}

// eachItem calls give with a task for every line of a dump of answers, or of one JSON list of them. Each task
// has a copy of its line, because answers are drawn while the reader goes on and uses its memory again.
func eachItem(path string, limits dump.Limits, stdin io.Reader, items dump.ItemConfig, give func(*renderTask)) error {
	reader, err := openDump(path, limits, stdin)
	if err != nil {
		return err
	}
	defer reader.Close()
	reader.AcceptList(items)
	for {
		line, err := reader.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("cannot read %s: %w", inputName(path), err)
		}
		line.Bytes = bytes.Clone(line.Bytes)
		give(&renderTask{line: line, offset: reader.Offset(), drawn: make(chan struct{})})
	}
}

// drawAnswer draws one answer, writes its picture with --out, and returns a JSON line with the measurements of
// the picture, or with the error if there is none. An answer of another suite is an error.
func (run *answerRun) drawAnswer(renderTask *renderTask) []byte {
	decoder := run.decoders.Get().(*dump.Decoder)
	defer run.decoders.Put(decoder)
	item, fault := decoder.Item(renderTask.line, run.suite.Name)
	if fault != nil {
		return renderTask.fail(item.ID, fault)
	}
	if item.Suite != run.suite.Name {
		message := fmt.Sprintf("cannot draw answer: got suite %q; want %s", item.Suite, run.suite.Name)
		return renderTask.fail(item.ID, &scoring.Error{Code: "unknown_suite", Message: message})
	}
	id := item.ID
	painting, err := run.suite.Paint(item, nil) // nil: by the rules of the benchmark, without variants
	if err == nil {
		renderTask.pictureID = id // under which the picture is kept
		if run.pictureDir != "" {
			err = run.writePicture(renderTask, painting.Image)
		}
	}
	if err != nil {
		return renderTask.fail(id, err)
	}
	return answerStats(id, &painting)
}

// answerStats returns the measurements of an answer's picture as a JSON line. Positions and sums are those
// of alpha, as for scenes. The suite's own numbers about the picture are in a member whose name the suite
// gives. See docs/spec/cli.md#r31.
func answerStats(id string, painting *scoring.Painting) []byte {
	out := scoring.AppendString([]byte(`{"id":`), id)
	out = fmt.Appendf(out, `,"width":%d,"height":%d,`, painting.Image.Rect.Dx(), painting.Image.Rect.Dy())
	measured := metric.Measure(metric.OfImage(painting.Image), metric.CoveredFrom)
	out = scoring.AppendStats(out, measured, nil) // nil: undefined measures are null, without a reason
	out = append(out, `,"backend":"cpu","`...)
	out = append(out, painting.Name...)
	out = append(out, `":`...)
	out = scoring.AppendMetrics(out, painting.Stats)
	return append(out, "}\n"...)
}
