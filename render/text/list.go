package text

import "plumb/render/scene"

// list sets the indent of a paragraph's lines.
func (l *Layouter) list(rich *scene.RichText, at int) error {
	b := &rich.Blocks[at]
	l.indent, l.listed = 0, b.Depth > 0
	if b.Depth > 0 {
		return &MarkError{"a list"}
	}
	return nil
}

// marker puts the bullet or number of an item beside its first line.
func (l *Layouter) marker(b *scene.Block, line int) error { return nil }
