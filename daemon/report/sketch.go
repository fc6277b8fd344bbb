package report

import (
	"fmt"
	"html"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"plumb/render/scene"
	"plumb/render/view"
	"plumb/scoring"
)

// sketch writes the inner part of a panel's SVG. Coordinates are in page units; line widths
// and text are in units of about one px on a screen.
type sketch struct {
	strings.Builder
	box    view.Box
	unit   float64
	labels []view.Box // placed so far
}

func newSketch(b view.Box) *sketch {
	return &sketch{box: b, unit: max(b.W, 1.4*b.H) / 640}
}

// num formats a length with at most two decimals and no exponent.
func num(v float64) string { return strconv.FormatFloat(math.Round(v*100)/100, 'f', -1, 64) }

// use writes a reference to an embedded picture.
func (s *sketch) use(id string, b view.Box) {
	fmt.Fprintf(s, `<use href="#%s" x="%s" y="%s"/>`, id, num(b.X), num(b.Y))
}

// note writes a line of text in the middle of an empty panel.
func (s *sketch) note(b view.Box, text string) {
	fmt.Fprintf(s, `<rect class="void" x="%s" y="%s" width="%s" height="%s"/>`, num(b.X), num(b.Y), num(b.W), num(b.H))
	s.text("void", scene.Point{X: b.X + b.W/2, Y: b.Y + b.H/2}, "middle", text)
}

// placeholder writes the named box of a shape that is not drawn.
func (s *sketch) placeholder(l lost) {
	var points strings.Builder
	at := l.corners[0]
	for _, c := range l.corners {
		points.WriteString(num(c.X) + "," + num(c.Y) + " ")
		at = scene.Point{X: min(at.X, c.X), Y: min(at.Y, c.Y)}
	}
	fmt.Fprintf(s, `<polygon class="lost" points="%s" stroke-width="%s"><title>%s</title></polygon>`,
		strings.TrimSpace(points.String()), num(1.5*s.unit), html.EscapeString(l.why))
	s.text("lost", scene.Point{X: at.X + 6*s.unit, Y: at.Y + 18*s.unit}, "start", "not drawn: "+l.name)
}

var tones = map[scoring.Tone]string{
	scoring.Goal: "goal", scoring.Good: "good", scoring.Bad: "bad", scoring.Was: "was", scoring.Is: "is",
}

// mark writes the SVG path of one mark over a picture of the report, with a light edge so that it
// is visible on any shape.
func (s *sketch) mark(m scoring.Mark) {
	if !finite(m.A.X, m.A.Y, m.B.X, m.B.Y, m.R, m.From, m.To) {
		return
	}
	tone, dash, closed := tones[m.Tone], "", ""
	var d string
	a, b, u := m.A, m.B, s.unit
	switch m.Form {
	case scoring.Dot:
		d, closed = circle(a, 4.5*u), " solid"
	case scoring.Cross:
		d = line(a.X-9*u, a.Y, a.X+9*u, a.Y) + line(a.X, a.Y-9*u, a.X, a.Y+9*u)
	case scoring.Ring:
		d = circle(a, m.R)
	case scoring.Box:
		d = fmt.Sprintf("M%s %sH%sV%sH%sZ", num(a.X), num(a.Y), num(b.X), num(b.Y), num(a.X))
	case scoring.Gap:
		d, dash = line(a.X, a.Y, b.X, b.Y), fmt.Sprintf(` stroke-dasharray="%s %s"`, num(6*u), num(5*u))
	case scoring.Span:
		d = line(a.X, a.Y, b.X, b.Y)
	case scoring.Dart:
		d = line(a.X, a.Y, b.X, b.Y) + head(a, b, 11*u)
	case scoring.Wedge:
		d, closed = wedge(a, m.R, m.From, m.To), " sector"
	}
	fmt.Fprintf(s, `<path class="edge%s" d="%s" stroke-width="%s"/>`, closed, d, num(4.5*u))
	fmt.Fprintf(s, `<path class="%s%s" d="%s" stroke-width="%s"%s/>`, tone, closed, d, num(2*u), dash)
}

// label writes the text of a mark beside it and inside the picture, at the first of four
// places that overlaps no earlier label.
func (s *sketch) label(m scoring.Mark) {
	if m.Text == "" || !finite(m.A.X, m.A.Y, m.B.X, m.B.Y, m.R, m.From, m.To) {
		return
	}
	at, u := m.A, s.unit
	switch m.Form {
	case scoring.Span, scoring.Gap, scoring.Dart:
		at = scene.Point{X: (m.A.X + m.B.X) / 2, Y: (m.A.Y + m.B.Y) / 2}
	case scoring.Ring:
		at.Y -= m.R
	case scoring.Wedge:
		sin, cos := math.Sincos(m.From + math.Remainder(m.To-m.From, 2*math.Pi)/2)
		at = scene.Point{X: m.A.X + m.R*cos, Y: m.A.Y + m.R*sin}
	case scoring.Box:
		at = scene.Point{X: min(m.A.X, m.B.X), Y: min(m.A.Y, m.B.Y)}
	}
	w, h := 8.5*u*float64(utf8.RuneCountInString(m.Text)), 16*u
	var best view.Box
	for i, offset := range [4]scene.Point{{X: 8 * u, Y: -6*u - h}, {X: 8 * u, Y: 6 * u}, {X: -8*u - w, Y: -6*u - h}, {X: -8*u - w, Y: 6 * u}} {
		b := view.Box{X: at.X + offset.X, Y: at.Y + offset.Y, W: w, H: h}
		b.X = min(max(b.X, s.box.X+4*u), s.box.X+s.box.W-4*u-w)
		b.Y = min(max(b.Y, s.box.Y+2*u), s.box.Y+s.box.H-4*u-h)
		free := !slices.ContainsFunc(s.labels, func(o view.Box) bool {
			return b.X < o.X+o.W && o.X < b.X+b.W && b.Y < o.Y+o.H && o.Y < b.Y+b.H
		})
		if i == 0 || free {
			best = b
		}
		if free {
			break
		}
	}
	s.labels = append(s.labels, best)
	s.text(tones[m.Tone], scene.Point{X: best.X, Y: best.Y + 13*u}, "start", m.Text)
}

// text writes one line of text; anchor is the SVG text-anchor.
func (s *sketch) text(class string, at scene.Point, anchor, text string) {
	fmt.Fprintf(s, `<text class="%s" x="%s" y="%s" text-anchor="%s" font-size="%s" stroke-width="%s">%s</text>`,
		class, num(at.X), num(at.Y), anchor, num(15*s.unit), num(4*s.unit), html.EscapeString(text))
}

// finite reports whether all coordinates of a mark are numbers of at most 1e7, which SVG can draw.
func finite(list ...float64) bool {
	for _, v := range list {
		if math.IsNaN(v) || math.Abs(v) > 1e7 {
			return false
		}
	}
	return true
}

func line(x0, y0, x1, y1 float64) string {
	return "M" + num(x0) + " " + num(y0) + "L" + num(x1) + " " + num(y1)
}

func circle(c scene.Point, r float64) string {
	return fmt.Sprintf("M%s %sa%[3]s %[3]s 0 1 0 %[4]s 0a%[3]s %[3]s 0 1 0 -%[4]s 0Z", num(c.X-r), num(c.Y), num(r), num(2*r))
}

// head returns the SVG path of an open arrowhead at b, of a line from a.
func head(a, b scene.Point, size float64) string {
	angle := math.Atan2(b.Y-a.Y, b.X-a.X)
	var d string
	for _, turn := range []float64{math.Pi - 0.45, math.Pi + 0.45} {
		sin, cos := math.Sincos(angle + turn)
		d += line(b.X, b.Y, b.X+size*cos, b.Y+size*sin)
	}
	return d
}

// wedge returns the SVG path of the sector between two angles in radians, on the shorter
// side.
func wedge(c scene.Point, r, from, to float64) string {
	sweep := math.Remainder(to-from, 2*math.Pi)
	flag := 1
	if sweep < 0 {
		flag = 0
	}
	s0, c0 := math.Sincos(from)
	s1, c1 := math.Sincos(from + sweep)
	return fmt.Sprintf("M%s %sL%s %sA%[5]s %[5]s 0 0 %[6]d %[7]s %[8]sZ", num(c.X), num(c.Y),
		num(c.X+r*c0), num(c.Y+r*s0), num(r), flag, num(c.X+r*c1), num(c.Y+r*s1))
}
