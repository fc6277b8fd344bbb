package record

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"plumb/bench/figure"
	"plumb/bench/stage"
	"plumb/scoring/plural"
)

// Table writes the results of `plumb bench` as text: machine and ceilings, then tables of rates,
// stages, bytes, items and sweeps, and the fitted model.
func (file *File) Table(w io.Writer) error {
	fmt.Fprintf(w, "plumb %s (%s), %s, %s mode, raster %s, backend %s, %s, batches of %d\n", file.Version, file.Commit, file.Date, file.Mode, file.Raster, file.Backend, plural.Of(file.Workers, "worker"), file.Batch)
	fmt.Fprintf(w, "machine: %d x %s, %s, load %s\n", file.Machine.Cores, file.Machine.CPU, file.Machine.OS, file.Machine.Load)
	if file.Driver != "" {
		fmt.Fprintf(w, "driver: %s\n", file.Driver)
	}
	c := file.Ceilings
	fmt.Fprintf(w, "ceilings: host copy %.1f GB/s (one thread %.1f)", c.HostCopy/1e9, c.HostCopy1/1e9)
	if c.Device != "" {
		fmt.Fprintf(w, "; device %.1f Gop/s, copy %.1f, up %.1f, down %.1f GB/s, empty dispatch %.0f us", c.DeviceOps/1e9, c.DeviceCopy/1e9, c.UploadRate/1e9, c.ReadBackRate/1e9, c.Dispatch)
	}
	fmt.Fprintln(w)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	if len(file.Classes) > 0 {
		file.rates(table)
		file.stages(table)
		file.bytes(table)
	}
	file.itemRows(table)
	file.sweepRows(table)
	if err := table.Flush(); err != nil {
		return err
	}
	if m := file.Model; m != nil {
		fmt.Fprintf(w, "\ncore time of a scene: %s; R2 %.4f over %s\n", m, m.Fit.R2, plural.Of(m.Fit.N, "point"))
	}
	return nil
}

// String returns the model as a sum of terms, such as "3.2 us/shape + 0.1 us/tile".
func (model *Model) String() string {
	var parts []string
	for i, name := range model.Names {
		parts = append(parts, fmt.Sprintf("%.3g us/%s", model.Fit.Terms[i], name))
	}
	return strings.Join(parts, " + ")
}

// rates prints a row for each class of scenes: scenes per second from JSON to the result line, in rendering
// alone, and by the device alone for tiles that it has already, with the processor time per scene of the
// first two, and the latencies of scenes that come alone.
func (file *File) rates(t io.Writer) {
	fmt.Fprintln(t, "\n\tscenes/s\tcore us\trender/s\tcore us\tresident/s\tlone p50 us\tp99 us\tsegments\tfailed\t")
	for _, class := range file.Classes {
		endToEnd, rendering := Values(class.EndToEnd, RateOf), Values(class.Render, RateOf)
		resident := 0.0
		for _, sample := range class.Device {
			resident = max(resident, sample.ResidentRate)
		}
		fmt.Fprintf(t, "%s\t%.0f\t%.0f\t%.0f\t%.0f\t%.0f\t%.0f\t%.0f\t%.0f\t%d\t\n", class.Name, figure.Median(endToEnd), figure.Median(Values(class.EndToEnd, ProcessorTimeOf)),
			figure.Median(rendering), figure.Median(Values(class.Render, ProcessorTimeOf)), resident, class.Lone.P50, class.Lone.P99, class.Segments, class.Profile.Failed)
	}
}

// stages writes a row for each class of scenes: the processor time per scene of each stage of drawing, then
// the time of the device, and in what share of that the processor worked too. Waiting takes no processor
// time and has no column.
func (file *File) stages(t io.Writer) {
	fmt.Fprint(t, "\ncore us/scene\t")
	for s := range stage.Stages {
		if s != stage.Wait {
			fmt.Fprintf(t, "%v\t", s)
		}
	}
	fmt.Fprint(t, "device time\toverlap\t\n")
	for _, class := range file.Classes {
		fmt.Fprintf(t, "%s\t", class.Name)
		for s := range stage.Stages {
			if s != stage.Wait {
				fmt.Fprintf(t, "%.1f\t", class.Profile.Parts.ProcessorTimes[s.String()])
			}
		}
		fmt.Fprintf(t, "%.1f\t%.0f%%\t\n", class.Profile.Parts.WallTimes[stage.Device.String()], 100*class.Profile.Parts.Overlap)
	}
}

// bytes writes a row for each class of scenes with what one scene costs: bytes that are read and
// moved, allocations, records for the device, and shares of the ceilings.
func (file *File) bytes(t io.Writer) {
	fmt.Fprintln(t, "\nper scene\tJSON B\tup B\tdown B\tallocs\theap B\tGC\tboundary tiles\titems\trecords\tof compute\tof up copy\tof down copy\t")
	for _, class := range file.Classes {
		// The last plain run counts, because the profile allocates for the times that it records. The shares are of
		// the profile, because only that knows the times of the stages.
		sample, shares := class.Profile, class.Shares
		if len(class.EndToEnd) > 0 {
			sample = class.EndToEnd[len(class.EndToEnd)-1]
		}
		fmt.Fprintf(t, "%s\t%.0f\t%.0f\t%.0f\t%.1f\t%.0f\t%.1f%%\t%.0f\t%.0f\t%.0f\t%.0f%%\t%.0f%%\t%.0f%%\t\n", class.Name, sample.JSONBytes, sample.BytesUp, sample.BytesDown, sample.Allocations, sample.HeapBytes, 100*sample.GCShare,
			sample.Cost.Tiles, sample.Cost.Items, sample.Cost.Records, 100*shares.ComputeShare, 100*shares.UploadShare, 100*shares.ReadBackShare)
	}
}

// slowestShown is how many of the slowest items of a class the table names.
const slowestShown = 3

// itemRows writes a row for each class of benchmark items: how many could not be scored, the rate, processor
// time and latencies of scoring, and the times of its main parts. Then it writes the slowest items of each
// class, with the part that took most of the time.
func (file *File) itemRows(t io.Writer) {
	if len(file.Items) == 0 {
		return
	}
	fmt.Fprintln(t, "\nitems\tn\tnot scored\titems/s\tcore us\talone p50 us\tp99 us\tdecode\toutline\tgpu\tscore\t")
	for _, class := range file.Items {
		failed := 0
		for _, n := range class.Failed {
			failed += n
		}
		fmt.Fprintf(t, "%s\t%d\t%d\t%.0f\t%.0f\t%.0f\t%.0f\t%.0f\t%.0f\t%.0f\t%.0f\t\n", class.Name, class.Items, failed, figure.Median(class.Rate), figure.Median(class.Core),
			class.P50, class.P99, class.Parts["decode"], class.Parts["outline"], class.Parts["gpu"], class.Parts["score"])
	}
	fmt.Fprintln(t, "\nslowest items\tid\tus\tmost of it in\t")
	for _, class := range file.Items {
		for _, item := range class.Slow[:min(slowestShown, len(class.Slow))] {
			part, us := item.Longest()
			fmt.Fprintf(t, "%s\t%s\t%.0f\t%s, %.0f us\t\n", class.Name, item.ID, item.Took, part, us)
		}
	}
}

// sweepRows prints a table for each sweep, in which one property of scenes takes several values: a row for
// each value, and the line that was fitted to the processor times.
func (file *File) sweepRows(t io.Writer) {
	for _, sweep := range file.Sweeps {
		fmt.Fprintf(t, "\n%s\tscenes/s\tcore us\tboundary tiles\tsegments\t\n", sweep.Name)
		for _, point := range sweep.Points {
			fmt.Fprintf(t, "%g\t%.0f\t%.1f\t%.0f\t%.0f\t\n", point.X, point.Rate(), point.ProcessorTime(), point.Cost().Tiles, point.Segments)
		}
		if sweep.Fit != nil {
			fmt.Fprintf(t, "fit\t%.3g us\t+ %.3g us per %s\tR2 %.4f\t\t\n", sweep.Fit.Terms[0], sweep.Fit.Terms[1], sweep.FitX, sweep.Fit.R2)
		}
	}
}
