package canvas

import (
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
)

// Encoder writes pictures as PNGs, with speed before size: with a palette if there are few enough
// colours, as in most drawings. One goroutine uses it at a time. The zero value is ready.
type Encoder struct {
	buffers buffers
	image   *image.Paletted
	places  map[uint32]uint8
}

// buffers is a pool of one buffer, so that the PNG encoder reuses its memory.
type buffers struct{ b *png.EncoderBuffer }

func (p *buffers) Get() *png.EncoderBuffer  { return p.b }
func (p *buffers) Put(b *png.EncoderBuffer) { p.b = b }

// Encode writes a picture as a PNG whose pixels read back as they are. A picture of few colours is
// written with a palette, which is smaller and quicker.
func (encoder *Encoder) Encode(w io.Writer, m image.Image) error {
	enc := png.Encoder{CompressionLevel: png.BestSpeed, BufferPool: &encoder.buffers}
	if n, ok := m.(*image.NRGBA); ok {
		if p := encoder.paletted(n); p != nil {
			m = p
		}
	}
	if err := enc.Encode(w, m); err != nil {
		return fmt.Errorf("cannot write PNG: %w", err)
	}
	return nil
}

// paletted returns the picture with a palette, whose colours are in the order of first appearance;
// nil if it has more than 256 colours. The result is in the encoder's memory, valid until the next
// call.
func (encoder *Encoder) paletted(m *image.NRGBA) *image.Paletted {
	if encoder.image == nil || encoder.image.Rect != m.Rect {
		encoder.image = image.NewPaletted(m.Rect, nil)
	}
	if encoder.places == nil {
		encoder.places = make(map[uint32]uint8, 256)
	}
	clear(encoder.places)
	encoder.image.Palette = encoder.image.Palette[:0]
	const mostColours = 256                                    // of a palette
	last, place, out := uint32(0), uint8(0), encoder.image.Pix // the last colour and its place in the palette
	for i := range out {
		c := binary.LittleEndian.Uint32(m.Pix[4*i:])
		if c != last || i == 0 { // neighbours are mostly equal
			known, ok := encoder.places[c]
			if !ok {
				if len(encoder.image.Palette) == mostColours {
					return nil
				}
				known = uint8(len(encoder.image.Palette))
				encoder.places[c] = known
				rgba := color.NRGBA{uint8(c), uint8(c >> 8), uint8(c >> 16), uint8(c >> 24)}
				encoder.image.Palette = append(encoder.image.Palette, rgba)
			}
			last, place = c, known
		}
		out[i] = place
	}
	return encoder.image
}
