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
	"plumb/scoring/plural"
)

// pair is a scene drawn natively and by the editor.
type pair struct {
	id                string
	view              view.View
	likeness          *compare.Likeness
	native, reference *image.NRGBA
	reason            string // why there is no comparison
	editorOnly        bool   // the scene is not drawn natively
}

// comparison compares native pictures with the editor's.
type comparison struct {
	*renderRun
	pool      *chrome.Pool // nil where the reference pictures are in a folder
	reference string
}

// compare draws every scene natively, which is without Chromium, and compares the picture with that of the
// editor tldraw, which Chromium draws or the folder of --reference holds. It writes a report of the
// differences, a JSON line for each scene, and how the differences are distributed. Scenes that cannot be
// drawn natively, and scenes without a picture of the editor, are only counted in the report.
func (cmd *renderCmd) compare(config daemon.CoreConfig, job *renderRun, options dump.PictureOptions, std streams) (err error) {
	editor := config.Engine.Chrome
	config.Engine.Fidelity, config.Engine.Chrome = render.FidelityNative, chrome.Config{} // Chromium draws the reference alone
	if config.Engine.Backend == render.BackendChrome {
		return usage("cannot compare --backend chrome with itself: want auto, gl or cpu")
	}
	// The reference pictures: of Chromium, or of a folder.
	comparison := &comparison{renderRun: job, reference: cmd.Reference} // shares the core of the run, which opens below
	name := "tldraw " + config.Engine.Tldraw
	if comparison.reference == "" {
		editor.Version, editor.MaxSource = config.Engine.Tldraw, config.Scenes.Line
		editor.MaxPixels, editor.MaxSide = config.Scenes.Pixels, config.Scenes.Side
		if comparison.pool, err = chrome.Open(editor); err != nil {
			return fmt.Errorf("cannot compare: %w; or use --reference DIR with pictures that there are", err)
		}
		defer comparison.pool.Close()
	} else {
		name = filepath.Base(cmd.Reference)
	}
	// The native pictures.
	if job.core, err = daemon.Open(config); err != nil {
		return err
	}
	defer job.core.Close()
	job.options = job.core.Pictures
	job.options.Bounds, job.options.Only = options.Bounds, options.Only
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
	job.drawTask = comparison.compareScene
	job.afterTask = func(task *renderTask) error { return takePair(page, task.pair) }
	stats, err := output(cmd.Stats, std, cmd.Scenes...)
	if err != nil {
		return err
	}
	err = job.drawFiles(cmd.Scenes, config.Lines, std.in, stats)
	if job.ctx.Err() != nil {
		return stats.finish(interruption{errors.New("interrupted; there is no report, and the same command begins anew")})
	}
	// Write what was found.
	err = stats.finish(err)
	path, pageErr := page.Close()
	err = errors.Join(err, pageErr)
	if err == nil {
		err = writeFeatures(filepath.Join(cmd.Compare, "features.jsonl"), page.Summary())
	}
	writeDistribution(std.err, page.Summary())
	fmt.Fprintf(std.err, "report: %s\n", path)
	return err
}

// takePair adds one scene to the fidelity report, which compares native pictures with those of the editor.
// It then releases both pictures of the scene, which are large. A scene that was not compared is added
// with the reason.
func takePair(page *report.Fidelity, pair *pair) error {
	switch {
	case pair.likeness != nil:
		err := page.Add(pair.id, pair.likeness, pair.view, pair.native, pair.reference)
		pair.native, pair.reference, pair.likeness = nil, nil, nil
		return err
	case pair.editorOnly: // it cannot be drawn natively
		page.Foreign(pair.id, pair.reason)
	default:
		page.Failed(pair.id, pair.reason)
	}
	return nil
}

// compareScene draws one scene natively, gets the editor's picture of it, and compares both. It returns a JSON line
// with the figures of the comparison, with the reason why the scene cannot be drawn natively, or with an
// error. It sets task.pair.
func (comparison *comparison) compareScene(task *renderTask) []byte {
	scenePair := &pair{id: task.fallbackID()}
	task.pair = scenePair
	var err error
	if task.line.Fault != "" {
		err = &scoring.Error{Code: "bad_line", Message: task.line.Fault}
	} else {
		err = comparison.drawBoth(task, scenePair)
	}
	if err == nil {
		return comparison.figuresLine(scenePair)
	}
	scenePair.reason, scenePair.editorOnly = err.Error(), errors.Is(err, view.ErrForeign)
	if scenePair.editorOnly {
		line := scoring.AppendString([]byte(`{"id":`), scenePair.id)
		line = append(line, `,"native":false,"reason":`...)
		line = scoring.AppendString(line, scenePair.reason)
		return append(line, "}\n"...)
	}
	return errorLine(scenePair.id, codeOf(err), scenePair.reason)
}

// drawBoth draws a scene natively, gets the editor's picture of it, and sets in pair both pictures, the part of
// the page that they show, and how alike they are. A scene that cannot be drawn natively is an error.
func (comparison *comparison) drawBoth(task *renderTask, pair *pair) error {
	id, wanted, err := dump.Picture(task.line.Bytes, comparison.options)
	if id != "" {
		pair.id = id
	}
	if err != nil {
		return err
	}
	pair.view = wanted
	drawn, err := comparison.core.Queue.Draw(comparison.ctx, nil, func() (view.View, error) { return wanted, nil })
	if err != nil {
		return err
	}
	reference, colours, err := comparison.referencePicture(task.line.Bytes, pair)
	if err != nil {
		return err
	}
	pair.native, pair.reference = drawn.Image, reference
	pair.likeness, err = compare.Pictures(pair.native, pair.reference, colours)
	return err
}

// referencePicture returns the picture of a scene with which the native one is compared: that of the
// editor, of the part of the page that the native picture shows. It reads the scene's file in the folder
// that --reference names. Without that flag Chromium draws source, the scene's line of the dump. colours
// is false for a file that holds only alpha, so that colours cannot be compared.
func (comparison *comparison) referencePicture(source []byte, pair *pair) (img *image.NRGBA, colours bool, err error) {
	if comparison.pool == nil {
		return readReference(filepath.Join(comparison.reference, fileName(pair.id)+".png"))
	}
	const patience = 10 // times as long as a request: all scenes wait for few tabs of the browser
	ctx, cancel := context.WithTimeout(comparison.ctx, patience*queue.DefaultDeadline)
	defer cancel()
	got, err := comparison.pool.Export(ctx, chrome.Request{View: pair.view, Source: source})
	if err != nil {
		return nil, false, &scoring.Error{Code: "reference", Message: err.Error()}
	}
	return got.Image, true, nil
}

// readReference reads a picture to compare with from a PNG file. A grey picture stands for alpha alone,
// as --channels alpha writes it: its grey becomes the alpha of a black picture, and colours is false.
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
	for i, alpha := range grey.Pix {
		img.Pix[4*i+3] = alpha // the other three bytes of the pixel stay 0
	}
	return img, false, nil
}

// figuresLine returns the JSON line of a scene whose native picture was compared with the editor's: sizes,
// differences of alpha and of colours, and the severity by which the report sorts.
func (comparison *comparison) figuresLine(pair *pair) []byte {
	figures := &pair.likeness.Figures
	out := scoring.AppendString([]byte(`{"id":`), pair.id)
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

// writeFeatures writes a file with a JSON line for each feature of shapes, such as a kind or a dash. The
// line says how many shapes and scenes have the feature, and how close the native pictures of these scenes
// are to the editor's.
func writeFeatures(path string, summary *compare.Summary) error {
	var out []byte
	for _, row := range summary.Features() {
		out = scoring.AppendString(append(out, `{"feature":`...), row.Name)
		out = fmt.Appendf(out, `,"shapes":%d,"scenes":%d`, row.Shapes, row.Scenes)
		for _, member := range []struct {
			name  string
			value float64
		}{{"within", row.Within}, {"within_worst", row.WithinWorst}, {"mean", row.Mean}, {"mean_95", row.MeanTail}, {"mean_worst", row.MeanWorst},
			{"colour", row.Colour}, {"colour_worst", row.ColourWorst}} {
			out = append(out, ',')
			out = scoring.AppendString(out, member.name)
			out = append(out, ':')
			out = scoring.AppendFloat(out, member.value)
		}
		out = append(out, "}\n"...)
	}
	err := atomicfile.WriteFile(path, func(f *atomicfile.File) error { _, err := f.Write(out); return err })
	if err != nil {
		return fmt.Errorf("cannot write features: %w", err)
	}
	return nil
}

// writeDistribution prints how many scenes were compared with the editor's pictures. For each figure of
// the comparison it prints the median, the 95 % quantile, the worst value and, if a bar is set for it, how
// many scenes miss that bar.
func writeDistribution(w io.Writer, s *compare.Summary) {
	fmt.Fprintf(w, "%s compared, %d not native (native share %.1f %%), %d without a comparison\n",
		plural.Of(len(s.Scenes), "scene"), s.Foreign, 100*s.NativeShare(), s.Failed)
	for _, figure := range s.Rows() {
		line := fmt.Sprintf("%-14s median %9.5f  95 %% %9.5f  worst %9.5f", figure.Name, figure.Median, figure.Tail, figure.Extreme)
		if figure.Bar != 0 {
			line += fmt.Sprintf("  bar %g missed by %d", figure.Bar, figure.Missed)
		}
		fmt.Fprintln(w, line)
	}
}
