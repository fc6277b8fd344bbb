package runs

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"testing"

	"plumb/daemon/ask"
	"plumb/daemon/chat"
)

// pictured is a suite of one task that shows a picture.
type pictured struct{ picture []byte }

func (p *pictured) Arms(ask.Options) ([]ask.Arm, []string, error) { return nil, nil, nil }
func (p *pictured) Tasks() []*ask.Task                            { return []*ask.Task{{ID: "a", Test: "maze", Group: "maze"}} }
func (p *pictured) Fits(*ask.Task, ask.Arm) bool                  { return true }
func (p *pictured) Answers(*ask.Task, ask.Arm, []ask.Heard) []ask.Answer {
	return nil
}
func (p *pictured) Next(*ask.Task, ask.Arm, []ask.Heard) (*ask.Step, error) {
	return &ask.Step{Turn: 1, Messages: []chat.Message{chat.User(chat.Picture(&chat.Image{Data: p.picture, Type: "image/png"}), chat.Text("?"))}}, nil
}

// TestEarlierPictures checks that a call whose picture has other bytes and equal pixels is the call of
// the log, and that no other picture is.
func TestEarlierPictures(t *testing.T) {
	img := image.NewNRGBA(image.Rect(0, 0, 40, 30))
	for i := range img.Pix {
		img.Pix[i] = 255
	}
	encoded := func(level png.CompressionLevel) []byte {
		var b bytes.Buffer
		if err := (&png.Encoder{CompressionLevel: level}).Encode(&b, img); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	first, again := encoded(png.NoCompression), encoded(png.BestCompression)
	img.SetNRGBA(3, 3, color.NRGBA{A: 255})
	other := encoded(png.BestCompression)
	earlier := (&chat.Image{Data: first}).SHA256()
	key := func(picture []byte, kept []byte, input string) string {
		calls := &Calls{pictures: map[pictureUse][]string{{"a", "maze", "full"}: {earlier}}}
		r, err := New(Config{Suite: "aspire", Source: &pictured{picture}, Arms: []ask.Arm{{Mode: "default", Input: input}}, Model: "m",
			Settings: func(ask.Arm) Settings { return Settings{} }, Kept: func(string) []byte { return kept }}, calls)
		if err != nil {
			t.Fatal(err)
		}
		c, err := r.nextCall(r.units[0], nil)
		if err != nil {
			t.Fatal(err)
		}
		return c.key
	}
	want := key(first, first, "full")
	for _, c := range []struct {
		name          string
		picture, kept []byte
		input         string
		same          bool
	}{
		{"equal pixels", again, first, "full", true},
		{"other pixels", other, first, "full", false},
		{"the kept file is gone", again, nil, "full", false},
		{"the kept file is another", again, again, "full", false},
		{"another input", again, first, "minimal", false},
	} {
		if got := key(c.picture, c.kept, c.input); (got == want) != c.same {
			t.Errorf("%s: got the earlier call's key: %v; want %v", c.name, got == want, c.same)
		}
	}
}
