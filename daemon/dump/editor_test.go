package dump

import (
	"errors"
	"testing"

	"plumb/render/scene"
	"plumb/render/view"
)

// TestPictureForEditor: what is left to the editor where there is one, and what
// is an error where there is none.
func TestPictureForEditor(t *testing.T) {
	const (
		box   = `{"id":"shape:a","type":"geo","x":10,"y":20,"props":{"w":30,"h":40}}`
		note  = `{"id":"shape:n","type":"note","props":{}}`
		emoji = `{"id":"shape:e","type":"text","props":{"text":"😀"}}`
		old   = `{"records":[{"typeName":"shape","id":"shape:l","type":"line","props":{"handles":{}}}],"bounds":[0,0,9,9],"only":["l"]}`
	)
	for _, c := range []struct {
		name, line string
		editor     Editor
		version    view.Version
		foreign    bool // it is known not to be native
		content    bool // the editor finds the bounds
		fails      bool
	}{
		{"native", `{"shapes":[` + box + `]}`, ForForeign, view.V4, false, false, false},
		{"native, without an editor", `{"shapes":[` + box + `]}`, NoEditor, view.V4, false, false, false},
		{"everything", `{"shapes":[` + box + `]}`, ForAll, view.V4, false, true, false},
		{"all of some", `{"shapes":[` + box + `],"only":["a"]}`, ForAll, view.V4, false, true, false},
		{"all of none", `{"shapes":[` + box + `],"only":[]}`, ForAll, view.V4, false, false, false},
		{"everything over bounds", `{"shapes":[` + box + `],"bounds":[0,0,50,60]}`, ForAll, view.V4, false, false, false},
		{"size that is not known", `{"shapes":[` + emoji + `]}`, ForForeign, view.V4, true, true, false},
		{"size that nobody knows", `{"shapes":[` + emoji + `]}`, NoEditor, view.V4, false, false, true},
		{"size that is not asked for", `{"shapes":[` + emoji + `],"bounds":[0,0,50,60]}`, NoEditor, view.V4, false, false, false},
		{"note of 4.2", `{"shapes":[` + note + `]}`, ForForeign, view.V4, false, false, false},
		{"note of 5.4", `{"shapes":[` + note + `]}`, ForForeign, view.V5, true, true, false},
		{"another version", old, ForForeign, view.V4, true, false, false},
		{"another version, without an editor", old, NoEditor, view.V4, false, false, true},
	} {
		_, v, err := Picture([]byte(c.line), PictureOptions{Editor: c.editor, Version: c.version, Limits: scene.DefaultLimits()})
		if (err != nil) != c.fails {
			t.Errorf("%s: got %v; want an error: %v", c.name, err, c.fails)
		}
		if err != nil {
			continue
		}
		if errors.Is(v.Foreign, view.ErrForeign) != c.foreign || (v.Content != nil) != c.content || (v.Source != nil) != (c.editor != NoEditor) {
			t.Errorf("%s: got foreign %v, content %v, %d bytes of source", c.name, v.Foreign, v.Content, len(v.Source))
		}
		if c.content && v.Content.Padding != 32 {
			t.Errorf("%s: got padding %g", c.name, v.Content.Padding)
		}
		if c.line == old && (v.Scene != nil || len(v.FirstIDs) != 1 || v.FirstIDs[0] != "shape:l") {
			t.Errorf("%s: got scene %v, only %q; want no scene and the id", c.name, v.Scene, v.FirstIDs)
		}
	}
}
