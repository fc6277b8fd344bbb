package scene

import (
	"errors"
	"math"
	"testing"
)

// FuzzDecode looks for panics and for scenes that violate the documentation of Scene.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{
		`[{"id":"shape:a","type":"geo","x":1,"props":{"geo":"cloud","w":5,"text":"a\nb"}},{"type":"line","props":{"points":{"a":{"index":"a1","x":0,"y":1}}}}]`,
		`{"shapes":[{"id":"shape:f","type":"frame"},{"id":"shape:a","type":"arrow","parentId":"shape:f","props":{"start":{"x":1,"y":2},"kind":"elbow"}},
			{"id":"shape:b","type":"geo","index":"a0"}],"bindings":[{"type":"arrow","fromId":"shape:a","toId":"shape:b","props":{"terminal":"end"}}]}`,
		`{"tldrawFileFormatVersion":1,"schema":{"schemaVersion":2,"sequences":{"com.tldraw.store":5}},"records":[{"typeName":"page","id":"page:a","index":"a1"},
			{"typeName":"page","id":"page:b","index":"a0"},{"typeName":"shape","id":"shape:d","type":"draw","parentId":"page:b","index":"a1","props":{"segments":
			[{"type":"free","points":[{"x":0,"y":0,"z":0.5}]}]}}]}`,
		`{"id":"n","document":{"store":{"shape:n":{"typeName":"shape","id":"shape:n","type":"note","props":{"richText":{"type":"doc","content":[
			{"type":"bulletList","content":[{"type":"listItem","content":[{"type":"paragraph","content":[{"type":"text","text":"x","marks":[{"type":"bold"}]}]}]}]}]}}}}},
			"session":{"currentPageId":"page:p"},"bounds":[0,0,10,10],"only":["shape:n"]}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := Decode(b, Limits{})
		if err != nil {
			if !errors.Is(err, ErrInvalid) || len(err.Error()) > 2000 {
				t.Fatalf("got %.300v; want a short error that wraps ErrInvalid", err)
			}
			return
		}
		for i := range s.Shapes {
			sh := &s.Shapes[i]
			if sh.Parent >= int32(i) || s.Find(sh.ID) != int32(i) {
				t.Fatalf("shape %d has parent %d and is found at %d", i, sh.Parent, s.Find(sh.ID))
			}
			for _, v := range []float64{sh.X, sh.Y, sh.Rotation, sh.Opacity, sh.W, sh.H, sh.GrowY, sh.FontPx, sh.Scale} {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					t.Fatalf("shape %d: %+v is not finite", i, sh)
				}
			}
			if sh.Scale <= 0 || (fieldsOf[sh.Kind]&HasW != 0) != (sh.W > 0) || (sh.Kind == Arrow) != (sh.Arrow != nil) ||
				sh.Kind == Arrow && len(sh.Points) != 2 {
				t.Fatalf("shape %d: %+v is not complete", i, sh)
			}
		}
		for _, b := range s.Bindings {
			if s.Shapes[b.From].Kind != Arrow || s.Shapes[b.To].Kind == Arrow {
				t.Fatalf("binding %+v", b)
			}
		}
	})
}
