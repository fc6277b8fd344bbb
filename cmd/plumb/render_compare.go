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
func (c *renderCmd) compare(cc daemon.CoreConfig, job *renderRun, given dump.PictureOptions, std streams) (err error) {
	editor := cc.Engine.Chrome
	cc.Engine.Fidelity, cc.Engine.Chrome = render.FidelityNative, chrome.Config{} // Chromium draws the reference alone
	if cc.Engine.Backend == render.BackendChrome {
		return usage("cannot compare --backend chrome with itself: want auto, gl or cpu")
	}
	m := &comparison{renderRun: job, reference: c.Reference}
	name := "tldraw " + cc.Engine.Tldraw
	if m.reference == "" {
		editor.Version, editor.MaxSource = cc.Engine.Tldraw, cc.Scenes.Line
		editor.MaxPixels, editor.MaxSide = cc.Scenes.Pixels, cc.Scenes.Side
		if m.pool, err = chrome.Open(editor); err != nil {
			return fmt.Errorf("cannot compare: %w; or use --reference DIR with pictures that there are", err)
		}
		defer m.pool.Close()
	} else {
		name = filepath.Base(c.Reference)
	}
	if job.core, err = daemon.Open(cc); err != nil {
		return err
	}
	defer job.core.Close()
	job.options = job.core.Pictures
	job.options.Bounds, job.options.Only = given.Bounds, given.Only
	title := c.Scenes[0]
	if len(c.Scenes) > 1 {
		title = fmt.Sprintf("%s and %d more", title, len(c.Scenes)-1)
	}
	page, err := report.NewFidelity(report.FidelityConfig{Dir: c.Compare, Title: title, Reference: name, Worst: int(c.Worst)})
	if err != nil {
		return err
	}
	job.each = m.pair
	job.taken = func(s *renderTask) error { return takePair(page, s.pair) }
	stats, err := output(c.Stats, std, c.Scenes...)
	if err != nil {
		return err
	}
	err = job.files(c.Scenes, cc.Lines, std.in, stats)
	if job.ctx.Err() != nil {
		return stats.finish(interruption{errors.New("interrupted; there is no report, and the same command begins anew")})
	}
	err = stats.finish(err)
	path, e := page.Close()
	err = errors.Join(err, e)
	if err == nil {
		err = writeFeatures(filepath.Join(c.Compare, "features.jsonl"), page.Summary())
	}
	writeDistribution(std.err, page.Summary())
	fmt.Fprintf(std.err, "report: %s\n", path)
	return err
}

// takePair adds one scene, drawn natively and by the editor, to the fidelity report, and releases its
// pictures, which are large. A scene without a comparison is added with its reason.
func takePair(page *report.Fidelity, p *pair) error {
	switch {
	case p.likeness != nil:
		err := page.Add(p.id, p.likeness, p.view, p.got, p.ref)
		p.got, p.ref, p.likeness = nil, nil, nil
		return err
	case p.foreign:
		page.Foreign(p.id, p.reason)
	default:
		page.Failed(p.id, p.reason)
	}
	return nil
}

// pair draws one scene with plumb and with the editor and returns its line: the figures of the
// comparison, why the scene is not native, or its error. It sets s.pair.
func (m *comparison) pair(s *renderTask) []byte {
	p := &pair{id: s.id()}
	s.pair = p
	var err error
	if s.line.Fault != "" {
		err = &scoring.Error{Code: "bad_line", Message: s.line.Fault}
	} else {
		err = m.drawBoth(s, p)
	}
	if err == nil {
		return m.figures(p)
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

// drawBoth draws a scene natively, gets the editor's picture of it, and compares them. It fills pair.
func (m *comparison) drawBoth(s *renderTask, pair *pair) error {
	id, v, err := dump.Picture(s.line.Bytes, m.options)
	if id != "" {
		pair.id = id
	}
	if err != nil {
		return err
	}
	pair.view = v
	got, err := m.core.Queue.Draw(m.ctx, nil, func() (view.View, error) { return v, nil })
	if err != nil {
		return err
	}
	ref, colours, err := m.referencePicture(s.line.Bytes, pair)
	if err != nil {
		return err
	}
	pair.got, pair.ref = got.Image, ref
	pair.likeness, err = compare.Pictures(pair.got, pair.ref, colours)
	return err
}

// referencePicture returns the editor's picture of a scene, over the same part of the page: from the
// folder of --reference, or drawn in Chromium. colours is false if it holds alpha alone.
func (m *comparison) referencePicture(source []byte, p *pair) (img *image.NRGBA, colours bool, err error) {
	if m.pool == nil {
		return readReference(filepath.Join(m.reference, fileName(p.id)+".png"))
	}
	ctx, cancel := context.WithTimeout(m.ctx, 10*queue.DefaultDeadline) // a comparison may wait long for a page
	defer cancel()
	got, err := m.pool.Export(ctx, chrome.Request{View: p.view, Source: source})
	if err != nil {
		return nil, false, &scoring.Error{Code: "reference", Message: err.Error()}
	}
	return got.Image, true, nil
}

// readReference reads a reference picture from a PNG file. A grey picture holds alpha alone: its grey
// becomes the alpha of a black picture, and colours is false.
func readReference(path string) (img *image.NRGBA, colours bool, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, false, &scoring.Error{Code: "reference", Message: "cannot read reference: " + err.Error()}
	}
	defer f.Close()
	src, err := png.Decode(f)
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
func (m *comparison) figures(p *pair) []byte {
	figures := &p.likeness.Figures
	b := scoring.AppendString([]byte(`{"id":`), p.id)
	b = fmt.Appendf(b, `,"native":true,"width":%d,"height":%d,"box":[%d,%d,%d,%d]`, figures.Width, figures.Height,
		figures.Box.Min.X, figures.Box.Min.Y, figures.Box.Max.X, figures.Box.Max.Y)
	number := func(name string, x float64) {
		b = append(b, ',')
		b = scoring.AppendString(b, name)
		b = append(b, ':')
		b = scoring.AppendFloat(b, x)
	}
	number("alpha_within", figures.Within)
	number("alpha_mean", figures.Mean)
	b = fmt.Appendf(b, `,"alpha_worst":%d`, figures.Worst)
	if figures.Colours {
		number("colour_within", figures.ColourWithin)
		number("colour_mean", figures.ColourMean)
	}
	number("mass", figures.Mass)
	number("centre", figures.Centre)
	number("covered", figures.Covered)
	b = fmt.Appendf(b, `,"outside":%d`, figures.Outside)
	number("severity", figures.Severity())
	return append(b, "}\n"...)
}

// writeFeatures writes a file with a JSON line for each feature of shapes, such as a kind or a dash:
// how many shapes and scenes have it, and how close their pictures are.
func writeFeatures(path string, s *compare.Summary) error {
	var b []byte
	for _, r := range s.Features() {
		b = scoring.AppendString(append(b, `{"feature":`...), r.Name)
		b = fmt.Appendf(b, `,"shapes":%d,"scenes":%d`, r.Shapes, r.Scenes)
		for _, n := range []struct {
			name string
			x    float64
		}{{"within", r.Within}, {"within_worst", r.WithinWorst}, {"mean", r.Mean}, {"mean_95", r.MeanTail}, {"mean_worst", r.MeanWorst},
			{"colour", r.Colour}, {"colour_worst", r.ColourWorst}} {
			b = append(b, ',')
			b = scoring.AppendString(b, n.name)
			b = append(b, ':')
			b = scoring.AppendFloat(b, n.x)
		}
		b = append(b, "}\n"...)
	}
	err := atomicfile.WriteFile(path, func(f *atomicfile.File) error { _, err := f.Write(b); return err })
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
