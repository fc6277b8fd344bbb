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
func (v Version) String() string {
	if v == V5 {
		return "5.4"
	}
	return "4.2"
}

// ParseVersion reads the number of a release, "4.2" or "5.4"; "" is 4.2.
func ParseVersion(s string) (Version, error) {
	switch s {
	case "", V4.String():
		return V4, nil
	case V5.String():
		return V5, nil
	}
	return V4, fmt.Errorf("cannot draw as tldraw %q: want %v or %v", s, V4, V5)
}

// unsupported names the part of a shape that this version draws in a way that plumb does not
// reproduce, or returns "".
func (v Version) unsupported(sh *scene.Shape) string {
	if v == V4 {
		if sh.Dash == scene.DashNone { // the editor refuses it
			return "its dash none"
		}
		return ""
	}
	if sh.Kind == scene.Group {
		return ""
	}
	switch {
	case sh.Kind != scene.Geo && sh.Kind != scene.Line:
		return "as a " + sh.TypeName
	case sh.Rich != nil:
		return "its label"
	case sh.Dash == scene.DashDotted:
		return "its dots"
	case sh.Kind == scene.Geo && sh.Geo == scene.XBox && sh.Dash == scene.DashDraw && sh.Scale != 1:
		return "the scaled cross in it"
	}
	return ""
}

// Check returns an error that wraps ErrForeign for a shape that this version draws in a way that
// plumb does not reproduce.
func (v Version) Check(sh *scene.Shape) error {
	if what := v.unsupported(sh); what != "" {
		return fmt.Errorf("cannot draw shape %q (%s) as tldraw %v does: %s: %w",
			sh.ID, sh.TypeName, v, what, ErrForeign)
	}
	return nil
}

// Differs returns an error that wraps ErrForeign if the scene has a shape that this version of
// tldraw draws in a way that plumb does not reproduce, because the page bounds of such a shape are
// not known. Bounds of all other scenes are the same in every version.
func (v Version) Differs(s *scene.Scene) error {
	for i := range s.Shapes {
		if err := v.Check(&s.Shapes[i]); err != nil {
			return err
		}
	}
	return nil
}
