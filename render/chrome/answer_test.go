package chrome

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"image/png"
	"testing"
)

func TestDecodeRuns(t *testing.T) {
	for _, row := range []struct {
		name string
		runs []byte
		px   int
		want []byte // nil: an error
	}{
		{"nothing", nil, 0, []byte{}},
		{"one pixel", []byte{2, 1, 2, 3, 4}, 1, []byte{1, 2, 3, 4}},
		{"clear run", []byte{6, 0, 0, 0, 0}, 3, make([]byte, 12)},
		{"run", []byte{6, 9, 8, 7, 6}, 3, []byte{9, 8, 7, 6, 9, 8, 7, 6, 9, 8, 7, 6}},
		{"one by one", []byte{5, 1, 2, 3, 4, 5, 6, 7, 8}, 2, []byte{1, 2, 3, 4, 5, 6, 7, 8}},
		{"both", []byte{2, 1, 1, 1, 1, 3, 2, 2, 2, 2}, 2, []byte{1, 1, 1, 1, 2, 2, 2, 2}},
		{"two bytes of count", append([]byte{0x80 | 0x48, 2}, 1, 1, 1, 1), 164, bytes.Repeat([]byte{1}, 4*164)},
		{"too few", []byte{2, 1, 2, 3, 4}, 2, nil},
		{"too many", []byte{6, 1, 2, 3, 4}, 2, nil},
		{"cut pixel", []byte{2, 1, 2}, 1, nil},
		{"cut list", []byte{5, 1, 2, 3, 4}, 2, nil},
		{"cut count", []byte{0x80}, 1, nil},
		{"count beyond 64 bits", bytes.Repeat([]byte{0xff}, 11), 1, nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			pix := make([]byte, 4*row.px)
			err := decodeRuns(pix, row.runs)
			if row.want == nil {
				if !errors.Is(err, errRuns) {
					t.Errorf("got %v; want errRuns", err)
				}
				return
			}
			if err != nil || !bytes.Equal(pix, row.want) {
				t.Errorf("got %v, %v; want %v", pix, err, row.want)
			}
		})
	}
}

func TestDrawnPNG(t *testing.T) {
	src := image.NewNRGBA(image.Rect(0, 0, 2, 1))
	src.SetNRGBA(0, 0, color.NRGBA{10, 20, 30, 255}) // opaque: the file has no alpha channel
	src.SetNRGBA(1, 0, color.NRGBA{40, 50, 60, 255})
	var b bytes.Buffer
	if err := png.Encode(&b, src); err != nil {
		t.Fatal(err)
	}
	img, err := (&pagePicture{W: 2, H: 1, PNG: b.Bytes()}).decode(0)
	if err != nil || !bytes.Equal(img.Pix, src.Pix) {
		t.Errorf("got %v, %v; want %v", img, err, src.Pix)
	}
	if _, err := (&pagePicture{PNG: []byte("no PNG")}).decode(0); err == nil {
		t.Error("a file that is no PNG was read")
	}
}

// TestProve: a picture is believed only with all rows of its proof, in both encodings.
func TestProve(t *testing.T) {
	const mark, w, h = 0x0a141e, 3, 2
	nonce := color.NRGBA{10, 20, 30, 255}
	whole := image.NewNRGBA(image.Rect(0, 0, w, h+proofRows))
	whole.SetNRGBA(1, 1, color.NRGBA{1, 2, 3, 4})
	for x := range w {
		whole.SetNRGBA(x, h, nonce)
		whole.SetNRGBA(x, h+1, proofColor)
		whole.SetNRGBA(x, h+2, nonce)
	}
	send := func(img *image.NRGBA, asPNG bool) *answer {
		d := pagePicture{W: w, H: h, Visible: true}
		if asPNG {
			var b bytes.Buffer
			if err := png.Encode(&b, img); err != nil {
				t.Fatal(err)
			}
			d.PNG = b.Bytes()
		} else {
			d.Runs = append(binary.AppendUvarint(nil, uint64(len(img.Pix)/4*2+1)), img.Pix...)
		}
		return &answer{Pictures: []pagePicture{d}}
	}
	for _, asPNG := range []bool{false, true} {
		a := send(whole, asPNG)
		if blank, err := a.checkProofs(mark, false); err != nil || blank || !bytes.Equal(a.Pictures[0].img.Pix, whole.Pix[:4*w*h]) {
			t.Errorf("as PNG %v: got %v, blank %v, %v; want the picture", asPNG, a.Pictures[0].img, blank, err)
		}
		for y := range proofRows {
			img := image.NewNRGBA(whole.Rect)
			copy(img.Pix, whole.Pix)
			img.SetNRGBA(w-1, h+y, color.NRGBA{})
			if _, err := send(img, asPNG).checkProofs(mark, false); !errors.Is(err, errUnproved) {
				t.Errorf("as PNG %v, without row %d of the proof: got %v; want errUnproved", asPNG, y+1, err)
			}
		}
		if _, err := send(image.NewNRGBA(whole.Rect), asPNG).checkProofs(mark, false); !errors.Is(err, errUnproved) {
			t.Errorf("as PNG %v, transparent: got %v; want errUnproved", asPNG, err)
		}
		whole.SetNRGBA(1, 1, color.NRGBA{})
		if blank, err := send(whole, asPNG).checkProofs(mark, false); err != nil || !blank {
			t.Errorf("as PNG %v, nothing drawn: got blank %v, %v; want true", asPNG, blank, err)
		}
		whole.SetNRGBA(1, 1, color.NRGBA{1, 2, 3, 4})
	}
}

func FuzzDecodeRuns(f *testing.F) {
	f.Add([]byte{5, 1, 2, 3, 4, 5, 6, 7, 8, 2, 1, 1, 1, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		decodeRuns(make([]byte, 4*1000), b) // must not panic
	})
}
