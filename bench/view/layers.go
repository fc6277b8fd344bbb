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
func (s *shown) picture() *image.RGBA { return s.over(func(x, y int) color.RGBA { return page(x, y) }) }

// The checkerboard behind pictures has squares of squarePx px, white and light grey.
const squarePx = 16

var (
	whiteSquare = color.RGBA{255, 255, 255, 255}
	greySquare  = color.RGBA{236, 236, 236, 255}
)

// page returns the pixel of the checkerboard at (x, y) px of the window.
func page(x, y int) color.RGBA {
	if (x/squarePx+y/squarePx)%2 == 0 {
		return whiteSquare
	}
	return greySquare
}

// over returns the picture of a scene on an opaque ground. background returns the colour of the ground
// at a pixel.
func (s *shown) over(background func(x, y int) color.RGBA) *image.RGBA {
	b := s.image.Rect
	out := image.NewRGBA(b)
	for y := range b.Dy() {
		for x := range b.Dx() {
			p := s.image.Pix[y*s.image.Stride+4*x:]
			back, a := background(x, y), int(p[3])
			mix := func(v, w uint8) uint8 { return uint8((int(v)*a + int(w)*(255-a) + 127) / 255) }
			out.SetRGBA(x, y, color.RGBA{mix(p[0], back.R), mix(p[1], back.G), mix(p[2], back.B), 255})
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

// heat returns the tiles in colours from dark blue to yellow by a number, of which the scene's
// largest is yellow.
func (s *shown) heat(of func(*render.TileInfo) int) *image.RGBA {
	most := 1
	for i := range s.tiles {
		most = max(most, of(&s.tiles[i]))
	}
	return s.tinted(func(t *render.TileInfo) color.RGBA {
		v := uint8(255 * of(t) / most)
		return color.RGBA{v, uint8(int(v) * 9 / 10), 128 - v/2, 255}
	})
}

// tinted returns the picture of a scene in grey, with each tile of the tile stage in the colour that
// `of` gives it, and with the borders of tiles.
func (s *shown) tinted(of func(*render.TileInfo) color.RGBA) *image.RGBA {
	out := s.over(func(int, int) color.RGBA { return color.RGBA{255, 255, 255, 255} })
	for i := 0; i < len(out.Pix); i += 4 {
		g := uint8((int(out.Pix[i])*3 + int(out.Pix[i+1])*6 + int(out.Pix[i+2])) / 10)
		g = 160 + g*3/8
		out.Pix[i], out.Pix[i+1], out.Pix[i+2] = g, g, g
	}
	for i := range s.tiles {
		t := &s.tiles[i]
		c := of(t)
		for y := t.Y; y < t.Y+t.H; y++ {
			for x := t.X; x < t.X+t.W; x++ {
				k := uint16(170)
				if x == t.X || y == t.Y {
					k = 100
				}
				p := out.RGBAAt(x, y)
				mix := func(a, b uint8) uint8 { return uint8((uint16(a)*k + uint16(b)*(255-k)) / 255) }
				out.SetRGBA(x, y, color.RGBA{mix(c.R, p.R), mix(c.G, p.G), mix(c.B, p.B), 255})
			}
		}
	}
	return out
}
