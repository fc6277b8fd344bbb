// Package scene reads whiteboards as JSON, in all of tldraw's encodings, into complete
// scenes, and checks any JSON strictly. In: bytes in any of tldraw's encodings, or
// records that a scoring rule assembled. Out: a *Scene that is valid, complete and
// read-only. It refuses what breaks a limit or a rule and names the shape and the field;
// later packages do not check input again.
package scene

import (
	"math"

	"plumb/render/geom"
)

// Scene is a whiteboard with every default filled in. It is never changed after
// Resolve or Decode returned it, so goroutines may share it.
type Scene struct {
	// Shapes in paint order, back to front: depth first, a parent before its children, siblings
	// by index. See docs/spec/drawing.md#r8.
	Shapes []Shape
	// Bindings of arrows to their targets, as given.
	Bindings []Binding
	// Skipped is the number of shapes that lie on other pages of the document
	// and are therefore not part of the scene.
	Skipped int

	byID map[string]int32 // nil for small scenes; see Find
}

// GeoKind is the outline of a geo shape.
type GeoKind uint8

// The outlines of geo shapes. See docs/spec/drawing.md#r21.
const (
	Rectangle GeoKind = iota
	Ellipse
	Triangle
	Diamond
	Pentagon
	Hexagon
	Octagon
	Star
	Rhombus
	Rhombus2
	Oval
	Trapezoid
	ArrowRight
	ArrowLeft
	ArrowUp
	ArrowDown
	XBox
	CheckBox
	Heart
	Cloud
)

// Size is the style that sets stroke widths and font sizes.
type Size uint8

// The sizes, smallest first.
const (
	SizeS Size = iota
	SizeM
	SizeL
	SizeXL
)

// Dash is the style of strokes.
type Dash uint8

// The dashes; DashDraw is the hand-drawn default.
const (
	DashDraw Dash = iota
	DashSolid
	DashDashed
	DashDotted
	DashNone // tldraw 5.x only
)

// Fill is the style of interiors.
type Fill uint8

// The fills. See docs/spec/drawing.md#r37.
const (
	FillNone Fill = iota
	FillSemi
	FillSolid
	FillPattern
	FillFill
	FillLined
)

// Font is the family of text.
type Font uint8

// The four shipped families.
const (
	FontDraw Font = iota
	FontSans
	FontSerif
	FontMono
)

// Align places text along one axis of its box. The -legacy values of tldraw are drawn like End
// and are decoded to it. See docs/spec/drawing.md#r4.
type Align uint8

// The alignments.
const (
	AlignStart Align = iota
	AlignMiddle
	AlignEnd
)

// Color is one of the 13 named colours.
type Color uint8

// The colours, in the order of the palette. See docs/spec/drawing.md#r39.
const (
	Black Color = iota
	Grey
	LightViolet
	Violet
	Blue
	LightBlue
	Yellow
	Orange
	Green
	LightGreen
	LightRed
	Red
	White
	CustomColor // not a name of the stock palette; not drawn natively
)

// Point is in the shape's own units, x to the right, y down.
type Point struct{ X, Y float64 }

// Shape is one record with all defaults filled in. Fields that its kind does not have are zero.
// See docs/spec/drawing.md#r3.
type Shape struct {
	ID       string // with the prefix "shape:"; seeds the hand-drawn jitter
	Kind     Kind
	TypeName string // the record's type as written, for messages
	Parent   int32  // position in Scene.Shapes, -1 for the page

	// Odd says what in the shape's record, or in a binding of it, the editor may refuse or read in
	// another way; "" for nothing. See docs/spec/drawing.md#r88.
	Odd string

	X, Y     float64 // origin in the parent's space, px
	Rotation float64 // radians, clockwise on screen, about the origin
	Opacity  float64 // 0..1, its own, ancestors not included

	Scale      float64 // > 0
	Color      Color
	LabelColor Color
	Size       Size
	Dash       Dash
	Fill       Fill
	Font       Font
	Align      Align // horizontal: textAlign of text shapes, align of others
	Vertical   Align

	Geo    GeoKind
	W, H   float64   // px, > 0
	GrowY  float64   // geo and note: extra height from its label, px, >= 0
	Grow   bool      // growY was not given: as on creation, it follows from the label
	Auto   bool      // text: autoSize
	Rich   *RichText // label or text; nil when empty (nothing is drawn)
	Name   string    // frame
	FontPx float64   // note: fontSizeAdjustment, 0 when none

	Points   []Point   // line: in index order; arrow: start, end
	Cubic    bool      // line: spline cubic
	Segments []Segment // draw, highlight
	Closed   bool      // draw: isClosed
	Complete bool      // draw, highlight: isComplete
	Pen      bool      // draw, highlight: isPen

	Arrow *ArrowProps // arrow only
	Flip  [2]bool     // image: flipX, flipY
	Asset string      // image, video, bookmark: asset id, "" when none
	URL   string      // geo, note, image, bookmark, embed: link, "" when none
}

// Segment is one stretch of a freehand line.
type Segment struct {
	Straight bool
	Points   []Pressed
}

// Pressed is a point with the pen's pressure, 0..1.
type Pressed struct{ X, Y, Z float64 }

// ArrowProps are the properties that only arrows have; ends are in Shape.Points.
type ArrowProps struct {
	Elbow         bool
	Bend          float64
	HeadStart     Arrowhead
	HeadEnd       Arrowhead
	LabelPosition float64 // 0..1
	ElbowMidPoint float64 // 0..1
}

// Arrowhead is the shape of an arrow's end.
type Arrowhead uint8

// The arrowheads.
const (
	HeadNone Arrowhead = iota
	HeadArrow
	HeadTriangle
	HeadSquare
	HeadDot
	HeadPipe
	HeadDiamond
	HeadInverted
	HeadBar
)

// Binding ties one end of an arrow to a target. See docs/spec/drawing.md#r13.
type Binding struct {
	From, To  int32 // positions in Scene.Shapes: the arrow, its target
	IsEnd     bool  // terminal: false = start
	Anchor    Point // normalised, (0.5, 0.5) = centre
	IsExact   bool
	IsPrecise bool
	Snap      Snap
}

// Snap is how an elbow arrow's end holds on to its target.
type Snap uint8

// The snaps.
const (
	SnapNone Snap = iota
	SnapCenter
	SnapEdgePoint
	SnapEdge
)

// RichText is a ProseMirror document reduced to the parts that are laid out. Blocks are in reading
// order. See docs/spec/drawing.md#r51.
type RichText struct {
	Blocks []Block
	// Foreign names the first node or mark that this form cannot hold
	// ("heading", "image"); empty when all was understood. A renderer must not
	// draw a document with a Foreign node as if it were complete.
	Foreign string
	// Document is the document as JSON where Foreign is set, "" elsewhere.
	Document string
}

// Block is one paragraph.
type Block struct {
	Depth   int  // 0 for a plain paragraph, n inside n nested lists
	Ordered bool // innermost list is numbered
	Number  int  // position in an ordered list, from 1; 0 when this is a further paragraph of its item
	Bullet  bool // first paragraph of a bullet item
	Items   int  // number of items of the innermost list (sets its padding)
	Spans   []Span
}

// Span is a stretch of text in one style. A hardBreak is the text "\n".
type Span struct {
	Text      string
	Bold      bool
	Italic    bool
	Code      bool
	Strike    bool
	Underline bool
	Link      bool
	Highlight bool
}

// Find returns the position of the shape with this id in the scene, or -1.
func (scene *Scene) Find(id string) int32 {
	if scene.byID != nil {
		if i, ok := scene.byID[id]; ok {
			return i
		}
		return -1
	}
	for i := range scene.Shapes {
		if scene.Shapes[i].ID == id {
			return int32(i)
		}
	}
	return -1
}

// LocalMatrix returns the map from the shape's space to its parent's: a turn about the shape's
// origin, then a move. See docs/spec/drawing.md#r10.
func (shape *Shape) LocalMatrix() geom.Matrix {
	if shape.Rotation == 0 {
		return geom.Matrix{A: 1, D: 1, E: shape.X, F: shape.Y}
	}
	sin, cos := math.Sincos(shape.Rotation)
	return geom.Matrix{A: cos, B: sin, C: -sin, D: cos, E: shape.X, F: shape.Y}
}
