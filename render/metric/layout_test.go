package metric

import (
	"context"
	"errors"
	"fmt"
	"image"
	"slices"
	"strings"
	"testing"
)

// layouts returns the same alpha in all layouts: alone, as RGBA, and as the middle byte of
// three with padding after each row. Bytes that are not alpha are 0 or 255.
func layouts(alpha Mask) map[string]Mask {
	all := map[string]Mask{"alpha": alpha}
	for _, other := range []byte{0, 255} {
		rgba := RGBA(slices.Repeat([]byte{other}, 4*alpha.Width*alpha.Height), alpha.Width, alpha.Height)
		padded := Mask{Width: alpha.Width, Height: alpha.Height, Step: 3, First: 1, Stride: 3*alpha.Width + 2}
		padded.Pix = slices.Repeat([]byte{other}, padded.Stride*alpha.Height)
		for y := range alpha.Height {
			for x := range alpha.Width {
				a := alpha.Pix[y*alpha.Stride+x]
				rgba.Pix[y*rgba.Stride+4*x+3] = a
				padded.Pix[y*padded.Stride+3*x+1] = a
			}
		}
		all[fmt.Sprint("rgba ", other)], all[fmt.Sprint("padded ", other)] = rgba, padded
	}
	return all
}

// The numbers of two masks do not depend on their layouts, and a pixel of exactly the
// threshold is covered.
func TestCompareLayouts(t *testing.T) {
	a := draw("....", ".45.", ".5..")
	b := draw("....", "..54", "...5")
	for _, c := range []struct {
		threshold uint8
		a, b      uint64
		both      uint64
		far2      int64
	}{
		{1, 3, 3, 1, 2}, {5, 3, 3, 1, 2}, {6, 2, 2, 1, 2}, {7, 0, 0, 0, 0},
	} {
		for an, am := range layouts(a) {
			for bn, bm := range layouts(b) {
				got, err := Oracle{}.Compare(t.Context(), am, bm, Options{Threshold: c.threshold, Hausdorff: true})
				if err != nil || got.A.Covered != c.a || got.B.Covered != c.b || got.Both != c.both || got.Far2 != c.far2 {
					t.Errorf("threshold %d, %s and %s: got %+v, %v; want %+v", c.threshold, an, bn, got, err, c)
				}
			}
		}
	}
	for name, m := range layouts(draw("5")) { // narrower than a pixel has bytes
		if got := Measure(m, 1); got.Alpha != 6 || got.Covered != 1 {
			t.Errorf("%s: got %+v; want one pixel of alpha 6", name, got)
		}
	}
}

// Pack sets the bits of the covered pixels of a box, each row from a word of its own.
func TestPack(t *testing.T) {
	alpha := Alpha(make([]byte, 70*4), 70, 4)
	for _, p := range []image.Point{{2, 1}, {33, 1}, {34, 1}, {66, 1}, {3, 2}} {
		alpha.Pix[p.Y*70+p.X] = 9
	}
	alpha.Pix[1*70+4] = 8
	for name, m := range layouts(alpha) {
		for _, c := range []struct {
			box       image.Rectangle
			threshold uint8
			want      []uint32
		}{
			{image.Rect(2, 1, 34, 3), 9, []uint32{1<<0 | 1<<31, 1 << 1}},
			{image.Rect(2, 1, 35, 3), 9, []uint32{1<<0 | 1<<31, 1 << 0, 1 << 1, 0}},
			{image.Rect(2, 1, 67, 2), 9, []uint32{1<<0 | 1<<31, 1 << 0, 1 << 0}},
			{image.Rect(2, 1, 5, 2), 8, []uint32{1<<0 | 1<<2}},
			{image.Rect(2, 1, 5, 2), 0, []uint32{1<<0 | 1<<2}},
			{image.Rect(0, 0, 32, 1), 0, []uint32{0}},
		} {
			got := make([]uint32, len(c.want))
			if m.Pack(c.box, c.threshold, got); !slices.Equal(got, c.want) {
				t.Errorf("%s, %v from %d: got %b; want %b", name, c.box, c.threshold, got, c.want)
			}
		}
	}
}

// A mask whose pixels are not in Pix is called a bug of the caller, and the smallest that is
// whole is none.
func TestInvalidMask(t *testing.T) {
	for _, c := range []struct {
		name string
		m    Mask
		bug  bool
	}{
		{"whole", Mask{Pix: make([]byte, 8+6), Width: 2, Height: 2, Step: 3, First: 2, Stride: 8}, false},
		{"a byte short", Mask{Pix: make([]byte, 8+5), Width: 2, Height: 2, Step: 3, First: 2, Stride: 8}, true},
		{"without columns", Mask{Height: 3, Step: 1}, false},
		{"without columns, too short", Mask{Pix: make([]byte, 9), Height: 3, Step: 1, Stride: 5}, true},
		{"without rows", Mask{Width: 3, Step: 1, Stride: 5}, false},
		{"width", Mask{Width: -1, Step: 1}, true},
		{"height", Mask{Height: -1, Step: 1}, true},
		{"step", Mask{First: -1}, true},
		{"first below", Mask{Step: 1, First: -1}, true},
		{"first beyond", Mask{Step: 3, First: 3}, true},
		{"stride", Mask{Pix: make([]byte, 64), Width: 4, Height: 2, Step: 3, Stride: 11}, true},
	} {
		bug := func() (bug bool) {
			defer func() { bug = strings.HasPrefix(fmt.Sprint(recover()), "BUG: mask") }()
			Measure(c.m, 1)
			return false
		}()
		if bug != c.bug {
			t.Errorf("%s: got a panic: %v; want %v", c.name, bug, c.bug)
		}
	}
}

// endsLater is a context that ends when it has been looked at a number of times.
type endsLater struct {
	context.Context
	looks int
}

func (c *endsLater) Err() error {
	if c.looks--; c.looks < 0 {
		return context.Canceled
	}
	return nil
}

// A long search for the distance looks at its context every 64 rows.
func TestDistanceEnds(t *testing.T) {
	m := Alpha(slices.Repeat([]byte{255}, 130), 1, 130)
	for looks, want := range []error{context.Canceled, context.Canceled, context.Canceled, context.Canceled, context.Canceled, context.Canceled, nil} {
		if _, err := (Oracle{}).Compare(&endsLater{t.Context(), looks}, m, m, Options{Hausdorff: true}); !errors.Is(err, want) {
			t.Errorf("a context that ends after %d looks: got %v; want %v", looks, err, want)
		}
	}
}
