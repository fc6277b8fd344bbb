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
	left                      // left to the editor, with an error that names the shape
	refused                   // with an error that names the field or the shape
	differs                   // from the editor's picture
	unrefused                 // drawn, although the editor refuses it
	unnamed                   // left or refused, but the error lacks the shape, or the field with what was got and wanted
	unpictured                // the browser gave no picture
	outcomeCount
)

var outcomeNames = [outcomeCount]string{"alike", "left", "refused", "differs", "unrefused", "unnamed", "unpictured"}

// fault reports whether a document with the outcome is at fault.
func (o outcome) fault() bool { return o > refused }

// verdict is the outcome of a document.
type verdict struct {
	outcome outcome
	reason  string // why it was refused or left, without what is its own
	detail  string // of a fault
}

// A compared picture is at most longestSide px wide and high, with a margin around the shapes. Pictures of
// which toleratedPixels or fewer differ count as alike, as in the sweep over Unicode.
const longestSide, margin, toleratedPixels = 500, 8, 2

// judge draws documents with plumb and with the editor.
type judge struct {
	native   *render.Engine
	pool     *chrome.Pool
	pictures string
}

// openJudge opens what a judge of odd documents compares: plumb's renderer, which here refuses what it does
// not draw itself, and a browser with some tabs, in which the editor draws. Pictures of documents that are
// drawn differently go to the folder pictures, none for "".
func openJudge(tabs int, pictures string) (opened *judge, err error) {
	opened = &judge{pictures: pictures}
	if opened.native, err = render.Open(render.Config{Backend: render.BackendCPU, Fidelity: render.FidelityNative}); err != nil {
		return nil, err
	}
	if opened.pool, err = chrome.Open(chrome.Config{Pages: tabs}); err != nil {
		return nil, errors.Join(err, opened.native.Close())
	}
	return opened, nil
}

func (j *judge) close() error { return errors.Join(j.pool.Close(), j.native.Close()) }

// judge draws an odd document with plumb and with the editor, and returns the verdict on it: whether both
// draw it alike, plumb leaves it to the editor or refuses it with a reason, or plumb is at fault. The error
// is that of a renderer, not of the document.
func (j *judge) judge(worker *render.Worker, document *document) (verdict, error) {
	// What plumb makes of it.
	source := document.source()
	board, err := scene.Decode(source, scene.DefaultLimits())
	if err != nil {
		return notRead(err), nil
	}
	bounds, err := comparedPart(board)
	if err != nil {
		return notDrawn(err), nil
	}
	wanted := view.View{Scene: board, Bounds: bounds, Details: true}
	prepared, err := worker.Prepare(wanted)
	if err != nil {
		return notDrawn(err), nil
	}
	defer prepared.Release()
	images, err := j.native.Pictures([]*render.Prepared{prepared})
	if err != nil {
		return verdict{}, fmt.Errorf("%s: %w", document.name, err)
	}
	// What the editor makes of it.
	result, err := j.pool.Export(context.Background(), chrome.Request{View: wanted, Source: source})
	switch {
	case errors.Is(err, chrome.ErrScene):
		return verdict{outcome: unrefused, detail: err.Error()}, nil
	case err != nil:
		return verdict{outcome: unpictured, detail: err.Error()}, nil
	}
	// Whether the pictures are alike: within the limits for pictures in general, or but for a few px.
	const colours = true
	likeness, err := compare.Pictures(images[0], result.Image, colours)
	if err != nil {
		return verdict{}, fmt.Errorf("%s: %w", document.name, err)
	}
	figures := &likeness.Figures
	px := (1 - min(figures.Within, figures.ColourWithin)) * float64(figures.Box.Dx()*figures.Box.Dy()) // that differ in the box
	withinLimits := figures.Severity() <= 1                                                            // the largest error as a multiple of its limit
	fewDiffer := px <= toleratedPixels && figures.Outside <= toleratedPixels && !figures.Box.Empty()
	if withinLimits || fewDiffer {
		return verdict{outcome: alike}, nil
	}
	return verdict{outcome: differs, detail: fmt.Sprintf("%.0f px of %v, mass %.4f, centre %.2f px, %d px outside", px, figures.Box, figures.Mass, figures.Centre, figures.Outside)}, j.writePictures(document, images[0], result.Image)
}

// comparedPart returns the part of the page of which pictures are compared: the box around all shapes of a
// scene, with a margin, but at most longestSide px in width and height. For a scene without shapes it is a square of
// 200 px.
func comparedPart(board *scene.Scene) (view.Box, error) {
	box, found, err := view.ContentBounds(board, nil)
	if err != nil || !found {
		return view.Box{W: 200, H: 200}, err
	}
	left, top := math.Floor(box.X)-margin, math.Floor(box.Y)-margin
	width, height := math.Ceil(box.X+box.W-left)+margin, math.Ceil(box.Y+box.H-top)+margin
	return view.Box{X: left, Y: top, W: min(longestSide, width), H: min(longestSide, height)}, nil
}

// listIndices finds [0] and the like, which differ between errors of the same field.
var listIndices = regexp.MustCompile(`\[[^\]]*\]`)

// notRead returns the verdict on a document that plumb cannot read. It is refused, with the field as the
// reason, if the error names the field, what was got and what is wanted. Otherwise plumb is at fault. The
// reason has no indices of lists, so that equal reasons are counted together.
func notRead(err error) verdict {
	var named *scene.Error
	if !errors.As(err, &named) || named.Path == "" || named.Got == "" || named.Want == "" {
		return verdict{outcome: unnamed, detail: err.Error()}
	}
	return verdict{outcome: refused, reason: listIndices.ReplaceAllString(named.Path, "[]") + ": want " + listIndices.ReplaceAllString(named.Want, "[]")}
}

// notDrawn returns the verdict on a document that plumb can read but does not draw itself. It is left to the
// editor, or refused because a shape is beyond a limit. If the error does not name the shape, plumb is at
// fault.
func notDrawn(err error) verdict {
	why := err.Error()
	var ofShape interface{ ShapeID() string }
	if errors.Is(err, scene.ErrLimit) && errors.As(err, &ofShape) && strings.Contains(why, "want at most") {
		return verdict{outcome: refused, reason: "a shape beyond a limit of plumb"}
	}
	isForEditor, namesShape := errors.Is(err, view.ErrForeign), strings.Contains(why, "shape:")
	if !isForEditor || !namesShape {
		return verdict{outcome: unnamed, detail: why}
	}
	// The text has the form: cannot draw shape "ID" (KIND): REASON. Equal reasons of different
	// shapes are counted together.
	if _, reason, ok := strings.Cut(why, "): "); ok {
		why = reason
	}
	return verdict{outcome: left, reason: strings.TrimPrefix(why, view.ErrForeign.Error()+": ")}
}

// writePictures writes both pictures of a document, plumb's and the editor's, side by side into the folder of
// -pictures, if there is one.
func (j *judge) writePictures(document *document, got, want image.Image) error {
	if j.pictures == "" {
		return nil
	}
	return rig.WritePair(filepath.Join(j.pictures, document.name+".png"), got, want, margin)
}
