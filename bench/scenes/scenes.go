// Package scenes makes the whiteboards that plumb is measured with. In: a class
// by name, or how many shapes of what kind and size. Out: scene lines as `plumb
// render` reads them, always the same bytes for the same arguments. It refuses
// sizes below one.
package scenes

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
)

// Spec says what a scene holds.
type Spec struct {
	Shapes int     // 1 or more
	Text   int     // characters of each shape's label, 0 for none
	Scale  float64 // everything, strokes and page included, this many times as large
	Points int     // 0: geo shapes; else closed freehand shapes of so many points, 4 or more
	Page   float64 // the page alone, this many times as large in each direction; 0 is 1
}

// The page of scale 1, px.
const (
	Width  = 1400
	Height = 800
)

// Class is a scene class with its name; docs/performance.md lists them.
type Class struct {
	Name string
	Spec Spec
	Doc  string
}

var classes = []Class{
	{"S8", Spec{Shapes: 8, Scale: 1}, "an ASPIRE balance scene: 8 geo shapes, draw style, solid fill, 1400x800 px"},
	{"S8T", Spec{Shapes: 8, Text: 12, Scale: 1}, "S8 with a label of 12 characters in each shape"},
	{"S50", Spec{Shapes: 50, Scale: 1}, "50 shapes of S8"},
	{"S8x2", Spec{Shapes: 8, Scale: 2}, "S8 at twice the size in each direction, 2800x1600 px"},
}

// Classes lists all classes.
func Classes() []Class { return append([]Class(nil), classes...) }

// The kinds and colours of balance scenes (docs/spec/aspire.md#r64).
var (
	geos = []string{"rectangle", "ellipse", "triangle", "diamond", "pentagon", "hexagon",
		"octagon", "star", "oval", "trapezoid", "heart", "cloud"}
	colors = []string{"red", "light-red", "green", "light-green", "blue", "light-blue", "orange",
		"yellow", "black", "violet", "light-violet", "grey"}
)

// Lines makes up n whiteboard scenes and returns each as a JSON line, without its line end. Scene i depends
// on the spec, the seed and i alone, and its id is the name with the number i. A spec out of range is an
// error.
func (spec Spec) Lines(name string, n int, seed uint64) ([][]byte, error) {
	switch {
	case spec.Shapes < 1:
		return nil, fmt.Errorf("cannot make scenes of %d shapes: want 1 or more", spec.Shapes)
	case !(spec.Scale > 0 && spec.Scale <= 64): // true for NaN too
		return nil, fmt.Errorf("cannot make scenes at scale %g: want above 0 and at most 64", spec.Scale)
	case spec.Points != 0 && spec.Points < 4:
		return nil, fmt.Errorf("cannot make shapes of %d points: want 4 or more", spec.Points)
	}
	lines := make([][]byte, n)
	for i := range lines {
		lines[i] = spec.line(fmt.Sprintf("%s-%04d", name, i), rand.New(rand.NewPCG(seed, uint64(i))))
	}
	return lines, nil
}

// line makes the JSON line of one made-up scene. How many random numbers are drawn, and which, does not
// depend on the scale, so that a scene keeps its shapes at every size.
func (spec Spec) line(id string, random *rand.Rand) []byte {
	page := spec.Page
	if page == 0 {
		page = 1
	}
	out := fmt.Appendf(nil, `{"id":%q,"bounds":[0,0,%s,%s],"shapes":[`, id, number(math.Floor(Width*spec.Scale*page)), number(math.Floor(Height*spec.Scale*page)))
	for k := range spec.Shapes {
		if k > 0 {
			out = append(out, ',')
		}
		out = spec.appendShape(out, k, random)
	}
	return append(out, "]}"...)
}

// appendShape appends shape k of a made-up scene as JSON: of a random kind, with sides of 40 to 160 px as in
// balance scenes, anywhere on the page. With spec.Points it is freehand ink of that many points.
func (spec Spec) appendShape(dst []byte, k int, random *rand.Rand) []byte {
	const minSide, extraSide = 40, 120 // px
	w, h := minSide+randomHalves(random, extraSide), minSide+randomHalves(random, extraSide)
	x, y := randomHalves(random, Width-w), randomHalves(random, Height-h)
	geo, color := geos[random.IntN(len(geos))], colors[random.IntN(len(colors))]
	text := randomText(random, spec.Text)
	dst = fmt.Appendf(dst, `{"id":"shape:s%d","type":`, k)
	place := fmt.Sprintf(`"x":%s,"y":%s,`, number(x*spec.Scale), number(y*spec.Scale))
	if spec.Points > 0 {
		return spec.appendFreehand(append(append(dst, `"draw",`...), place...), w, h, color, random)
	}
	dst = append(append(dst, `"geo",`...), place...)
	dst = fmt.Appendf(dst, `"props":{"geo":%q,"w":%s,"h":%s,"color":%q,"fill":"solid","dash":"draw"`, geo, number(w*spec.Scale), number(h*spec.Scale), color)
	if spec.Scale != 1 {
		dst = fmt.Appendf(dst, `,"scale":%s`, number(spec.Scale))
	}
	if text != "" {
		dst = fmt.Appendf(dst, `,"text":%q`, text)
	}
	return append(dst, "}}"...)
}

// appendFreehand appends the rest of the JSON of a closed freehand shape of w x h px, after its place: an ellipse of
// spec.Points points, each of which is moved at random by up to half a px. Then all is enlarged by spec.Scale.
func (spec Spec) appendFreehand(dst []byte, w, h float64, color string, random *rand.Rand) []byte {
	dst = fmt.Appendf(dst, `"props":{"color":%q,"fill":"solid","dash":"solid","isComplete":true,"isClosed":true,"scale":%s,"segments":[{"type":"free","points":[`, color, number(spec.Scale))
	for i := range spec.Points {
		if i > 0 {
			dst = append(dst, ',')
		}
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(spec.Points))
		// The conversions forbid fused multiply-adds, so that every machine makes the same points.
		x := w/2 + float64(w/2*cos) + random.Float64()/2
		y := h/2 + float64(h/2*sin) + random.Float64()/2
		dst = fmt.Appendf(dst, `{"x":%s,"y":%s,"z":0.5}`, twoDecimals(x*spec.Scale), twoDecimals(y*spec.Scale))
	}
	return append(dst, "]}]}}"...)
}

// randomText returns n random characters for the texts of made-up scenes: five letters and a blank in turn, as
// words have about that length.
func randomText(random *rand.Rand, n int) string {
	data := make([]byte, n)
	for i := range data {
		data[i] = byte('a' + random.IntN(26))
		if i%6 == 5 && i+1 < n {
			data[i] = ' '
		}
	}
	return string(data)
}

// randomHalves returns a multiple of 0.5 in [0, hi].
func randomHalves(r *rand.Rand, hi float64) float64 { return float64(r.IntN(int(2*hi)+1)) / 2 }

func number(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// twoDecimals returns a number with two decimals.
func twoDecimals(v float64) string { return strconv.FormatFloat(v, 'f', 2, 64) }
