package metric

import (
	"fmt"
	"image"
)

// Mask is a view of pixels: the alpha of column x and row y, from the top left
// corner, is Pix[y*Stride + x*Step + First]. The pixels belong to the caller and
// must not change while they are measured.
type Mask struct {
	Pix           []byte
	Width, Height int // px
	Step          int // bytes from one pixel to the next: 1 for alpha, 4 for RGBA
	First         int // byte of alpha in a pixel: 0 for alpha, 3 for RGBA
	Stride        int // bytes from one row to the next
}

// Alpha returns a mask of one byte per pixel without padding. len(pix) is width*height.
func Alpha(pix []byte, width, height int) Mask {
	return Mask{Pix: pix, Width: width, Height: height, Step: 1, Stride: width}
}

// RGBA returns the mask of the alpha of four bytes per pixel without padding. len(pix) is
// 4*width*height.
func RGBA(pix []byte, width, height int) Mask {
	return Mask{Pix: pix, Width: width, Height: height, Step: 4, First: 3, Stride: 4 * width}
}

// OfImage returns the mask of a picture's alpha.
func OfImage(img *image.NRGBA) Mask {
	m := RGBA(img.Pix, img.Rect.Dx(), img.Rect.Dy())
	m.Stride = img.Stride
	return m
}

// mustBeValid panics if the pixels of the mask are not in Pix: a caller that gets bytes from
// outside compares lengths first.
func (m *Mask) mustBeValid() {
	negative := m.Width < 0 || m.Height < 0 || m.First < 0
	if negative || m.Step < 1 || m.First >= m.Step || m.Stride < m.Width*m.Step {
		panic(fmt.Sprintf("BUG: mask of %d x %d px with step %d, first %d, stride %d",
			m.Width, m.Height, m.Step, m.First, m.Stride))
	}
	if len(m.Pix) < (m.Height-1)*m.Stride+m.Width*m.Step {
		panic(fmt.Sprintf("BUG: mask of %d x %d px has %d bytes", m.Width, m.Height, len(m.Pix)))
	}
}

// row returns the bytes of a row.
func (m *Mask) row(y int) []byte { return m.Pix[y*m.Stride:][:m.Width*m.Step] }

// Stats are the sums of one mask and what else is counted of it. They fit 64 bits: 255 alpha times
// 2^15 columns times 2^26 pixels stays below 2^49.
type Stats struct {
	Sums
	Opaque uint64 // pixels of alpha 255
	// Box holds the covered pixels, half open; empty where there is none.
	Box image.Rectangle
}

// Measure sums up a mask. A pixel is covered when its alpha is at least threshold, 1..255, or CoveredFrom
// if that is 0.
func Measure(m Mask, threshold uint8) Stats {
	m.mustBeValid()
	stats := Stats{Box: image.Rectangle{Min: image.Pt(m.Width, m.Height)}}
	for y := range m.Height {
		row := m.row(y)[min(m.First, m.Width*m.Step):] // from the first alpha on; min for a mask without columns
		stats.addRow(row, m.Step, y, max(threshold, CoveredFrom))
	}
	if stats.Covered == 0 {
		stats.Box = image.Rectangle{}
	}
	return stats
}

// addRow adds row y of a mask to the sums, the counts and the box. row begins at the alpha of its
// first pixel, and the alphas are step bytes apart. A pixel is covered from alpha threshold on.
func (stats *Stats) addRow(row []byte, step, y int, threshold uint8) {
	var alpha, alphaX uint64
	first, last := -1, 0
	for i, x := 0, 0; i < len(row); i, x = i+step, x+1 {
		a := row[i]
		if a == 0 {
			continue
		}
		alpha += uint64(a)
		alphaX += uint64(a) * uint64(x)
		if a == 255 {
			stats.Opaque++
		}
		if a < threshold {
			continue
		}
		stats.Covered++
		last = x
		if first < 0 {
			first = x
		}
	}
	// The sums of the row, and the box around its covered pixels.
	stats.Alpha += alpha
	stats.AlphaX += alphaX
	stats.AlphaY += alpha * uint64(y)
	if first >= 0 {
		stats.Box.Min.X, stats.Box.Max.X = min(stats.Box.Min.X, first), max(stats.Box.Max.X, last+1)
		stats.Box.Min.Y, stats.Box.Max.Y = min(stats.Box.Min.Y, y), max(stats.Box.Max.Y, y+1)
	}
}

// Pack writes to dst, as one bit each, which pixels within a box are covered: those whose alpha is
// at least threshold, 1..255, or CoveredFrom if that is 0. A word holds 32 pixels of a row, the lowest bit
// leftmost, and each row begins with a new word. dst must be all zero and long enough.
func (m *Mask) Pack(box image.Rectangle, threshold uint8, dst []uint32) {
	m.mustBeValid()
	threshold = max(threshold, CoveredFrom)
	words := (box.Dx() + 31) / 32
	for y := range box.Dy() {
		row := m.row(box.Min.Y + y)[box.Min.X*m.Step:]
		out := dst[y*words:][:words]
		for x := range box.Dx() {
			if row[x*m.Step+m.First] >= threshold {
				out[x>>5] |= 1 << (x & 31)
			}
		}
	}
}
