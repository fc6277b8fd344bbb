package text

import (
	"strconv"

	"plumb/render/scene"
)

// Paddings of lists in advances of '0'. Those of lists with numbers depend on how many items
// they have. See docs/spec/drawing.md#r52.
const (
	listPadding            = 3.25
	listPaddingTwoDigits   = 4.25
	listPaddingThreeDigits = 5.25
)

// bulletGap is what the browser leaves between a bullet's box and the text, and
// bulletMargin the room on each side of the bullet in its box, px.
const (
	bulletGap    = 7
	bulletMargin = 1
)

// setListIndent sets l.inList and l.indent for the paragraph rich.Blocks[at]: whether it is in a list, and
// the indent of its lines in px, which is the sum of the paddings of the lists around it. The padding of a
// numbered list depends on how many items it has, as larger numbers need more room.
func (l *Layouter) setListIndent(rich *scene.RichText, at int) {
	l.indent, l.inList = 0, rich.Blocks[at].Depth > 0
	if !l.inList {
		return
	}
	width := l.plainFace.ZeroWidth(l.spec.Size)
	for depth := rich.Blocks[at].Depth; depth > 0; depth-- {
		// An outer list is found at its last paragraph before this one: every
		// item begins with a paragraph of its own.
		i := at
		for i > 0 && rich.Blocks[i].Depth > depth {
			i--
		}
		padding := listPadding
		switch list := &rich.Blocks[i]; {
		case !list.Ordered:
		case list.Items >= 100:
			padding = listPaddingThreeDigits
		case list.Items >= 10:
			padding = listPaddingTwoDigits
		}
		l.indent += floorToLayoutUnit(padding * width)
	}
}

// addMarker adds the bullet or number of a list item to the left of its first line, number line in
// the layout. The marker's box ends where the text begins. Paragraphs that do not begin a list item
// get none.
func (l *Layouter) addMarker(b *scene.Block, line int) error {
	switch {
	case b.Depth == 0:
		return nil
	case b.Bullet:
		l.addBullet(b, line)
		return nil
	case b.Ordered && b.Number > 0:
		return l.addNumber(b, line)
	}
	return nil
}

// addBullet adds the bullet of a list item to the left of a line. Its size and place follow from
// the font's ascent in whole px, as was observed in the browser for all fonts and sizes. All
// divisions are of whole numbers and round down.
func (l *Layouter) addBullet(b *scene.Block, line int) {
	ascent := int(l.plainFace.Ascent(l.spec.Size))
	box := ascent * 2 / 3          // side of the bullet's box, px
	side := float64((box + 1) / 2) // of the bullet itself: half the box, rounded up
	l.out.Lines[line].markerWidth = side + 2*bulletMargin
	l.out.Dots = append(l.out.Dots, Dot{
		X: l.indent - float64(box+bulletGap),
		Y: l.out.Lines[line].baseline - float64(ascent) + float64(3*(ascent-box)/2),
		W: side, H: side, Kind: DotKind(min(b.Depth-1, int(Square))),
	})
}

// addNumber adds the number of a list item to the left of a line: the run "N. ", in digits of equal
// width.
func (l *Layouter) addNumber(b *scene.Block, line int) error {
	l.text = append(strconv.AppendInt(l.text[:0], int64(b.Number), 10), '.', ' ')
	glyphs, err := l.plainFace.ShapeTabular(l.text)
	if err != nil {
		return err
	}
	width := ceilToLayoutUnit(float64(advance(l.plainFace, glyphs, l.spec.Size)))
	l.out.Lines[line].markerWidth = width
	l.emitRun(l.plainFace, &scene.Span{}, glyphs, -width, width)
	l.out.Runs[len(l.out.Runs)-1].Baseline = l.out.Lines[line].baseline
	return nil
}
