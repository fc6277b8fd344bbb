package queue

import (
	"context"
	"image"

	"plumb/render/metric"
	"plumb/render/view"
)

// Pic is one picture, prepared for the device. Release returns its buffers to the engine.
type Pic interface {
	Release()
	// Work is the number of tile segments, the unit of Config.MaxBatchWork.
	Work() int
	// Size is the picture's in px.
	Size() (width, height int)
}

// Late is a Pic that the editor draws, which takes long. Finish must return before any
// other method but Release is called.
type Late interface {
	Pic
	// Finish returns when the picture is there, or with the error of ctx. keep
	// says that Draw will ask for it. Many goroutines may wait at once.
	Finish(ctx context.Context, keep bool) error
	// Origin returns the backend that draws the picture, with the reason.
	Origin() Origin
}

// Origin is the backend that drew a picture, where that is not the engine itself.
type Origin struct {
	Backend string // "chrome"
	// Reason says why, "" where that backend draws every picture; Shape is the id of the
	// shape that is the reason, "" for none.
	Reason, Shape string
}

// Drawer prepares pictures. One goroutine uses it at a time.
type Drawer interface {
	// Prepare returns a picture that is ready, or a Late one.
	Prepare(view.View) (Pic, error)
}

// Engine measures and draws prepared pictures. It is safe for concurrent use.
type Engine interface {
	Drawer() Drawer
	// Measure appends one tally per picture, in order.
	Measure(dst []metric.Tally, ps []Pic) ([]metric.Tally, error)
	// Draw returns the pictures as images.
	Draw(ps []Pic) ([]*image.NRGBA, error)
	// Backend is the name that results carry: "gl", "cpu" or "chrome".
	Backend() string
	// InFlight is how many Measure calls may usefully run at once, at least 1: one batch
	// is laid out and uploaded while the other is on the device. It must not change.
	InFlight() int
	// Lates is how many Late pictures may usefully be waited for at once, 0
	// where there are none.
	Lates() int
	// Cold reports whether the first Late picture must wait for Warm, which takes
	// seconds. That time does not count against the deadline of a sample.
	Cold() bool
	Warm()
}
