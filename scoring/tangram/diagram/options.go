// Package diagram draws the pictures of TangramPuzzle: four silhouettes to choose from, an outline
// with the coordinates of its vertices, and answers over their targets. In: polygons in doubles, y
// up. Out: opaque pictures, the same on every machine; coverage is the exact area. Outlines
// without extent are errors, and so is text without the fonts.
package diagram

import (
	"fmt"
	"image"
	"image/color"
	"plumb/render/sheet"

	"plumb/render/font"
)

// Side is the width and height of the pictures for models, px.
const Side = 1024

const (
	cell      = Side / 2 // px, width and height of the cell of one option
	labelRoom = 64       // px at the top of each cell
	inset     = 32       // px of margin around a silhouette
	capHeight = 32       // px, of the letters
)

var (
	white = color.NRGBA{255, 255, 255, 255}
	black = color.NRGBA{0, 0, 0, 255}
	grey  = color.NRGBA{0x80, 0x80, 0x80, 255}
)

// Options draws the four silhouettes of a tangram item as A to D, filled, all in the largest scale
// in which each fits its cell. A silhouette without extent is an error. See
// docs/spec/tangram.md#r54.
func Options(outlines [4]sheet.Loop) (*image.NRGBA, error) {
	writer, err := sheet.NewWriter(font.Style{Family: font.Sans})
	if err != nil {
		return nil, err
	}
	const boxW, boxH = cell - 2*inset, cell - labelRoom - 2*inset
	// The largest scale in which all fit.
	scale := 0.0
	for i, outline := range outlines {
		x0, y0, x1, y1 := sheet.Bounds(outline)
		if !(x1 > x0 && y1 > y0) {
			return nil, fmt.Errorf("cannot draw option %c: its outline has no extent", 'A'+i)
		}
		if fit := min(boxW/(x1-x0), boxH/(y1-y0)); i == 0 || fit < scale {
			scale = fit
		}
	}
	// Four cells, each with its silhouette and its letter.
	picture := sheet.New(Side, Side, white)
	picture.Fill(grey, sheet.Box(cell-1, 0, cell+1, Side))
	picture.Fill(grey, sheet.Box(0, cell-1, Side, cell+1))
	for i, outline := range outlines {
		left, top := float64(i%2*cell), float64(i/2*cell)
		toCell := view{scale: scale, centre: boxCentre(outline),
			to: sheet.Pt(left+cell/2, top+labelRoom+(cell-labelRoom)/2)}
		picture.Fill(black, toCell.loop(outline))
		label, err := writer.Line(string(rune('A'+i)), capHeight/writer.Caps)
		if err != nil {
			return nil, err
		}
		x0, y0, x1, y1 := sheet.Bounds(label.Loops...)
		picture.Write(black, label, left+cell/2-(x0+x1)/2, top+labelRoom/2-(y0+y1)/2)
	}
	return picture.NRGBA, nil
}

// boxCentre returns the centre of the bounding box of loops.
func boxCentre(loops ...sheet.Loop) sheet.Point {
	x0, y0, x1, y1 := sheet.Bounds(loops...)
	return sheet.Pt((x0+x1)/2, (y0+y1)/2)
}

// view maps the plane, y up, to px, y down.
type view struct {
	scale  float64     // px for a unit
	centre sheet.Point // in the plane
	to     sheet.Point // where it lies in the picture
}

// point maps a point of the plane to the picture.
func (v view) point(p sheet.Point) sheet.Point {
	return sheet.Pt(v.to.X+float64((p.X-v.centre.X)*v.scale), v.to.Y-float64((p.Y-v.centre.Y)*v.scale))
}

// loop maps a polygon of the plane, such as a tangram piece, to px of the picture.
func (v view) loop(l sheet.Loop) sheet.Loop {
	out := make(sheet.Loop, len(l))
	for i, p := range l {
		out[i] = v.point(p)
	}
	return out
}
