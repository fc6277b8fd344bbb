package scoring

import (
	"image"

	"plumb/render/scene"
	"plumb/render/view"
)

// Shower is a Job that can show in a report how its score came about. Show gets the job's result.
// That may have come back from a daemon as JSON, so that its metrics have the types that
// ReadResult gives. Show changes nothing and never fails; what it cannot show it leaves out.
type Shower interface {
	Show(r *Result) Exhibit
}

// Exhibit is the part of a report that explains one score: pictures and texts.
type Exhibit struct {
	Panels []Panel // in reading order
	First  int     // index of the panel to see first
	Texts  []Text  // beside the pictures
}

// Text is a text under a title, with its own line breaks.
type Text struct{ Title, Body string }

// Painting is the picture of an answer, with numbers that describe it.
type Painting struct {
	Image *image.NRGBA
	Name  string // of the member that holds Stats in a line of the picture index
	Stats []Metric
}

// Panel is one picture of a report, with marks on it.
type Panel struct {
	Title string // "before", "after", "label over shape"
	// View is what is drawn. With View.SecondIDs set the panel shows how the two sets
	// cover each other, not what they look like.
	View view.View
	// Image makes the picture in place of View, for suites that paint themselves; nil for View.
	// It returns a picture on white, not premultiplied, whose px are page units. It may be
	// called once, from any goroutine.
	Image func() (*image.NRGBA, error)
	Marks []Mark
	// Axes returns where the suite's own coordinates (Part) lie in the picture; nil where they are
	// page units. It may be called as Image may.
	Axes func() Axes
}

// Axes places a suite's own coordinates in a picture. The unit of y is negative where it grows upwards.
type Axes struct {
	X, Y         float64 // of the origin, page units
	UnitX, UnitY float64 // page units for one of the suite's
}

// Mark is something drawn over a picture of a report. Points and lengths are in page units.
type Mark struct {
	Form Form
	Tone Tone
	A, B scene.Point
	R    float64 // radius of a Ring or Wedge
	// From and To bound a Wedge: radians from the x axis, clockwise on screen,
	// swept from From to To on the shorter way.
	From, To float64
	Text     string // stands beside A; "" for none
}

// Form is the shape of a Mark.
type Form uint8

// The forms.
const (
	Dot   Form = iota // small disc at A
	Cross             // at A
	Ring              // circle about A with radius R
	Box               // rectangle with the opposite corners A and B
	Span              // line from A to B
	Gap               // dashed line from A to B
	Dart              // line from A to B with an arrowhead at B
	Wedge             // sector about A from angle From to To
)

// Tone is the meaning of a Mark, which sets its colour.
type Tone uint8

// The tones.
const (
	Goal        Tone = iota // what was asked for
	Good                    // what the answer got right
	Bad                     // what it got wrong or missed
	StateBefore             // the state before the answer
	StateAfter              // the state after it
)

// Float returns a metric of a result as a number. ok is false if it is missing or not a number.
func (result *Result) Float(name string) (x float64, ok bool) {
	switch v := result.metric(name).(type) {
	case float64:
		return v, true
	case int:
		return float64(v), true
	}
	return 0, false
}

// Bool returns a metric that is true or false.
func (result *Result) Bool(name string) (v, ok bool) {
	v, ok = result.metric(name).(bool)
	return v, ok
}

// Floats returns a metric that is a list of numbers, nil for others.
func (result *Result) Floats(name string) []float64 {
	v, _ := result.metric(name).([]float64)
	return v
}

// Point returns a metric of a result that is a pair of numbers as a point. ok is false for anything
// else.
func (result *Result) Point(name string) (p scene.Point, ok bool) {
	v := result.Floats(name)
	if len(v) != 2 {
		return p, false
	}
	return scene.Point{X: v[0], Y: v[1]}, true
}

// Points returns a metric of a result that is a list of pairs as points. Entries of another length
// are left out.
func (result *Result) Points(name string) []scene.Point {
	list, _ := result.metric(name).([][]float64)
	var ps []scene.Point
	for _, v := range list {
		if len(v) == 2 {
			ps = append(ps, scene.Point{X: v[0], Y: v[1]})
		}
	}
	return ps
}

// Strings returns a metric of a result that is a list of strings; a single string becomes a list of
// one.
func (result *Result) Strings(name string) []string {
	switch v := result.metric(name).(type) {
	case []string:
		return v
	case string:
		return []string{v}
	}
	return nil
}

// metric returns the value of a result's metric of that name, or nil if there is none.
func (result *Result) metric(name string) any {
	for i := range result.Metrics {
		if result.Metrics[i].Name == name {
			return result.Metrics[i].Value
		}
	}
	return nil
}
