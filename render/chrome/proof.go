package chrome

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	"math/rand/v2"
	"slices"
)

// A canvas of the browser can lose its content, for example when the browser's GPU process dies; it then reads
// as transparent. So the page draws rows below every picture on the same canvas (page/raster.ts): the first
// before the picture and the last after it, in a random colour of the job, and between them an SVG, which is
// drawn as the picture is. A picture whose rows have other colours is rejected.

// proofRows is the number of those rows.
const proofRows = 3

// proofColor is the colour of the row that the SVG draws.
var proofColor = color.NRGBA{0x2f, 0x6f, 0xb7, 0xff}

// errUnproved marks a picture whose proof rows are wrong.
var errUnproved = errors.New("the picture has lost what was drawn on it")

// newMark returns a random colour for the proof of a job, 0xRRGGBB.
func newMark() uint32 { return rand.Uint32N(1 << 24) }

// checkProofs decodes the pictures of the page's answer, stores them in the field img of each, and checks the
// proof of each: rows below it in the colour of the job (mark), which a canvas that the browser has lost does not
// have. Pictures of plain pages, VersionPlain, have no proof. blank is true if a picture is fully transparent
// although a shape reaches into it. A wrong proof is errUnproved.
func (answer *answer) checkProofs(mark uint32, withoutProof bool) (blank bool, err error) {
	for i := range answer.Pictures {
		picture := &answer.Pictures[i]
		if picture.Runs == nil && picture.PNG == nil { // the page says that nothing is on it
			picture.img = image.NewNRGBA(image.Rect(0, 0, picture.W, picture.H))
			blank = blank || picture.Visible
			continue
		}
		if withoutProof {
			if picture.img, err = picture.decode(0); err != nil {
				return false, err
			}
			continue
		}
		img, err := picture.decode(proofRows)
		if err != nil {
			return false, err
		}
		if picture.img, err = checkProof(img, picture.W, picture.H, mark); err != nil {
			return false, err
		}
		blank = blank || picture.Visible && transparent(picture.img.Pix)
	}
	return blank, nil
}

// checkProof checks the rows of proof below a picture of w x h px, and returns the picture without
// them. The first and the last row have the job's colour, mark (0xRRGGBB); the middle one is drawn by an SVG
// as the picture is, and has proofColor.
func checkProof(img *image.NRGBA, w, h int, mark uint32) (*image.NRGBA, error) {
	if want := image.Rect(0, 0, w, h+proofRows); img.Rect != want {
		return nil, fmt.Errorf("cannot read a picture: got %v; want %v", img.Rect, want)
	}
	nonce := color.NRGBA{uint8(mark >> 16), uint8(mark >> 8), uint8(mark), 0xff}
	for i, want := range [proofRows]color.NRGBA{nonce, proofColor, nonce} {
		for x := range w {
			if got := img.NRGBAAt(x, h+i); got != want {
				return nil, fmt.Errorf("cannot believe a picture of %d x %d px: %w: got %v in row %d of its proof; want %v",
					w, h, errUnproved, got, i+1, want)
			}
		}
	}
	pix := img.Pix[: h*img.Stride : h*img.Stride] // the rows above the proof
	return &image.NRGBA{Pix: pix, Stride: img.Stride, Rect: image.Rect(0, 0, w, h)}, nil
}

// transparent reports whether every byte of a picture's pixels is zero.
func transparent(pix []uint8) bool {
	return !slices.ContainsFunc(pix, func(v uint8) bool { return v != 0 })
}
