package view

import (
	"fmt"

	"plumb/render/scene"
)

// Version is the release of tldraw whose pictures are made.
type Version uint8

const (
	// V4 is tldraw 4.2.
	V4 Version = iota
	// V5 is tldraw 5.4. Shapes that it draws by unknown rules are not drawn natively. See
	// docs/spec/drawing.md#r84.
	V5
)

// String returns the number of the tldraw release.
func (version Version) String() string {
	if version == V5 {
		return "5.4"
	}
	return "4.2"
}

// ParseVersion reads the number of a release, "4.2" or "5.4"; "" is 4.2.
func ParseVersion(text string) (Version, error) {
	switch text {
	case "", V4.String():
		return V4, nil
	case V5.String():
		return V5, nil
	}
	return V4, fmt.Errorf("cannot draw as tldraw %q: want %v or %v", text, V4, V5)
}

// unsupported names the part of a shape that this version draws in a way that plumb does not
// reproduce, or returns "".
func (version Version) unsupported(shape *scene.Shape) string {
	if version == V4 {
		if shape.Dash == scene.DashNone { // the editor refuses it
			return "its dash none"
		}
		return ""
	}
	if shape.Kind == scene.Group {
		return ""
	}
	switch {
	case shape.Kind != scene.Geo && shape.Kind != scene.Line:
		return "as a " + shape.TypeName
	case shape.Rich != nil:
		return "its label"
	case shape.Dash == scene.DashDotted:
		return "its dots"
	case shape.Kind == scene.Geo && shape.Geo == scene.XBox && shape.Dash == scene.DashDraw && shape.Scale != 1:
		return "the scaled cross in it"
	}
	return ""
}

// Check returns an error that wraps ErrForeign for a shape that this version draws in a way that
// plumb does not reproduce.
func (version Version) Check(sh *scene.Shape) error {
	if what := version.unsupported(sh); what != "" {
		return fmt.Errorf("cannot draw shape %q (%s) as tldraw %v does: %s: %w",
			sh.ID, sh.TypeName, version, what, ErrForeign)
	}
	return nil
}

// CheckScene returns an error that wraps ErrForeign if the scene has a shape that this version of
// tldraw draws in a way that plumb does not reproduce: then the page bounds of the shape are not known
// either. Bounds of all other scenes are the same in every version.
func (version Version) CheckScene(s *scene.Scene) error {
	for i := range s.Shapes {
		if err := version.Check(&s.Shapes[i]); err != nil {
			return err
		}
	}
	return nil
}
