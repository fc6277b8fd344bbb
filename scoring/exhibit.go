package scoring

import (
	"image"

	"plumb/render/scene"
	"plumb/render/view"
)

// Shower is a Job that can show how its score came about. Show reads the metrics
// of the job's own result, which may have come back from a daemon: their values
// are then those that JSON keeps (float64, bool, string, nil, []string,
// []float64, [][]float64). It changes nothing and never fails; what it cannot
// show it leaves out.
type Shower interface {
	Show(r *Result) Exhibit
}

// Exhibit is what a person looks at to understand a score.
type Exhibit struct {
	Panels []Panel // in reading order
	First  int     // position of the panel to see first
	Texts  []Text  // what a person reads beside the pictures
}

// Text is a text under a title, with its own line breaks.
type Text struct{ Title, Body string }

// Painting is the picture of an answer.
type Painting struct {
	Image *image.NRGBA
	// Name is the member of a line of statistics under which Stats stand.
	Name  string
	Stats []Metric
}

// Panel is one picture with marks on it.
type Panel struct {
	Title string // "before", "after", "label over shape"
	// View is what is drawn. With View.Other set the panel shows how the two sets
	// cover each other, not what they look like.
	View view.View
	// Image, if set, makes the picture in place of View, for suites that paint
	// themselves. It is not premultiplied, lies on white, and one of its px is a
	// page unit. It may be called once, from any goroutine.
	Image func() (*image.NRGBA, error)
	Marks []Mark
}

// Mark is a thing drawn over a picture. Places are in page units.
type Mark struct {
	Form Form
	Tone Tone
	A, B scene.Point
	R    float64 // Ring, Wedge: radius, px
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

// Tone is what a Mark stands for; it sets the colour.
type Tone uint8

// The tones.
const (
	Goal Tone = iota // what was asked for
	Good             // what the answer got right
	Bad              // what it got wrong or missed
	Was              // the state before the answer
	Is               // the state after it
)

// Float returns a metric that is a number.
func (r *Result) Float(name string) (x float64, ok bool) {
	switch v := r.metric(name).(type) {
	case float64:
		return v, true
	case int:
		return float64(v), true
	}
	return 0, false
}

// Bool returns a metric that is true or false.
func (r *Result) Bool(name string) (v, ok bool) {
	v, ok = r.metric(name).(bool)
	return v, ok
}

// Floats returns a metric that is a list of numbers, nil for others.
func (r *Result) Floats(name string) []float64 {
	v, _ := r.metric(name).([]float64)
	return v
}

// Point returns a metric that is a pair of numbers.
func (r *Result) Point(name string) (p scene.Point, ok bool) {
	v := r.Floats(name)
	if len(v) != 2 {
		return p, false
	}
	return scene.Point{X: v[0], Y: v[1]}, true
}

// Points returns a metric that is a list of pairs; pairs of another length are
// left out.
func (r *Result) Points(name string) []scene.Point {
	list, _ := r.metric(name).([][]float64)
	var ps []scene.Point
	for _, v := range list {
		if len(v) == 2 {
			ps = append(ps, scene.Point{X: v[0], Y: v[1]})
		}
	}
	return ps
}

// Strings returns a metric that is a list of strings, or one string as a list.
func (r *Result) Strings(name string) []string {
	switch v := r.metric(name).(type) {
	case []string:
		return v
	case string:
		return []string{v}
	}
	return nil
}

func (r *Result) metric(name string) any {
	for i := range r.Metrics {
		if r.Metrics[i].Name == name {
			return r.Metrics[i].Value
		}
	}
	return nil
}
