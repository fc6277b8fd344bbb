package main

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"io"
	"os"
	"path/filepath"

	"plumb/daemon"
	"plumb/daemon/atomicfile"
	"plumb/daemon/compare"
	"plumb/daemon/dump"
	"plumb/daemon/queue"
	"plumb/daemon/report"
	"plumb/render"
	"plumb/render/chrome"
	"plumb/render/view"
	"plumb/scoring"
)

// pair is a scene drawn natively and by the editor.
type pair struct {
	id       string
	view     view.View
	likeness *compare.Likeness
	got, ref *image.NRGBA
	reason   string // why there is no comparison
	foreign  bool   // the scene is not drawn natively
}

// comparison compares native pictures with the editor's.
type comparison struct {
	*renderRun
	pool      *chrome.Pool // nil where the reference pictures are in a folder
	reference string
}

// compare draws every scene natively, gets the editor's picture of it from Chromium or from the folder
// of --reference, and writes a report of the differences, their lines and their distribution. Scenes
// that are not native, and those without a reference, are counted in the report.
func (cmd *renderCmd) compare(config daemon.CoreConfig, job *renderRun, given dump.PictureOptions, std streams) (err error) {
	editor := config.Engine.Chrome
	config.Engine.Fidelity, config.Engine.Chrome = render.FidelityNative, chrome.Config{} // Chromium draws the reference alone
	if config.Engine.Backend == render.BackendChrome {
		return usage("cannot compare --backend chrome with itself: want auto, gl or cpu")
	}
	// The reference pictures: of Chromium, or of a folder.
	m := &comparison{renderRun: job, reference: cmd.Reference}
	name := "tldraw " + config.Engine.Tldraw
	if m.reference == "" {
		editor.Version, editor.MaxSource = config.Engine.Tldraw, config.Scenes.Line
		editor.MaxPixels, editor.MaxSide = config.Scenes.Pixels, config.Scenes.Side
		if m.pool, err = chrome.Open(editor); err != nil {
			return fmt.Errorf("cannot compare: %w; or use --reference DIR with pictures that there are", err)
		}
		defer m.pool.Close()
	} else {
		name = filepath.Base(cmd.Reference)
	}
	// The native pictures.
	if job.core, err = daemon.Open(config); err != nil {
		return err
	}
	defer job.core.Close()
	job.options = job.core.Pictures
	job.options.Bounds, job.options.Only = given.Bounds, given.Only
	// The report.
	title := cmd.Scenes[0]
	if len(cmd.Scenes) > 1 {
		title = fmt.Sprintf("%s and %d more", title, len(cmd.Scenes)-1)
	}
	page, err := report.NewFidelity(report.FidelityConfig{Dir: cmd.Compare, Title: title, Reference: name, Worst: int(cmd.Worst)})
	if err != nil {
		return err
	}
	// Draw and compare each scene.
	job.each = m.pair
	job.taken = func(s *renderTask) error { return takePair(page, s.pair) }
	stats, err := output(cmd.Stats, std, cmd.Scenes...)
	if err != nil {
		return err
	}
	err = job.files(cmd.Scenes, config.Lines, std.in, stats)
	if job.ctx.Err() != nil {
		return stats.finish(interruption{errors.New("interrupted; there is no report, and the same command begins anew")})
	}
	// Write what was found.
	err = stats.finish(err)
	path, e := page.Close()
	err = errors.Join(err, e)
	if err == nil {
		err = writeFeatures(filepath.Join(cmd.Compare, "features.jsonl"), page.Summary())
	}
	writeDistribution(std.err, page.Summary())
	fmt.Fprintf(std.err, "report: %s\n", path)
	return err
}

// takePair adds one scene, drawn natively and by the editor, to the fidelity report, and releases its
// pictures, which are large. A scene without a comparison is added with its reason.
func takePair(page *report.Fidelity, pair *pair) error {
	switch {
	case pair.likeness != nil:
		err := page.Add(pair.id, pair.likeness, pair.view, pair.got, pair.ref)
		pair.got, pair.ref, pair.likeness = nil, nil, nil
		return err
	case pair.foreign:
		page.Foreign(pair.id, pair.reason)
	default:
		page.Failed(pair.id, pair.reason)
	}
	return nil
}

// pair draws one scene with plumb and with the editor and returns its line: the figures of the
// comparison, why the scene is not native, or its error. It sets task.pair.
func (comparison *comparison) pair(task *renderTask) []byte {
	p := &pair{id: task.id()}
	task.pair = p
	var err error
	if task.line.Fault != "" {
		err = &scoring.Error{Code: "bad_line", Message: task.line.Fault}
	} else {
		err = comparison.drawBoth(task, p)
	}
	if err == nil {
		return comparison.figures(p)
	}
	p.reason, p.foreign = err.Error(), errors.Is(err, view.ErrForeign)
	if p.foreign {
		b := scoring.AppendString([]byte(`{"id":`), p.id)
		b = append(b, `,"native":false,"reason":`...)
		b = scoring.AppendString(b, p.reason)
		return append(b, "}\n"...)
	}
	return failure(p.id, codeOf(err), p.reason)
}

// drawBoth draws a scene with plumb, gets the editor's picture of it, and sets both pictures and their
// likeness in pair. A scene that is not native is an error.
func (comparison *comparison) drawBoth(task *renderTask, pair *pair) error {
	id, wanted, err := dump.Picture(task.line.Bytes, comparison.options)
	if id != "" {
		pair.id = id
	}
	if err != nil {
		return err
	}
	pair.view = wanted
	got, err := comparison.core.Queue.Draw(comparison.ctx, nil, func() (view.View, error) { return wanted, nil })
	if err != nil {
		return err
	}
	ref, colours, err := comparison.referencePicture(task.line.Bytes, pair)
	if err != nil {
		return err
	}
	pair.got, pair.ref = got.Image, ref
	pair.likeness, err = compare.Pictures(pair.got, pair.ref, colours)
	return err
}

// referencePicture returns the editor's picture of the scene of a pair, over the part of the page that
// the native picture shows. It reads a file of the folder that --reference names or, without that
// flag, has Chromium draw source, the scene's line of the dump. colours is false for a file that holds
// alpha alone.
func (comparison *comparison) referencePicture(source []byte, pair *pair) (img *image.NRGBA, colours bool, err error) {
	if comparison.pool == nil {
		return readReference(filepath.Join(comparison.reference, fileName(pair.id)+".png"))
	}
	ctx, cancel := context.WithTimeout(comparison.ctx, 10*queue.DefaultDeadline) // a comparison may wait long for a page
	defer cancel()
	got, err := comparison.pool.Export(ctx, chrome.Request{View: pair.view, Source: source})
	if err != nil {
		return nil, false, &scoring.Error{Code: "reference", Message: err.Error()}
	}
	return got.Image, true, nil
}

// readReference reads a reference picture from a PNG file. A grey picture holds alpha alone: its grey
// becomes the alpha of a black picture, and colours is false.
func readReference(path string) (img *image.NRGBA, colours bool, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, false, &scoring.Error{Code: "reference", Message: "cannot read reference: " + err.Error()}
	}
	defer file.Close()
	src, err := png.Decode(file)
	if err != nil {
		return nil, false, &scoring.Error{Code: "reference", Message: fmt.Sprintf("cannot read reference %s: %v", path, err)}
	}
	img = image.NewNRGBA(image.Rectangle{Max: src.Bounds().Size()})
	grey, ok := src.(*image.Gray)
	if !ok {
		draw.Draw(img, img.Rect, src, src.Bounds().Min, draw.Src)
		return img, true, nil
	}
	for i, a := range grey.Pix {
		img.Pix[4*i+3] = a
	}
	return img, false, nil
}

// figures returns the JSON line of a compared scene: sizes, differences of alpha and of colours, and
// the severity by which the report sorts.
func (comparison *comparison) figures(p *pair) []byte {
	figures := &p.likeness.Figures
	out := scoring.AppendString([]byte(`{"id":`), p.id)
	out = fmt.Appendf(out, `,"native":true,"width":%d,"height":%d,"box":[%d,%d,%d,%d]`, figures.Width, figures.Height,
		figures.Box.Min.X, figures.Box.Min.Y, figures.Box.Max.X, figures.Box.Max.Y)
	number := func(name string, x float64) {
		out = append(out, ',')
		out = scoring.AppendString(out, name)
		out = append(out, ':')
		out = scoring.AppendFloat(out, x)
	}
	number("alpha_within", figures.Within)
	number("alpha_mean", figures.Mean)
	out = fmt.Appendf(out, `,"alpha_worst":%d`, figures.Worst)
	if figures.Colours {
		number("colour_within", figures.ColourWithin)
		number("colour_mean", figures.ColourMean)
	}
	number("mass", figures.Mass)
	number("centre", figures.Centre)
	number("covered", figures.Covered)
	out = fmt.Appendf(out, `,"outside":%d`, figures.Outside)
	number("severity", figures.Severity())
	return append(out, "}\n"...)
}

// writeFeatures writes a file with a JSON line for each feature of shapes, such as a kind or a dash:
// how many shapes and scenes have it, and how close their pictures are.
func writeFeatures(path string, s *compare.Summary) error {
	var out []byte
	for _, row := range s.Features() {
		out = scoring.AppendString(append(out, `{"feature":`...), row.Name)
		out = fmt.Appendf(out, `,"shapes":%d,"scenes":%d`, row.Shapes, row.Scenes)
		for _, n := range []struct {
			name string
			x    float64
		}{{"within", row.Within}, {"within_worst", row.WithinWorst}, {"mean", row.Mean}, {"mean_95", row.MeanTail}, {"mean_worst", row.MeanWorst},
			{"colour", row.Colour}, {"colour_worst", row.ColourWorst}} {
			out = append(out, ',')
			out = scoring.AppendString(out, n.name)
			out = append(out, ':')
			out = scoring.AppendFloat(out, n.x)
		}
		out = append(out, "}\n"...)
	}
	err := atomicfile.WriteFile(path, func(f *atomicfile.File) error { _, err := f.Write(out); return err })
	if err != nil {
		return fmt.Errorf("cannot write features: %w", err)
	}
	return nil
}

// writeDistribution prints how many scenes were compared, and of each figure the median, the 95 %
// quantile, the worst value and how many scenes miss the bar, if it has one.
func writeDistribution(w io.Writer, s *compare.Summary) {
	fmt.Fprintf(w, "%d scenes compared, %d not native (native share %.1f %%), %d without a comparison\n",
		len(s.Scenes), s.Foreign, 100*s.NativeShare(), s.Failed)
	for _, r := range s.Rows() {
		line := fmt.Sprintf("%-14s median %9.5f  95 %% %9.5f  worst %9.5f", r.Name, r.Median, r.Tail, r.Extreme)
		if r.Bar != 0 {
			line += fmt.Sprintf("  bar %g missed by %d", r.Bar, r.Missed)
		}
		fmt.Fprintln(w, line)
	}
}
