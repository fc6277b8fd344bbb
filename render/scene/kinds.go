package scene

// Kind is the type of a shape.
type Kind uint8

// The kinds of shape, named as in the records.
const (
	Geo Kind = iota
	Text
	Line
	Draw
	Arrow
	Highlight
	Note
	Frame
	Group
	Image
	Video
	Bookmark
	Embed
	Other // any type that stock tldraw does not have; Shape.TypeName names it
)

// kindNames are the types of shapes as records name them, by Kind.
var kindNames = [...]string{"geo", "text", "line", "draw", "arrow", "highlight", "note", "frame", "group",
	"image", "video", "bookmark", "embed"}

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

// knownFields returns the fields that a shape of this kind may have: those of every shape and its properties. A
// kind above Other, which no list names, has no properties either.
func (k Kind) knownFields() Fields { return baseFields | fieldsOf[min(k, Other)] }

// schemaVersions holds the schema versions of each kind of shape: now is the current one, withPlainText the
// version that differs only by plain text in place of rich text, which is upgraded here. See
// docs/spec/drawing.md#r2.
var schemaVersions = [...]struct{ now, withPlainText int }{
	Geo: {10, 9}, Text: {3, 2}, Line: {5, 5}, Draw: {2, 2}, Arrow: {7, 6}, Highlight: {1, 1}, Note: {9, 8},
	Frame: {1, 1}, Group: {0, 0}, Image: {5, 5}, Video: {4, 4}, Bookmark: {2, 2}, Embed: {4, 4},
}

// defaults are created shapes of each kind, before a record's fields are put in. What is not set here
// is the zero value: colours black, dash draw, fill none, font draw, align start. See
// docs/spec/drawing.md#r3.
var defaults = func() (d [Other + 1]Shape) {
	for k := range d {
		d[k] = Shape{Kind: Kind(k), TypeName: Kind(k).String(), Parent: -1, Opacity: 1, Scale: 1, Size: SizeM}
	}
	d[Geo].W, d[Geo].H = 100, 100
	d[Geo].Align, d[Geo].Vertical = AlignMiddle, AlignMiddle
	d[Text].W, d[Text].Auto = 8, true
	d[Line].Points = linePoints
	d[Note].Align, d[Note].Vertical = AlignMiddle, AlignMiddle
	d[Frame].W, d[Frame].H = 320, 180
	d[Image].W, d[Image].H = 100, 100
	d[Video].W, d[Video].H = 100, 100
	d[Bookmark].W, d[Bookmark].H = 300, 320
	d[Embed].W, d[Embed].H = 300, 300
	for _, k := range []Kind{Frame, Group, Image, Video, Bookmark, Embed, Other} {
		d[k].Size = SizeS // these have no size; fields a kind lacks are zero
	}
	return d
}()
