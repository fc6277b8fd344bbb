package text

import (
	"math"
	"slices"

	"plumb/render/scene"
)

// arrowSize is the font size of an arrow's label, px. See docs/spec/drawing.md#r41.
var arrowSize = [...]float64{scene.SizeS: 18, scene.SizeM: 20, scene.SizeL: 24, scene.SizeXL: 28}

// maxArrowEm is the longest line of an arrow's label where the arrow is steep, em.
const maxArrowEm = 16

// ArrowSize returns the size of the box of an arrow's label in px, scale included, without padding.
// w and h are the sides of the bounds of the arrow's body. If the body is wider than high, the
// label's lines wrap so that the label leaves margin px free along it, but is at least margin px
// wide. Else they wrap at maxArrowEm. Lists are refused. See docs/spec/drawing.md#r70.
func (l *Layouter) ArrowSize(sh *scene.Shape, w, h, margin float64) (width, height float64, err error) {
	if slices.ContainsFunc(sh.Rich.Blocks, func(b scene.Block) bool { return b.Depth > 0 }) {
		return 0, 0, &UnsupportedError{"lists on arrows"}
	}
	spec := arrowSpec(sh, Unbounded)
	if err := l.Layout(&l.scratchLayout, sh.Rich, spec); err != nil {
		return 0, 0, err
	}
	unwrapped := l.scratchLayout.W // the width without any wrapping
	switch {
	case w > h:
		spec.Width = min(unwrapped, max(margin, w-margin))
	case unwrapped > maxArrowEm*spec.Size:
		spec.Width = maxArrowEm * spec.Size
	}
	if spec.Width >= 0 && spec.Width < unwrapped {
		spec.Width = floorToLayoutUnit(spec.Width)
		if err := l.Layout(&l.scratchLayout, sh.Rich, spec); err != nil {
			return 0, 0, err
		}
	}
	return l.scratchLayout.W, l.scratchLayout.H, nil
}

// Arrow lays out an arrow's label in the arrow's own space, in a box at (x, y) of the width that
// ArrowSize returned.
func (l *Layouter) Arrow(out *Layout, sh *scene.Shape, x, y, width float64) error {
	if err := l.Layout(out, sh.Rich, arrowSpec(sh, width)); err != nil {
		return err
	}
	// The browser rounds down to 1/64 px, but to binary32 first: that drops last bits of the doubles, which
	// could otherwise decide which multiple is the one below.
	out.Place(floorToLayoutUnit(float64(float32(x))), floorToLayoutUnit(float64(float32(y))))
	return nil
}

// arrowSpec returns the text layout of an arrow's label of the given width, px.
func arrowSpec(sh *scene.Shape, width float64) Spec {
	size := arrowSize[sh.Size] * math.Abs(sh.Scale)
	return Spec{Font: sh.Font, Size: size, Width: width, Align: scene.AlignMiddle}
}
