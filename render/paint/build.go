package paint

import (
	"cmp"
	"fmt"
	"math"

	"plumb/render/area"
	"plumb/render/arrows"
	"plumb/render/chord"
	"plumb/render/geom"
	"plumb/render/hair"
	"plumb/render/scan"
	"plumb/render/scene"
	"plumb/render/shapes"
	"plumb/render/stroke"
	"plumb/render/tree"
	"plumb/render/vector"
	"plumb/render/view"
)

// Raster says how paths become coverage.
type Raster uint8

const (
	// Reference strokes, cuts and snaps as the editor's browser does, and fills with its 8-bit
	// coverage (render/scan), so that pixels come close to its pictures. See
	// docs/spec/raster.md#r6.
	Reference Raster = iota
	// Exact follows true curves and offsets and fills with their area, in 8 bits too
	// (render/area): the truer picture.
	Exact
)

// MaxSidePx is the longest side of a picture in px. See docs/spec/cli.md#r33.
const MaxSidePx = 32768

// MaxCoverage is how many bytes the coverage of one drawing takes at most, unless
// Builder says otherwise.
const MaxCoverage = 1 << 28

// Builder turns views into drawings. It keeps memory between calls, so that a worker that draws
// scenes of one kind allocates nothing. One goroutine at a time; the zero value is ready for use.
type Builder struct {
	// MaxCoverage is the limit for a drawing; 0 means the constant MaxCoverage.
	MaxCoverage int
	// MaxPoints is the limit for a shape; 0 means shapes.MaxPoints.
	MaxPoints int
	// Version is not to be changed between two drawings.
	Version view.Version
	// Watch, if set, sees every path in px just before it is filled, with the item
	// that it belongs to: what another renderer would have to fill. Strokes of at
	// most one px, which are not filled, are not among them. Nothing is cached
	// between drawings then. The path is valid until Watch returns.
	Watch func(p *vector.Path, it *Item)

	mode  Raster
	d     *Drawing
	view  vector.Matrix // page to px
	shown view.Box      // part of the page
	limit int
	light int // View.Light

	tree  tree.Tree
	local shapes.Maker

	dasher   stroke.Dasher
	stroker  stroke.Stroker
	scanner  scan.Scanner // of Reference
	filler   area.Filler  // of Exact
	judged   vector.Path  // a disc in px, by the browser's steps
	part     vector.Path  // a subpath, or dashes
	outlined vector.Path  // in px at last
	pattern  [2]float32
	filled   [2]int32 // First and Count of the last fill
	clip     tree.Clips
	cached   shapeCache
	scene    *scene.Scene
	arrows   arrows.Solver
	body     bodyClip
	layer    chord.Rect // canvas of the current layer
	layered  bool
	framed   chord.Rect // canvas outside of layers
	hair     hair.Stroker
	picture  bool

	unmeasured bool // View.Unmeasured

	// Of Layers.
	layers   []Layer
	sources  []layerSource
	arranged []Item
	hashed   []byte
	stop     func() bool
	once     bool // the layer is not to be cached
}

// shapePlacement is where and how one shape goes into the drawing.
type shapePlacement struct {
	m       vector.Matrix // the shape's export units, scale included, to px
	page    geom.Matrix   // the shape's own units, scale not included, to the page
	shape   int32
	second  bool
	clip    int32  // of items to come: position of an OpClip item, -1 for none
	opacity uint32 // of the shape and what holds it, in 1/Opaque
	single  bool   // the shape is one draw, whose colour takes the opacity
	// opacityApplied is true when the items have the opacity already.
	opacityApplied bool
}

func (p *shapePlacement) translucent() bool { return p.opacity < shapes.Opaque }

// Build draws a view into d: it fills d with items in paint order and their coverage. What d held
// before is dropped, and its memory is used. Errors name the shape, and wrap ErrForeign where a
// selected shape holds something that plumb does not draw as the editor does. After an error d must
// not be used.
func (b *Builder) Build(v view.View, mode Raster, d *Drawing) (err error) {
	defer func() {
		if err != nil && v.Stopped() { // the cache may hold an unfinished shape
			b.cached = shapeCache{}
		}
	}()
	defer func() { d.Pieces += b.filler.Pieces }()
	if err := b.begin(v, mode, d); err != nil {
		return err
	}
	for _, l := range b.tree.PaintOrder(v.Scene) {
		if v.Stopped() {
			return view.ErrStopped
		}
		if err := b.shape(v.Scene, l); err != nil {
			return shapes.ErrorAt(v.Scene.Shapes[l.Shape].ID, err)
		}
	}
	if v.Stopped() { // in the middle of a shape
		return view.ErrStopped
	}
	return nil
}

// begin empties the drawing d and prepares the builder for a view: limits, canvas, tree of shapes,
// selection. It returns the errors of Build that concern the view as a whole.
func (b *Builder) begin(v view.View, mode Raster, d *Drawing) error {
	d.Reset()
	b.filler.Pieces = 0
	if v.Foreign != nil {
		return v.Foreign
	}
	if err := shapes.CheckOdd(v.Scene); err != nil {
		return err
	}
	b.mode, b.d, b.scene = mode, d, v.Scene
	b.picture, b.unmeasured, b.arrows.Visited = v.Picture, v.Unmeasured, 0
	b.scanner.Pairs = nil
	if v.Picture { // tallies do not need them
		b.scanner.Pairs = func(x, y int32, _ byte) { d.Pairs = append(d.Pairs, Pixel{x, y}) }
	}
	b.limit = b.MaxCoverage
	if b.limit == 0 {
		b.limit = MaxCoverage
	}
	b.light = v.Light
	b.local.Most, b.local.Free.Most = b.MaxPoints, b.MaxPoints
	b.scanner.Stop, b.stroker.Stop, b.filler.Stop = v.Stop, v.Stop, v.Stop
	if err := b.setCanvas(v.Bounds); err != nil {
		return err
	}
	if err := b.tree.Build(v.Scene); err != nil {
		return err
	}
	if err := b.tree.Select(v.Scene, v.Only, v.Other); err != nil {
		return err
	}
	b.clip.Reset(len(v.Scene.Shapes))
	return nil
}

// Volume is about how many bytes the builder keeps for the largest shape so far.
func (b *Builder) Volume() int { return volumePerPoint * (cap(b.outlined.Points) + cap(b.part.Points)) }

// volumePerPoint is how many bytes a point of an outline takes: in the path, its inner side, the
// edges and their order.
const volumePerPoint = 200

// setCanvas sets the size of the picture to the view's bounds in whole px, and b.view to the map
// from the page to the picture. It refuses bounds that are not finite, and sides outside of 1 to
// MaxSidePx. See docs/spec/drawing.md#r16.
func (b *Builder) setCanvas(bounds view.Box) error {
	w, h := math.Floor(bounds.W), math.Floor(bounds.H)
	isFinite := func(v float64) bool { return !math.IsNaN(v - v) }
	if !(w >= 1 && h >= 1 && w <= MaxSidePx && h <= MaxSidePx) || !isFinite(bounds.X) || !isFinite(bounds.Y) {
		return fmt.Errorf("cannot draw view at (%g, %g) of %g x %g px: %w: want finite corners and sides from 1 to %d px",
			bounds.X, bounds.Y, bounds.W, bounds.H, scene.ErrInvalid, MaxSidePx)
	}
	b.d.Width, b.d.Height = int(w), int(h)
	b.shown = bounds
	// The browser lays an image out in 1/64 px, fits the view into that, both sides in
	// the same measure and in the middle, and stretches the image to whole px. Exact
	// pictures stand where the others do.
	left, top := float64(geom.Read(bounds.X)), float64(geom.Read(bounds.Y))
	viewW, viewH := float64(geom.Read(bounds.W)), float64(geom.Read(bounds.H))
	fitW, fitH := math.Floor(viewW*64)/64, math.Floor(viewH*64)/64
	k := min(fitW/viewW, fitH/viewH)
	kx, ky := w/fitW, h/fitH
	b.view = vector.Matrix{
		A: float32(kx * k), D: float32(ky * k),
		E: float32(kx * ((fitW-viewW*k)/2 - left*k)),
		F: float32(ky * ((fitH-viewH*k)/2 - top*k)),
	}
	return nil
}

// shape draws one layer, which is one appearance of a shape, into the drawing, unless it is hidden or
// not selected.
func (b *Builder) shape(s *scene.Scene, l tree.Layer) error {
	p, ok, err := b.place(s, l)
	if err != nil || !ok {
		return err
	}
	return b.placed(s, l, &p)
}

// place returns where and how a layer, which is one appearance of a shape, goes into the drawing.
// ok is false for a layer that is not drawn, because it is in neither set of the view or has the
// opacity 0. A shape that is not drawn natively is an error that names the reason.
func (b *Builder) place(s *scene.Scene, l tree.Layer) (p shapePlacement, ok bool, err error) {
	sh := &s.Shapes[l.Shape]
	n := &b.tree.Nodes[l.Shape]
	if n.Set == tree.Unset || n.Opacity == 0 {
		return p, false, nil
	}
	if err := b.Version.Check(sh); err != nil {
		return p, false, err
	}
	if err := shapes.Check(sh); err != nil {
		return p, false, err
	}
	if sh.URL != "" {
		return p, false, shapes.Foreign(sh, "link")
	}
	page := n.Page.Rounded()
	scale := vector.Matrix{A: float32(sh.Scale), D: float32(sh.Scale)}
	return shapePlacement{
		m:     b.view.Mul(page.Binary32()).Mul(scale),
		page:  page,
		shape: l.Shape, second: n.Set == tree.InOther, clip: -1,
		opacity: shapes.OpacityOf(n.Opacity),
	}, true, nil
}

// placed draws a layer at its placement p: the clip of the frames around the shape, then the
// shape's items, to which it gives the opacity. A shape that its frames hide is not drawn. If the
// shape has no items, the clip is removed again.
func (b *Builder) placed(s *scene.Scene, l tree.Layer, p *shapePlacement) error {
	first := len(b.d.Items)
	b.framed = b.whole()
	if frame := b.tree.Nodes[l.Shape].Frame; frame >= 0 {
		c := b.clip.OfFrame(&b.tree, s, frame)
		if len(c) == 0 {
			return nil // the frames around it hide it
		}
		var err error
		if p.clip, err = b.clipItem(c, b.view, p); err != nil {
			return err
		}
		box, _ := boundsOf(b.outlined.Points, vector.Identity) // clipItem left the clip's path there
		b.framed = pixelBounds(box).Within(b.framed)
	}
	body := len(b.d.Items)
	if err := b.content(&s.Shapes[l.Shape], l, p); err != nil {
		return err
	}
	if len(b.d.Items) == body { // nothing to clip
		b.d.Items = b.d.Items[:first]
		return nil
	}
	b.applyOpacity(body, p)
	return nil
}

// whole is the canvas of shapes outside of all frames.
func (b *Builder) whole() chord.Rect {
	return chord.Rect{X1: int32(b.d.Width), Y1: int32(b.d.Height)}
}

// content appends the items of a shape and of its text to the drawing, as if the shape were opaque.
// If the cache of shapes holds an equal one, the items come from there.
func (b *Builder) content(sh *scene.Shape, l tree.Layer, p *shapePlacement) error {
	growY, err := shapes.Grown(sh)
	if err != nil {
		return err
	}
	key, cacheable := b.cacheKeyOf(sh, growY, p)
	from := b.marks()
	if !cacheable {
		return b.draw(sh, growY, l.Back, p)
	}
	if b.appendCached(&key, p) {
		return nil
	}
	if err := b.draw(sh, growY, l.Back, p); err != nil {
		return err
	}
	b.cache(&key, from, p)
	return nil
}

// draw appends the items of a shape's fill and outline to the drawing, and then those of its text.
// growY is how much the text makes the shape higher, and back says that only the part of a shape that is
// painted behind its children is wanted. It sets p.single. A translucent shape of several draws is drawn
// in a layer, which clips them. The only frame of its set has no items.
func (b *Builder) draw(sh *scene.Shape, growY float64, back bool, p *shapePlacement) error {
	switch sh.Kind {
	case scene.Arrow:
		return b.arrow(sh, p)
	case scene.Frame:
		if b.tree.OnlyFrame[b.tree.Nodes[p.shape].Set] == p.shape { // the editor exports only its content
			return nil
		}
		return b.frameItems(sh, p)
	}
	kind := shapes.KindOf(sh)
	b.local.Reset()
	b.local.Jitter.Disc = b.Version == view.V5
	if err := b.local.Shape(sh, growY, back); err != nil {
		return err
	}
	m := p.m
	if k := float32(b.local.Counter); k != 1 {
		m = m.Mul(vector.Matrix{A: k, D: k})
	}
	d := b.local.Draws
	w, h := sh.W/sh.Scale, (sh.H+growY)/sh.Scale
	label := shownLabel(sh, kind.Text, w, h)
	lone := len(d) == 1 && d[0].Opacity == shapes.Opaque && (b.local.Counter == 1 || b.mode == Exact)
	p.single = lone && label == labelNone
	if err := cmp.Or(b.checkCloud(sh, growY), b.checkCertain(sh, d, growY, m, p),
		b.checkLabel(sh, label, lone, p)); err != nil {
		return err
	}
	if p.translucent() && !p.single {
		b.beginLayer(d, m)
		defer b.endLayer()
		if kind.Text == shapes.LabelText && label != labelNone { // the whole box of the label
			b.widenLayer(0, 0, math.Ceil(w), math.Ceil(h), p.m)
		}
	}
	if err := b.paint(d, m, p); err != nil {
		return err
	}
	switch {
	case label == labelNone:
		return nil
	case kind.Text == shapes.BodyText:
		return b.bodyText(sh, p)
	case kind.Text == shapes.LabelText:
		return b.geoLabel(sh, w, h, p)
	case kind.Text == shapes.NoteText:
		return b.noteText(sh, growY, p)
	}
	return nil
}

// applyOpacity gives the shape's opacity to its items, which begin at position first of the
// drawing, unless it is opaque or the items have the opacity already. The colour of a single draw
// takes it. Several draws, or one with an opacity or a transform of its own, become a new group,
// which is composited by itself first. See docs/spec/raster.md#r27.
func (b *Builder) applyOpacity(first int, p *shapePlacement) {
	switch {
	case !p.translucent() || p.opacityApplied:
	case p.single:
		for i := range b.d.Items[first:] {
			b.d.Items[first+i].Opacity = p.opacity
		}
	default:
		b.d.Groups = append(b.d.Groups, p.opacity)
		for i := range b.d.Items[first:] {
			b.d.Items[first+i].Group = int32(len(b.d.Groups))
		}
	}
}
