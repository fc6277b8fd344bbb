// Package tree computes where the shapes of a scene lie on the page, how opaque they are,
// which frames cut them, and in which order they are painted. In: a *scene.Scene and lists of
// ids. Out: a node for each shape and the layers in paint order.
package tree

import (
	"fmt"
	"slices"

	"plumb/render/geom"
	"plumb/render/scene"
)

// set tells which of a view's two sets a shape belongs to. A view draws the shapes of one or two sets.
// Each set is composited by itself over the same pixels, so that both can be measured and compared.
type set uint8

// The sets. A shape that is Unset belongs to neither.
const (
	Unset set = iota
	InOnly
	InOther
)

// Node is what a shape inherits from its ancestors.
type Node struct {
	Page       geom.Matrix // maps the shape's space to the page
	Opacity    float64     // 0..1, ancestors included
	Frame      int32       // nearest frame around it, -1 for none
	frameDepth int32       // number of frames around it
	Set        set
	back       int32 // linked list of highlights: of a frame the first one in it, of a highlight the next one; -1 for none
}

// Layer is one appearance of a shape in paint order. Highlights have two.
type Layer struct {
	Shape int32
	Back  bool // the lower appearance of a highlight
}

// Tree holds the places, opacities and frames of the shapes of a scene.
type Tree struct {
	Nodes         []Node
	order         []Layer
	back          int32              // the first highlight outside all frames
	hasHighlights bool               // there is a highlight
	OnlyFrame     [InOther + 1]int32 // per set the frame that is its only shape, -1 for none
	boundEnds     [][2]int32         // per shape its first binding of each end, counted from 1; empty without bindings
}

// maxFrames is the deepest nesting of frames: each one adds four edges to the clip of its content.
const maxFrames = 256

// Build fills tree.Nodes with the place, opacity and frame of every shape, and collects the
// bindings of arrows. In a scene parents stand before their children. Frames nested deeper than
// maxFrames are refused.
func (tree *Tree) Build(sc *scene.Scene) error {
	if cap(tree.Nodes) < len(sc.Shapes) {
		tree.Nodes = make([]Node, len(sc.Shapes))
	}
	tree.Nodes = tree.Nodes[:len(sc.Shapes)]
	tree.hasHighlights = false
	for i := range sc.Shapes {
		shape, n := &sc.Shapes[i], &tree.Nodes[i]
		*n = Node{Page: shape.LocalMatrix(), Opacity: shape.Opacity, Frame: -1, back: -1}
		if shape.Kind == scene.Highlight {
			tree.hasHighlights = true
		}
		if shape.Parent < 0 {
			continue
		}
		// A child inherits place, opacity and frame.
		p := &tree.Nodes[shape.Parent]
		n.Page = p.Page.Mul(n.Page)
		n.Opacity *= p.Opacity
		n.Frame, n.frameDepth = p.Frame, p.frameDepth
		if sc.Shapes[shape.Parent].Kind == scene.Frame {
			n.Frame, n.frameDepth = shape.Parent, p.frameDepth+1
		}
		if n.frameDepth > maxFrames {
			return fmt.Errorf("cannot draw shape %q: %w: it lies in %d frames; want at most %d",
				shape.ID, scene.ErrLimit, n.frameDepth, maxFrames)
		}
	}
	tree.bind(sc)
	return nil
}

// bind records in the tree for each arrow of the scene which bindings tie its start and its end to other
// shapes, because an arrow lies where these are. If several tie the same end, the first counts. Without
// bindings tree.boundEnds is empty. See docs/spec/drawing.md#r13.
func (tree *Tree) bind(scene *scene.Scene) {
	tree.boundEnds = tree.boundEnds[:0]
	if len(scene.Bindings) == 0 {
		return
	}
	tree.boundEnds = slices.Grow(tree.boundEnds, len(scene.Shapes))[:len(scene.Shapes)]
	clear(tree.boundEnds)
	for i := range scene.Bindings {
		binding := &scene.Bindings[i]
		first := &tree.boundEnds[binding.From][terminalOf(binding)]
		if *first == 0 { // no binding yet: they count from 1
			*first = int32(i + 1)
		}
	}
}

// terminalOf returns the index in tree.boundEnds of the end of an arrow that a binding ties: 0 for the start, 1 for
// the end.
func terminalOf(b *scene.Binding) int {
	if b.IsEnd {
		return 1
	}
	return 0
}

// BindingOf returns the binding of an arrow's start (0) or end (1), nil for none.
func (tree *Tree) BindingOf(scene *scene.Scene, arrow int32, end int) *scene.Binding {
	if len(tree.boundEnds) == 0 || tree.boundEnds[arrow][end] == 0 {
		return nil
	}
	return &scene.Bindings[tree.boundEnds[arrow][end]-1]
}

// Select puts each shape into one of a view's two sets, or none: InOnly is the first set and InOther the second
// one. only has the ids of the first set; if it is nil, all shapes are in the first set. other has those of the
// second one. Descendants are in the set of their parent, except that one which only names stays in the first
// set. A shape in both lists belongs to the first set. An unknown id is an error.
func (tree *Tree) Select(scene *scene.Scene, only, other []string) error {
	tree.OnlyFrame = [InOther + 1]int32{-1, -1, -1} // no frame is alone in its set
	if only == nil {
		if len(tree.Nodes) == 1 { // it may be a frame
			tree.setOnlyFrame(scene, 0, InOnly)
		}
		for i := range tree.Nodes {
			tree.Nodes[i].Set = InOnly
		}
		return nil
	}
	if err := tree.mark(scene, other, InOther); err != nil {
		return err
	}
	if err := tree.mark(scene, only, InOnly); err != nil {
		return err
	}
	for i := range tree.Nodes {
		n := &tree.Nodes[i]
		p := scene.Shapes[i].Parent
		if p < 0 {
			continue
		}
		if parentSet := tree.Nodes[p].Set; parentSet == InOnly || n.Set == Unset { // the first set goes before the other
			n.Set = parentSet
		}
	}
	return nil
}

// mark puts the shapes with these ids into one of the two sets of shapes that a view measures. A frame that
// is the only shape of its set is recorded, because it is painted in another way than among other shapes. An
// unknown id is an error.
func (tree *Tree) mark(sc *scene.Scene, ids []string, set set) error {
	for _, id := range ids {
		i := sc.Find(id)
		if i < 0 {
			return fmt.Errorf("cannot draw shape %q: %w: the scene has no shape of this id", id, scene.ErrInvalid)
		}
		tree.Nodes[i].Set = set
		if len(ids) == 1 {
			tree.setOnlyFrame(sc, i, set)
		}
	}
	return nil
}

// setOnlyFrame records shape i as the only one of a set if it is a frame: the editor then exports
// the content without the frame. See docs/spec/drawing.md#r17.
func (tree *Tree) setOnlyFrame(s *scene.Scene, i int32, in set) {
	if s.Shapes[i].Kind == scene.Frame {
		tree.OnlyFrame[in] = i
	}
}

// PaintOrder returns the layers of all shapes, back to front. The lower layers of highlights
// lie below everything on the page, or just above the frame that holds them. See
// docs/spec/drawing.md#r9.
func (tree *Tree) PaintOrder(sc *scene.Scene) []Layer {
	tree.order = tree.order[:0]
	if !tree.hasHighlights {
		for i := range sc.Shapes {
			tree.order = append(tree.order, Layer{Shape: int32(i)})
		}
		return tree.order
	}
	tree.linkHighlights(sc)
	tree.appendBacks(tree.back)
	for i := range sc.Shapes {
		tree.order = append(tree.order, Layer{Shape: int32(i)})
		if sc.Shapes[i].Kind == scene.Frame {
			tree.appendBacks(tree.Nodes[i].back)
		}
	}
	return tree.order
}

// linkHighlights makes a linked list of the highlights of each frame, and one of those outside of
// frames, in the order of the shapes: tree.back or Node.back of the frame is its first one,
// Node.back of a highlight the next.
func (tree *Tree) linkHighlights(s *scene.Scene) {
	tree.back = -1
	for i := len(s.Shapes) - 1; i >= 0; i-- {
		if s.Shapes[i].Kind != scene.Highlight {
			continue
		}
		head := &tree.back
		if f := tree.Nodes[i].Frame; f >= 0 {
			head = &tree.Nodes[f].back
		}
		tree.Nodes[i].back, *head = *head, int32(i)
	}
}

// appendBacks appends the lower layers of a list of highlights to the paint order.
func (tree *Tree) appendBacks(i int32) {
	for ; i >= 0; i = tree.Nodes[i].back {
		tree.order = append(tree.order, Layer{Shape: i, Back: true})
	}
}
