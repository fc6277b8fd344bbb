package shapes

import "plumb/render/scene"

// RGB is a colour in sRGB.
type RGB = [3]uint8

// swatch is one row of the light theme. See docs/spec/drawing.md#r39.
type swatch struct {
	Solid, semi, pattern, lined, note, highlight RGB
}

// Fixed colours of the light theme.
var (
	Background = RGB{0xf9, 0xfa, 0xfb} // also the halo of text
	semiFill   = RGB{0xfc, 0xff, 0xfe} // fill semi, whatever the colour; the hatch tile
	Ink        = RGB{}                 // shadow of notes, text of notes
)

// hex returns the colour 0xrrggbb.
func hex(v uint32) RGB { return RGB{uint8(v >> 16), uint8(v >> 8), uint8(v)} }

// paletteRow makes a row of the editor's palette from colours 0xrrggbb.
func paletteRow(solid, semi, pattern, lined, note, highlight uint32) swatch {
	return swatch{
		Solid: hex(solid), semi: hex(semi), pattern: hex(pattern), lined: hex(lined),
		note: hex(note), highlight: hex(highlight),
	}
}

// Palette holds the colours of shapes by scene.Color.
var Palette = [...]swatch{
	scene.Black:       paletteRow(0x1d1d1d, 0xe8e8e8, 0x494949, 0x363636, 0xfce19c, 0xfddd00),
	scene.Grey:        paletteRow(0x9fa8b2, 0xeceef0, 0xbcc3c9, 0xbbc1c9, 0xc0cad3, 0xcbe7f1),
	scene.LightViolet: paletteRow(0xe085f4, 0xf5eafa, 0xe9acf8, 0xe9abf7, 0xdfb0f9, 0xff88ff),
	scene.Violet:      paletteRow(0xae3ec9, 0xecdcf2, 0xbd63d3, 0xbe68d4, 0xdb91fd, 0xc77cff),
	scene.Blue:        paletteRow(0x4465e9, 0xdce1f8, 0x6681ee, 0x6580ec, 0x8aa3ff, 0x10acff),
	scene.LightBlue:   paletteRow(0x4ba1f1, 0xddedfa, 0x6fbbf8, 0x7abaf5, 0x9bc4fd, 0x00f4ff),
	scene.Yellow:      paletteRow(0xf1ac4b, 0xf9f0e6, 0xfecb92, 0xf5c27a, 0xfed49a, 0xfddd00),
	scene.Orange:      paletteRow(0xe16919, 0xf8e2d4, 0xf78438, 0xea8643, 0xfaa475, 0xffa500),
	scene.Green:       paletteRow(0x099268, 0xd3e9e3, 0x39a785, 0x0bad7c, 0x6fc896, 0x00ffc8),
	scene.LightGreen:  paletteRow(0x4cb05e, 0xdbf0e0, 0x65cb78, 0x7ec88c, 0x98d08a, 0x65f641),
	scene.LightRed:    paletteRow(0xf87777, 0xf4dadb, 0xfe9e9e, 0xf99a9a, 0xf7a5a1, 0xff7fa3),
	scene.Red:         paletteRow(0xe03131, 0xf4dadb, 0xe55959, 0xe75f5f, 0xfc8282, 0xff636e),
	scene.White:       paletteRow(0xffffff, 0xf5f5f5, 0xf9f9f9, 0xffffff, 0xffffff, 0xffffff),
}

// Widths of the stroke per size: of geo shapes, lines and arrows, and of highlights, in unscaled
// px. A freehand line is 1 px wider than the stroke of a geo shape. See docs/spec/drawing.md#r29.
var (
	StrokeWidth    = [...]float64{scene.SizeS: 2, scene.SizeM: 3.5, scene.SizeL: 5, scene.SizeXL: 10}
	highlightWidth = [...]float64{scene.SizeS: 18, scene.SizeM: 24, scene.SizeL: 36, scene.SizeXL: 44}
)

// hatchOpacity is the share of the 8 x 8 hatch tile that is painted: all but three strokes,
// each sqrt(32)/3 long and 1 wide with round caps, which let the pattern colour through: 1 - 3
// (sqrt(32)/3 + pi/4) / 64. Where no tile is drawn the hatch is painted evenly in this opacity.
const hatchOpacity = 57331

// Opaque is full opacity, in the steps in which items and groups have their opacity.
const Opaque = 1 << 16

// Alpha converts an opacity to 1/255, halves rounded up. An opacity such as 0.7 gives such a half, 178.5, and
// may have lost up to half a step when it was rounded to steps of 1/Opaque; the 128 makes up for that.
func Alpha(opacity uint32) uint32 { return (opacity*255 + Opaque/2 + 128) / Opaque }

// OpacityOfAlpha returns an opacity in steps of 1/Opaque that Alpha converts to alpha, 0 to 255.
func OpacityOfAlpha(alpha uint32) uint32 { return alpha * Opaque / 255 }

// OpacityOf converts an opacity of 0..1 to steps of 1/Opaque.
func OpacityOf(v float64) uint32 { return uint32(float64(v*Opaque) + 0.5) }
