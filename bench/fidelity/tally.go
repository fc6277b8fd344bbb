package main

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
)

// figures is a line that plumb render --compare writes of a scene. Centre is in px, mass and covered
// are relative, means are in 1/255, Within is the share of pixels within 2/255.
type figures struct {
	ID           string
	Native       bool
	Reason       string
	Error        *struct{ Message string }
	Unpictured   bool    `json:"-"` // refused, and the editor has no picture either
	AlphaWithin  float64 `json:"alpha_within"`
	AlphaMean    float64 `json:"alpha_mean"`
	ColourWithin float64 `json:"colour_within"`
	ColourMean   float64 `json:"colour_mean"`
	Mass         float64
	Centre       float64
}

// missed names the bars of docs/spec/raster.md#r36 that a scene misses.
func (f *figures) missed() []string {
	var names []string
	for _, bar := range []struct {
		name   string
		missed bool
		value  float64
	}{
		{"alpha_within", f.AlphaWithin < 0.97, f.AlphaWithin},
		{"alpha_mean", f.AlphaMean > 0.8, f.AlphaMean},
		{"mass", math.Abs(f.Mass) > 0.01, f.Mass},
		{"centre", f.Centre > 0.3, f.Centre},
		{"colour_within", f.ColourWithin < 0.97, f.ColourWithin},
		{"colour_mean", f.ColourMean > 0.8, f.ColourMean},
	} {
		if bar.missed {
			names = append(names, fmt.Sprintf("%s %.4f", bar.name, bar.value))
		}
	}
	return names
}

// tally counts scenes: drawn natively, below a bar, refused by reason, without a picture of the editor,
// and refused without one.
type tally struct {
	native, failed, absent int
	below                  []string
	refused                map[string]int
}

// named matches the names of shapes in reasons.
var named = regexp.MustCompile(` of shape "[^"]*" \([a-z]+\)|shape "[^"]*" `)

// add counts a scene as failed, refused for a reason without the names of shapes, or native. A native one
// that misses a bar is listed.
func (t *tally) add(f *figures) {
	switch {
	case f.Error != nil:
		t.failed++
	case !f.Native && f.Unpictured:
		t.absent++
	case !f.Native:
		if t.refused == nil {
			t.refused = map[string]int{}
		}
		reason := strings.TrimSuffix(strings.TrimPrefix(f.Reason, "cannot draw "), ": not drawn natively")
		t.refused[named.ReplaceAllString(reason, "")]++
	default:
		t.native++
		if m := f.missed(); len(m) > 0 {
			t.below = append(t.below, "below: "+f.ID+": "+strings.Join(m, ", "))
		}
	}
}

// total returns the counts in one line.
func (t *tally) total() string {
	refused := 0
	for _, n := range t.refused {
		refused += n
	}
	return fmt.Sprintf("below a bar: %d of %d scenes drawn natively; native share %.2f %%; %d without a picture of the editor, %d refused that it does not draw either",
		len(t.below), t.native, 100*float64(t.native)/float64(max(1, t.native+refused)), t.failed, t.absent)
}

// String returns the counts, a line for each scene below a bar and one for each reason of a refusal.
func (t *tally) String() string {
	var b strings.Builder
	fmt.Fprintln(&b, t.total())
	for _, line := range t.below {
		fmt.Fprintln(&b, line)
	}
	for _, reason := range slices.SortedFunc(maps.Keys(t.refused), func(x, y string) int {
		if d := t.refused[y] - t.refused[x]; d != 0 {
			return d
		}
		return strings.Compare(x, y)
	}) {
		fmt.Fprintf(&b, "refused: %3d %s\n", t.refused[reason], reason)
	}
	return b.String()
}
