package drawingbench

import (
	"crypto/sha256"
	"encoding/hex"

	"plumb/scoring"
	"plumb/scoring/drawingbench/profile"
)

// paint returns the DrawingBench canvas after the answer's last action, with counts of its pixels
// (docs/spec/drawingbench.md#r69). An answer on which the published evaluator crashes is drawn too,
// as the app skips actions that fail (docs/spec/drawingbench.md#r48). It implements
// scoring.Suite.Paint.
func (suite *suite) paint(item *scoring.Item, variants scoring.Variants) (scoring.Painting, error) {
	r := suite.pool.Get().(*reader)
	defer suite.pool.Put(r)
	result, err := r.readAnswer(item, strictInput(variants))
	tooMany := suite.tooMany(&result.value)
	switch {
	case err != nil:
		return scoring.Painting{}, err
	case !result.found:
		return scoring.Painting{}, noResponse()
	case result.crash != "":
		return scoring.Painting{}, &scoring.Error{Code: "no_json", Message: "cannot draw answer: " + result.crash}
	case tooMany != "":
		return scoring.Painting{}, &scoring.Error{Code: "limit", Message: "cannot draw answer: " + tooMany}
	}
	picture, limit := r.picture(&result.value, suite.MaxPaint)
	if limit != nil {
		return scoring.Painting{}, limit
	}
	img := picture.Canvas.Image()
	sum := sha256.Sum256(img.Pix)
	return scoring.Painting{Image: img, Name: "canvas",
		Stats: append(profile.Index(picture), scoring.Metric{Name: "rgba_sha256", Value: hex.EncodeToString(sum[:])})}, nil
}
