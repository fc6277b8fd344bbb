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

// fieldsOf lists the properties of each kind.
var fieldsOf = [...]Fields{
	Geo:       strokeField | labelFields | HasDash | HasFill | HasGeo | HasW | HasH | HasGrowY | HasAlign | HasVertical | HasURL,
	Text:      strokeField | HasRich | HasFont | HasAlign | HasW | HasAuto,
	Line:      strokeField | HasDash | HasCubic | HasPoints,
	Draw:      strokeField | HasDash | HasFill | HasSegments | HasClosed | HasComplete | HasPen,
	Arrow:     strokeField | labelFields | HasDash | HasFill | arrowFields | endFields,
	Highlight: strokeField | HasSegments | HasComplete | HasPen,
	Note:      strokeField | labelFields | HasAlign | HasVertical | HasGrowY | HasFontPx | HasURL,
	Frame:     HasColor | HasW | HasH | HasName,
	Group:     0,
	Image:     HasW | HasH | HasFlipX | HasFlipY | HasURL | HasAsset,
	Video:     HasW | HasH | HasURL | HasAsset,
	Bookmark:  HasW | HasH | HasURL | HasAsset,
	Embed:     HasW | HasH | HasURL,
	Other:     0,
}

// Record is a shape as it was written: only the fields in Has mean anything,
// besides ID, Kind and (for Other) TypeName. The zero value of the rest is
// ready for use. Records may share slices and pointers with each other and
// with the scenes made of them; code that changes a record replaces these, never
// what they point to.
type Record struct {
	Shape           // Parent and Grow are not read
	Has      Fields // the fields that were written
	ParentID string // a shape's or page's id
	Index    string // order among siblings
	// Stored tells a record that was read from a store from one that is being created: its
	// growY and fontSizeAdjustment are trusted, and nothing is computed for it. See
	// docs/spec/drawing.md#r5.
	Stored bool
}

// NewRecord returns a record to be created, with nothing but an id and a kind.
func NewRecord(id string, kind Kind) Record {
	return Record{Shape: Shape{ID: id, Kind: kind, TypeName: kind.String()}}
}

// Merge applies an update as the editor does: x, y, rotation and opacity are
// replaced, props replaced one by one, lists (points, segments, rich text) as a
// whole. Fields that the kind of r does not have are ignored, and so are the
// id, the type and the place (parent, index) of u: an update keeps them.
func (r *Record) Merge(u *Record) {
	given := u.Has & (baseFields | fieldsOf[min(r.Kind, Other)])
	if given&arrowFields != 0 {
		props := arrowDefaults // copied: other records may share the old ones
		if r.Arrow != nil {
			props = *r.Arrow
		}
		r.Arrow = &props
	}
	if given&endFields != 0 {
		ends := []Point{arrowStart, arrowEnd}
		copy(ends, r.Points)
		r.Points = ends
	}
	assign(&r.Shape, &u.Shape, given)
	r.Has |= given
}

// assign copies the given fields from one shape to another. For fields of
// arrows, dst.Arrow and dst.Points must be dst's own.
func assign(dst, src *Shape, given Fields) {
	for ; given != 0; given &= given - 1 {
		f := given & -given
		if to := dst.number(f); to != nil {
			*to = *src.number(f)
			continue
		}
		switch f {
		case HasColor:
			dst.Color = src.Color
		case HasLabelColor:
			dst.LabelColor = src.LabelColor
		case HasSize:
			dst.Size = src.Size
		case HasDash:
			dst.Dash = src.Dash
		case HasFill:
			dst.Fill = src.Fill
		case HasFont:
			dst.Font = src.Font
		case HasAlign:
			dst.Align = src.Align
		case HasVertical:
			dst.Vertical = src.Vertical
		case HasGeo:
			dst.Geo = src.Geo
		case HasRich:
			dst.Rich = src.Rich
		case HasName:
			dst.Name = src.Name
		case HasPoints:
			dst.Points = src.Points
		case HasStart:
			dst.Points[0] = src.Points[0]
		case HasEnd:
			dst.Points[1] = src.Points[1]
		default:
			assignRare(dst, src, f)
		}
	}
}

// assignRare is assign for one of the less common fields.
func assignRare(dst, src *Shape, f Fields) {
	switch f {
	case HasHeadStart:
		dst.Arrow.HeadStart = src.Arrow.HeadStart
	case HasHeadEnd:
		dst.Arrow.HeadEnd = src.Arrow.HeadEnd
	case HasElbow:
		dst.Arrow.Elbow = src.Arrow.Elbow
	case HasSegments:
		dst.Segments = src.Segments
	case HasURL:
		dst.URL = src.URL
	case HasAsset:
		dst.Asset = src.Asset
	default:
		*dst.flag(f) = *src.flag(f)
	}
}

// number returns the numeric field f, nil when f is of another type or belongs
// to arrows and the shape is none.
func (s *Shape) number(f Fields) *float64 {
	switch f {
	case HasX:
		return &s.X
	case HasY:
		return &s.Y
	case HasRotation:
		return &s.Rotation
	case HasOpacity:
		return &s.Opacity
	case HasScale:
		return &s.Scale
	case HasW:
		return &s.W
	case HasH:
		return &s.H
	case HasGrowY:
		return &s.GrowY
	case HasFontPx:
		return &s.FontPx
	case HasBend:
		return &s.Arrow.Bend
	case HasLabelPosition:
		return &s.Arrow.LabelPosition
	case HasElbowMid:
		return &s.Arrow.ElbowMidPoint
	}
	return nil
}

// flag returns the yes-or-no field f.
func (s *Shape) flag(f Fields) *bool {
	switch f {
	case HasCubic:
		return &s.Cubic
	case HasAuto:
		return &s.Auto
	case HasClosed:
		return &s.Closed
	case HasComplete:
		return &s.Complete
	case HasPen:
		return &s.Pen
	case HasFlipX:
		return &s.Flip[0]
	case HasFlipY:
		return &s.Flip[1]
	}
	panic("BUG: field " + f.String() + " is no flag")
}

// fieldNames are the names of Fields as messages write them, in their order.
var fieldNames = [...]string{"x", "y", "rotation", "opacity", "parentId", "index", "props.scale", "props.w", "props.h",
	"props.growY", "props.fontSizeAdjustment", "props.bend", "props.labelPosition", "props.elbowMidPoint",
	"props.color", "props.labelColor", "props.size", "props.dash", "props.fill", "props.font", "props.align",
	"props.verticalAlign", "props.geo", "props.arrowheadStart", "props.arrowheadEnd", "props.kind", "props.spline",
	"props.autoSize", "props.isClosed", "props.isComplete", "props.isPen", "props.flipX", "props.flipY",
	"props.richText", "props.name", "props.points", "props.start", "props.end", "props.segments", "props.url",
	"props.assetId"}

// String returns the path of the first field of the set inside its record.
func (f Fields) String() string {
	if i := bits.TrailingZeros64(uint64(f)); i < len(fieldNames) {
		return fieldNames[i]
	}
	return "?"
}

// BindingRecord ties one end of an arrow to a target, by ids.
type BindingRecord struct {
	ID        string // may be empty
	From, To  string // ids of the arrow and of its target
	End       bool   // terminal: false = start
	Anchor    Point  // normalised, (0.5, 0.5) = centre
	IsExact   bool
	IsPrecise bool
	Snap      Snap
}

// NewBinding returns a binding with the defaults of the editor. See docs/spec/drawing.md#r13.
func NewBinding(from, to string, end bool) BindingRecord {
	return BindingRecord{From: from, To: to, End: end, Anchor: Point{0.5, 0.5}}
}
