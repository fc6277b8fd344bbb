package diagram

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"plumb/render/sheet"

	"plumb/render/font"
)

// Piece is a piece of an answer in the picture.
type Piece struct {
	Loop      sheet.Loop
	Name      string // written on it, "" for nothing
	Distorted bool   // its shape is not that of its type
}

// The answer's picture.
const (
	answerSide = 640 // px, width and height
	answerRoom = 64  // px at the bottom for the legend
	answerEdge = 24  // px of margin
)

var (
	targetColor = color.NRGBA{0xe4, 0xe4, 0xe4, 255}
	pieceColor  = color.NRGBA{0x5b, 0x8d, 0xd6, 170}
	gapColor    = color.NRGBA{0xf2, 0xb1, 0x34, 255}
	spillColor  = color.NRGBA{0x8e, 0x5b, 0xc4, 255}
	errorColor  = color.NRGBA{0xd6, 0x27, 0x28, 255}
	seamColor   = color.NRGBA{0x1f, 0x3f, 0x70, 255}
)

const (
	spillOpacity = 0.8
	errorOpacity = 0.9
	nameSize     = 16 // of names and of the legend's squares and texts, px
)

// Answer draws the tangram pieces of an answer over their target and marks the faults: overlaps
// (red), parts of the target that stay open (orange), parts outside of it (purple), and distorted
// pieces (red outline). Pieces are filled by the even-odd rule, see docs/spec/tangram.md#r33.
// Without target and pieces the picture has only the legend.
func Answer(target sheet.Loop, pieces []Piece) (*image.NRGBA, error) {
	writer, err := sheet.NewWriter(font.Style{Family: font.Sans})
	if err != nil {
		return nil, err
	}
	all := []sheet.Loop{target}
	for _, piece := range pieces {
		all = append(all, piece.Loop)
	}
	// The areas by what is wrong with them, then the outlines and the names.
	picture := sheet.New(answerSide, answerSide, white)
	toPicture := fitView(all)
	paintAreas(picture, toPicture, target, pieces)
	if len(target) > 0 {
		picture.Stroke(black, 2.5, toPicture.loop(target))
	}
	for _, piece := range pieces {
		tone, width := seamColor, 1.2
		if piece.Distorted {
			tone, width = errorColor, 3
		}
		picture.Stroke(tone, width, toPicture.loop(piece.Loop))
	}
	for _, piece := range pieces {
		if err := writeName(picture, writer, toPicture, piece); err != nil {
			return nil, err
		}
	}
	return picture.NRGBA, writeLegend(picture, writer)
}

// Axes returns where Answer draws the origin of the plane of a tangram, in px, and how many px it
// draws for a unit; y grows upwards.
func Axes(target sheet.Loop, pieces []Piece) (origin sheet.Point, unit float64) {
	all := []sheet.Loop{target}
	for _, p := range pieces {
		all = append(all, p.Loop)
	}
	v := fitView(all)
	return v.point(sheet.Point{}), v.scale
}

// fitView returns the map from the plane to the picture of a tangram answer that shows all loops
// above the legend, as large as fits.
func fitView(all []sheet.Loop) view {
	x0, y0, x1, y1 := sheet.Bounds(all...)
	const wide, high = answerSide - 2*answerEdge, answerSide - answerRoom - 2*answerEdge
	v := view{scale: 1, centre: boxCentre(all...), to: sheet.Pt(answerSide/2, answerEdge+high/2)}
	if x1 > x0 || y1 > y0 {
		v.scale = math.Min(wide/math.Max(x1-x0, 1e-9), high/math.Max(y1-y0, 1e-9)) // 1e-9: no division by 0
	}
	return v
}

// paintAreas paints each pixel of a tangram picture by how often pieces cover it and how much of it
// the target covers, both as sums of covered shares of the pixel. One colour after another is blended
// in by its share: target, gap, piece, part outside, overlap. So the picture agrees with the measured
// areas.
func paintAreas(picture *sheet.Sheet, toPicture view, target sheet.Loop, pieces []Piece) {
	width, height := picture.Rect.Dx(), picture.Rect.Dy()
	coverCount := make([]float64, width*height)
	for _, p := range pieces {
		cover := picture.Cover()
		cover.Add(toPicture.loop(p.Loop))
		cover.Each(func(x, y int, winding float64) { coverCount[y*width+x] += sheet.EvenOdd(winding) })
	}
	targetCover := make([]float64, width*height)
	cover := picture.Cover()
	cover.Add(toPicture.loop(target))
	cover.Each(func(x, y int, winding float64) { targetCover[y*width+x] = sheet.NonZero(winding) })
	for i := range coverCount {
		x, y := i%width, i/width
		once := min(coverCount[i], 1) // the share that at least one piece covers, nearly
		picture.Blend(x, y, targetColor, targetCover[i])
		if len(target) > 0 && len(pieces) > 0 {
			picture.Blend(x, y, gapColor, max(targetCover[i]-once, 0))
		}
		picture.Blend(x, y, pieceColor, once)
		if len(target) > 0 {
			picture.Blend(x, y, spillColor, max(once-targetCover[i], 0)*spillOpacity)
		}
		picture.Blend(x, y, errorColor, min(max(coverCount[i]-1, 0), 1)*errorOpacity)
	}
}

// writeName writes the name of a tangram piece at the mean of its vertices: "?" if the font lacks
// its characters, nothing if the name is too long.
func writeName(picture *sheet.Sheet, writer *sheet.Writer, toPicture view, piece Piece) error {
	if piece.Name == "" || len(piece.Loop) == 0 {
		return nil
	}
	centre := sheet.Point{}
	for _, q := range toPicture.loop(piece.Loop) {
		centre.X, centre.Y = centre.X+q.X/float64(len(piece.Loop)), centre.Y+q.Y/float64(len(piece.Loop))
	}
	line, err := writer.Line(piece.Name, nameSize)
	if err != nil {
		line, err = writer.Line("?", nameSize) // the font may lack characters of a name
	}
	if err != nil {
		return err
	}
	const maxWidth = 80 // px; longer names would cover the picture
	if line.Width > maxWidth {
		return nil
	}
	picture.Write(black, line, centre.X-line.Width/2, centre.Y+writer.Caps*(nameSize/2)) // capitals are centred
	return nil
}

// writeLegend explains the colours of the faults in the picture of an answer.
func writeLegend(s *sheet.Sheet, writer *sheet.Writer) error {
	entries := []struct {
		tone color.NRGBA
		text string
	}{{pieceColor, "piece"}, {errorColor, "overlap, distorted"}, {gapColor, "gap"}, {spillColor, "outside"}}
	// A square for each colour, its text 24 px to the right, 28 px to the next entry.
	const half = nameSize / 2
	x, y := float64(answerEdge), float64(answerSide-answerRoom/2)
	for _, entry := range entries {
		s.Fill(entry.tone, sheet.Box(x, y-half, x+nameSize, y+half))
		line, err := writer.Line(entry.text, nameSize)
		if err != nil {
			return fmt.Errorf("cannot write legend: %w", err)
		}
		s.Write(black, line, x+24, y+writer.Caps*half)
		x += 24 + line.Width + 28
	}
	return nil
}
