package drawingbench

import (
	"crypto/sha256"
	"encoding/hex"

	"plumb/scoring"
	"plumb/scoring/drawingbench/profile"
)

// draw returns the canvas at the end, with the numbers of the
// picture index (docs/spec/drawingbench.md#r69). An answer that ends the
// published evaluator is drawn too, as the app skips actions that fail
// (docs/spec/drawingbench.md#r48).
func (s *suite) draw(it *scoring.Item, v scoring.Variants) (scoring.Painting, error) {
	r := s.pool.Get().(*reader)
	defer s.pool.Put(r)
	value, how, found, err := r.readAnswer(it, v[Input] == "strict")
	switch {
	case err != nil:
		return scoring.Painting{}, err
	case !found:
		return scoring.Painting{}, noResponse()
	case how.crash != "":
		return scoring.Painting{}, &scoring.Error{Code: "no_json", Message: "cannot draw answer: " + how.crash}
	}
	if much := s.tooMany(&value); much != "" {
		return scoring.Painting{}, &scoring.Error{Code: "limit", Message: "cannot draw answer: " + much}
	}
	p, over := r.picture(&value, s.paint)
	if over != nil {
		return scoring.Painting{}, over
	}
	img := p.Canvas.Image()
	sum := sha256.Sum256(img.Pix)
	return scoring.Painting{Image: img, Name: "canvas",
		Stats: append(profile.Index(p), scoring.Metric{Name: "rgba_sha256", Value: hex.EncodeToString(sum[:])})}, nil
}
