package explorer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/cespare/xxhash/v2"

	"plumb/daemon/ask"
)

// askedCache keeps what was asked for the last row, because its pictures are fetched one by one.
type askedCache struct {
	mu    sync.Mutex
	key   string
	asked *ask.Asked
}

// pictureTypes are the media types of pictures that a browser gets.
var pictureTypes = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// asked answers GET asked: the prompt and pictures with which plumb asks for such an answer, in the way that
// the result names. If the dump line holds a prompt, that is shown in place of plumb's own.
func (explorer *Explorer) asked(opened *opened, row int) (*Asked, error) {
	got, answer, err := explorer.ask(opened, row)
	if err != nil {
		return nil, err
	}
	out := &Asked{Text: cut(got.Text, pageLimits.prompt), Of: "plumb asks this, in the way that the result names", Images: []Seen{}}
	if p := string(answer.item.Fields.GetStringBytes("prompt")); p != "" {
		out.Text, out.Of = cut(p, pageLimits.prompt), "the prompt in the dump; pictures as plumb sends them"
	}
	for _, p := range got.Images {
		seen := Seen{Title: p.Name, Width: p.Width, Height: p.Height, Error: p.Failed}
		if seen.Error == "" && !slices.Contains(pictureTypes, p.Type) {
			seen.Error = "it is " + p.Type
		}
		out.Images = append(out.Images, seen)
	}
	return out, nil
}

// ask returns what the model of a row was asked, as plumb makes it, and the row's answer.
// The last one is kept, because the page then asks for each picture.
func (explorer *Explorer) ask(opened *opened, row int) (*ask.Asked, *answer, error) {
	answer, err := explorer.read(opened, row)
	switch {
	case err != nil:
		return nil, nil, err
	case answer.item == nil:
		return nil, nil, errors.New("cannot tell what was asked: " + answer.why)
	case explorer.cfg.Prompts == nil:
		return nil, nil, errors.New("cannot tell what was asked: there are no prompts here")
	}
	// The hashes change when the row, in files that were written again, is another result.
	key := fmt.Sprintf("%d %x %x", row, xxhash.Sum64(answer.resultLine), xxhash.Sum64(answer.dumpLine))
	opened.lastAsked.mu.Lock()
	defer opened.lastAsked.mu.Unlock()
	if opened.lastAsked.key == key {
		return opened.lastAsked.asked, answer, nil
	}
	parts := answer.result.Who.Arm() // in this order
	arm := ask.Arm{Mode: parts[0], Input: parts[1], Setting: parts[2], Format: parts[3], Method: parts[4]}
	if answer.item.Suite == "spatialab" && arm.Format == "" {
		arm.Format = answer.result.Test // its tests are its formats
	}
	const withPictures = true
	got, err := explorer.cfg.Prompts.Ask(answer.item, arm, withPictures)
	if err != nil {
		return nil, nil, fmt.Errorf("cannot tell what was asked: %w", err)
	}
	opened.lastAsked.key, opened.lastAsked.asked = key, got
	return got, answer, nil
}

// modelPicture is a picture that a model saw.
type modelPicture struct {
	contentType string
	data        []byte
}

// seenPicture answers GET seen: picture n, from 0, of those that the model was asked with.
// The error is errNoPicture if there is none or a browser cannot show its type.
func (explorer *Explorer) seenPicture(_ context.Context, opened *opened, row, n int) (any, error) {
	got, _, err := explorer.ask(opened, row)
	if err != nil {
		return nil, err
	}
	if n < 0 || n >= len(got.Images) || !slices.Contains(pictureTypes, got.Images[n].Type) {
		return nil, errNoPicture
	}
	return modelPicture{got.Images[n].Type, got.Images[n].Data}, nil
}
