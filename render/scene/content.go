package scene

import (
	"encoding/binary"
	"math"
)

// AppendContent appends everything that a picture of the scene depends on to dst, for hashing: scenes
// with equal content have equal pictures. Numbers that compare equal but have different bits, as 0 and -0,
// differ. The form may change from one version of the program to the next.
func (scene *Scene) AppendContent(dst []byte) []byte {
	writer := contentWriter(dst)
	writer.length(len(scene.Shapes))
	for i := range scene.Shapes {
		writer.shape(&scene.Shapes[i])
	}
	writer.length(len(scene.Bindings))
	for i := range scene.Bindings {
		binding := &scene.Bindings[i]
		writer.length(int(binding.From))
		writer.length(int(binding.To))
		writer.bytes(boolByte(binding.IsEnd), boolByte(binding.IsExact), boolByte(binding.IsPrecise), byte(binding.Snap))
		writer.floats(binding.Anchor.X, binding.Anchor.Y)
	}
	return writer
}

// contentWriter appends values in a form that can be read in one way only: numbers have fixed sizes
// and everything else follows its length.
type contentWriter []byte

func (writer *contentWriter) bytes(v ...byte) { *writer = append(*writer, v...) }

func (writer *contentWriter) length(n int) {
	*writer = binary.LittleEndian.AppendUint32(*writer, uint32(n))
}

func (writer *contentWriter) text(s string) {
	writer.length(len(s))
	*writer = append(*writer, s...)
}

func (writer *contentWriter) floats(v ...float64) {
	for _, x := range v {
		*writer = binary.LittleEndian.AppendUint64(*writer, math.Float64bits(x))
	}
}

// boolByte returns 1 for true and 0 for false, as the content of a scene is written.
func boolByte(v bool) byte {
	if v {
		return 1
	}
	return 0
}

// shape appends every field of a whiteboard shape to the bytes that identify a scene's content. Each
// field belongs to it, because the shape's picture may depend on it.
func (writer *contentWriter) shape(shape *Shape) {
	writer.text(shape.ID)
	writer.text(shape.TypeName)
	writer.text(shape.Odd)
	writer.length(int(shape.Parent))
	writer.floats(shape.X, shape.Y, shape.Rotation, shape.Opacity, shape.Scale, shape.W, shape.H, shape.GrowY, shape.FontPx)
	writer.bytes(byte(shape.Kind), byte(shape.Color), byte(shape.LabelColor), byte(shape.Size), byte(shape.Dash), byte(shape.Fill), byte(shape.Font),
		byte(shape.Align), byte(shape.Vertical), byte(shape.Geo), boolByte(shape.Grow), boolByte(shape.Auto), boolByte(shape.Cubic), boolByte(shape.Closed),
		boolByte(shape.Complete), boolByte(shape.Pen), boolByte(shape.Flip[0]), boolByte(shape.Flip[1]))
	writer.text(shape.Name)
	writer.text(shape.Asset)
	writer.text(shape.URL)
	writer.length(len(shape.Points))
	for _, p := range shape.Points {
		writer.floats(p.X, p.Y)
	}
	writer.length(len(shape.Segments))
	for i := range shape.Segments {
		writer.bytes(boolByte(shape.Segments[i].Straight))
		writer.length(len(shape.Segments[i].Points))
		for _, p := range shape.Segments[i].Points {
			writer.floats(p.X, p.Y, p.Z)
		}
	}
	writer.arrow(shape.Arrow)
	writer.rich(shape.Rich)
}

// arrow appends the properties of an arrow to the bytes that identify a scene's content; nil stands
// for a shape that is no arrow.
func (writer *contentWriter) arrow(props *ArrowProps) {
	writer.bytes(boolByte(props != nil))
	if props != nil {
		writer.bytes(boolByte(props.Elbow), byte(props.HeadStart), byte(props.HeadEnd))
		writer.floats(props.Bend, props.LabelPosition, props.ElbowMidPoint)
	}
}

// rich appends a rich text, with its blocks and spans, to the bytes that identify a scene's content;
// nil stands for no text.
func (writer *contentWriter) rich(text *RichText) {
	writer.bytes(boolByte(text != nil))
	if text == nil {
		return
	}
	writer.text(text.Foreign)
	writer.text(text.Document)
	writer.length(len(text.Blocks))
	for i := range text.Blocks {
		block := &text.Blocks[i]
		writer.length(block.Depth)
		writer.length(block.Number)
		writer.length(block.Items)
		writer.bytes(boolByte(block.Ordered), boolByte(block.Bullet))
		writer.length(len(block.Spans))
		for j := range block.Spans {
			span := &block.Spans[j]
			writer.text(span.Text)
			writer.bytes(boolByte(span.Bold), boolByte(span.Italic), boolByte(span.Code), boolByte(span.Strike), boolByte(span.Underline), boolByte(span.Link), boolByte(span.Highlight))
		}
	}
}
