package main

import (
	"errors"
	"fmt"
	"maps"
	"runtime"
	"strings"
	"sync"

	"plumb/render/font"
	"plumb/render/scene"
	"plumb/render/text"
)

// places are where each character stands in a text shape: the text, with * for the character, and
// the width of the shape in px, 0 for one that fits the text. The words of the last one are wider
// than the shape, so that lines end beside the character and within its word.
var places = []struct {
	name, text string
	width      float64
}{
	{"alone", "*", 0}, {"between letters", "a*b", 0}, {"line start", "*ab", 0}, {"line end", "ab*", 0},
	{"wrapped", "ab*ab ab* *ab", 64},
}

// style is a font and a cut of it.
type style struct {
	font         scene.Font
	bold, italic bool
}

var fontNames = [...]string{scene.FontDraw: "draw", scene.FontSans: "sans", scene.FontSerif: "serif", scene.FontMono: "mono"}

// String returns the name of the style's font and cut, such as "sans bold".
func (style style) String() string {
	name := fontNames[style.font]
	if style.bold {
		name += " bold"
	}
	if style.italic {
		name += " italic"
	}
	return name
}

// styles returns the styles in which characters are drawn: the four fonts of the editor in their normal cut,
// or if marked is true, each font in bold, italic, and both.
func styles(marked bool) (list []style) {
	for i := range fontNames {
		font := scene.Font(i)
		if marked {
			list = append(list, style{font: font, bold: true}, style{font: font, italic: true}, style{font: font, bold: true, italic: true})
		} else {
			list = append(list, style{font: font})
		}
	}
	return list
}

// sample is a character in a style at a place.
type sample struct {
	row
	c rune
}

func (sample sample) String() string {
	return fmt.Sprintf("U+%04X %q in %s, %s", sample.c, sample.c, sample.style, places[sample.place].name)
}

// text returns the sample's text.
func (sample sample) text() string {
	return strings.ReplaceAll(places[sample.place].text, "*", string(sample.c))
}

// row is a row of the table.
type row struct {
	style style
	place int
}

// result counts the characters of some rows by how they are drawn, or why they are refused.
type result struct {
	native  []sample
	refused map[row]int
	reasons map[string]int
	unnamed []string // refused, but not by the character's name
}

// classify lays out every character of Unicode in every style (font and cut) and at every place in a text, and
// divides the characters into those that plumb draws natively and those that it refuses. A row is one style
// at one place; several rows are classified at the same time.
func (sweep *sweep) classify() (*result, error) {
	library, err := font.Default()
	if err != nil {
		return nil, err
	}
	rows := make(chan row)
	var wg sync.WaitGroup
	var mu sync.Mutex
	all := &result{refused: map[row]int{}, reasons: map[string]int{}}
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			layouter := text.New(library.NewSet())
			for row := range rows {
				classified := sweep.classifyRow(layouter, row)
				mu.Lock()
				all.add(classified)
				mu.Unlock()
			}
		})
	}
	for _, style := range sweep.styles {
		for place := range places {
			rows <- row{style, place}
		}
	}
	close(rows)
	wg.Wait()
	return all, nil
}

// add adds the characters of another row, which is one style at one place in a text, to the result: those
// that are drawn natively, and how many were refused for which reasons.
func (result *result) add(ofRow *result) {
	result.native = append(result.native, ofRow.native...)
	result.unnamed = append(result.unnamed, ofRow.unnamed...)
	maps.Copy(result.refused, ofRow.refused)
	for why, n := range ofRow.reasons {
		result.reasons[why] += n
	}
}

// classifyRow lays out every character in one row: in one style, at one place in a text. A character that plumb
// does not draw as the editor does is refused by an error. If the error names the character, its reason is
// counted; otherwise the whole error is kept as unnamed, which is a fault.
func (sweep *sweep) classifyRow(layouter *text.Layouter, at row) *result {
	classified := &result{refused: map[row]int{}, reasons: map[string]int{}}
	span := []scene.Span{{Bold: at.style.bold, Italic: at.style.italic}}
	rich := &scene.RichText{Blocks: []scene.Block{{Spans: span}}}
	width := places[at.place].width
	fitsText := width == 0 // the shape is as wide as its text
	shape := &scene.Shape{Kind: scene.Text, Font: at.style.font, Size: scene.SizeM, Scale: 1, Rich: rich, Auto: fitsText, W: width}
	var notUsed text.Layout
	for c := sweep.first; c <= sweep.last; c++ {
		if c >= 0xD800 && c <= 0xDFFF { // surrogates are no characters
			continue
		}
		const softHyphen = 0xAD
		character := sample{at, c}
		span[0].Text = character.text()
		err := layouter.Text(&notUsed, shape) // shape shows span[0]
		if err == nil {
			classified.native = append(classified.native, character)
			continue
		}
		classified.refused[at]++
		why := err.Error()
		var foreign *font.ForeignError
		switch {
		case errors.As(err, &foreign) && foreign.Rune == c:
			classified.reasons[foreign.Why]++
		case c == softHyphen && strings.Contains(why, "soft hyphen"):
			classified.reasons[why]++
		default:
			classified.unnamed = append(classified.unnamed, fmt.Sprintf("%v: %s", character, why))
		}
	}
	return classified
}
