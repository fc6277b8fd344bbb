package chrome

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"image/png"
)

// answer is the page's reply to a job (page/job.ts).
type answer struct {
	Error    string        `json:"error"`
	Limit    bool          `json:"limit"`
	Pictures []pagePicture `json:"pictures"`
	Blocked  int           `json:"blocked"`
}

// pagePicture is one picture in an answer: as runs, as a PNG, or with nothing on it.
type pagePicture struct {
	W       int         `json:"w"`
	H       int         `json:"h"`
	Bounds  *[4]float64 `json:"bounds"`
	Visible bool        `json:"visible"`
	Runs    []byte      `json:"runs"`
	PNG     []byte      `json:"png"`

	img *image.NRGBA // once it is decoded
}

// decode returns a picture that the editor's page sent, as a PNG or as runs of pixels, not premultiplied.
// The page adds rows below a picture which prove that it was drawn. Runs do not say how many, so proofRows does;
// the result includes these rows.
func (picture *pagePicture) decode(proofRows int) (*image.NRGBA, error) {
	if picture.PNG != nil {
		return decodePNG(picture.PNG)
	}
	img := image.NewNRGBA(image.Rect(0, 0, picture.W, picture.H+proofRows))
	if err := decodeRuns(img.Pix, picture.Runs); err != nil {
		return nil, fmt.Errorf("cannot read a picture of %d x %d px: %w", picture.W, picture.H, err)
	}
	return img, nil
}

// decodePNG decodes a PNG that the browser sent into pixels that are not premultiplied.
func decodePNG(b []byte) (*image.NRGBA, error) {
	src, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		return nil, fmt.Errorf("cannot read a picture: %w", err)
	}
	if img, ok := src.(*image.NRGBA); ok {
		return img, nil
	}
	img := image.NewNRGBA(src.Bounds()) // the PNG of an opaque picture has no alpha channel
	draw.Draw(img, img.Rect, src, src.Bounds().Min, draw.Src)
	return img, nil
}

var errRuns = errors.New("its runs do not fill it")

// decodeRuns fills pix, which must be all zero, with a picture that the page sent as runs (page/pixels.ts):
// these are smaller and faster than a PNG. Each run begins with a number, of which the lowest bit says what
// follows: 1 for that many different pixels, 0 for one pixel that is repeated so often. Runs that do not
// fill the picture exactly are errRuns.
func decodeRuns(pix, data []byte) error {
	for len(data) > 0 {
		head, n := binary.Uvarint(data)
		if n <= 0 || head>>1 > uint64(len(pix)/4) {
			return errRuns
		}
		data = data[n:]
		count := int(head>>1) * 4 // bytes of pix
		if head&1 == 1 {
			if len(data) < count {
				return errRuns
			}
			copy(pix, data[:count])
			pix, data = pix[count:], data[count:]
			continue
		}
		if len(data) < 4 {
			return errRuns
		}
		repeatPixel(pix[:count], data[:4])
		pix, data = pix[count:], data[4:]
	}
	if len(pix) > 0 {
		return errRuns
	}
	return nil
}

// repeatPixel fills pix, a part of the browser's picture that is all zero, with copies of one pixel.
func repeatPixel(pix, pixel []byte) {
	if binary.LittleEndian.Uint32(pixel) == 0 || len(pix) == 0 {
		return // it is zero already
	}
	for n := copy(pix, pixel); n < len(pix); n *= 2 { // double what is filled
		copy(pix[n:], pix[:n])
	}
}
