package daemon

import (
	"errors"
	"image"

	"plumb/daemon/queue"
	"plumb/render"
	"plumb/render/metric"
	"plumb/render/outline"
	"plumb/scoring"
)

// engine lets the queue use the real renderer.
type engine struct{ *render.Engine }

type drawer struct{ *render.Worker }

// Prepare hides the type of a prepared picture from the queue.
func (d drawer) Prepare(v outline.View) (queue.Pic, error) {
	p, err := d.Worker.Prepare(v)
	if errors.Is(err, render.ErrLimit) {
		return nil, &scoring.Error{Code: "limit", Message: err.Error()}
	}
	if err != nil {
		return nil, err // not a nil pointer in an interface
	}
	return p, nil
}

func (e engine) Drawer() queue.Drawer { return drawer{e.Worker()} }
func (e engine) Backend() string      { return e.Info().Backend }
func (e engine) Lates() int           { return 0 }

func (e engine) Measure(dst []metric.Tally, ps []queue.Pic) ([]metric.Tally, error) {
	return e.Engine.Measure(dst, prepared(ps))
}

func (e engine) Draw(ps []queue.Pic) ([]*image.NRGBA, error) { return e.Pictures(prepared(ps)) }

func prepared(ps []queue.Pic) []*render.Prepared {
	out := make([]*render.Prepared, len(ps))
	for i, p := range ps {
		out[i] = p.(*render.Prepared)
	}
	return out
}
