package record

import (
	"fmt"
	"html"
	"html/template"
	"math"
	"strings"
)

// The size of a plot, and of the margins around its axes, in which the values and names of the axes stand, px.
const (
	plotW, plotH                                     = 520, 300
	marginLeft, marginRight, marginTop, marginBottom = 64, 16, 12, 44
)

// belowMiddle is how far the baseline of a text stands below the middle of its letters, px.
const belowMiddle = 4

// plot is one SVG picture with axes. Logarithmic axes are for values above 0.
type plot struct {
	xName, yName string
	logX, logY   bool
	xs, ys       []float64 // everything that must be visible
	body         strings.Builder
}

// axisRange returns the range of values that an axis of a plot shows: that of the given values, somewhat widened,
// and never empty. On a logarithmic axis (log) only values above 0 count. Any other axis begins at 0, or
// below it if values do.
func axisRange(values []float64, log bool) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, value := range values {
		if !log || value > 0 {
			lo, hi = min(lo, value), max(hi, value)
		}
	}
	switch {
	case lo > hi: // there are no values
		return 1, 10
	case log:
		return lo / 1.25, hi * 1.25
	}
	return min(0, lo), hi*1.08 + 1e-12
}

// axisPosition returns where a value is on an axis of a plot that goes from lo to hi: from 0, the beginning of the
// axis, to 1, its end. log says that the axis is logarithmic.
func axisPosition(value, lo, hi float64, log bool) float64 {
	if log {
		return math.Log(max(value, lo)/lo) / math.Log(hi/lo)
	}
	return (value - lo) / (hi - lo)
}

// x returns the place of a value on the horizontal axis, px.
func (plot *plot) x(v float64) float64 {
	lo, hi := axisRange(plot.xs, plot.logX)
	return marginLeft + axisPosition(v, lo, hi, plot.logX)*(plotW-marginLeft-marginRight)
}

// y returns the place of a value on the vertical axis, px.
func (plot *plot) y(v float64) float64 {
	lo, hi := axisRange(plot.ys, plot.logY)
	return plotH - marginBottom - axisPosition(v, lo, hi, plot.logY)*(plotH-marginTop-marginBottom)
}

// add appends SVG to the inside of the plot.
func (plot *plot) add(format string, args ...any) { fmt.Fprintf(&plot.body, format, args...) }

// dot draws a point of a plot at the values (x, y). If high is above low, it also draws the range from low to
// high as an upright line. title is the text that the browser shows at the point.
func (plot *plot) dot(x, y, low, high float64, title string) {
	if high > low {
		plot.add(`<path class="range" d="M%.1f %.1fV%.1f"/>`, plot.x(x), plot.y(low), plot.y(high))
	}
	plot.add(`<circle class="dot" cx="%.1f" cy="%.1f" r="4"><title>%s</title></circle>`, plot.x(x), plot.y(y), html.EscapeString(title))
}

// label writes text beside the point of a plot at the values (x, y): left of it if onLeft is true, else right
// of it.
func (plot *plot) label(x, y float64, onLeft bool, text string) {
	const distance = 8 // px
	at, anchor := plot.x(x)+distance, "start"
	if onLeft {
		at, anchor = plot.x(x)-distance, "end"
	}
	plot.add(`<text x="%.1f" y="%.1f" text-anchor="%s">%s</text>`, at, plot.y(y)+belowMiddle, anchor, html.EscapeString(text))
}

// line draws a line of a plot through points, given by their values. class is the CSS class of the
// line.
func (plot *plot) line(class string, xs, ys []float64) {
	plot.add(`<path class="%s" d="`, class)
	command := "M" // move to the first point, then draw lines
	for i := range xs {
		plot.add(`%s%.1f %.1f`, command, plot.x(xs[i]), plot.y(ys[i]))
		command = "L"
	}
	plot.add(`"/>`)
}

// roundValues returns the round values from lo to hi that are written at an axis of a plot: multiples of 1, 2 or 5
// times a power of ten, of which there are about six. On a logarithmic axis (log) they are 1, 2 and 5 times
// all powers of ten, or only the powers if the axis is long.
func roundValues(lo, hi float64, log bool) []float64 {
	var out []float64
	if log {
		const longAxis = 300 // hi/lo from which there is no room for all
		steps := []float64{1, 2, 5}
		if hi/lo > longAxis {
			steps = []float64{1}
		}
		for exponent := math.Floor(math.Log10(lo)); exponent <= math.Log10(hi); exponent++ {
			for _, step := range steps {
				if value := step * math.Pow(10, exponent); value >= lo && value <= hi {
					out = append(out, value)
				}
			}
		}
		return out
	}
	// Take the smallest round step that gives at most six intervals, from the power of ten below a quarter.
	step := math.Pow(10, math.Floor(math.Log10((hi-lo)/4)))
	for _, factor := range []float64{1, 2, 5, 10} {
		if (hi-lo)/(step*factor) <= 6 {
			step *= factor
			break
		}
	}
	for value := math.Ceil(lo/step) * step; value <= hi; value += step {
		out = append(out, value)
	}
	return out
}

// shortNumber writes a number of a plot with three digits and the letter of a thousand, a million and so on, such
// as 1.2k or 3M.
func shortNumber(value float64) string {
	const roundsUp = 0.9995 // 999.5 becomes 1k and not 1e+03
	for _, thousands := range []struct {
		unit   float64
		letter string
	}{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if math.Abs(value) >= thousands.unit*roundsUp {
			return fmt.Sprintf("%.3g%s", value/thousands.unit, thousands.letter)
		}
	}
	return fmt.Sprintf("%.3g", value)
}

// svg returns the plot as an SVG element: the grid with round values at both axes, the axes with their names,
// and what was drawn before.
func (plot *plot) svg() template.HTML {
	const right, bottom = plotW - marginRight, plotH - marginBottom // of the area between the axes
	var text strings.Builder
	fmt.Fprintf(&text, `<svg viewBox="0 0 %d %d" width="%d" height="%d" role="img">`, plotW, plotH, plotW, plotH)
	lo, hi := axisRange(plot.xs, plot.logX)
	for _, v := range roundValues(lo, hi, plot.logX) {
		fmt.Fprintf(&text, `<path class="grid" d="M%.1f %dV%d"/><text x="%.1f" y="%d" text-anchor="middle">%s</text>`, plot.x(v), marginTop, bottom, plot.x(v), bottom+16, shortNumber(v))
	}
	lo, hi = axisRange(plot.ys, plot.logY)
	for _, v := range roundValues(lo, hi, plot.logY) {
		fmt.Fprintf(&text, `<path class="grid" d="M%d %.1fH%d"/><text x="%d" y="%.1f" text-anchor="end">%s</text>`, marginLeft, plot.y(v), right, marginLeft-6, plot.y(v)+belowMiddle, shortNumber(v))
	}
	fmt.Fprintf(&text, `<path class="axis" d="M%d %dV%dH%d"/>`, marginLeft, marginTop, bottom, right)
	fmt.Fprintf(&text, `<text x="%d" y="%d" text-anchor="middle" class="name">%s</text>`, (marginLeft+right)/2, plotH-8, html.EscapeString(plot.xName))
	fmt.Fprintf(&text, `<text transform="translate(14 %d) rotate(-90)" text-anchor="middle" class="name">%s</text>`, (marginTop+bottom)/2, html.EscapeString(plot.yName))
	text.WriteString(plot.body.String())
	text.WriteString("</svg>")
	return template.HTML(text.String())
}
