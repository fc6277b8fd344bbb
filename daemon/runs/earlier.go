package runs

import (
	"bytes"
	"image"
	"image/draw"

	"plumb/daemon/chat"
)

// pictureUse names what pictures were shown for: they are the same in all modes and repeats.
type pictureUse struct{ task, test, input string }

// shownFor returns what the pictures of a line of the log were shown for.
func (d *Done) shownFor() pictureUse { return pictureUse{d.Task, d.Test, d.Arm.toAsk().Input} }

// reuseEarlierPictures replaces the pictures of a request by those of earlier calls for the same task and
// input, each where the two have equal pixels. Another version of the program may compress a picture
// into other bytes, which would change the key of the call: all would be asked and paid for again. See
// docs/spec/runs.md#r58.
func (run *Run) reuseEarlierPictures(call *call) {
	if run.cfg.Kept == nil || run.calls == nil {
		return
	}
	sums := run.calls.pictures[pictureUse{call.task.ID, testOf(call.unit), call.arm.Input}]
	index := 0 // of the next picture among those of the request
	for _, m := range call.request.Messages {
		for j := range m.Parts {
			part := &m.Parts[j]
			if part.Image == nil {
				continue
			}
			if index < len(sums) && sums[index] != part.Image.SHA256() {
				kept := &chat.Image{Data: run.cfg.Kept(sums[index]), Type: part.Image.Type, Detail: part.Image.Detail}
				// The kept file may be gone or damaged: then its hash is another one.
				if kept.SHA256() == sums[index] && equalPixels(kept.Data, part.Image.Data) {
					part.Image = kept
				}
			}
			index++
		}
	}
}

// equalPixels reports whether two encoded pictures can be read and have the same size and pixels.
func equalPixels(a, b []byte) bool {
	p, q := pixels(a), pixels(b)
	return p != nil && q != nil && p.Rect == q.Rect && bytes.Equal(p.Pix, q.Pix)
}

// pixels decodes a picture that was shown to a model, nil where it cannot be read.
func pixels(b []byte) *image.NRGBA {
	img, _, err := image.Decode(bytes.NewReader(b)) // PNG and others, which daemon/chat reads
	if err != nil {
		return nil
	}
	out := image.NewNRGBA(img.Bounds())
	draw.Draw(out, out.Rect, img, out.Rect.Min, draw.Src)
	return out
}
