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

// missed returns the bars of docs/spec/raster.md#r36 that a scene's picture misses, each with its
// value. A bar is how much a picture may differ from the editor's in one figure.
func (figures *figures) missed() []string {
	var names []string
	for _, bar := range []struct {
		name   string
		missed bool
		value  float64
	}{
		{"alpha_within", figures.AlphaWithin < 0.97, figures.AlphaWithin},
		{"alpha_mean", figures.AlphaMean > 0.8, figures.AlphaMean},
		{"mass", math.Abs(figures.Mass) > 0.01, figures.Mass},
		{"centre", figures.Centre > 0.3, figures.Centre},
		{"colour_within", figures.ColourWithin < 0.97, figures.ColourWithin},
		{"colour_mean", figures.ColourMean > 0.8, figures.ColourMean},
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
func (tally *tally) add(figures *figures) {
	switch {
	case figures.Error != nil:
		tally.failed++
	case !figures.Native && figures.Unpictured:
		tally.absent++
	case !figures.Native:
		if tally.refused == nil {
			tally.refused = map[string]int{}
		}
		reason := strings.TrimSuffix(strings.TrimPrefix(figures.Reason, "cannot draw "), ": not drawn natively")
		tally.refused[named.ReplaceAllString(reason, "")]++
	default:
		tally.native++
		if m := figures.missed(); len(m) > 0 {
			tally.below = append(tally.below, "below: "+figures.ID+": "+strings.Join(m, ", "))
		}
	}
}

// total returns one line of text with how many scenes miss a bar, how many were drawn natively, and
// how many have no picture of the editor.
func (tally *tally) total() string {
	refused := 0
	for _, n := range tally.refused {
		refused += n
	}
	return fmt.Sprintf("below a bar: %d of %d scenes drawn natively; native share %.2f %%; %d without a picture of the editor, %d refused that it does not draw either",
		len(tally.below), tally.native, 100*float64(tally.native)/float64(max(1, tally.native+refused)), tally.failed, tally.absent)
}

// String returns the counts, a line for each scene below a bar and one for each reason of a refusal.
func (tally *tally) String() string {
	var text strings.Builder
	fmt.Fprintln(&text, tally.total())
	for _, line := range tally.below {
		fmt.Fprintln(&text, line)
	}
	for _, reason := range slices.SortedFunc(maps.Keys(tally.refused), func(x, y string) int {
		if d := tally.refused[y] - tally.refused[x]; d != 0 {
			return d
		}
		return strings.Compare(x, y)
	}) {
		fmt.Fprintf(&text, "refused: %3d %s\n", tally.refused[reason], reason)
	}
	return text.String()
}
