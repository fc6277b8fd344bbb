package daemon

import (
	"context"
	"errors"
	"image"
	"time"

	"plumb/daemon/api"
	"plumb/daemon/queue"
	"plumb/render"
	"plumb/render/chrome"
	"plumb/render/metric"
	"plumb/render/view"
	"plumb/scoring"
)

// engine is the renderer as a queue.Engine. It calls stage, which may be nil, with the time
// that a batch took to read results back.
type engine struct {
	*render.Engine
	stage     func(name string, took time.Duration)
	hidePaths bool
}

// drawer lets a worker of the queue prepare pictures with the renderer.
type drawer struct {
	*render.Worker
	hidePaths bool
}

// Prepare implements queue.Drawer. A view that the editor must draw becomes a latePicture, which
// the queue finishes apart.
func (drawer drawer) Prepare(v view.View) (queue.Pic, error) {
	prepared, err := drawer.Worker.Prepare(v)
	if err != nil {
		return nil, withCode(err, drawer.hidePaths)
	}
	if prepared.Pending() {
		return latePicture{prepared, drawer.hidePaths}, nil
	}
	return prepared, nil
}

// latePicture is a view that the editor draws, which takes longer than native drawing.
type latePicture struct {
	*render.Prepared
	hidePaths bool
}

// Finish waits until the editor has drawn the picture. Errors get the codes of results. It implements
// queue.Late.
func (late latePicture) Finish(ctx context.Context, keep bool) error {
	return withCode(late.Prepared.Finish(ctx, keep), late.hidePaths)
}

// Origin implements queue.Late. It says that the editor draws, why, and for which shape, if
// a shape is the reason.
func (late latePicture) Origin() queue.Origin {
	origin := queue.Origin{Backend: render.BackendChrome}
	if _, why := late.Foreign(); why != nil {
		origin.Reason = why.Error()
		var named interface{ ShapeID() string }
		if errors.As(why, &named) {
			origin.Shape = named.ShapeID()
		}
	}
	return origin
}

// withCode returns an error of the renderer as a scoring.Error with its code, so that clients can tell
// causes apart. Errors without a code, and view.ErrForeign, which the queue handles, are returned
// as they are. With hidePaths the text names no paths of this machine.
func withCode(err error, hidePaths bool) error {
	if err == nil {
		return nil
	}
	if hidePaths {
		err = pathlessError{err}
	}
	if errors.Is(err, view.ErrForeign) {
		return err
	}
	for _, c := range []struct {
		is   error
		code string
	}{
		{render.ErrLimit, "limit"}, {chrome.ErrLimit, "limit"}, {chrome.ErrScene, "bad_scene"},
		{chrome.ErrDeadline, "deadline"}, {context.DeadlineExceeded, "deadline"}, {chrome.ErrClosed, "closed"},
		{chrome.ErrLost, "backend"}, {chrome.ErrMissing, "backend"}, {chrome.ErrSandbox, "backend"}, {chrome.ErrLicense, "backend"},
	} {
		if errors.Is(err, c.is) {
			return &scoring.Error{Code: c.code, Message: err.Error()}
		}
	}
	return err
}

// pathlessError wraps an error and removes paths of this machine from its text.
type pathlessError struct{ error }

// Error implements error.
func (d pathlessError) Error() string { return api.Pathless(d.error.Error()) }

// Unwrap keeps what the error is.
func (d pathlessError) Unwrap() error { return d.error }

func (e engine) Drawer() queue.Drawer { return drawer{e.Worker(), e.hidePaths} }
func (e engine) Lates() int           { return e.Info().Exports }

// InFlight implements queue.Engine: while a GPU works on one batch, the next is laid out
// and uploaded. The CPU backend uses all processors for one batch.
func (e engine) InFlight() int {
	if e.Info().GPU != nil {
		return 2
	}
	return 1
}

// Warm implements queue.Engine; Finish returns its error later.
func (e engine) Warm() { _ = e.Engine.Warm() }

// Measure implements queue.Engine, and records how long the parts took.
func (e engine) Measure(dst []metric.Tally, ps []queue.Pic) ([]metric.Tally, error) {
	dst, t, err := e.MeasureTimed(dst, renderPictures(ps))
	e.observe(t, err)
	return dst, err
}

// Draw implements queue.Engine, and records how long the parts took.
func (e engine) Draw(ps []queue.Pic) ([]*image.NRGBA, error) {
	images, t, err := e.PicturesTimed(renderPictures(ps))
	e.observe(t, err)
	return images, err
}

// observe reports the time of reading results back.
func (e engine) observe(t render.Timing, err error) {
	if e.stage != nil && err == nil && t.Views > 0 {
		e.stage("readback", t.ReadBack)
	}
}

// renderPictures returns the queue's pictures as the renderer's type, in the same order. A picture that the editor
// drew is inside a latePicture.
func renderPictures(ps []queue.Pic) []*render.Prepared {
	out := make([]*render.Prepared, len(ps))
	for i, pic := range ps {
		if l, ok := pic.(latePicture); ok {
			out[i] = l.Prepared
			continue
		}
		out[i] = pic.(*render.Prepared)
	}
	return out
}
