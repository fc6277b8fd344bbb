package outline

import (
	"errors"
	"fmt"
	"sync"

	"plumb/render/font"
	"plumb/render/geom"
	"plumb/render/scene"
	"plumb/render/text"
)

// textItems appends the items of a text shape's writing, back to front: per
// line the halo copies, then the glyphs, clipped to the text box. p says where
// the shape's own units lie.
func (b *Builder) textItems(sh *scene.Shape, p *place) error {
	if sh.Rich == nil {
		return nil
	}
	k, err := takeScribe()
	if err != nil {
		return err
	}
	defer k.giveBack()
	if err := k.write.Text(&k.page, sh); err != nil {
		return unwritten(sh, "text", err)
	}
	return b.write(k, writing{
		color: palette[sh.Color].solid, halo: true, w: k.page.W, h: k.page.H,
	}, p)
}

// labelItems appends the items of the label of a geo shape. It is called after
// the shape's own outline. h is the height of the shape with growth, in its
// unscaled units, as w is.
func (b *Builder) labelItems(sh *scene.Shape, w, h float64, p *place) error {
	if sh.Rich == nil {
		return nil
	}
	if sh.LabelColor >= scene.CustomColor || int(sh.LabelColor) >= len(palette) {
		return foreign(sh, "custom label colour")
	}
	k, err := takeScribe()
	if err != nil {
		return err
	}
	defer k.giveBack()
	if err := k.write.GeoLabel(&k.page, sh, w, h); err != nil {
		return unwritten(sh, "label", err)
	}
	return b.write(k, writing{color: palette[sh.LabelColor].solid, halo: true, w: w, h: h}, p)
}

// textSize returns the box of a text shape in the units of its parent, scale included. See
// docs/spec/drawing.md#r46.
func textSize(sh *scene.Shape) (w, h float64, err error) {
	k, err := takeScribe()
	if err != nil {
		return 0, 0, err
	}
	defer k.giveBack()
	if w, h, err = k.write.TextSize(sh); err != nil {
		return 0, 0, unwritten(sh, "text", err)
	}
	return w, h, nil
}

// labelGrowth returns the growY of a geo shape or note without a stored one: of geo shapes with
// scale included, of notes unscaled, as in records. See docs/spec/drawing.md#r27 and
// docs/spec/drawing.md#r81.
func labelGrowth(sh *scene.Shape) (grow float64, err error) {
	if sh.Rich == nil {
		return 0, nil
	}
	k, err := takeScribe()
	if err != nil {
		return 0, err
	}
	defer k.giveBack()
	if sh.Kind == scene.Note {
		_, grow, err = k.write.NoteFit(sh)
	} else {
		grow, err = k.write.GeoGrowth(sh)
	}
	if err != nil {
		return 0, unwritten(sh, "label that may grow the shape", err)
	}
	return grow, nil
}

// foreign reports a part of a shape that is not drawn natively.
func foreign(sh *scene.Shape, what string) error {
	return fmt.Errorf("cannot draw %s of shape %q (%s): %w", what, sh.ID, sh.TypeName, ErrForeign)
}

// unwritten reports a text that could not be laid out. What the fonts or the
// layout do not know is foreign; all else is a fault of the set-up.
func unwritten(sh *scene.Shape, what string, err error) error {
	var char *font.ForeignError
	var mark *text.MarkError
	if errors.As(err, &char) || errors.As(err, &mark) {
		return fmt.Errorf("cannot draw %s of shape %q (%s): %w: %w", what, sh.ID, sh.TypeName, ErrForeign, err)
	}
	return fmt.Errorf("cannot draw %s of shape %q (%s): %w", what, sh.ID, sh.TypeName, err)
}

// scribe is what one goroutine needs to write: fonts, layout, and the glyphs it has
// cut before.
type scribe struct {
	write   *text.Layouter
	page    text.Layout
	glyphs  glyphCache
	placed  []placed
	corners [4]geom.Point
	frame   []geom.Point
	gaps    []gap        // of an underline
	by      [][2]float64 // displacements of copies, px
}

// scribes are those that nobody uses at the moment. A list and not a sync.Pool,
// because a scribe that the collector dropped would have to shape and cut all its
// texts again.
var scribes struct {
	mu   sync.Mutex
	free []*scribe
}

func takeScribe() (*scribe, error) {
	scribes.mu.Lock()
	if n := len(scribes.free); n > 0 {
		k := scribes.free[n-1]
		scribes.free = scribes.free[:n-1]
		scribes.mu.Unlock()
		return k, nil
	}
	scribes.mu.Unlock()
	lib, err := font.Default()
	if err != nil {
		return nil, fmt.Errorf("cannot write text: %w: %w", ErrFonts, err)
	}
	return &scribe{write: text.New(lib.NewSet())}, nil
}

func (k *scribe) giveBack() {
	scribes.mu.Lock()
	defer scribes.mu.Unlock()
	scribes.free = append(scribes.free, k)
}
