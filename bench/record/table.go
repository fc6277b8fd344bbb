package record

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"plumb/bench/figure"
	"plumb/bench/stage"
)

// Table writes the results of `plumb bench` as text.
func (f *File) Table(w io.Writer) error {
	fmt.Fprintf(w, "plumb %s (%s), %s, %s mode, raster %s, backend %s, %d workers, batches of %d\n", f.Version, f.Commit, f.Date, f.Mode, f.Raster, f.Backend, f.Workers, f.Batch)
	fmt.Fprintf(w, "machine: %d x %s, %s, load %s\n", f.Machine.Cores, f.Machine.CPU, f.Machine.OS, f.Machine.Load)
	if f.Driver != "" {
		fmt.Fprintf(w, "driver: %s\n", f.Driver)
	}
	c := f.Ceilings
	fmt.Fprintf(w, "ceilings: host copy %.1f GB/s (one thread %.1f)", c.HostCopy/1e9, c.HostCopy1/1e9)
	if c.Device != "" {
		fmt.Fprintf(w, "; device %.1f Gop/s, copy %.1f, up %.1f, down %.1f GB/s, empty dispatch %.0f us", c.DeviceOps/1e9, c.DeviceCopy/1e9, c.Up/1e9, c.Down/1e9, c.Dispatch)
	}
	fmt.Fprintln(w)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	if len(f.Classes) > 0 {
		f.rates(t)
		f.stages(t)
	}
	if len(f.Classes) > 0 {
		f.bytes(t)
	}
	f.itemRows(t)
	f.sweepRows(t)
	if err := t.Flush(); err != nil {
		return err
	}
	if m := f.Model; m != nil {
		fmt.Fprintf(w, "\ncore time of a scene: %s; R2 %.4f over %d points\n", m, m.Fit.R2, m.Fit.N)
	}
	return nil
}

// String returns the model as a sum of terms.
func (m *Model) String() string {
	var parts []string
	for i, name := range m.Names {
		parts = append(parts, fmt.Sprintf("%.3g us/%s", m.Fit.Terms[i], name))
	}
	return strings.Join(parts, " + ")
}

// rates prints a row for each class of scenes: scenes per second from end to end, in rendering alone, and
// with tiles that are on the device, core time per scene, and latencies of lone scenes.
func (f *File) rates(t io.Writer) {
	fmt.Fprintln(t, "\n\tscenes/s\tcore us\trender/s\tcore us\tresident/s\tlone p50 us\tp99 us\tsegments\tfailed\t")
	for _, c := range f.Classes {
		e, r := Of(c.EndToEnd, RateOf), Of(c.Render, RateOf)
		resident := 0.0
		for _, d := range c.Device {
			resident = max(resident, d.Resident)
		}
		fmt.Fprintf(t, "%s\t%.0f\t%.0f\t%.0f\t%.0f\t%.0f\t%.0f\t%.0f\t%.0f\t%d\t\n", c.Name, figure.Median(e), figure.Median(Of(c.EndToEnd, CoreOf)),
			figure.Median(r), figure.Median(Of(c.Render, CoreOf)), resident, c.Lone.P50, c.Lone.P99, c.Segments, c.Profile.Failed)
	}
}

// stages writes core time per stage; in brackets the time of the device.
func (f *File) stages(t io.Writer) {
	fmt.Fprint(t, "\ncore us/scene\t")
	for s := range stage.Stages {
		if s != stage.Wait {
			fmt.Fprintf(t, "%v\t", s)
		}
	}
	fmt.Fprint(t, "device time\toverlap\t\n")
	for _, c := range f.Classes {
		fmt.Fprintf(t, "%s\t", c.Name)
		for s := range stage.Stages {
			if s != stage.Wait {
				fmt.Fprintf(t, "%.1f\t", c.Profile.Parts.Core[s.String()])
			}
		}
		fmt.Fprintf(t, "%.1f\t%.0f%%\t\n", c.Profile.Parts.Wall[stage.Device.String()], 100*c.Profile.Parts.Overlap)
	}
}

// bytes prints what a scene of each class costs in bytes and tiles.
func (f *File) bytes(t io.Writer) {
	fmt.Fprintln(t, "\nper scene\tJSON B\tup B\tdown B\tallocs\theap B\tGC\tboundary tiles\titems\trecords\tof compute\tof up copy\tof down copy\t")
	for _, c := range f.Classes {
		p, s := c.Profile, c.Shares
		if len(c.EndToEnd) > 0 {
			p = c.EndToEnd[len(c.EndToEnd)-1]
		}
		fmt.Fprintf(t, "%s\t%.0f\t%.0f\t%.0f\t%.1f\t%.0f\t%.1f%%\t%.0f\t%.0f\t%.0f\t%.0f%%\t%.0f%%\t%.0f%%\t\n", c.Name, p.Bytes, p.Up, p.Down, p.Allocs, p.Heap, 100*p.GC,
			p.Cost.Tiles, p.Cost.Items, p.Cost.Records, 100*s.Compute, 100*s.Copy, 100*s.Back)
	}
}

// named is how many of the slowest items of a class the table names.
const named = 3

// itemRows writes a row per class of items, and its slowest items by id.
func (f *File) itemRows(t io.Writer) {
	if len(f.Items) == 0 {
		return
	}
	fmt.Fprintln(t, "\nitems\tn\tnot scored\titems/s\tcore us\talone p50 us\tp99 us\tdecode\toutline\tgpu\tscore\t")
	for _, c := range f.Items {
		failed := 0
		for _, n := range c.Failed {
			failed += n
		}
		fmt.Fprintf(t, "%s\t%d\t%d\t%.0f\t%.0f\t%.0f\t%.0f\t%.0f\t%.0f\t%.0f\t%.0f\t\n", c.Name, c.Items, failed, figure.Median(c.Rate), figure.Median(c.Core),
			c.P50, c.P99, c.Parts["decode"], c.Parts["outline"], c.Parts["gpu"], c.Parts["score"])
	}
	fmt.Fprintln(t, "\nslowest items\tid\tus\tmost of it in\t")
	for _, c := range f.Items {
		for _, it := range c.Slow[:min(named, len(c.Slow))] {
			part, us := it.Longest()
			fmt.Fprintf(t, "%s\t%s\t%.0f\t%s, %.0f us\t\n", c.Name, it.ID, it.Took, part, us)
		}
	}
}

// sweepRows prints the points of the sweeps with the line fitted to them.
func (f *File) sweepRows(t io.Writer) {
	for _, s := range f.Sweeps {
		fmt.Fprintf(t, "\n%s\tscenes/s\tcore us\tboundary tiles\tsegments\t\n", s.Name)
		for _, p := range s.Points {
			fmt.Fprintf(t, "%g\t%.0f\t%.1f\t%.0f\t%.0f\t\n", p.X, p.Rate(), p.Core(), p.Cost().Tiles, p.Segments)
		}
		if s.Fit != nil {
			fmt.Fprintf(t, "fit\t%.3g us\t+ %.3g us per %s\tR2 %.4f\t\t\n", s.Fit.Terms[0], s.Fit.Terms[1], s.FitX, s.Fit.R2)
		}
	}
}
