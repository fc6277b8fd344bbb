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
	// Reference strokes, cuts and snaps as the editor's browser does, and fills with its 8-bit coverage
	// (render/scan), so that pixels come close to its pictures. See docs/spec/raster.md#r6.
	Reference Raster = iota
	// Exact follows true curves and offsets and fills with their area, in 8 bits too
	// (render/area): the truer picture.
	Exact
)

// MaxSidePx is the longest side of a picture in px. See docs/spec/cli.md#r33.
const MaxSidePx = 32768

// MaxCoverage is how many bytes the coverage of one drawing takes at most, unless Builder says otherwise.
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
	// Watch, if set, sees every path in px just before it is filled, with the item that it belongs to: what
	// another renderer would have to fill. Strokes of at most one px, which are not filled, are not among them.
	// Nothing is cached between drawings then. The path is valid until Watch returns.
	Watch func(p *vector.Path, it *Item)

	mode          Raster
	drawing       *Drawing
	pageToPicture twoStepMap    // in the steps of the browser
	view          vector.Matrix // the same as one map, for the clips of frames
	limit         int           // of the coverage, in bytes
	largeBeyond   int           // View.LargeBeyond

	tree  tree.Tree
	maker shapes.Maker

	dasher               stroke.Dasher
	stroker              stroke.Stroker
	scanner              scan.Scanner // of Reference
	filler               area.Filler  // of Exact
	part                 vector.Path  // a subpath, or dashes
	pathToFill           vector.Path  // the outline that is filled next, in the shape's units first and then in px
	pattern              [2]float32   // lengths of a dash and a gap, units
	fillFirst, fillCount int32        // the spans of the last fill
	clip                 tree.Clips
	cached               shapeCache
	scene                *scene.Scene
	arrows               arrows.Solver
	bodyClip             bodyClip   // of the body of the current arrow
	groupLayer           chord.Rect // box of the group layer that is being drawn, if inGroupLayer
	inGroupLayer         bool
	// originX and originY are the pixel from which px are counted: in withinGroupLayer the corner of the group layer.
	originX, originY int32
	visibleInFrames  chord.Rect // what the frames around the current shape leave of the picture
	hair             hair.Stroker
	details          bool // View.Details

	usesCache bool // shapes are cached between drawings

	// Of Layers.
	layers    []Layer
	sources   []layerSource // of layers, in the same order
	arranged  []Item        // the list that Arrange makes; afterwards memory for the next one
	hashed    []byte        // memory of stampOfItems
	stop      func() bool   // View.Stop
	dontCache bool          // the layer is not to be cached
}

// shapePlacement is where and how one shape goes into the drawing.
type shapePlacement struct {
	toPx        vector.Matrix // the shape's export units, scale included, to px
	page        geom.Matrix   // the shape's own units, scale not included, to the page
	shape       int32
	inSecondSet bool
	clip        int32  // of items to come: position of an OpClip item, -1 for none
	opacity     uint32 // of the shape and what holds it, in 1/Opaque
	isOneDraw   bool   // the shape is one draw and needs no layer: the draw's colour takes the opacity
	// opacityApplied is true when the items have the opacity already.
	opacityApplied bool
}

func (p *shapePlacement) translucent() bool { return p.opacity < shapes.Opaque }

// Build draws a view into drawing: it fills drawing with items in paint order and their coverage. What drawing
// held before is dropped, and its memory is used. Errors name the shape, and wrap ErrForeign where a selected
// shape holds something that plumb does not draw as the editor does. After an error drawing must not be used.
func (builder *Builder) Build(wanted view.View, mode Raster, drawing *Drawing) (err error) {
	defer func() {
		if err != nil && wanted.Stopped() { // the cache may hold an unfinished shape
			builder.cached = shapeCache{}
		}
	}()
	defer func() { drawing.Pieces += builder.filler.Pieces }()
	builder.usesCache = !wanted.Details && !wanted.Unmeasured
	if err := builder.begin(wanted, mode, drawing); err != nil {
		return err
	}
	for _, layer := range builder.tree.PaintOrder(wanted.Scene) {
		if wanted.Stopped() {
			return view.ErrStopped
		}
		if err := builder.shape(wanted.Scene, layer); err != nil {
			return shapes.ErrorAt(wanted.Scene.Shapes[layer.Shape].ID, err)
		}
	}
	if wanted.Stopped() { // in the middle of a shape
		return view.ErrStopped
	}
	return nil
}

// begin empties the drawing and prepares the builder for a view: limits, canvas, tree of shapes,
// selection. It returns the errors of Build that concern the view as a whole.
func (builder *Builder) begin(wanted view.View, mode Raster, drawing *Drawing) error {
	drawing.Reset()
	builder.filler.Pieces = 0
	if wanted.Foreign != nil {
		return wanted.Foreign
	}
	if err := shapes.CheckOdd(wanted.Scene); err != nil {
		return err
	}
	builder.mode, builder.drawing, builder.scene = mode, drawing, wanted.Scene
	builder.details, builder.arrows.Visited = wanted.Details, 0
	builder.scanner.OnPairPixel = nil
	if wanted.Details { // tallies do not need them
		builder.scanner.OnPairPixel = func(x, y int32, _ byte) { drawing.PairPixels = append(drawing.PairPixels, Pixel{x, y}) }
	}
	builder.limit = builder.MaxCoverage
	if builder.limit == 0 {
		builder.limit = MaxCoverage
	}
	builder.largeBeyond = wanted.LargeBeyond
	builder.maker.MaxPoints, builder.maker.Freehand.MaxPoints = builder.MaxPoints, builder.MaxPoints
	builder.scanner.Stop, builder.stroker.Stop, builder.filler.Stop = wanted.Stop, wanted.Stop, wanted.Stop
	if err := builder.setCanvas(wanted.Bounds); err != nil {
		return err
	}
	if err := builder.tree.Build(wanted.Scene); err != nil {
		return err
	}
	if err := builder.tree.Select(wanted.Scene, wanted.FirstIDs, wanted.SecondIDs); err != nil {
		return err
	}
	builder.clip.Reset(len(wanted.Scene.Shapes))
	return nil
}

// Volume is about how many bytes the builder keeps for the largest shape so far.
func (builder *Builder) Volume() int {
	return volumePerPoint * (cap(builder.pathToFill.Points) + cap(builder.part.Points))
}

// volumePerPoint is how many bytes a point of an outline takes: in the path, in the inner side of a
// stroke's outline, in the edges and in their order.
const volumePerPoint = 200

// setCanvas sets the size of the picture to the view's bounds in whole px, and builder.view to the map
// from the page to the picture. It refuses bounds that are not finite, and sides outside of 1 to
// MaxSidePx. See docs/spec/drawing.md#r16.
func (builder *Builder) setCanvas(bounds view.Box) error {
	w, h := math.Floor(bounds.W), math.Floor(bounds.H)
	isFinite := func(v float64) bool { return !math.IsNaN(v - v) }
	if !(w >= 1 && h >= 1 && w <= MaxSidePx && h <= MaxSidePx) || !isFinite(bounds.X) || !isFinite(bounds.Y) {
		return fmt.Errorf("cannot draw view at (%g, %g) of %g x %g px: %w: want finite corners and sides from 1 to %d px",
			bounds.X, bounds.Y, bounds.W, bounds.H, scene.ErrInvalid, MaxSidePx)
	}
	builder.drawing.Width, builder.drawing.Height = int(w), int(h)
	builder.pageToPicture = newTwoStepMap(bounds, builder.drawing.Width, builder.drawing.Height)
	builder.view = builder.pageToPicture.of(geom.Identity)
	return nil
}

// shape draws one layer of a shape into the drawing, unless place tells that the shape is hidden or not
// selected. Most shapes have one layer. A highlight has two, of which one lies behind all shapes of its frame.
func (builder *Builder) shape(source *scene.Scene, layer tree.Layer) error {
	placement, ok, err := builder.place(source, layer)
	if err != nil || !ok {
		return err
	}
	return builder.drawPlaced(source, layer, &placement)
}

// place returns where and how a layer, which is one appearance of a shape, goes into the drawing.
// ok is false for a layer that is not drawn, because it is in neither set of the view or has the
// opacity 0. A shape that is not drawn natively is an error that names the reason.
func (builder *Builder) place(s *scene.Scene, layer tree.Layer) (placement shapePlacement, ok bool, err error) {
	shape := &s.Shapes[layer.Shape]
	n := &builder.tree.Nodes[layer.Shape]
	if n.Set == tree.Unset || n.Opacity == 0 {
		return placement, false, nil
	}
	if err := builder.Version.Check(shape); err != nil {
		return placement, false, err
	}
	if err := shapes.Check(shape); err != nil {
		return placement, false, err
	}
	if shape.URL != "" {
		return placement, false, shapes.Foreign(shape, "link")
	}
	page := n.Page.Rounded()
	scale := vector.Matrix{A: float32(shape.Scale), D: float32(shape.Scale)}
	return shapePlacement{
		toPx:  builder.pageToPicture.of(geom.Widened(page.AsExported())).Mul(scale),
		page:  page,
		shape: layer.Shape, inSecondSet: n.Set == tree.InOther, clip: -1,
		opacity: shapes.OpacityOf(n.Opacity),
	}, true, nil
}

// drawPlaced draws a layer at its placement: the clip of the frames around the shape, then the
// shape's items, to which it gives the opacity. A shape that its frames hide is not drawn. If the
// shape has no items, the clip is removed again.
func (builder *Builder) drawPlaced(source *scene.Scene, layer tree.Layer, placement *shapePlacement) error {
	first := len(builder.drawing.Items)
	builder.visibleInFrames = builder.wholeCanvas() // what the frames leave of the picture
	if frame := builder.tree.Nodes[layer.Shape].Frame; frame >= 0 {
		corners := builder.clip.OfFrame(&builder.tree, source, frame)
		if len(corners) == 0 {
			return nil // the frames around it hide it
		}
		var err error
		if placement.clip, err = builder.clipItem(corners, builder.view, placement); err != nil {
			return err
		}
		box, _ := boundsOf(builder.pathToFill.Points, vector.Identity) // clipItem left the clip's path there
		builder.visibleInFrames = pixelBounds(box).Within(builder.visibleInFrames)
	}
	afterClip := len(builder.drawing.Items)
	if err := builder.content(&source.Shapes[layer.Shape], layer, placement); err != nil {
		return err
	}
	if len(builder.drawing.Items) == afterClip { // nothing to clip
		builder.drawing.Items = builder.drawing.Items[:first]
		return nil
	}
	builder.applyOpacity(afterClip, placement)
	return nil
}

// wholeCanvas is the canvas of shapes outside of all frames.
func (builder *Builder) wholeCanvas() chord.Rect {
	return chord.Rect{X1: int32(builder.drawing.Width), Y1: int32(builder.drawing.Height)}
}

// content appends the items of a shape and of its text to the drawing, as if the shape were opaque.
// If the cache of shapes holds an equal one, the items come from there.
func (builder *Builder) content(shape *scene.Shape, layer tree.Layer, placement *shapePlacement) error {
	growY, err := shapes.Grown(shape)
	if err != nil {
		return err
	}
	key, cacheable := builder.cacheKeyOf(shape, growY, placement)
	from := builder.marks() // what the cache takes begins here
	if !cacheable {
		return builder.draw(shape, growY, layer.Back, placement)
	}
	if builder.appendCached(&key, placement) {
		return nil
	}
	if err := builder.draw(shape, growY, layer.Back, placement); err != nil {
		return err
	}
	builder.cache(&key, from, placement)
	return nil
}

// draw appends the items of a shape's fill and outline to the drawing, and then those of its text.
// growY is how much the text makes the shape higher; back asks for the lower one of a highlight's two
// layers. It sets placement.isOneDraw. A translucent shape of several draws is drawn in a layer, which
// clips them. The only frame of its set has no items.
func (builder *Builder) draw(shape *scene.Shape, growY float64, back bool, placement *shapePlacement) error {
	switch shape.Kind {
	case scene.Arrow:
		return builder.arrow(shape, placement)
	case scene.Frame:
		if builder.tree.OnlyFrame[builder.tree.Nodes[placement.shape].Set] == placement.shape { // the editor exports only its content
			return nil
		}
		return builder.frameItems(shape, placement)
	}
	kind := shapes.KindOf(shape)
	builder.maker.Reset()
	builder.maker.Jitter.Disc = builder.Version == view.V5
	if err := builder.maker.Shape(shape, growY, back); err != nil {
		return err
	}
	matrix := placement.toPx
	if scale := builder.maker.InverseScale; float32(scale) != 1 {
		matrix = matrix.Mul(counterScale(scale))
	}
	draws := builder.maker.Draws
	w, h := shape.W/shape.Scale, (shape.H+growY)/shape.Scale
	label := shownLabel(shape, kind.Text, w, h)
	isUnscaled := builder.maker.InverseScale == 1 || builder.mode == Exact // else the draw has a transform of its own
	lone := len(draws) == 1 && draws[0].Opacity == shapes.Opaque && isUnscaled
	placement.isOneDraw = lone && label == labelNone
	if err := cmp.Or(builder.checkCloud(shape, growY, matrix), builder.checkThinCurve(shape, draws, matrix),
		builder.checkLabel(shape, label, lone, placement)); err != nil {
		return err
	}
	if placement.translucent() && !placement.isOneDraw {
		builder.beginGroupLayer(draws, matrix)
		defer builder.endGroupLayer()
		if kind.Text == shapes.LabelText && label != labelNone { // the whole box of the label
			builder.widenGroupLayer(0, 0, math.Ceil(w), math.Ceil(h), placement.toPx)
		}
	}
	if err := builder.paint(draws, matrix, placement); err != nil {
		return err
	}
	switch {
	case label == labelNone:
		return nil
	case kind.Text == shapes.BodyText:
		return builder.bodyText(shape, placement)
	case kind.Text == shapes.LabelText:
		return builder.geoLabel(shape, w, h, placement)
	case kind.Text == shapes.NoteText:
		return builder.noteText(shape, growY, placement)
	}
	return nil
}

// applyOpacity gives the shape's opacity to its items, which begin at position first of the
// drawing, unless it is opaque or the items have the opacity already. The colour of a single draw
// takes it. Several draws, or one with an opacity or a transform of its own, become a new group,
// which is composited by itself first. See docs/spec/raster.md#r27.
func (builder *Builder) applyOpacity(first int, placement *shapePlacement) {
	switch {
	case !placement.translucent() || placement.opacityApplied:
	case placement.isOneDraw:
		for i := range builder.drawing.Items[first:] {
			builder.drawing.Items[first+i].Opacity = placement.opacity
		}
	default:
		builder.drawing.Groups = append(builder.drawing.Groups, placement.opacity)
		for i := range builder.drawing.Items[first:] {
			builder.drawing.Items[first+i].Group = int32(len(builder.drawing.Groups))
		}
	}
}
