package scene

// Record is a shape as it was written: only the fields in Has mean anything, besides ID, Kind and
// (for Other) TypeName. The zero value of the rest is ready for use. Records may share slices and
// pointers with each other and with the scenes made of them; code that changes a record replaces
// these, never what they point to.
type Record struct {
	Shape           // Parent and Grow are not read
	Has      Fields // the fields that were written
	ParentID string // a shape's or page's id
	Index    string // order among siblings
	// Stored is true for a record of a store, false for one that is being created: its growY and
	// fontSizeAdjustment are trusted, and nothing is computed for it. See docs/spec/drawing.md#r5.
	Stored bool
}

// NewRecord returns a record to be created, with nothing but an id and a kind.
func NewRecord(id string, kind Kind) Record {
	return Record{Shape: Shape{ID: id, Kind: kind, TypeName: kind.String()}}
}

// Merge applies an update of a shape to its record as the editor does: x, y, rotation and opacity
// are replaced, props are replaced one by one, and lists (points, segments, rich text) as a whole.
// Fields that the kind of record does not have are ignored. The id, the type and the place (parent,
// index) of u are ignored too, because an update keeps them.
func (record *Record) Merge(u *Record) {
	given := u.Has & record.Kind.knownFields()
	if given&arrowFields != 0 {
		props := arrowDefaults // copied: other records may share the old ones
		if record.Arrow != nil {
			props = *record.Arrow
		}
		record.Arrow = &props
	}
	if given&endFields != 0 {
		ends := []Point{arrowStart, arrowEnd}
		copy(ends, record.Points)
		record.Points = ends
	}
	assign(&record.Shape, &u.Shape, given)
	record.Has |= given
}

// assign copies the fields of the set given from src to dst. The table of fields says where a shape keeps
// each, and of which type it is. For fields of arrows, dst.Arrow and dst.Points must be set and belong to
// dst alone, because they are written to. Slices and rich text are shared afterwards.
func assign(dst, src *Shape, given Fields) {
	for ; given != 0; given &= given - 1 { // drops the lowest field of the set
		pointer := given.row().pointer
		switch to := pointer(dst).(type) {
		case *float64:
			*to = *pointer(src).(*float64)
		case *uint8:
			*to = *pointer(src).(*uint8)
		case *bool:
			*to = *pointer(src).(*bool)
		case *string:
			*to = *pointer(src).(*string)
		case *Point:
			*to = *pointer(src).(*Point)
		case *[]Point:
			*to = *pointer(src).(*[]Point)
		case *[]Segment:
			*to = *pointer(src).(*[]Segment)
		case **RichText:
			*to = *pointer(src).(**RichText)
		}
	}
}

// BindingRecord ties one end of an arrow to a target, by ids.
type BindingRecord struct {
	ID        string // may be empty
	From, To  string // ids of the arrow and of its target
	IsEnd     bool   // terminal: false = start
	Anchor    Point  // normalised, (0.5, 0.5) = centre
	IsExact   bool
	IsPrecise bool
	Snap      Snap
	Odd       string // as Shape.Odd
}

// NewBinding returns a binding with the defaults of the editor. See docs/spec/drawing.md#r13.
func NewBinding(from, to string, end bool) BindingRecord {
	return BindingRecord{From: from, To: to, IsEnd: end, Anchor: Point{0.5, 0.5}}
}
