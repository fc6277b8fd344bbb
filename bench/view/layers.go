//go:build view

package main

import (
	"image"
	"image/color"

	"plumb/render"
)

// layer is one picture of a scene in the window.
type layer struct {
	name  string
	paint func(s *shown) *image.RGBA
}

// layers are in the order of their keys.
var layers = []layer{
	{"picture", (*shown).picture},
	{"classes: green plain, orange of two sets, blue full", (*shown).classes},
	{"coverage: alpha as grey", (*shown).coverage},
	{"overdraw: paths per tile", (*shown).overdraw},
	{"cost: records per tile", (*shown).cost},
}

// shown is a scene with its pictures and the costs of its tiles.
type shown struct {
	id    string
	image *image.NRGBA
	tiles []render.TileInfo
}

// picture returns the scene over a checkerboard, which shows where it is transparent.
func (s *shown) picture() *image.RGBA {
	return s.onGround(func(x, y int) color.RGBA { return checkerboard(x, y) })
}

// The checkerboard behind pictures has squares of squarePx px, white and light grey.
const squarePx = 16

var (
	whiteSquare = color.RGBA{255, 255, 255, 255}
	greySquare  = color.RGBA{236, 236, 236, 255}
)

// checkerboard returns the colour of the ground at (x, y) px of the window: white and grey squares in turn,
// through which transparent parts of a picture are seen.
func checkerboard(x, y int) color.RGBA {
	if (x/squarePx+y/squarePx)%2 == 0 {
		return whiteSquare
	}
	return greySquare
}

// onGround returns the picture of a scene on an opaque ground. background returns the colour of the ground
// at a pixel.
func (s *shown) onGround(background func(x, y int) color.RGBA) *image.RGBA {
	out := image.NewRGBA(s.image.Rect)
	for y := range out.Rect.Dy() {
		for x := range out.Rect.Dx() {
			pixel := s.image.Pix[y*s.image.Stride+4*x:]
			ground, alpha := background(x, y), int(pixel[3])
			mix := func(top, below uint8) uint8 { // 127: to the nearest
				return uint8((int(top)*alpha + int(below)*(255-alpha) + 127) / 255)
			}
			out.SetRGBA(x, y, color.RGBA{mix(pixel[0], ground.R), mix(pixel[1], ground.G), mix(pixel[2], ground.B), 255})
		}
	}
	return out
}

// coverage returns the alpha of the scene's picture as grey, for a layer of the window.
func (s *shown) coverage() *image.RGBA {
	out := image.NewRGBA(s.image.Rect)
	for y := range out.Rect.Dy() {
		for x := range out.Rect.Dx() {
			a := s.image.Pix[y*s.image.Stride+4*x+3]
			out.SetRGBA(x, y, color.RGBA{a, a, a, 255})
		}
	}
	return out
}

var classColours = map[string]color.RGBA{"plain": {40, 170, 80, 255}, "double": {230, 150, 40, 255}, "full": {50, 110, 230, 255}}

func (s *shown) classes() *image.RGBA {
	return s.tinted(func(t *render.TileInfo) color.RGBA { return classColours[t.Class] })
}

func (s *shown) overdraw() *image.RGBA {
	return s.heat(func(t *render.TileInfo) int { return t.Items })
}

func (s *shown) cost() *image.RGBA {
	return s.heat(func(t *render.TileInfo) int { return t.Records })
}

// heat returns the picture of a scene with each tile in a colour for its number, such as how many paths are
// in it. number returns the number of a tile. 0 is dark blue, and the largest number of the scene yellow.
func (s *shown) heat(number func(*render.TileInfo) int) *image.RGBA {
	largest := 1
	for i := range s.tiles {
		largest = max(largest, number(&s.tiles[i]))
	}
	return s.tinted(func(tile *render.TileInfo) color.RGBA {
		warmth := uint8(255 * number(tile) / largest)
		return color.RGBA{warmth, uint8(int(warmth) * 9 / 10), 128 - warmth/2, 255}
	})
}

// tinted returns the picture of a scene in light grey, and on it each tile of the tile stage in the colour
// that tintOf returns for it. The upper and left borders of tiles are paler, so that tiles can be told apart.
func (s *shown) tinted(tintOf func(*render.TileInfo) color.RGBA) *image.RGBA {
	const inside, onBorder = 170, 100 // the share of a tile's colour in its pixels, of 255
	white := color.RGBA{255, 255, 255, 255}
	out := s.onGround(func(int, int) color.RGBA { return white })
	for i := 0; i < len(out.Pix); i += 4 {
		// The brightness of the colour: red, green and blue weigh 3, 6 and 1 of 10, as they do for the eye.
		grey := uint8((int(out.Pix[i])*3 + int(out.Pix[i+1])*6 + int(out.Pix[i+2])) / 10)
		grey = 160 + grey*3/8 // paler
		out.Pix[i], out.Pix[i+1], out.Pix[i+2] = grey, grey, grey
	}
	for i := range s.tiles {
		tile := &s.tiles[i]
		tint := tintOf(tile)
		for y := tile.Y; y < tile.Y+tile.H; y++ {
			for x := tile.X; x < tile.X+tile.W; x++ {
				share := uint16(inside)
				if x == tile.X || y == tile.Y {
					share = onBorder
				}
				pixel := out.RGBAAt(x, y)
				mix := func(tint, picture uint8) uint8 {
					return uint8((uint16(tint)*share + uint16(picture)*(255-share)) / 255)
				}
				out.SetRGBA(x, y, color.RGBA{mix(tint.R, pixel.R), mix(tint.G, pixel.G), mix(tint.B, pixel.B), 255})
			}
		}
	}
	return out
}
