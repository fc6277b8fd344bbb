package scene

import "math/bits"

// Fields is a set of fields of a record, those that were written.
type Fields uint64

// The fields of a record. fieldsOf lists those of each kind; others are ignored.
const (
	HasX Fields = 1 << iota
	HasY
	HasRotation
	HasOpacity
	HasParent // Record.ParentID
	HasIndex  // Record.Index
	HasScale
	HasW
	HasH
	HasGrowY
	HasFontPx // fontSizeAdjustment
	HasBend
	HasLabelPosition
	HasElbowMid // elbowMidPoint
	HasColor
	HasLabelColor
	HasSize
	HasDash
	HasFill
	HasFont
	HasAlign    // textAlign of text shapes, align of the others
	HasVertical // verticalAlign
	HasGeo
	HasHeadStart // arrowheadStart
	HasHeadEnd   // arrowheadEnd
	HasElbow     // kind of an arrow
	HasCubic     // spline of a line
	HasAuto      // autoSize
	HasClosed    // isClosed
	HasComplete  // isComplete
	HasPen       // isPen
	HasFlipX
	HasFlipY
	HasRich
	HasName
	HasPoints // of a line, in index order
	HasStart  // of an arrow: Points[0]
	HasEnd    // of an arrow: Points[1]
	HasSegments
	HasURL
	HasAsset
)

const (
	baseFields  = HasX | HasY | HasRotation | HasOpacity
	placeFields = HasParent | HasIndex
	arrowFields = HasBend | HasLabelPosition | HasElbowMid | HasHeadStart | HasHeadEnd | HasElbow
	endFields   = HasStart | HasEnd
	labelFields = HasRich | HasLabelColor | HasFont
	strokeField = HasColor | HasSize | HasScale
)

// fieldRow describes one field of a record.
type fieldRow struct {
	path string // inside the record, as messages write it
	// pointer returns where a shape keeps the field. For the fields of arrows the shape must
	// have Arrow and two Points. nil for fields that a Shape does not have.
	pointer func(*Shape) any
	names   []string // of an enumerated field: its values; the field is a *uint8, or a *bool for two names
}

// fieldRows has one row for each field, in the order of the constants above.
var fieldRows = [...]fieldRow{
	{"x", func(s *Shape) any { return &s.X }, nil},
	{"y", func(s *Shape) any { return &s.Y }, nil},
	{"rotation", func(s *Shape) any { return &s.Rotation }, nil},
	{"opacity", func(s *Shape) any { return &s.Opacity }, nil},
	{path: "parentId"},
	{path: "index"},
	{"props.scale", func(s *Shape) any { return &s.Scale }, nil},
	{"props.w", func(s *Shape) any { return &s.W }, nil},
	{"props.h", func(s *Shape) any { return &s.H }, nil},
	{"props.growY", func(s *Shape) any { return &s.GrowY }, nil},
	{"props.fontSizeAdjustment", func(s *Shape) any { return &s.FontPx }, nil},
	{"props.bend", func(s *Shape) any { return &s.Arrow.Bend }, nil},
	{"props.labelPosition", func(s *Shape) any { return &s.Arrow.LabelPosition }, nil},
	{"props.elbowMidPoint", func(s *Shape) any { return &s.Arrow.ElbowMidPoint }, nil},
	{"props.color", func(s *Shape) any { return (*uint8)(&s.Color) }, colorNames[:]},
	{"props.labelColor", func(s *Shape) any { return (*uint8)(&s.LabelColor) }, colorNames[:]},
	{"props.size", func(s *Shape) any { return (*uint8)(&s.Size) }, sizeNames[:]},
	{"props.dash", func(s *Shape) any { return (*uint8)(&s.Dash) }, dashNames[:]},
	{"props.fill", func(s *Shape) any { return (*uint8)(&s.Fill) }, fillNames[:]},
	{"props.font", func(s *Shape) any { return (*uint8)(&s.Font) }, fontNames[:]},
	{"props.align", func(s *Shape) any { return (*uint8)(&s.Align) }, labelAlignNames},
	{"props.verticalAlign", func(s *Shape) any { return (*uint8)(&s.Vertical) }, alignNames[:]},
	{"props.geo", func(s *Shape) any { return (*uint8)(&s.Geo) }, geoNames[:]},
	{"props.arrowheadStart", func(s *Shape) any { return (*uint8)(&s.Arrow.HeadStart) }, headNames[:]},
	{"props.arrowheadEnd", func(s *Shape) any { return (*uint8)(&s.Arrow.HeadEnd) }, headNames[:]},
	{"props.kind", func(s *Shape) any { return &s.Arrow.Elbow }, arrowNames},
	{"props.spline", func(s *Shape) any { return &s.Cubic }, splineNames},
	{"props.autoSize", func(s *Shape) any { return &s.Auto }, nil},
	{"props.isClosed", func(s *Shape) any { return &s.Closed }, nil},
	{"props.isComplete", func(s *Shape) any { return &s.Complete }, nil},
	{"props.isPen", func(s *Shape) any { return &s.Pen }, nil},
	{"props.flipX", func(s *Shape) any { return &s.Flip[0] }, nil},
	{"props.flipY", func(s *Shape) any { return &s.Flip[1] }, nil},
	{"props.richText", func(s *Shape) any { return &s.Rich }, nil},
	{"props.name", func(s *Shape) any { return &s.Name }, nil},
	{"props.points", func(s *Shape) any { return &s.Points }, nil},
	{"props.start", func(s *Shape) any { return &s.Points[0] }, nil},
	{"props.end", func(s *Shape) any { return &s.Points[1] }, nil},
	{"props.segments", func(s *Shape) any { return &s.Segments }, nil},
	{"props.url", func(s *Shape) any { return &s.URL }, nil},
	{"props.assetId", func(s *Shape) any { return &s.Asset }, nil},
}

// row returns the table row of the first field of the set.
func (f Fields) row() *fieldRow { return &fieldRows[bits.TrailingZeros64(uint64(f))] }

// number returns where the shape keeps the numeric field f.
func (shape *Shape) number(f Fields) *float64 { return f.row().pointer(shape).(*float64) }

// String returns the path of the first field of the set inside its record.
func (f Fields) String() string { return f.row().path }
