package record

import (
	"bytes"
	_ "embed"
	"fmt"
	"html"
	"html/template"
	"slices"
	"strings"
	"time"

	"plumb/bench/stage"
	"plumb/daemon/atomicfile"
)

//go:embed page.html
var pageSource string

var pageTemplate = template.Must(template.New("page").Parse(pageSource))

// view is the data of the page's template.
type view struct {
	*File
	Text      string // the table
	Flags     string
	Stages    template.HTML // bars of processor time
	Timelines []titledPlot
	Roof      template.HTML // the roofline of the device, "" without a device
	Sweeps    []titledPlot
	Predicted template.HTML // how well the model agrees with the measurements
	Model     string
}

// titledPlot is a plot with a heading and a text below.
type titledPlot struct {
	Title, Doc, Note string
	SVG              template.HTML
}

// Page writes the results of `plumb bench` as one HTML file with plots and the text tables. spans are for
// each class of scenes the times of the stages of drawing, which are shown on time lines.
func (file *File) Page(path string, spans map[string][]stage.Span) error {
	var text, out bytes.Buffer
	if err := file.Table(&text); err != nil {
		return err
	}
	page := view{File: file, Text: text.String(), Flags: strings.Join(file.Flags, " "), Stages: file.stagesSVG(), Roof: file.rooflineSVG()}
	for _, class := range file.Classes {
		if part := middleOf(spans[class.Name]); len(part) > 0 {
			busy := class.Profile.Parts
			page.Timelines = append(page.Timelines, titledPlot{Title: class.Name, SVG: file.timelineSVG(part),
				Note: fmt.Sprintf("processor busy %.0f %%, device busy %.0f %% of the time; of the device's time the processor worked in %.0f %%", 100*busy.HostBusy, 100*busy.DeviceBusy, 100*busy.Overlap)})
		}
	}
	for _, sweep := range file.Sweeps {
		page.Sweeps = append(page.Sweeps, sweep.sweepPlot())
	}
	if file.Model != nil {
		page.Predicted, page.Model = file.predictedSVG(), fmt.Sprintf("%v; R2 %.4f over %d points", file.Model, file.Model.Fit.R2, file.Model.Fit.N)
	}
	if err := pageTemplate.Execute(&out, page); err != nil {
		return fmt.Errorf("BUG: page: %w", err)
	}
	err := atomicfile.WriteFile(path, func(f *atomicfile.File) error { _, err := f.Write(out.Bytes()); return err })
	if err != nil {
		return fmt.Errorf("cannot write page: %w", err)
	}
	return nil
}

// hues are the colours of the stages, in their order.
var hues = [stage.Stages]string{"#4e79a7", "#a0cbe8", "#f28e2b", "#ffbe7d", "#8cd17d", "#e15759", "#b6992d", "#f1ce63", "#499894", "#86bcb6", "#d7d7d7"}

// stagesSVG draws an SVG bar chart of processor time per scene: a bar for each class of scenes, divided by
// stages, and a legend of the stages' colours.
func (file *File) stagesSVG() template.HTML {
	const width, rowHeight, barsFrom, afterBar = 860, 30, 90, 80 // px: afterBar is room for the sum
	const baseline, legendHeight, longestName = 20, 40, 12       // px: of the text in a row, of the legend; bytes of a name
	longest := 1e-9                                              // us; above 0
	for _, class := range file.Classes {
		sum := 0.0
		for _, us := range class.Profile.Parts.ProcessorTimes {
			sum += us
		}
		longest = max(longest, sum)
	}
	var text strings.Builder
	height := rowHeight*len(file.Classes) + legendHeight
	fmt.Fprintf(&text, `<svg viewBox="0 0 %d %d" width="%d" height="%d" role="img">`, width, height, width, height)
	for i, class := range file.Classes {
		x, y := float64(barsFrom), i*rowHeight
		fmt.Fprintf(&text, `<text x="%d" y="%d" text-anchor="end">%s</text>`, barsFrom-8, y+baseline, html.EscapeString(clipped(class.Name, longestName)))
		sum := 0.0
		for s := range stage.Stages {
			us := class.Profile.Parts.ProcessorTimes[s.String()]
			sum += us
			wide := us / longest * (width - barsFrom - afterBar)
			fmt.Fprintf(&text, `<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s"><title>%v: %.1f us</title></rect>`, x, y+4, wide, rowHeight-8, hues[s], s, us)
			x += wide
		}
		fmt.Fprintf(&text, `<text x="%.1f" y="%d">%.0f us</text>`, x+6, y+baseline, sum)
	}
	const legendWidth = 76      // px for the name of a stage
	for s := range stage.Wait { // all stages but the last one, which takes no processor time
		x := barsFrom + int(s)*legendWidth
		fmt.Fprintf(&text, `<rect x="%d" y="%d" width="10" height="10" fill="%s"/><text x="%d" y="%d">%v</text>`, x, height-22, hues[s], x+14, height-13, s)
	}
	text.WriteString("</svg>")
	return template.HTML(text.String())
}

// clipped shortens a text of the page of results to at most n bytes: "..." and its end, because the ends of
// names tell them apart.
func clipped(text string, n int) string {
	const left = "..."
	if len(text) > n {
		return left + text[len(text)-n+len(left):]
	}
	return text
}

// window is how much of a run a timeline shows: a few batches.
const window = 120 * time.Millisecond

// middleOf returns the stages of drawing (spans) in a short window of time in the middle of a run, whose times
// then count from the beginning of the window. A whole run would be too much for a time line.
func middleOf(spans []stage.Span) []stage.Span {
	if len(spans) == 0 {
		return nil
	}
	last := slices.MaxFunc(spans, func(a, b stage.Span) int { return int(a.End - b.End) }).End
	return clip(spans, max(0, last/2-window/2), window)
}

// timelineSVG draws the spans of a profile as an SVG: time to the right, one row for each worker, for
// each batch in flight and for the device. A span is one stage of a scene or a batch.
func (file *File) timelineSVG(spans []stage.Span) template.HTML {
	const width, rowHeight, timeFrom = 860, 20, 90 // px: where time begins is right of the names
	rows, end := 0, time.Duration(1)
	for _, span := range spans {
		rows, end = max(rows, span.Row+1), max(end, span.End)
	}
	var text strings.Builder
	const axisHeight, gap, baseline = 24, 8, 14 // px: of the times below the rows, beside a name, of a name in its row
	height := rowHeight*(rows+1) + axisHeight
	fmt.Fprintf(&text, `<svg viewBox="0 0 %d %d" width="%d" height="%d" role="img">`, width, height, width, height)
	scale := (width - timeFrom - 10) / float64(end)
	for r := range rows + 1 {
		name := fmt.Sprintf("worker %d", r)
		if r >= file.Workers {
			name = fmt.Sprintf("batch %d", r-file.Workers)
		}
		if r == rows {
			name = "device"
		}
		fmt.Fprintf(&text, `<text x="%d" y="%d" text-anchor="end">%s</text>`, timeFrom-gap, r*rowHeight+baseline, name)
	}
	for _, span := range spans {
		r := span.Row
		if span.Stage == stage.Device {
			r = rows
		}
		const leastVisible = 0.3 // px
		wide := max(leastVisible, float64(span.End-span.Start)*scale)
		fmt.Fprintf(&text, `<rect x="%.2f" y="%d" width="%.2f" height="%d" fill="%s"/>`, timeFrom+float64(span.Start)*scale, r*rowHeight+2, wide, rowHeight-4, hues[span.Stage])
	}
	for _, ms := range roundValues(0, float64(end)/1e6, false) {
		fmt.Fprintf(&text, `<text x="%.1f" y="%d" text-anchor="middle">%s ms</text>`, timeFrom+ms*1e6*scale, height-6, shortNumber(ms))
	}
	text.WriteString("</svg>")
	return template.HTML(text.String())
}

// sweepPlot returns the plot of a sweep, in which one property of scenes takes several values: the processor
// time per scene over the values, each with its range over the rounds. The line that was fitted to the times
// is in its note.
func (sweep Sweep) sweepPlot() titledPlot {
	p := plot{xName: sweep.Unit, yName: "core us per scene", logX: true}
	for _, point := range sweep.Points {
		p.logX = p.logX && point.X > 0
		p.xs = append(p.xs, point.X)
		p.ys = append(append(p.ys, 0), Values(point.Samples, ProcessorTimeOf)...) // the axis of times begins at 0
	}
	var xs, ys []float64
	for _, point := range sweep.Points {
		all := Values(point.Samples, ProcessorTimeOf)
		xs = append(xs, point.X)
		ys = append(ys, point.ProcessorTime())
		p.dot(point.X, point.ProcessorTime(), slices.Min(all), slices.Max(all), fmt.Sprintf("%g: %.1f us, %.0f scenes/s", point.X, point.ProcessorTime(), point.Rate()))
	}
	p.line("measured", xs, ys)
	out := titledPlot{Title: sweep.Name, Doc: sweep.Doc, SVG: p.svg()}
	if sweep.Fit != nil {
		out.Note = fmt.Sprintf("%.3g us + %.3g us per %s; R2 %.4f", sweep.Fit.Terms[0], sweep.Fit.Terms[1], sweep.FitX, sweep.Fit.R2)
	}
	return out
}

// rooflineSVG draws the device's roofline: operations per second over operations per byte moved to and from
// the device. The roof is the most that the device can do: limited by copies left of the ridge, by
// arithmetic right of it. Copies count as fast as uploads, because a scene uploads far more bytes than it reads
// back. Each class of scenes is a dot under the roof, with a line down to its speed when buffers are moved too.
func (file *File) rooflineSVG() template.HTML {
	ceilings := file.Ceilings
	if ceilings.DeviceOps <= 0 || ceilings.UploadRate <= 0 {
		return ""
	}
	p := plot{xName: "operations per byte moved", yName: "operations per second", logX: true, logY: true}
	type point struct {
		x               float64 // operations per byte
		resident, moved float64 // operations per second with buffers on the device, and with transfers
		name            string
	}
	var points []point
	ridge := ceilings.DeviceOps / ceilings.UploadRate
	// The axes show at least this much around the top of the roof.
	p.xs, p.ys = []float64{ridge / 8, ridge * 8}, []float64{ceilings.DeviceOps * 2, ceilings.DeviceOps / 50}
	for _, class := range file.Classes {
		var resident, moved []float64
		for _, sample := range class.Device {
			resident = append(resident, sample.ResidentRate)
			moved = append(moved, sample.MovedRate)
		}
		if len(resident) == 0 || class.Shares.OperationsPerByte <= 0 {
			continue
		}
		ofClass := point{class.Shares.OperationsPerByte, class.Shares.Operations * slices.Max(resident), class.Shares.Operations * slices.Max(moved), class.Name}
		points = append(points, ofClass)
		p.xs = append(p.xs, ofClass.x)
		p.ys = append(p.ys, ofClass.resident, ofClass.moved)
	}
	lo, hi := axisRange(p.xs, true)
	p.line("roof", []float64{lo, ridge, hi}, []float64{lo * ceilings.UploadRate, ceilings.DeviceOps, ceilings.DeviceOps})
	for i, class := range points {
		p.dot(class.x, class.resident, class.moved, class.resident,
			fmt.Sprintf("%s: %s operations/s with resident buffers, %s with transfers", class.name, shortNumber(class.resident), shortNumber(class.moved)))
		p.label(class.x, class.resident, i%2 == 1, class.name) // labels are left and right in turn, so that neighbours do not collide
	}
	return p.svg()
}

// predictedSVG plots how well the fitted model of what a scene costs agrees with the measurements: for each
// point of the sweeps that the model describes, the processor time of the model over the measured time. The
// line is the diagonal, on which a perfect model would have all points.
func (file *File) predictedSVG() template.HTML {
	p := plot{xName: "measured core us per scene", yName: "model", logX: true, logY: true}
	type pair struct {
		measured, model float64 // us
		name            string
	}
	var all []pair
	for _, sweep := range file.Sweeps {
		for _, axis := range axes {
			if axis.name != sweep.Name || !axis.inModel {
				continue
			}
			for _, point := range sweep.Points {
				all = append(all, pair{point.ProcessorTime(), file.Model.PredictedTime(point), fmt.Sprintf("%s %g", sweep.Name, point.X)})
			}
		}
	}
	for _, pair := range all {
		p.xs = append(p.xs, pair.measured, pair.model)
		p.ys = append(p.ys, pair.measured, pair.model)
	}
	ends := []float64{slices.Min(p.xs), slices.Max(p.xs)}
	p.line("roof", ends, ends) // the diagonal, in the style of a roof
	for _, pair := range all {
		p.dot(pair.measured, pair.model, 0, 0, fmt.Sprintf("%s: measured %.1f us, model %.1f us", pair.name, pair.measured, pair.model))
	}
	return p.svg()
}
