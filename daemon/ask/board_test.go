package ask

import (
	"bytes"
	"fmt"
	"testing"

	"plumb/render/scene"
	"plumb/render/view"
)

// TestKept checks that a picture that is not in memory any more is taken from where it was kept, and is
// drawn again where the bytes there are not its own.
func TestKept(t *testing.T) {
	b, err := NewBoards(scene.DefaultLimits(), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	task := &Task{ID: "a", Test: "maze", Line: []byte(`{"shapes":[{"id":"shape:s","type":"geo","x":100,"y":100,"props":{"fill":"solid"}}]}`)}
	first, err := b.Picture(task, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, kept := range [][]byte{first.Data, []byte("damaged"), nil} {
		asked := ""
		b.Kept = func(sum string) []byte { asked = sum; return kept }
		clear(b.drawn)
		again, err := b.Picture(task, false)
		if err != nil || asked != first.SHA256() || !bytes.Equal(again.Data, first.Data) {
			t.Errorf("kept %d bytes: asked for %q, got %v; want the same picture", len(kept), asked, err)
		}
	}
}

// TestEditedBoards checks that whiteboards after different answers to one task have the same bytes whether they take
// what did not change from one another or not, with hatched shapes and without.
func TestEditedBoards(t *testing.T) {
	open := func(cache int) *Boards {
		b, err := NewBoards(scene.DefaultLimits(), cache)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { b.Close() })
		return b
	}
	plain, cached := open(0), open(64<<20)
	const answers = 6
	for _, fill := range []string{"solid", "pattern"} {
		for i := range answers {
			text := fmt.Appendf(nil, `[{"id":"shape:a","type":"geo","x":100,"y":100,"props":{"fill":%q}},
				{"id":"shape:b","type":"geo","x":180,"y":120,"props":{"geo":"star","fill":%q}},
				{"id":"shape:answer","type":"geo","x":%d,"y":130,"props":{"geo":"ellipse","w":%d,"h":80,"fill":"solid"}}]`, fill, fill, 90+40*i, 60+20*i)
			s, err := scene.Decode(text, scene.DefaultLimits())
			if err != nil {
				t.Fatal(err)
			}
			v := view.View{Scene: s, Bounds: frame}
			want, err := plain.DrawView(v)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := cached.DrawView(v); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s, answer %d: got %d bytes, %v; want the %d bytes that are drawn without a cache", fill, i, len(got), err, len(want))
			}
		}
	}
	if edits, full, bytes := cached.Images(); edits != 2*(answers-2) || full != 4 || bytes == 0 { // the first two of each fill are drawn in full
		t.Errorf("got %d edits, %d in full, %d bytes; want %d, 4 and some", edits, full, bytes, 2*(answers-2))
	}
}
