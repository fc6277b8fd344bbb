package record

import (
	"fmt"
	"html"
	"html/template"
	"math"
	"strings"
)

// The size of a plot and of what stands around it, px.
const (
	plotW, plotH             = 520, 300
	left, right, top, bottom = 64, 16, 12, 44
)

// plot is one SVG picture with axes. Logarithmic axes are for values above 0.
type plot struct {
	xName, yName string
	logX, logY   bool
	xs, ys       []float64 // everything that must be visible
	body         strings.Builder
}

// span returns the range of a plot's values, somewhat widened and never empty.
func span(v []float64, log bool) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, x := range v {
		if !log || x > 0 {
			lo, hi = min(lo, x), max(hi, x)
		}
	}
	switch {
	case lo > hi:
		return 1, 10
	case log:
		return lo / 1.25, hi * 1.25
	}
	return min(0, lo), hi*1.08 + 1e-12
}

// place returns where the value stands on a plot's axis between lo and hi, 0..1.
func place(value, lo, hi float64, log bool) float64 {
	if log {
		return math.Log(max(value, lo)/lo) / math.Log(hi/lo)
	}
	return (value - lo) / (hi - lo)
}

// x returns the place of a value on the horizontal axis, px.
func (plot *plot) x(v float64) float64 {
	lo, hi := span(plot.xs, plot.logX)
	return left + place(v, lo, hi, plot.logX)*(plotW-left-right)
}

// y returns the place of a value on the vertical axis, px.
func (plot *plot) y(v float64) float64 {
	lo, hi := span(plot.ys, plot.logY)
	return plotH - bottom - place(v, lo, hi, plot.logY)*(plotH-top-bottom)
}

func (plot *plot) add(format string, args ...any) { fmt.Fprintf(&plot.body, format, args...) }

// dot draws a point of a plot with its range and a title for the pointer.
func (plot *plot) dot(x, y, low, high float64, title string) {
	if high > low {
		plot.add(`<path class="range" d="M%.1f %.1fV%.1f"/>`, plot.x(x), plot.y(low), plot.y(high))
	}
	plot.add(`<circle class="dot" cx="%.1f" cy="%.1f" r="4"><title>%s</title></circle>`, plot.x(x), plot.y(y), html.EscapeString(title))
}

// label writes text beside a point of a plot, left or right of it.
func (plot *plot) label(x, y float64, before bool, text string) {
	at, anchor := plot.x(x)+8, "start"
	if before {
		at, anchor = plot.x(x)-8, "end"
	}
	plot.add(`<text x="%.1f" y="%.1f" text-anchor="%s">%s</text>`, at, plot.y(y)+4, anchor, html.EscapeString(text))
}

// line draws a line of a plot through points, given by their values. class is the CSS class of the
// line.
func (plot *plot) line(class string, xs, ys []float64) {
	plot.add(`<path class="%s" d="`, class)
	for i := range xs {
		plot.add(`%s%.1f %.1f`, map[bool]string{true: "M", false: "L"}[i == 0], plot.x(xs[i]), plot.y(ys[i]))
	}
	plot.add(`"/>`)
}

// ticks returns round values on an axis within [lo, hi]: 1, 2 and 5 times powers of ten.
func ticks(lo, hi float64, log bool) []float64 {
	var out []float64
	if log {
		steps := []float64{1, 2, 5}
		if hi/lo > 300 {
			steps = []float64{1}
		}
		for e := math.Floor(math.Log10(lo)); e <= math.Log10(hi); e++ {
			for _, m := range steps {
				if v := m * math.Pow(10, e); v >= lo && v <= hi {
					out = append(out, v)
				}
			}
		}
		return out
	}
	step := math.Pow(10, math.Floor(math.Log10((hi-lo)/4)))
	for _, m := range []float64{1, 2, 5, 10} {
		if (hi-lo)/(step*m) <= 6 {
			step *= m
			break
		}
	}
	for v := math.Ceil(lo/step) * step; v <= hi; v += step {
		out = append(out, v)
	}
	return out
}

// short writes a number of a plot with few digits: 1.2k, 3M.
func short(value float64) string {
	for _, u := range []struct {
		unit float64
		name string
	}{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if math.Abs(value) >= u.unit*0.9995 {
			return fmt.Sprintf("%.3g%s", value/u.unit, u.name)
		}
	}
	return fmt.Sprintf("%.3g", value)
}

// svg returns the plot as an SVG element.
func (plot *plot) svg() template.HTML {
	var text strings.Builder
	fmt.Fprintf(&text, `<svg viewBox="0 0 %d %d" width="%d" height="%d" role="img">`, plotW, plotH, plotW, plotH)
	lo, hi := span(plot.xs, plot.logX)
	for _, v := range ticks(lo, hi, plot.logX) {
		fmt.Fprintf(&text, `<path class="grid" d="M%.1f %dV%d"/><text x="%.1f" y="%d" text-anchor="middle">%s</text>`, plot.x(v), top, plotH-bottom, plot.x(v), plotH-bottom+16, short(v))
	}
	lo, hi = span(plot.ys, plot.logY)
	for _, v := range ticks(lo, hi, plot.logY) {
		fmt.Fprintf(&text, `<path class="grid" d="M%d %.1fH%d"/><text x="%d" y="%.1f" text-anchor="end">%s</text>`, left, plot.y(v), plotW-right, left-6, plot.y(v)+4, short(v))
	}
	fmt.Fprintf(&text, `<path class="axis" d="M%d %dV%dH%d"/>`, left, top, plotH-bottom, plotW-right)
	fmt.Fprintf(&text, `<text x="%d" y="%d" text-anchor="middle" class="name">%s</text>`, (left+plotW-right)/2, plotH-8, html.EscapeString(plot.xName))
	fmt.Fprintf(&text, `<text transform="translate(14 %d) rotate(-90)" text-anchor="middle" class="name">%s</text>`, (top+plotH-bottom)/2, html.EscapeString(plot.yName))
	text.WriteString(plot.body.String())
	text.WriteString("</svg>")
	return template.HTML(text.String())
}
