package main

import (
	"context"
	"errors"
	"fmt"
	"image"
	"math"
	"path/filepath"
	"regexp"
	"strings"

	"plumb/bench/rig"
	"plumb/daemon/compare"
	"plumb/render"
	"plumb/render/chrome"
	"plumb/render/scene"
	"plumb/render/view"
)

// outcome is what becomes of a document.
type outcome int

const (
	alike      outcome = iota // drawn as the editor draws it
	left                      // left to the editor by name
	refused                   // by name
	differs                   // from the editor's picture
	unrefused                 // drawn, although the editor refuses it
	unnamed                   // refused without field, what was got and what is wanted
	unpictured                // the browser gave no picture
	outcomes
)

var outcomeNames = [outcomes]string{"alike", "left", "refused", "differs", "unrefused", "unnamed", "unpictured"}

// fault reports whether a document with the outcome is at fault.
func (o outcome) fault() bool { return o > refused }

// verdict is the outcome of a document.
type verdict struct {
	outcome outcome
	reason  string // why it was refused or left, without what is its own
	detail  string // of a fault
}

// A picture shows at most so many px of what a document covers, with a margin. Few px that differ are
// none, as in the sweep over Unicode.
const most, margin, few = 500, 8, 2

// judge draws documents with plumb and with the editor.
type judge struct {
	native   *render.Engine
	pool     *chrome.Pool
	pictures string
}

// openJudge opens a renderer that draws natively alone, and a browser with that many tabs. Pictures of
// what differs go to the folder pictures, none for "".
func openJudge(tabs int, pictures string) (j *judge, err error) {
	j = &judge{pictures: pictures}
	if j.native, err = render.Open(render.Config{Backend: render.BackendCPU, Fidelity: render.FidelityNative}); err != nil {
		return nil, err
	}
	if j.pool, err = chrome.Open(chrome.Config{Pages: tabs}); err != nil {
		return nil, errors.Join(err, j.native.Close())
	}
	return j, nil
}

func (j *judge) close() error { return errors.Join(j.pool.Close(), j.native.Close()) }

// judge draws a document with plumb and with the editor, and says whether it is drawn alike, left to the
// editor, refused, or at fault. The error is that of a renderer, not of the document.
func (j *judge) judge(worker *render.Worker, document *document) (verdict, error) {
	source := document.source()
	sc, err := scene.Decode(source, scene.DefaultLimits())
	if err != nil {
		return refusal(err), nil
	}
	bounds, err := part(sc)
	if err != nil {
		return leaving(err), nil
	}
	wanted := view.View{Scene: sc, Bounds: bounds, Picture: true}
	prepared, err := worker.Prepare(wanted)
	if err != nil {
		return leaving(err), nil
	}
	defer prepared.Release()
	images, err := j.native.Pictures([]*render.Prepared{prepared})
	if err != nil {
		return verdict{}, fmt.Errorf("%s: %w", document.name, err)
	}
	result, err := j.pool.Export(context.Background(), chrome.Request{View: wanted, Source: source})
	switch {
	case errors.Is(err, chrome.ErrScene):
		return verdict{outcome: unrefused, detail: err.Error()}, nil
	case err != nil:
		return verdict{outcome: unpictured, detail: err.Error()}, nil
	}
	likeness, err := compare.Pictures(images[0], result.Image, true)
	if err != nil {
		return verdict{}, fmt.Errorf("%s: %w", document.name, err)
	}
	figures := &likeness.Figures
	px := (1 - min(figures.Within, figures.ColourWithin)) * float64(figures.Box.Dx()*figures.Box.Dy())
	if figures.Severity() <= 1 || px <= few && figures.Outside <= few && !figures.Box.Empty() {
		return verdict{outcome: alike}, nil
	}
	return verdict{outcome: differs, detail: fmt.Sprintf("%.0f px of %v, mass %.4f, centre %.2f px, %d px outside", px, figures.Box, figures.Mass, figures.Centre, figures.Outside)}, j.keep(document, images[0], result.Image)
}

// part returns the part of the page of which pictures are compared: all shapes of a scene with a
// margin, but at most `most` px in width and height; a square for an empty scene.
func part(s *scene.Scene) (view.Box, error) {
	box, ok, err := view.ContentBounds(s, nil)
	if err != nil || !ok {
		return view.Box{W: 200, H: 200}, err
	}
	x, y := math.Floor(box.X)-margin, math.Floor(box.Y)-margin
	return view.Box{X: x, Y: y, W: min(most, math.Ceil(box.X+box.W-x)+margin), H: min(most, math.Ceil(box.Y+box.H-y)+margin)}, nil
}

// digits are what differs between errors of the same field.
var digits = regexp.MustCompile(`\[[^\]]*\]`)

// refusal is the verdict on a document that cannot be read.
func refusal(err error) verdict {
	var e *scene.Error
	if !errors.As(err, &e) || e.Path == "" || e.Got == "" || e.Want == "" {
		return verdict{outcome: unnamed, detail: err.Error()}
	}
	return verdict{outcome: refused, reason: digits.ReplaceAllString(e.Path, "[]") + ": want " + digits.ReplaceAllString(e.Want, "[]")}
}

// leaving is the verdict on a document that is not drawn natively: left to the editor, or refused for a limit
// that the error names with its shape.
func leaving(err error) verdict {
	why := err.Error()
	var at interface{ ShapeID() string }
	if errors.Is(err, scene.ErrLimit) && errors.As(err, &at) && strings.Contains(why, "want at most") {
		return verdict{outcome: refused, reason: "a shape beyond a limit of plumb"}
	}
	if !errors.Is(err, view.ErrForeign) || !strings.Contains(why, "shape:") {
		return verdict{outcome: unnamed, detail: why}
	}
	if from := strings.Index(why, "): "); from >= 0 {
		why = why[from+3:]
	}
	return verdict{outcome: left, reason: strings.TrimPrefix(why, view.ErrForeign.Error()+": ")}
}

// keep writes both pictures of a document, plumb's and the editor's, side by side into the folder of
// -pictures, if there is one.
func (j *judge) keep(document *document, got, want image.Image) error {
	if j.pictures == "" {
		return nil
	}
	return rig.WritePair(filepath.Join(j.pictures, document.name+".png"), got, want, margin)
}
