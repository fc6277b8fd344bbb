package scene

import (
	"encoding/binary"
	"math"
)

// AppendContent appends everything that a picture of the scene depends on to dst: scenes with equal
// content have equal pictures. Numbers that compare equal but have different bits, as 0 and -0,
// differ. The form is not stable between versions.
func (s *Scene) AppendContent(dst []byte) []byte {
	c := contentWriter(dst)
	c.length(len(s.Shapes))
	for i := range s.Shapes {
		c.shape(&s.Shapes[i])
	}
	c.length(len(s.Bindings))
	for i := range s.Bindings {
		b := &s.Bindings[i]
		c.length(int(b.From))
		c.length(int(b.To))
		c.bytes(flag(b.End), flag(b.IsExact), flag(b.IsPrecise), byte(b.Snap))
		c.floats(b.Anchor.X, b.Anchor.Y)
	}
	return c
}

// contentWriter appends values in a form that can be read in one way only: numbers have fixed sizes
// and everything else stands behind its length.
type contentWriter []byte

func (c *contentWriter) bytes(v ...byte) { *c = append(*c, v...) }

func (c *contentWriter) length(n int) { *c = binary.LittleEndian.AppendUint32(*c, uint32(n)) }

func (c *contentWriter) text(s string) {
	c.length(len(s))
	*c = append(*c, s...)
}

func (c *contentWriter) floats(v ...float64) {
	for _, x := range v {
		*c = binary.LittleEndian.AppendUint64(*c, math.Float64bits(x))
	}
}

// flag returns 1 for true and 0 for false, as the content of a scene is written.
func flag(v bool) byte {
	if v {
		return 1
	}
	return 0
}

// shape appends every field of a whiteboard shape to the content, because the shape's picture may
// depend on each.
func (c *contentWriter) shape(s *Shape) {
	c.text(s.ID)
	c.text(s.TypeName)
	c.text(s.Odd)
	c.length(int(s.Parent))
	c.floats(s.X, s.Y, s.Rotation, s.Opacity, s.Scale, s.W, s.H, s.GrowY, s.FontPx)
	c.bytes(byte(s.Kind), byte(s.Color), byte(s.LabelColor), byte(s.Size), byte(s.Dash), byte(s.Fill), byte(s.Font),
		byte(s.Align), byte(s.Vertical), byte(s.Geo), flag(s.Grow), flag(s.Auto), flag(s.Cubic), flag(s.Closed),
		flag(s.Complete), flag(s.Pen), flag(s.Flip[0]), flag(s.Flip[1]))
	c.text(s.Name)
	c.text(s.Asset)
	c.text(s.URL)
	c.length(len(s.Points))
	for _, p := range s.Points {
		c.floats(p.X, p.Y)
	}
	c.length(len(s.Segments))
	for i := range s.Segments {
		c.bytes(flag(s.Segments[i].Straight))
		c.length(len(s.Segments[i].Points))
		for _, p := range s.Segments[i].Points {
			c.floats(p.X, p.Y, p.Z)
		}
	}
	c.arrow(s.Arrow)
	c.rich(s.Rich)
}

// arrow appends the properties of an arrow, nil for none.
func (c *contentWriter) arrow(a *ArrowProps) {
	c.bytes(flag(a != nil))
	if a != nil {
		c.bytes(flag(a.Elbow), byte(a.HeadStart), byte(a.HeadEnd))
		c.floats(a.Bend, a.LabelPosition, a.ElbowMidPoint)
	}
}

// rich appends a rich text to the content, nil for none.
func (c *contentWriter) rich(text *RichText) {
	c.bytes(flag(text != nil))
	if text == nil {
		return
	}
	c.text(text.Foreign)
	c.text(text.Document)
	c.length(len(text.Blocks))
	for i := range text.Blocks {
		block := &text.Blocks[i]
		c.length(block.Depth)
		c.length(block.Number)
		c.length(block.Items)
		c.bytes(flag(block.Ordered), flag(block.Bullet))
		c.length(len(block.Spans))
		for j := range block.Spans {
			span := &block.Spans[j]
			c.text(span.Text)
			c.bytes(flag(span.Bold), flag(span.Italic), flag(span.Code), flag(span.Strike), flag(span.Underline), flag(span.Link), flag(span.Highlight))
		}
	}
}
