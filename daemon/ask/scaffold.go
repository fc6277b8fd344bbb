package ask

import (
	"fmt"
	"image/color"
	"math"
	"strconv"
	"strings"

	"github.com/valyala/fastjson"

	"plumb/render/font"
	"plumb/render/sheet"
)

// Colours of scaffolds. See docs/spec/runs.md#r32.
var (
	lineTone = color.NRGBA{R: 0xc9, G: 0xce, B: 0xd6, A: 255}
	textTone = color.NRGBA{R: 0x8a, G: 0x92, B: 0x9c, A: 255}
	nodeTone = color.NRGBA{R: 0x1d, G: 0x1d, B: 0x1d, A: 255} // on the pale fill of nodes
)

// pen writes the texts of the scaffolds that ASPIRE's pictures may have: coordinates, angles,
// numbers.
type pen struct{ *sheet.Writer }

// newPen returns a pen that writes sans-serif text on pictures of prompts.
func newPen() (*pen, error) {
	writer, err := sheet.NewWriter(font.Style{Family: font.Sans})
	if err != nil {
		return nil, err
	}
	return &pen{writer}, nil
}

// openPen opens the font for the texts of scaffolds at the first call.
func (boards *Boards) openPen() (err error) {
	boards.mu.Lock()
	defer boards.mu.Unlock()
	if boards.pen == nil {
		boards.pen, err = newPen()
	}
	return err
}

// scaffoldLayers are the functions that draw a scaffold, below the shapes and above them; nil for nothing.
type scaffoldLayers struct{ below, above func(*sheet.Sheet) error }

// HasScaffold reports whether a test has a scaffold.
func HasScaffold(test string) bool { return test == "arrow" || test == "balance" || test == "graph" }

// scaffold returns the functions that draw the scaffold of a task: a polar plot for arrow and a grid for
// balance, both below the shapes, and numbers of nodes above them for graph. Other tests are an error. It opens
// the font.
func (boards *Boards) scaffold(line []byte, test string) (scaffoldLayers, error) {
	if err := boards.openPen(); err != nil {
		return scaffoldLayers{}, err
	}
	doc, err := fastjson.ParseBytes(line)
	if err != nil {
		return scaffoldLayers{}, err
	}
	switch test {
	case "arrow":
		return scaffoldLayers{below: func(s *sheet.Sheet) error { return boards.pen.polar(s, doc) }}, nil
	case "balance":
		return scaffoldLayers{below: boards.pen.grid}, nil
	case "graph":
		return scaffoldLayers{above: func(s *sheet.Sheet) error { return boards.pen.nodes(s, doc) }}, nil
	}
	return scaffoldLayers{}, fmt.Errorf("cannot draw scaffold: the test %s has none", test)
}

// The polar plot about the arrow, px.
const (
	polarRings  = 4
	polarStep   = 80
	polarRadius = polarRings * polarStep
	labelRadius = 340
	labelSize   = 14
	spokes      = 12
)

// nodeSize is the size of the numbers of nodes in px.
const nodeSize = 18

// polar draws the scaffold of the arrow test: circles about the arrow's centre, spokes each 30
// degrees, and the angles of the spokes. 0 points right, and angles grow clockwise as the editor's
// rotations do.
func (pen *pen) polar(s *sheet.Sheet, doc *fastjson.Value) error {
	id := string(doc.GetStringBytes("task", "arrow"))
	arrow := shapeOf(doc, id)
	if arrow == nil {
		return fmt.Errorf("cannot draw scaffold: got %q as task.arrow; want the id of a shape", id)
	}
	// A shape turns about its corner x, y, so its centre is half its size from there, turned. Each product
	// is converted, so that no machine fuses it with the sum and all get the same picture.
	sin, cos := math.Sincos(arrow.GetFloat64("rotation"))
	halfW, halfH := arrow.GetFloat64("props", "w")/2, arrow.GetFloat64("props", "h")/2
	centre := sheet.Pt(arrow.GetFloat64("x")+float64(cos*halfW)-float64(sin*halfH),
		arrow.GetFloat64("y")+float64(sin*halfW)+float64(cos*halfH))
	for k := 1; k <= polarRings; k++ {
		r := float64(k * polarStep)
		s.Fill(lineTone, circle(centre, r+0.5, false), circle(centre, r-0.5, true)) // a ring of 1 px
	}
	for k := range spokes {
		sin, cos := math.Sincos(2 * math.Pi * float64(k) / spokes)
		s.Fill(lineTone, sheet.Bar(centre, sheet.Pt(centre.X+float64(polarRadius*cos), centre.Y+float64(polarRadius*sin)), 1))
		at := sheet.Pt(centre.X+float64(labelRadius*cos), centre.Y+float64(labelRadius*sin))
		const omitIfCut = true
		if err := pen.centred(s, textTone, fmt.Sprintf("%d°", k*360/spokes), labelSize, at, omitIfCut); err != nil {
			return err
		}
	}
	return nil
}

// circle returns a circle of a scaffold about a point as a polygon of so many sides that they are less than
// a hundredth of a pixel off. An inner circle runs the other way round, so that the fill leaves it out. The
// products are converted, so that no machine fuses them with the sums and all get the same picture.
func circle(point sheet.Point, r float64, inner bool) sheet.Loop {
	const sides = 720
	loop := make(sheet.Loop, sides)
	for i := range loop {
		angle := 2 * math.Pi * float64(i) / sides
		if inner {
			angle = -angle
		}
		sin, cos := math.Sincos(angle)
		loop[i] = sheet.Pt(point.X+float64(r*cos), point.Y+float64(r*sin))
	}
	return loop
}

// centred writes a text of a scaffold so that its middle is at a point. The box of the text is its advance
// width by the height of capitals. With omitIfCut, a text that the edge of the picture would cut is left
// out.
func (pen *pen) centred(sheet *sheet.Sheet, tone color.NRGBA, text string, size float64, point sheet.Point, omitIfCut bool) error {
	line, err := pen.Line(text, size)
	if err != nil {
		return err
	}
	x, y := point.X-line.Width/2, point.Y+pen.Caps*size/2
	if omitIfCut && (x < 0 || x+line.Width > float64(sheet.Rect.Dx()) || y-pen.Caps*size < 0 || y > float64(sheet.Rect.Dy())) {
		return nil
	}
	sheet.Write(tone, line, x, y)
	return nil
}

// grid draws the scaffold of the balance test: a line each 100 px in both directions, also at the right
// and bottom edges. The coordinate of a vertical line stands at the top, that of a horizontal one on the
// left; edges have none, but for the line at x = 0.
func (pen *pen) grid(s *sheet.Sheet) error {
	const step, size, gap = 100, 12, 3 // between lines; of the texts; between a line and its text; px
	w, h := s.Rect.Dx(), s.Rect.Dy()
	write := func(n int, x, y float64) error {
		line, err := pen.Line(strconv.Itoa(n), size)
		if err == nil {
			s.Write(textTone, line, x, y)
		}
		return err
	}
	// The lines.
	for x := 0; x <= w; x += step {
		at := float64(min(x, w-1))
		s.Fill(lineTone, sheet.Box(at, 0, at+1, float64(h)))
	}
	for y := 0; y <= h; y += step {
		at := float64(min(y, h-1))
		s.Fill(lineTone, sheet.Box(0, at, float64(w), at+1))
	}
	// Their coordinates.
	for x := 0; x < w; x += step {
		if err := write(x, float64(x+gap), size); err != nil {
			return err
		}
	}
	for y := step; y < h; y += step {
		if err := write(y, gap, float64(y-gap)); err != nil {
			return err
		}
	}
	return nil
}

// nodes draws the scaffold of the graph test: the number of each node, with which its id ends, at the middle
// of the node.
func (pen *pen) nodes(s *sheet.Sheet, doc *fastjson.Value) error {
	for _, value := range doc.GetArray("shapes") {
		n, ok := strings.CutPrefix(string(value.GetStringBytes("id")), "shape:node-")
		if !ok {
			continue
		}
		at := sheet.Pt(value.GetFloat64("x")+value.GetFloat64("props", "w")/2, value.GetFloat64("y")+value.GetFloat64("props", "h")/2)
		const omitIfCut = false
		if err := pen.centred(s, nodeTone, n, nodeSize, at, omitIfCut); err != nil {
			return err
		}
	}
	return nil
}

// shapeOf returns the shape of a task's whiteboard with this id, or nil.
func shapeOf(doc *fastjson.Value, id string) *fastjson.Value {
	for _, v := range doc.GetArray("shapes") {
		if string(v.GetStringBytes("id")) == id {
			return v
		}
	}
	return nil
}
