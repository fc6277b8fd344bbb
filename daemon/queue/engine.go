package queue

import (
	"image"

	"plumb/render/metric"
	"plumb/render/outline"
)

// Pic is one picture, prepared for the device. Release gives its memory back.
type Pic interface {
	Release()
	// Work is the number of tile segments, the unit of Config.Work.
	Work() int
}

// Drawer prepares pictures. One goroutine uses it at a time.
type Drawer interface {
	Prepare(outline.View) (Pic, error)
}

// Engine measures and draws prepared pictures. It is safe for concurrent use.
type Engine interface {
	Drawer() Drawer
	// Measure appends one tally per picture, in order.
	Measure(dst []metric.Tally, ps []Pic) ([]metric.Tally, error)
	// Draw returns the pictures as images.
	Draw(ps []Pic) ([]*image.NRGBA, error)
	// Backend is the name that results carry: "gl" or "cpu".
	Backend() string
}
