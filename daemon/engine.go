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

// engine lets the queue use the real renderer. stage, which may be nil, is told
// what part of a batch's time was reading results back.
type engine struct {
	*render.Engine
	stage  func(name string, took time.Duration)
	remote bool
}

type drawer struct {
	*render.Worker
	remote bool
}

// Prepare hides the type of a prepared picture from the queue.
func (d drawer) Prepare(v view.View) (queue.Pic, error) {
	p, err := d.Worker.Prepare(v)
	if err != nil {
		return nil, coded(err, d.remote)
	}
	if p.Pending() {
		return late{p, d.remote}, nil
	}
	return p, nil
}

// late is a view that the editor draws.
type late struct {
	*render.Prepared
	remote bool
}

// Finish implements queue.Late.
func (l late) Finish(ctx context.Context, keep bool) error {
	return coded(l.Prepared.Finish(ctx, keep), l.remote)
}

// Origin implements queue.Late.
func (l late) Origin() queue.Origin {
	o := queue.Origin{Backend: render.BackendChrome}
	if why, _ := l.Foreign(); why != nil {
		o.Reason = why.Error()
		var named interface{ ShapeID() string }
		if errors.As(why, &named) {
			o.Shape = named.ShapeID()
		}
	}
	return o
}

// coded gives an error of the renderer the code that results carry. What is not
// native stays as it is: the queue handles it. Others than the operator are told no
// paths; what has no code is the machine's fault.
func coded(err error, remote bool) error {
	if err == nil {
		return nil
	}
	if remote {
		err = discreet{err}
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

// discreet is an error whose text names no path of this machine.
type discreet struct{ error }

// Error implements error.
func (d discreet) Error() string { return api.Pathless(d.error.Error()) }

// Unwrap keeps what the error is.
func (d discreet) Unwrap() error { return d.error }

func (e engine) Drawer() queue.Drawer { return drawer{e.Worker(), e.remote} }
func (e engine) Lates() int           { return e.Info().Exports }

// InFlight implements queue.Engine: the device has one batch while the next
// is laid out and uploaded. The CPU backend takes all processors for one.
func (e engine) InFlight() int {
	if e.Info().GPU != nil {
		return 2
	}
	return 1
}

// Warm implements queue.Engine; what went wrong comes back from Finish.
func (e engine) Warm() { _ = e.Engine.Warm() }

func (e engine) Measure(dst []metric.Tally, ps []queue.Pic) ([]metric.Tally, error) {
	dst, t, err := e.MeasureTimed(dst, prepared(ps))
	e.observe(t, err)
	return dst, err
}

func (e engine) Draw(ps []queue.Pic) ([]*image.NRGBA, error) {
	images, t, err := e.PicturesTimed(prepared(ps))
	e.observe(t, err)
	return images, err
}

func (e engine) observe(t render.Timing, err error) {
	if e.stage != nil && err == nil && t.Views > 0 {
		e.stage("readback", t.ReadBack)
	}
}

func prepared(ps []queue.Pic) []*render.Prepared {
	out := make([]*render.Prepared, len(ps))
	for i, p := range ps {
		if l, ok := p.(late); ok {
			out[i] = l.Prepared
			continue
		}
		out[i] = p.(*render.Prepared)
	}
	return out
}
