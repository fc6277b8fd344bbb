package main

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
)

// figures is a line that plumb render --compare writes of a scene. Centre is in px, Mass is relative,
// AlphaMean and ColourMean are in 1/255, AlphaWithin and ColourWithin are shares of pixels within 2/255.
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

// missed returns the bars that the picture of a scene misses, each with the scene's value. A bar says how
// much a picture may differ from the editor's in one figure, such as the position of the centre of mass.
// The numbers are those of docs/spec/raster.md#r36.
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

// tally counts scenes: those drawn natively; of these, those below a bar, a line each; those that plumb refuses
// to draw natively, by reason; those without a picture of the editor; and those that both refuse.
type tally struct {
	native, withoutPicture, refusedByBoth int
	below                                 []string
	refused                               map[string]int
}

// shapeNames matches the names of shapes in reasons.
var shapeNames = regexp.MustCompile(` of shape "[^"]*" \([a-z]+\)|shape "[^"]*" `)

// add counts a scene: as failed; as drawn by neither plumb nor the editor; as one that plumb refuses to draw
// natively, by the reason; or as drawn natively. A native one that differs too much from the editor's
// picture is listed. Reasons are counted without the names of shapes, so that equal ones are counted
// together.
func (tally *tally) add(figures *figures) {
	switch {
	case figures.Error != nil:
		tally.withoutPicture++
	case !figures.Native && figures.Unpictured:
		tally.refusedByBoth++
	case !figures.Native:
		if tally.refused == nil {
			tally.refused = map[string]int{}
		}
		reason := strings.TrimSuffix(strings.TrimPrefix(figures.Reason, "cannot draw "), ": not drawn natively")
		tally.refused[shapeNames.ReplaceAllString(reason, "")]++
	default:
		tally.native++
		if bars := figures.missed(); len(bars) > 0 {
			tally.below = append(tally.below, "below: "+figures.ID+": "+strings.Join(bars, ", "))
		}
	}
}

// total returns one line of text: how many scenes differ too much from the editor's picture, how many were
// drawn natively, and how many have no picture of the editor.
func (tally *tally) total() string {
	refused := 0
	for _, n := range tally.refused {
		refused += n
	}
	nativePercent := 100 * float64(tally.native) / float64(max(1, tally.native+refused)) // of the scenes that the editor draws
	return fmt.Sprintf("below a bar: %d of %d scenes drawn natively; native share %.2f %%; %d without a picture of the editor, %d refused that it does not draw either",
		len(tally.below), tally.native, nativePercent, tally.withoutPicture, tally.refusedByBoth)
}

// String returns the counts, then a line for each scene that differs too much from the editor's picture,
// and one for each reason for which plumb refused scenes, the most frequent reason first.
func (tally *tally) String() string {
	var text strings.Builder
	fmt.Fprintln(&text, tally.total())
	for _, line := range tally.below {
		fmt.Fprintln(&text, line)
	}
	mostFirst := func(x, y string) int { return cmp.Or(tally.refused[y]-tally.refused[x], strings.Compare(x, y)) }
	for _, reason := range slices.SortedFunc(maps.Keys(tally.refused), mostFirst) {
		fmt.Fprintf(&text, "refused: %3d %s\n", tally.refused[reason], reason)
	}
	return text.String()
}
