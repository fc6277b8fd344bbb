// Package suites lists the benchmarks that plumb scores, made once from one Config. In:
// limits. Out: the suites. A new suite is added to New; everything else finds it here.
package suites

import (
	"plumb/render/scene"
	"plumb/render/view"
	"plumb/scoring"
	"plumb/scoring/aspire"
	"plumb/scoring/drawingbench"
	"plumb/scoring/tangram"
	"plumb/scoring/vqa"
)

// Config holds the limits of suites; zero values mean their defaults.
type Config struct {
	Scenes       scene.Limits
	Response     int          // bytes of an answer
	InitialBytes int          // bytes of decoded whiteboards that are kept for items of one task; 0 for none
	Actions      int          // entries of a list of actions
	Paint        int          // pixel writes to draw an answer
	Tldraw       view.Version // release of the editor by which shapes without a size are measured
}

// New returns all benchmark suites that plumb scores, made from one configuration.
func New(config Config) scoring.Suites {
	return scoring.NewSuites(
		aspire.New(aspire.Config{Limits: config.Scenes, MaxResponse: config.Response, MaxActions: config.Actions,
			InitialBytes: config.InitialBytes, Tldraw: config.Tldraw}),
		drawingbench.New(drawingbench.Config{MaxActions: config.Actions, MaxPaint: config.Paint}),
		tangram.New(),
		vqa.Spatialab(),
		vqa.Spaceeval(),
	)
}
