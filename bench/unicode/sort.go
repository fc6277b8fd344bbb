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
	w          float64
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

// styles returns the four fonts in their plain style, or in their bold and italic ones.
func styles(marked bool) (list []style) {
	for f := range fontNames {
		s := style{font: scene.Font(f)}
		if marked {
			list = append(list, style{s.font, true, false}, style{s.font, false, true}, style{s.font, true, true})
		} else {
			list = append(list, s)
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

// sort lays out every character in every style and place with plumb, and divides them into native ones
// and refused ones. Rows, one style at one place each, are sorted at the same time.
func (sweep *sweep) sort() (*result, error) {
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
			l := text.New(library.NewSet())
			for k := range rows {
				r := sweep.sortRow(l, k)
				mu.Lock()
				all.add(r)
				mu.Unlock()
			}
		})
	}
	for _, st := range sweep.styles {
		for p := range places {
			rows <- row{st, p}
		}
	}
	close(rows)
	wg.Wait()
	return all, nil
}

// add adds the counts and lists of o, which are of another row of characters.
func (result *result) add(o *result) {
	result.native = append(result.native, o.native...)
	result.unnamed = append(result.unnamed, o.unnamed...)
	maps.Copy(result.refused, o.refused)
	for why, n := range o.reasons {
		result.reasons[why] += n
	}
}

// sortRow lays out every character in one style at one place. A character that plumb does not draw as
// the editor does is refused; the reason is counted if the error names the character, else the error
// is kept as unnamed.
func (sweep *sweep) sortRow(layouter *text.Layouter, k row) *result {
	r := &result{refused: map[row]int{}, reasons: map[string]int{}}
	span := []scene.Span{{Bold: k.style.bold, Italic: k.style.italic}}
	rich := &scene.RichText{Blocks: []scene.Block{{Spans: span}}}
	shape := &scene.Shape{Kind: scene.Text, Font: k.style.font, Size: scene.SizeM, Scale: 1, Rich: rich, Auto: places[k.place].w == 0, W: places[k.place].w}
	var out text.Layout
	for c := sweep.first; c <= sweep.last; c++ {
		if c >= 0xD800 && c <= 0xDFFF { // surrogates are no characters
			continue
		}
		one := sample{k, c}
		span[0].Text = one.text()
		err := layouter.Text(&out, shape)
		if err == nil {
			r.native = append(r.native, one)
			continue
		}
		r.refused[k]++
		why := err.Error()
		var foreign *font.ForeignError
		switch {
		case errors.As(err, &foreign) && foreign.Rune == c:
			r.reasons[foreign.Why]++
		case c == 0xAD && strings.Contains(why, "soft hyphen"):
			r.reasons[why]++
		default:
			r.unnamed = append(r.unnamed, fmt.Sprintf("%v: %s", one, why))
		}
	}
	return r
}
