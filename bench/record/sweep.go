package record

import (
	"fmt"
	"math"
	"slices"

	"plumb/bench/figure"
	"plumb/bench/scenes"
	"plumb/bench/stage"
)

// axis is one sweep: an input and its values.
type axis struct {
	name, unit, doc string
	values          []float64
	quick           []float64                          // the values with --quick
	spec            func(x float64) scenes.Spec        // of the scenes for a value
	config          func(cfg *stage.Config, x float64) // sets what a value changes beside the scenes; nil for nothing
	inModel         bool                               // its points go into the model of a scene's cost
	fitX            string                             // what the fitted line is over, in words
	fitTerms        func(p Point) []float64            // what the fit multiplies by its coefficients; nil for no fit
	timesAreOfRun   bool                               // the fit is of the time of the whole run, not of a scene
}

func s8(float64) scenes.Spec { return scenes.Spec{Shapes: 8, Scale: 1} }

// linear is a constant and the value itself.
func linear(p Point) []float64 { return []float64{1, p.X} }

var axes = []axis{
	{name: "batch", unit: "scenes per batch", doc: "S8; a batch has fixed costs that its scenes share",
		values: []float64{1, 2, 4, 8, 16, 32, 64, 128, 256}, quick: []float64{1, 16, 128}, spec: s8,
		config: func(c *stage.Config, x float64) { c.Batch = int(x) },
		fitX:   "1/batch", fitTerms: func(p Point) []float64 { return []float64{1, 1 / p.X} }},
	{name: "shapes", unit: "shapes per scene", doc: "geo shapes as in S8", inModel: true,
		values: []float64{1, 2, 4, 8, 16, 32, 64, 100}, quick: []float64{1, 8, 50},
		spec: func(x float64) scenes.Spec { return scenes.Spec{Shapes: int(x), Scale: 1} }, fitX: "shapes", fitTerms: linear},
	{name: "points", unit: "points per shape", doc: "8 closed freehand shapes of so many points; more points, more segments on the same pixels", inModel: true,
		values: []float64{16, 32, 64, 128, 256, 512}, quick: []float64{16, 128, 512},
		spec: func(x float64) scenes.Spec { return scenes.Spec{Shapes: 8, Scale: 1, Points: int(x)} }, fitX: "points", fitTerms: linear},
	{name: "resolution", unit: "times 1400x800 px in each direction", doc: "S8 at other sizes, strokes too", inModel: true,
		values: []float64{0.5, 0.71, 1, 1.41, 2, 2.83, 4}, quick: []float64{0.5, 1, 2},
		spec: func(x float64) scenes.Spec { return scenes.Spec{Shapes: 8, Scale: x} },
		fitX: "boundary tiles", fitTerms: func(p Point) []float64 { return []float64{1, p.Cost().Tiles} }},
	{name: "page", unit: "times 1400x800 px in each direction", doc: "S8 on larger pages that stay empty: pixels alone must cost nothing",
		values: []float64{1, 2, 4, 5.5}, quick: []float64{1, 5.5},
		spec: func(x float64) scenes.Spec { return scenes.Spec{Shapes: 8, Scale: 1, Page: x} }},
	{name: "text", unit: "characters per shape", doc: "S8 with labels",
		values: []float64{0, 4, 8, 12, 24}, quick: []float64{0, 12},
		spec: func(x float64) scenes.Spec { return scenes.Spec{Shapes: 8, Scale: 1, Text: int(x)} }, fitX: "characters", fitTerms: linear},
	{name: "workers", unit: "workers", doc: "S8; goroutines that decode and outline",
		values: []float64{1, 2, 3, 4, 8, 16}, quick: []float64{1, 2, 4}, spec: s8,
		config: func(c *stage.Config, x float64) { c.Workers = int(x) }},
	{name: "scenes", unit: "scenes", doc: "S8; time of so many scenes, start and end included: linear",
		values: []float64{256, 512, 1024, 2048}, quick: []float64{128, 256}, spec: s8,
		config: func(c *stage.Config, x float64) { c.Count = int(x) }, fitX: "scenes (core time of the run)", fitTerms: linear, timesAreOfRun: true},
}

// AllSweeps lists the names of the sweeps. A sweep measures scenes while one property, its axis, takes
// several values.
func AllSweeps() []string {
	var names []string
	for _, axis := range axes {
		names = append(names, axis.name)
	}
	return names
}

// measureSweeps measures the sweeps that the session names. To the points of those sweeps that the model
// describes, it fits a model of what a scene costs.
func (session *session) measureSweeps() error {
	var ofModel []Point
	for _, name := range session.Sweeps {
		i := slices.IndexFunc(axes, func(axis axis) bool { return axis.name == name })
		if i < 0 {
			return fmt.Errorf("cannot sweep %q: want one of %v", name, AllSweeps())
		}
		session.beginStep("sweep of " + name)
		sweep, err := session.measureSweep(&axes[i])
		if err != nil {
			return err
		}
		if axes[i].inModel {
			ofModel = append(ofModel, sweep.Points...)
		}
		session.file.Sweeps = append(session.file.Sweeps, sweep)
	}
	session.file.Model = fitModel(ofModel)
	return nil
}

// A worker remembers what it made of some hundred shapes (render/paint). The scenes of one value of a
// sweep have so many different shapes together that this does not help scenes of few shapes more than others.
const (
	differentShapes = 4096
	leastScenes     = 64 // that are made of a value, whatever their shapes
	warmScenes      = 32 // that are drawn before the first measurement, to fill other caches
)

// measureSweep measures the scenes of one sweep, in which a single property of scenes varies, such as the
// number of shapes. It makes scenes for each value, measures the values in turn over several rounds,
// and fits a line to the processor times if the axis has terms for it.
func (session *session) measureSweep(axis *axis) (Sweep, error) {
	sweep := Sweep{Name: axis.name, Unit: axis.unit, Doc: axis.doc}
	values := axis.values
	if session.Quick {
		values = axis.quick
	}
	// Make the scenes.
	sets := make([]*stage.Set, len(values))
	for i, x := range values {
		spec := axis.spec(x)
		lines, err := spec.Lines(fmt.Sprintf("%s-%g", axis.name, x), max(leastScenes, differentShapes/spec.Shapes), session.Seed)
		if err != nil {
			return sweep, err
		}
		if sets[i], err = stage.NewSet(axis.name, lines, session.Limits); err != nil {
			return sweep, err
		}
		segments, err := stage.Segments(sets[i])
		if err != nil {
			return sweep, err
		}
		sweep.Points = append(sweep.Points, Point{X: x, Segments: segments, Ink: float64(spec.Points * spec.Shapes)})
	}
	// Measure, in half as many rounds as classes, rounded up, because there are many values.
	for round := range (session.rounds + 1) / 2 {
		for i, x := range values {
			cfg := session.cfg
			cfg.Time = session.sweepPoint
			if axis.config != nil {
				axis.config(&cfg, x)
			}
			if round == 0 {
				warm := cfg
				warm.Count = warmScenes
				if _, err := stage.Run(warm, sets[i]); err != nil {
					return sweep, err
				}
			}
			sample, err := stage.Run(cfg, sets[i])
			if err != nil {
				return sweep, err
			}
			sweep.Points[i].Samples = append(sweep.Points[i].Samples, sample)
		}
	}
	// Fit.
	if axis.fitTerms != nil {
		var rows [][]float64
		var times []float64
		for _, point := range sweep.Points {
			core := point.ProcessorTime()
			if axis.timesAreOfRun {
				core *= point.X // the number of scenes of the run
			}
			rows = append(rows, axis.fitTerms(point))
			times = append(times, core)
		}
		if fit, err := figure.LeastSquares(rows, times); err == nil { // too few points have no fit
			sweep.Fit, sweep.FitX = &fit, axis.fitX
		}
	}
	return sweep, nil
}

// termNames name the terms of the model: what a scene consists of.
var termNames = []string{"scene", "shape", "point of ink", "boundary tile"}

// terms returns the values that the model multiplies by its coefficients, in the order of termNames: how much
// of each a scene of the point has.
func terms(point Point) []float64 {
	cost := point.Cost()
	return []float64{1, cost.Shapes, point.Ink, cost.Tiles}
}

// PredictedTime returns the processor time in µs that the fitted model gives for a scene of a point of a sweep:
// the sum over what the scene consists of, such as shapes and tiles, of their number times the time of one. The
// conversion forbids fused multiply-adds, so that all machines compute the same.
func (model *Model) PredictedTime(point Point) float64 {
	sum := 0.0
	for i, number := range terms(point) {
		if k := slices.Index(model.Names, termNames[i]); k >= 0 { // the model may have no such term
			sum += float64(number * model.Fit.Terms[k])
		}
	}
	return sum
}

// fitModel fits a model of what a scene costs to the points of sweeps: the processor time of one scene, of one
// shape and so on, which add up to about the measured times. It returns nil if there are too few points.
func fitModel(points []Point) *Model {
	model := Model{Names: slices.Clone(termNames)}
	var rows [][]float64
	var times []float64
	for _, point := range points {
		rows = append(rows, terms(point))
		times = append(times, point.ProcessorTime())
	}
	if len(rows) <= len(model.Names) {
		return nil
	}
	// A term whose time comes out below 0 cannot be told apart from the others. It is left out, and the rest is
	// fitted again.
	for {
		fit, err := figure.LeastSquares(rows, times)
		if err != nil || math.IsNaN(fit.R2) {
			return nil
		}
		smallest := slices.Index(fit.Terms, slices.Min(fit.Terms))
		if fit.Terms[smallest] >= 0 {
			model.Fit = fit
			return &model
		}
		model.Names = slices.Delete(slices.Clone(model.Names), smallest, smallest+1)
		for i := range rows {
			rows[i] = slices.Delete(rows[i], smallest, smallest+1)
		}
	}
}
