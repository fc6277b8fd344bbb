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
	writer.writeLength(len(scene.Shapes))
	for i := range scene.Shapes {
		writer.writeShape(&scene.Shapes[i])
	}
	writer.writeLength(len(scene.Bindings))
	for i := range scene.Bindings {
		binding := &scene.Bindings[i]
		writer.writeLength(int(binding.From))
		writer.writeLength(int(binding.To))
		writer.writeBytes(boolByte(binding.IsEnd), boolByte(binding.IsExact), boolByte(binding.IsPrecise), byte(binding.Snap))
		writer.writeFloats(binding.Anchor.X, binding.Anchor.Y)
	}
	return writer
}

// contentWriter appends values in a form that can be read in one way only: numbers have fixed sizes
// and everything else follows its length.
type contentWriter []byte

func (writer *contentWriter) writeBytes(v ...byte) { *writer = append(*writer, v...) }

func (writer *contentWriter) writeLength(n int) {
	*writer = binary.LittleEndian.AppendUint32(*writer, uint32(n))
}

func (writer *contentWriter) writeText(s string) {
	writer.writeLength(len(s))
	*writer = append(*writer, s...)
}

func (writer *contentWriter) writeFloats(v ...float64) {
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

// writeShape appends every field of a whiteboard shape to the bytes that identify a scene's content. Each
// field belongs to it, because the shape's picture may depend on it.
func (writer *contentWriter) writeShape(shape *Shape) {
	writer.writeText(shape.ID)
	writer.writeText(shape.TypeName)
	writer.writeText(shape.Odd)
	writer.writeLength(int(shape.Parent))
	writer.writeFloats(shape.X, shape.Y, shape.Rotation, shape.Opacity, shape.Scale, shape.W, shape.H, shape.GrowY, shape.FontPx)
	writer.writeBytes(byte(shape.Kind), byte(shape.Color), byte(shape.LabelColor), byte(shape.Size), byte(shape.Dash), byte(shape.Fill), byte(shape.Font),
		byte(shape.Align), byte(shape.Vertical), byte(shape.Geo), boolByte(shape.Grow), boolByte(shape.Auto), boolByte(shape.Cubic), boolByte(shape.Closed),
		boolByte(shape.Complete), boolByte(shape.Pen), boolByte(shape.Flip[0]), boolByte(shape.Flip[1]))
	writer.writeText(shape.Name)
	writer.writeText(shape.Asset)
	writer.writeText(shape.URL)
	writer.writeLength(len(shape.Points))
	for _, p := range shape.Points {
		writer.writeFloats(p.X, p.Y)
	}
	writer.writeLength(len(shape.Segments))
	for i := range shape.Segments {
		writer.writeBytes(boolByte(shape.Segments[i].Straight))
		writer.writeLength(len(shape.Segments[i].Points))
		for _, p := range shape.Segments[i].Points {
			writer.writeFloats(p.X, p.Y, p.Z)
		}
	}
	writer.writeArrow(shape.Arrow)
	writer.writeRichText(shape.Rich)
}

// writeArrow appends the properties of an arrow to the bytes that identify a scene's content; nil stands
// for a shape that is no arrow.
func (writer *contentWriter) writeArrow(props *ArrowProps) {
	writer.writeBytes(boolByte(props != nil))
	if props != nil {
		writer.writeBytes(boolByte(props.Elbow), byte(props.HeadStart), byte(props.HeadEnd))
		writer.writeFloats(props.Bend, props.LabelPosition, props.ElbowMidPoint)
	}
}

// writeRichText appends a rich text, with its blocks and spans, to the bytes that identify a scene's content;
// nil stands for no text.
func (writer *contentWriter) writeRichText(text *RichText) {
	writer.writeBytes(boolByte(text != nil))
	if text == nil {
		return
	}
	writer.writeText(text.Foreign)
	writer.writeText(text.Document)
	writer.writeLength(len(text.Blocks))
	for i := range text.Blocks {
		block := &text.Blocks[i]
		writer.writeLength(block.Depth)
		writer.writeLength(block.Number)
		writer.writeLength(block.Items)
		writer.writeBytes(boolByte(block.Ordered), boolByte(block.Bullet))
		writer.writeLength(len(block.Spans))
		for j := range block.Spans {
			span := &block.Spans[j]
			writer.writeText(span.Text)
			writer.writeBytes(boolByte(span.Bold), boolByte(span.Italic), boolByte(span.Code), boolByte(span.Strike), boolByte(span.Underline), boolByte(span.Link), boolByte(span.Highlight))
		}
	}
}
