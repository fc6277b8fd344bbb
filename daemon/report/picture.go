package report

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"slices"

	"plumb/render/outline"
)

// Pictures are shown on the editor's light background, in the dark theme too:
// the colours of shapes are made for it.
var paper = [3]int{249, 250, 251}

// Colours of a panel that shows how the second set covers the first.
var (
	covered   = [3]int{9, 120, 86}    // label on the shape
	uncovered = [3]int{214, 31, 62}   // label beside the shape
	beneath   = [3]int{196, 208, 224} // shape
)

// maxWide and maxHigh bound a picture in the report, px. Larger ones are halved,
// thirded and so on, which keeps edges honest; others are shown as they are.
const (
	maxWide = 760
	maxHigh = 600
)

var errNoRenderer = errors.New("no renderer")

// draw makes the picture of a view on paper, shrunk to report size.
func draw(r Renderer, v outline.View) (*image.RGBA, error) {
	if r == nil {
		return nil, errNoRenderer
	}
	first := v
	first.Other = nil
	img, err := r.Picture(first)
	if err != nil {
		return nil, err
	}
	var out *image.RGBA
	if v.Other == nil {
		out = onPaper(img)
	} else {
		second := v
		second.Only, second.Other = v.Other, nil
		other, err := r.Picture(second)
		if err != nil {
			return nil, err
		}
		if out, err = cover(img, other); err != nil {
			return nil, err
		}
	}
	b := out.Bounds()
	return shrink(out, max(1, (b.Dx()+maxWide-1)/maxWide, (b.Dy()+maxHigh-1)/maxHigh)), nil
}

// onPaper composites the picture over the background.
func onPaper(img *image.NRGBA) *image.RGBA {
	b := img.Bounds()
	out := image.NewRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
	for y := range b.Dy() {
		src, dst := img.Pix[y*img.Stride:], out.Pix[y*out.Stride:]
		for i := 0; i < 4*b.Dx(); i += 4 {
			a := int(src[i+3])
			for k := range 3 {
				dst[i+k] = uint8((int(src[i+k])*a + paper[k]*(255-a) + 127) / 255)
			}
			dst[i+3] = 255
		}
	}
	return out
}

// cover shows where the pixels of a lie on those of b. A pixel is part of a set
// when its alpha is above 0 (aspire.md D26).
func cover(a, b *image.NRGBA) (*image.RGBA, error) {
	if a.Bounds() != b.Bounds() {
		return nil, fmt.Errorf("cannot lay pictures over each other: got %v and %v; want equal sizes", a.Bounds(), b.Bounds())
	}
	out := image.NewRGBA(image.Rect(0, 0, a.Bounds().Dx(), a.Bounds().Dy()))
	for i := 0; i < len(out.Pix); i += 4 {
		c := paper
		switch inA, inB := a.Pix[i+3] > 0, b.Pix[i+3] > 0; {
		case inA && inB:
			c = covered
		case inA:
			c = uncovered
		case inB:
			c = beneath
		}
		out.Pix[i], out.Pix[i+1], out.Pix[i+2], out.Pix[i+3] = uint8(c[0]), uint8(c[1]), uint8(c[2]), 255
	}
	return out, nil
}

// shrink averages n x n px into one. What does not fill a whole px at the right
// and lower edge is averaged over what is there.
func shrink(img *image.RGBA, n int) *image.RGBA {
	if n == 1 {
		return img
	}
	b := img.Bounds()
	out := image.NewRGBA(image.Rect(0, 0, (b.Dx()+n-1)/n, (b.Dy()+n-1)/n))
	for y := range out.Bounds().Dy() {
		for x := range out.Bounds().Dx() {
			var sum [3]int
			rows, columns := min(n, b.Dy()-y*n), min(n, b.Dx()-x*n)
			for j := range rows {
				row := img.Pix[(y*n+j)*img.Stride+4*x*n:]
				for i := 0; i < 4*columns; i += 4 {
					sum[0] += int(row[i])
					sum[1] += int(row[i+1])
					sum[2] += int(row[i+2])
				}
			}
			area := rows * columns
			o := out.PixOffset(x, y)
			for k := range 3 {
				out.Pix[o+k] = uint8((sum[k] + area/2) / area)
			}
			out.Pix[o+3] = 255
		}
	}
	return out
}

// encode writes an opaque picture as a PNG of at most 256 colours: a third of
// the size, and whiteboards have few colours but for the edges.
func encode(img *image.RGBA) ([]byte, error) {
	b := img.Bounds()
	pal, index := reduce(img)
	out := image.NewPaletted(image.Rect(0, 0, b.Dx(), b.Dy()), pal)
	for i := range out.Pix {
		out.Pix[i] = index[[3]uint8(img.Pix[4*i:4*i+3])]
	}
	var buf bytes.Buffer
	enc := png.Encoder{CompressionLevel: png.BestCompression}
	if err := enc.Encode(&buf, out); err != nil {
		return nil, fmt.Errorf("cannot encode picture: %w", err)
	}
	return buf.Bytes(), nil
}

// reduce picks at most 256 colours: all there are, or else the means of buckets
// that are as fine as they can be. It returns the palette and, for each colour
// of the picture, its place in it.
func reduce(img *image.RGBA) (color.Palette, map[[3]uint8]uint8) {
	count := map[[3]uint8]int{}
	for i := 0; i < len(img.Pix); i += 4 {
		count[[3]uint8(img.Pix[i:i+3])]++
	}
	type bucket struct {
		key [3]uint8
		sum [3]int
		n   int
	}
	for bits := 0; ; bits++ {
		buckets := map[[3]uint8]*bucket{}
		for c, n := range count {
			key := [3]uint8{c[0] >> bits, c[1] >> bits, c[2] >> bits}
			k := buckets[key]
			if k == nil {
				k = &bucket{key: key}
				buckets[key] = k
			}
			k.n += n
			for i := range c {
				k.sum[i] += n * int(c[i])
			}
		}
		if len(buckets) > 256 {
			continue
		}
		list := make([]*bucket, 0, len(buckets))
		for _, k := range buckets {
			list = append(list, k)
		}
		// The commonest first, so that equal pictures are equal bytes.
		slices.SortFunc(list, func(a, b *bucket) int {
			if a.n != b.n {
				return b.n - a.n
			}
			return slices.Compare(a.key[:], b.key[:])
		})
		place, pal := map[[3]uint8]uint8{}, make(color.Palette, len(list))
		for i, k := range list {
			place[k.key] = uint8(i)
			pal[i] = color.RGBA{uint8((k.sum[0] + k.n/2) / k.n), uint8((k.sum[1] + k.n/2) / k.n), uint8((k.sum[2] + k.n/2) / k.n), 255}
		}
		index := map[[3]uint8]uint8{}
		for c := range count {
			index[c] = place[[3]uint8{c[0] >> bits, c[1] >> bits, c[2] >> bits}]
		}
		return pal, index
	}
}
