package load

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
)

// percentiles are those that are shown.
var percentiles = []float64{50, 90, 99, 99.9, 100}

// Table writes results as a table with one row per step, which is a load that was sent for some time: a
// number of clients or a rate. The columns are the load, answers of status 200 per second and in all,
// the numbers of other answers by status code, requests that were sent late (behind), and latencies.
func Table(w io.Writer, all []Result) error {
	writer := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(writer, "load\tanswers/s\tok\tothers\tbehind\t")
	for _, p := range percentiles {
		fmt.Fprintf(writer, "p%g ms\t", p)
	}
	fmt.Fprintln(writer)
	for i := range all {
		result := &all[i]
		var others []string
		for _, code := range slices.Sorted(maps.Keys(result.Codes)) {
			if code != "200" {
				others = append(others, fmt.Sprintf("%s:%d", code, result.Codes[code]))
			}
		}
		if others == nil {
			others = []string{"0"}
		}
		fmt.Fprintf(writer, "%s\t%.1f\t%d\t%s\t%d\t", result.Step, result.Throughput(), result.OK, strings.Join(others, " "), result.Behind)
		for _, p := range percentiles {
			fmt.Fprintf(writer, "%.2f\t", result.Percentile(p))
		}
		fmt.Fprintln(writer)
	}
	return writer.Flush()
}

// JSON writes the result of each step as one line of JSON: the load, numbers of answers, and
// percentiles of their latencies in milliseconds.
func JSON(w io.Writer, all []Result) error {
	for i := range all {
		result := &all[i]
		members := map[string]any{"codes": result.Codes, "ok": result.OK, "behind": result.Behind, "seconds": result.Took.Seconds(), "per_second": result.Throughput()}
		if result.Step.Rate > 0 {
			members["rate"] = result.Step.Rate
		} else {
			members["clients"] = result.Step.Clients
		}
		for _, p := range percentiles {
			members[fmt.Sprintf("p%g_ms", p)] = result.Percentile(p)
		}
		out, err := json.Marshal(members)
		if err != nil {
			return err
		}
		if _, err := w.Write(append(out, '\n')); err != nil {
			return err
		}
	}
	return nil
}

// Plot draws how latencies grow with the load: for each percentile a line over the answers per second of
// the steps. Steps with a rate and steps with clients have lines of their own. The ending of path, .png or
// .svg, says which kind of picture is written.
func Plot(path string, all []Result) error {
	if kind := strings.ToLower(filepath.Ext(path)); kind != ".png" && kind != ".svg" {
		return fmt.Errorf("cannot write plot %s: want a name that ends with .png or .svg", path)
	}
	p := plot.New()
	p.Title.Text = "Latency under load"
	p.X.Label.Text, p.Y.Label.Text = "answers per second", "latency, ms"
	p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1} // -1: as many digits as a number needs
	p.Legend.Top, p.Legend.Left = true, true
	p.Add(plotter.NewGrid())
	var series []any
	for _, kind := range []string{"clients", "rate"} { // a line joins loads of one kind
		for _, percentile := range percentiles[:len(percentiles)-1] { // without the largest latency, which is a single answer
			if points := curve(all, kind == "rate", percentile); points != nil {
				series = append(series, fmt.Sprintf("p%g, %s", percentile, kind), points)
			}
		}
	}
	if series == nil {
		return fmt.Errorf("cannot write plot %s: no step has an answer", path)
	}
	if err := plotutil.AddLinePoints(p, series...); err != nil {
		return fmt.Errorf("cannot write plot: %w", err)
	}
	if err := p.Save(18*vg.Centimeter, 12*vg.Centimeter, path); err != nil {
		return fmt.Errorf("cannot write plot: %w", err)
	}
	return nil
}

// curve returns the points of a line in the plot of latencies, by answers per second: a percentile of the
// latencies, in ms, of each step with a rate, or if ofRates is false of each step with clients. Steps
// without an answer have no point.
func curve(all []Result, ofRates bool, percentile float64) (points plotter.XYs) {
	const least = 0.001 // ms; the axis of latencies is logarithmic and has no 0
	for i := range all {
		hasRate := all[i].Step.Rate > 0
		if all[i].OK > 0 && hasRate == ofRates {
			points = append(points, plotter.XY{X: all[i].Throughput(), Y: max(all[i].Percentile(percentile), least)})
		}
	}
	slices.SortStableFunc(points, func(a, b plotter.XY) int { return cmp.Compare(a.X, b.X) })
	return points
}
