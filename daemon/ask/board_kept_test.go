package ask

import (
	"bytes"
	"testing"

	"plumb/render/scene"
)

// TestKept checks that a picture that is not in memory any more is taken from where it was kept, and is
// drawn again where the bytes there are not its own.
func TestKept(t *testing.T) {
	b, err := NewBoards(scene.DefaultLimits())
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
