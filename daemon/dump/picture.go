package dump

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/valyala/fastjson"

	"plumb/daemon/message"
	"plumb/render/scene"
	"plumb/render/view"
	"plumb/scoring"
)

// Bounds is the part of the page that a picture shows.
type Bounds struct {
	Box     view.Box // in page units
	Content bool     // instead of Box: all shapes, and Pad around them
	Pad     float64  // page units
}

// DefaultBounds are those of an export: the content with tldraw's padding. See
// docs/spec/cli.md#r30.
var DefaultBounds = Bounds{Content: true, Pad: 32}

// maxPad is the largest margin around the content in page units; a larger one is a slip of the pen.
const maxPad = 1e6

// ParseBounds reads the value of --bounds, the part of the page to draw: "x,y,w,h" in page units, or
// "content[:PAD]" for all shapes with a margin of PAD, by default that of DefaultBounds.
func ParseBounds(s string) (Bounds, error) {
	fault := fmt.Errorf("cannot use bounds %q: want x,y,w,h or content[:PAD] in page units", clip(s))
	if rest, ok := strings.CutPrefix(s, "content"); ok {
		b := DefaultBounds
		if rest == "" {
			return b, nil
		}
		pad, err := strconv.ParseFloat(strings.TrimPrefix(rest, ":"), 64)
		if err != nil || rest[0] != ':' || !(pad >= 0 && pad <= maxPad) { // false for NaN too
			return b, fault
		}
		b.Pad = pad
		return b, nil
	}
	parts := strings.Split(s, ",")
	if len(parts) != 4 {
		return Bounds{}, fault
	}
	var v [4]float64
	for i, p := range parts {
		x, err := strconv.ParseFloat(strings.TrimSpace(p), 64)
		if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
			return Bounds{}, fault
		}
		v[i] = x
	}
	return Bounds{Box: view.Box{X: v[0], Y: v[1], W: v[2], H: v[3]}}, nil
}

// Editor selects the scenes that tldraw's own editor draws in a browser, in place of plumb.
type Editor uint8

// The values of Editor.
const (
	NoEditor   Editor = iota // none
	ForForeign               // those with parts that plumb does not draw as tldraw does ("foreign" scenes)
	ForAll                   // all
)

// PictureOptions override the members of a scene line; nil fields do not.
type PictureOptions struct {
	Bounds  *Bounds
	Only    []string // ids to draw, with their descendants
	Limits  scene.Limits
	Editor  Editor
	Version view.Version // of tldraw, which decides what is native
}

// Picture reads a scene line, {"id", "shapes" or "records", "bounds", "only"}, a .tldr
// file or an editor snapshot. See docs/spec/cli.md#r30. id is "" where the line
// has none. The view keeps a copy of b where an editor may need it. Errors wrap
// scene.ErrInvalid. A scene that only the editor can read is an error only without an
// editor.
func Picture(b []byte, o PictureOptions) (id string, v view.View, err error) {
	err = scene.Parse(b, o.Limits, func(doc *fastjson.Value) error {
		id, v, err = picture(doc, b, &o)
		return err
	})
	return id, v, err
}

// picture returns the id of a scene's line and the view to draw: the scene, the wanted shapes and the
// part of the page. doc is the parsed line, and b its bytes, of which the view keeps a copy if an
// editor may draw it. A scene of a version that plumb cannot read is an error, or foreign if an
// editor may draw it. Errors come with the id if that was read.
func picture(doc *fastjson.Value, b []byte, pictureOptions *PictureOptions) (id string, v view.View, err error) {
	if id, err = pictureID(doc); err != nil {
		return "", v, err
	}
	if v.FirstIDs, err = pictureOnly(doc, pictureOptions.Only, pictureOptions.Limits); err != nil {
		return id, v, err
	}
	bounds, err := pictureBounds(doc, pictureOptions.Bounds)
	if err != nil {
		return id, v, err
	}
	// The editor gets the line as it is.
	if pictureOptions.Editor != NoEditor {
		v.Source = bytes.Clone(b)
	}
	if v.Scene, err = scene.DecodeValue(doc, pictureOptions.Limits); err != nil {
		if pictureOptions.Editor == NoEditor || !errors.Is(err, scene.ErrVersion) {
			return id, v, err
		}
		v.Foreign = fmt.Errorf("cannot read scene: %w: %w", view.ErrForeign, err)
	}
	// What of the scene is drawn.
	if v.FirstIDs, err = knownIDs(v.Scene, v.FirstIDs); err != nil {
		return id, v, err
	}
	if err := placePicture(&v, bounds, pictureOptions); err != nil || v.Content != nil { // then the editor measures it
		return id, v, err
	}
	return id, v, pictureOptions.Limits.CheckCanvas(v.Bounds.W, v.Bounds.H)
}

// pictureID reads the id of a scene line by the rules of dump lines.
func pictureID(doc *fastjson.Value) (string, error) {
	it, d := scoring.Item{Fields: doc}, Decoder{}
	if e := d.setID(&it); e != nil {
		return "", fmt.Errorf("%w: %s", scene.ErrInvalid, e.Message)
	}
	return it.ID, nil
}

// pictureOnly returns the ids of the shapes to draw, nil for all. These are those of the command, the
// argument only, if that is not nil, and else the member only of the scene line doc. A member that is no list
// of texts, or has more ids than a scene may have shapes, is an error.
func pictureOnly(doc *fastjson.Value, only []string, l scene.Limits) ([]string, error) {
	if only != nil {
		return only, nil
	}
	f := doc.Get("only")
	if f == nil || f.Type() == fastjson.TypeNull {
		return nil, nil
	}
	list, err := f.Array()
	if err != nil {
		return nil, fmt.Errorf("cannot use only: %w: got %s; want a list of ids", scene.ErrInvalid, message.Describe(f))
	}
	if most := cmp.Or(max(l.Shapes, 0), scene.DefaultLimits().Shapes); len(list) > most {
		return nil, fmt.Errorf("cannot use only: %w: got %d ids; want at most %d (%s)", scene.ErrLimit, len(list),
			most, scene.FlagShapes)
	}
	only = make([]string, 0, len(list))
	for i, e := range list {
		if e.Type() != fastjson.TypeString {
			return nil, fmt.Errorf("cannot use only[%d]: %w: got %s; want an id", i, scene.ErrInvalid,
				message.Describe(e))
		}
		only = append(only, string(e.GetStringBytes()))
	}
	return only, nil
}

// knownIDs returns the given ids of shapes with the prefix "shape:", which users may leave out. An id
// that no shape of the scene s has is an error. s is nil for a scene that only the editor can read:
// then all ids are accepted. nil ids, which stand for all shapes, stay nil.
func knownIDs(s *scene.Scene, ids []string) ([]string, error) {
	if ids == nil {
		return nil, nil
	}
	out := make([]string, 0, len(ids))
	for i, given := range ids {
		id := given
		if s == nil || s.Find(id) < 0 {
			id = "shape:" + strings.TrimPrefix(id, "shape:")
		}
		if s != nil && s.Find(id) < 0 {
			return nil, fmt.Errorf("cannot use only[%d]: %w: got %q; want the id of a shape of the scene", i,
				scene.ErrInvalid, clip(given))
		}
		out = append(out, id)
	}
	return out, nil
}

// pictureBounds returns the part of the page that a picture of a scene shows: the given one of the
// command, else the member bounds of the scene's line, else DefaultBounds.
func pictureBounds(doc *fastjson.Value, given *Bounds) (Bounds, error) {
	if given != nil {
		return *given, nil
	}
	f := doc.Get("bounds")
	if f == nil || f.Type() == fastjson.TypeNull {
		return DefaultBounds, nil
	}
	list, err := f.Array()
	ok := err == nil && len(list) == 4
	var v [4]float64
	for i := 0; ok && i < len(v); i++ {
		v[i], err = list[i].Float64()
		ok = err == nil && !math.IsInf(v[i], 0)
	}
	if !ok {
		return Bounds{}, fmt.Errorf("cannot use bounds: %w: want [x,y,w,h] in page units", scene.ErrInvalid)
	}
	return Bounds{Box: view.Box{X: v[0], Y: v[1], W: v[2], H: v[3]}}, nil
}

// placePicture sets which part of the page v shows. For given bounds, or if plumb draws, that is
// v.Bounds. If the editor draws the content, it measures that itself, and v.Content is set instead.
// A picture of no shapes (v.FirstIDs is empty but not nil) has the size of a picture of all shapes. If
// plumb cannot measure the content and an editor may draw, v.Foreign says why.
func placePicture(v *view.View, bounds Bounds, pictureOptions *PictureOptions) error {
	if !bounds.Content {
		v.Bounds = bounds.Box
		return nil
	}
	// Where the editor draws, it also measures.
	if pictureOptions.Editor == ForForeign && v.Foreign == nil {
		v.Foreign = pictureOptions.Version.CheckScene(v.Scene)
	}
	measured := v.FirstIDs
	if len(measured) == 0 {
		measured = nil // all shapes
	}
	drawsNothing := v.FirstIDs != nil && len(v.FirstIDs) == 0
	if pictureOptions.Editor == ForAll && !drawsNothing || v.Foreign != nil {
		v.Content = &view.Content{Padding: bounds.Pad}
		return nil
	}
	// Else measure here. If a size depends on what plumb does not draw, leave it to the editor.
	box, ok, err := view.ContentBounds(v.Scene, measured)
	if pictureOptions.Editor != NoEditor && errors.Is(err, view.ErrForeign) {
		v.Foreign, v.Content = err, &view.Content{Padding: bounds.Pad}
		return nil
	}
	if err != nil {
		return err
	}
	if !ok {
		return fmt.Errorf("cannot draw scene: %w: it is empty and has no bounds; want bounds or a shape",
			scene.ErrInvalid)
	}
	// A scene that one frame or image fills has no margin, as in the editor.
	if fillsOneFrame(v.Scene, box) {
		bounds.Pad = 0
	}
	v.Bounds = view.Box{X: box.X - bounds.Pad, Y: box.Y - bounds.Pad, W: box.W + 2*bounds.Pad, H: box.H + 2*bounds.Pad}
	return nil
}

// fillsOneFrame reports whether one frame or image of the scene covers exactly `all`, the bounds of all drawn
// shapes. The editor exports such a scene without padding. See docs/spec/drawing.md#r15.
func fillsOneFrame(s *scene.Scene, all view.Box) bool {
	const tolerance = 1e-6
	for i := range s.Shapes {
		if k := s.Shapes[i].Kind; k != scene.Frame && k != scene.Image {
			continue
		}
		b, ok := view.PageBounds(s, int32(i))
		if ok && math.Abs(b.X-all.X) < tolerance && math.Abs(b.Y-all.Y) < tolerance &&
			math.Abs(b.W-all.W) < tolerance && math.Abs(b.H-all.H) < tolerance {
			return true
		}
	}
	return false
}
