package compare

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// Summary collects the figures of many scenes. The zero value is empty.
type Summary struct {
	Scenes  []Figures           // of those drawn natively
	Foreign int                 // scenes with something that is not native
	Failed  int                 // scenes without a comparison for another reason
	parts   map[string]*feature // by the name of the feature
	added   int                 // scenes that were added so far
}

// feature collects the figures of all shapes with one property. Each list has a figure of each shape.
type feature struct {
	within    []float64 // share of the pixels around the shape whose alpha is nearly the editor's
	mean      []float64 // mean error of their alpha
	colour    []float64 // share of the pixels whose colours are nearly the editor's
	scenes    int       // how many scenes have such a shape
	lastScene int       // the number of the last one, so that none counts twice
}

// Add adds a natively drawn scene to the summary of a comparison: its figures, and for each feature of
// its shapes, such as a dash, the figures of the shapes that have it. A scene counts once for a
// feature, however many of its shapes have it.
func (summary *Summary) Add(f *Figures, parts []Part) {
	summary.Scenes = append(summary.Scenes, *f)
	summary.added++
	if summary.parts == nil {
		summary.parts = map[string]*feature{}
	}
	for _, part := range parts {
		ofFeature := summary.parts[part.Feature]
		if ofFeature == nil {
			ofFeature = new(feature)
			summary.parts[part.Feature] = ofFeature
		}
		ofFeature.within = append(ofFeature.within, part.Within)
		ofFeature.mean = append(ofFeature.mean, part.Mean)
		ofFeature.colour = append(ofFeature.colour, part.ColourWithin)
		if ofFeature.lastScene != summary.added { // the first shape of this scene with the feature
			ofFeature.lastScene = summary.added
			ofFeature.scenes++
		}
	}
}

// NativeShare returns which share of the scenes, 0 to 1, is drawn natively. Scenes that failed for another
// reason do not count. Without scenes it is 1.
func (summary *Summary) NativeShare() float64 {
	if n := len(summary.Scenes) + summary.Foreign; n > 0 {
		return float64(len(summary.Scenes)) / float64(n)
	}
	return 1
}

// Row is the distribution of one figure over scenes. Missed counts those that do
// not reach Bar.
type Row struct {
	Name                  string
	Median, Tail, Extreme float64 // Tail: 95 % of the scenes are at least as good
	Bar                   float64
	Missed, N             int
}

// Rows returns the distribution of each figure over the scenes, without figures that no
// scene has. Errors are absolute. A row has the median, the value that 95 % of the scenes
// reach, the worst value, and how many scenes miss the bar.
func (summary *Summary) Rows() []Row {
	rows := []Row{}
	// add adds the row of a figure with its bar, 0 for none. The function figure returns the value of a scene,
	// or false if the scene has none.
	add := func(name string, bar float64, higherIsBetter bool, figure func(*Figures) (float64, bool)) {
		var values []float64
		row := Row{Name: name, Bar: bar}
		for i := range summary.Scenes {
			x, ok := figure(&summary.Scenes[i])
			if !ok {
				continue
			}
			values = append(values, x)
			if bar != 0 && (higherIsBetter && x < bar || !higherIsBetter && x > bar) {
				row.Missed++
			}
		}
		row.N = len(values)
		if row.N == 0 {
			return
		}
		slices.Sort(values)
		if higherIsBetter { // the best first
			slices.Reverse(values)
		}
		row.Median, row.Tail, row.Extreme = values[len(values)/2], values[tailIndex(len(values))], values[len(values)-1]
		rows = append(rows, row)
	}
	// Figures that every scene has, and those of scenes with colours alone.
	always := func(figure func(*Figures) float64) func(*Figures) (float64, bool) {
		return func(f *Figures) (float64, bool) { return figure(f), true }
	}
	colours := func(figure func(*Figures) float64) func(*Figures) (float64, bool) {
		return func(f *Figures) (float64, bool) { return figure(f), f.Colours }
	}
	add("alpha_within", Bars.Within, true, always(func(f *Figures) float64 { return f.Within }))
	add("alpha_mean", Bars.Mean, false, always(func(f *Figures) float64 { return f.Mean }))
	add("mass", Bars.Mass, false, always(func(f *Figures) float64 { return math.Abs(f.Mass) }))
	add("centre", Bars.Centre, false, always(func(f *Figures) float64 { return f.Centre }))
	add("covered", 0, false, always(func(f *Figures) float64 { return math.Abs(f.Covered) }))
	add("colour_within", Bars.Within, true, colours(func(f *Figures) float64 { return f.ColourWithin }))
	add("colour_mean", Bars.Mean, false, colours(func(f *Figures) float64 { return f.ColourMean }))
	return rows
}

// tailIndex returns the index, in a list of n values from the best to the worst, of the value that 95 % of
// them reach.
func tailIndex(n int) int { return min(n-1, n*95/100) }

// FeatureRow holds the figures over all shapes with one feature.
type FeatureRow struct {
	Name                      string
	Shapes, Scenes            int
	Within, WithinWorst       float64 // median and worst share of pixels within 2
	Mean, MeanTail, MeanWorst float64 // median, 95 %, worst mean error
	Colour, ColourWorst       float64 // median and worst share of pixels with colours within 2
}

// Severity is the largest median error in units of its bar, as that of Figures.
func (r *FeatureRow) Severity() float64 {
	return max((1-r.Within)/(1-Bars.Within), r.Mean/Bars.Mean, (1-r.Colour)/(1-Bars.Within))
}

// Features returns a row for each feature of shapes, such as a dash or a font, with the median and the
// worst figures of the shapes that have it. The features whose pictures differ most from the editor's
// come first.
func (summary *Summary) Features() []FeatureRow {
	rows := []FeatureRow{}
	// Of the shares of equal pixels the lowest is the worst, of the mean errors the highest.
	for name, feature := range summary.parts {
		slices.Sort(feature.within)
		slices.Sort(feature.mean)
		slices.Sort(feature.colour)
		n := len(feature.mean)
		rows = append(rows, FeatureRow{Name: name, Shapes: n, Scenes: feature.scenes,
			Within: feature.within[n/2], WithinWorst: feature.within[0],
			Mean: feature.mean[n/2], MeanTail: feature.mean[tailIndex(n)], MeanWorst: feature.mean[n-1],
			Colour: feature.colour[n/2], ColourWorst: feature.colour[0]})
	}
	slices.SortFunc(rows, func(a, b FeatureRow) int {
		return cmp.Or(cmp.Compare(b.Severity(), a.Severity()), cmp.Compare(b.Mean, a.Mean),
			strings.Compare(a.Name, b.Name))
	})
	return rows
}
