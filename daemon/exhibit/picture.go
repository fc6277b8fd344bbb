package exhibit

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"plumb/render/view"
	"slices"
)

// Paper is the editor's light background, on which pictures are shown in the dark theme too,
// because the colours of shapes are made for it.
var Paper = [3]int{249, 250, 251}

// white is the background of pictures that a suite draws itself.
var white = [3]int{255, 255, 255}

// Colours of a panel that shows how the first set of shapes, such as a label, covers the second, such as the
// shape that it should lie over.
var (
	covered   = [3]int{9, 120, 86}    // where both sets are
	uncovered = [3]int{214, 31, 62}   // where only the first one is: the label beside the shape
	beneath   = [3]int{196, 208, 224} // where only the second one is
)

var errNoRenderer = errors.New("no renderer")

// draw draws a view over the editor's background. If the view has a second set of shapes, it draws in
// three colours how the first set covers the second. The picture is shrunk by a whole factor to at most
// wide x high px.
func draw(renderer Renderer, view view.View, wide, high int) (*image.RGBA, error) {
	if renderer == nil {
		return nil, errNoRenderer
	}
	first := view
	first.SecondIDs = nil
	img, err := renderer.Picture(first)
	if err != nil {
		return nil, err
	}
	var out *image.RGBA
	if view.SecondIDs == nil {
		out = OnPaper(img)
	} else {
		second := view
		second.FirstIDs, second.SecondIDs = view.SecondIDs, nil
		other, err := renderer.Picture(second)
		if err != nil {
			return nil, err
		}
		if out, err = cover(img, other); err != nil {
			return nil, err
		}
	}
	b := out.Bounds()
	return Shrink(out, shrinkFactor(b.Dx(), b.Dy(), wide, high)), nil
}

// shrinkFactor returns the smallest whole factor by which a picture of w x h px must be shrunk so that it
// has at most wide x high px. Divisions round up.
func shrinkFactor(w, h, wide, high int) int {
	return max(1, (w+wide-1)/wide, (h+high-1)/high)
}

// OnPaper composites a picture over the editor's light background.
func OnPaper(img *image.NRGBA) *image.RGBA { return onPaper(img, Paper) }

// onPaper composites a picture, not premultiplied, over an opaque background. It reuses the
// result of the pixel before if that is equal, as most are.
func onPaper(img *image.NRGBA, paper [3]int) *image.RGBA {
	bounds := img.Bounds()
	out := image.NewRGBA(image.Rect(0, 0, bounds.Dx(), bounds.Dy()))
	last, composite := uint32(0), opaque(paper) // the pixel before, at first a clear one, and its result
	for y := range bounds.Dy() {
		src, dst := img.Pix[y*img.Stride:], out.Pix[y*out.Stride:]
		for i := 0; i < 4*bounds.Dx(); i += 4 {
			if pixel := binary.LittleEndian.Uint32(src[i:]); pixel != last {
				last = pixel
				var c [3]int
				alpha := int(pixel >> 24)
				for channel := range c {
					c[channel] = (int(pixel>>(8*channel)&255)*alpha + paper[channel]*(255-alpha) + 127) / 255 // +127: rounded
				}
				composite = opaque(c)
			}
			binary.LittleEndian.PutUint32(dst[i:], composite)
		}
	}
	return out
}

// opaque packs a colour, 0..255, as the four bytes of an image's pixel.
func opaque(c [3]int) uint32 { return uint32(c[0]) | uint32(c[1])<<8 | uint32(c[2])<<16 | 255<<24 }

// cover returns a picture that shows how the shapes in picture a cover those in picture b. Pixels of both,
// of a alone and of b alone have a colour each. A pixel belongs to a shape if its alpha is above 0
// (docs/spec/aspire.md#r42). Pictures of different sizes are an error.
func cover(a, b *image.NRGBA) (*image.RGBA, error) {
	if a.Bounds() != b.Bounds() {
		return nil, fmt.Errorf("cannot lay pictures over each other: got %v and %v; want equal sizes", a.Bounds(),
			b.Bounds())
	}
	out := image.NewRGBA(image.Rect(0, 0, a.Bounds().Dx(), a.Bounds().Dy()))
	for i := 0; i < len(out.Pix); i += 4 {
		colour := Paper
		switch inA, inB := a.Pix[i+3] > 0, b.Pix[i+3] > 0; {
		case inA && inB:
			colour = covered
		case inA:
			colour = uncovered
		case inB:
			colour = beneath
		}
		out.Pix[i] = uint8(colour[0])
		out.Pix[i+1] = uint8(colour[1])
		out.Pix[i+2] = uint8(colour[2])
		out.Pix[i+3] = 255
	}
	return out, nil
}

// Shrink returns a picture in which each pixel is the mean of a block of n x n px of img;
// blocks at the right and lower edge may be smaller. For n = 1 it returns img itself.
func Shrink(img *image.RGBA, n int) *image.RGBA {
	if n == 1 {
		return img
	}
	bounds := img.Bounds()
	out := image.NewRGBA(image.Rect(0, 0, (bounds.Dx()+n-1)/n, (bounds.Dy()+n-1)/n))
	for y := range out.Bounds().Dy() {
		rows := min(n, bounds.Dy()-y*n)
		for x := range out.Bounds().Dx() {
			columns := min(n, bounds.Dx()-x*n)
			px := meanColour(img.Pix[img.PixOffset(x*n, y*n):], img.Stride, columns, rows)
			binary.LittleEndian.PutUint32(out.Pix[out.PixOffset(x, y):], px)
		}
	}
	return out
}

// meanColour returns the rounded mean colour of a block of opaque pixels, as the four bytes of a pixel. pix
// begins with the first pixel of the block, and stride is the bytes from row to row. Most blocks have one
// colour, which is returned at once.
func meanColour(pix []uint8, stride, columns, rows int) uint32 {
	first, oneColour := binary.LittleEndian.Uint32(pix), true
	for j := range rows {
		for i := range columns {
			oneColour = oneColour && binary.LittleEndian.Uint32(pix[j*stride+4*i:]) == first
		}
	}
	if oneColour {
		return first
	}
	var sum [3]int
	for j := range rows {
		for i := range columns {
			for k := range sum {
				sum[k] += int(pix[j*stride+4*i+k])
			}
		}
	}
	area := columns * rows
	half := area / 2 // rounds to the nearest
	return opaque([3]int{(sum[0] + half) / area, (sum[1] + half) / area, (sum[2] + half) / area})
}

// Encode returns an opaque picture as a PNG with a palette of at most 256 colours, which is
// a third of the size. Whiteboards have few colours except at edges.
func Encode(img *image.RGBA) ([]byte, error) {
	b := img.Bounds()
	pal, index := quantise(img)
	out := image.NewPaletted(image.Rect(0, 0, b.Dx(), b.Dy()), pal)
	last := [3]uint8(img.Pix[:3])
	place := index[last]
	for i := range out.Pix {
		if c := [3]uint8(img.Pix[4*i : 4*i+3]); c != last { // neighbours are mostly equal
			last, place = c, index[c]
		}
		out.Pix[i] = place
	}
	var buf bytes.Buffer
	if err := png.Encode(&buf, out); err != nil {
		return nil, fmt.Errorf("cannot encode picture: %w", err)
	}
	return buf.Bytes(), nil
}

// paletteSize is the most colours that an index of one byte can tell apart.
const paletteSize = 256

// quantise returns a palette of at most paletteSize colours for a picture, and the index in it of
// each colour of the picture. If the picture has more colours, those that are equal without
// their lowest bits share an entry, their mean; as few bits as possible are dropped. Entries
// are in the order of their frequency, so that equal pictures have equal bytes.
func quantise(img *image.RGBA) (color.Palette, map[[3]uint8]uint8) {
	// Count the pixels of each colour.
	count := map[[3]uint8]int{}
	last, run := [3]uint8(img.Pix[:3]), 0
	for i := 0; i < len(img.Pix); i += 4 {
		if c := [3]uint8(img.Pix[i : i+3]); c != last { // neighbours are mostly equal
			count[last] += run
			last, run = c, 0
		}
		run++
	}
	count[last] += run
	type bucket struct {
		key [3]uint8 // the colour without its lowest bits
		sum [3]int   // of the channels of its pixels
		n   int      // pixels
	}
	for bits := 0; ; bits++ {
		// Colours that are equal without `bits` low bits share a bucket.
		buckets := map[[3]uint8]*bucket{}
		for c, n := range count {
			key := [3]uint8{c[0] >> bits, c[1] >> bits, c[2] >> bits}
			shared := buckets[key]
			if shared == nil {
				shared = &bucket{key: key}
				buckets[key] = shared
			}
			shared.n += n
			for i := range c {
				shared.sum[i] += n * int(c[i])
			}
		}
		if len(buckets) > paletteSize {
			continue
		}
		// Few enough: the palette, the most frequent first.
		list := make([]*bucket, 0, len(buckets))
		for _, shared := range buckets {
			list = append(list, shared)
		}
		slices.SortFunc(list, func(a, b *bucket) int {
			if a.n != b.n {
				return b.n - a.n
			}
			return slices.Compare(a.key[:], b.key[:])
		})
		entries, pal := map[[3]uint8]uint8{}, make(color.Palette, len(list))
		for i, shared := range list {
			entries[shared.key] = uint8(i)
			pal[i] = color.RGBA{uint8((shared.sum[0] + shared.n/2) / shared.n), uint8((shared.sum[1] + shared.n/2) / shared.n),
				uint8((shared.sum[2] + shared.n/2) / shared.n), 255}
		}
		// Which entry each colour has.
		index := map[[3]uint8]uint8{}
		for c := range count {
			index[c] = entries[[3]uint8{c[0] >> bits, c[1] >> bits, c[2] >> bits}]
		}
		return pal, index
	}
}
