package tangram

import (
	"fmt"
	"image"
	"plumb/render/sheet"

	"plumb/scoring"
	"plumb/scoring/tangram/diagram"
	"plumb/scoring/tangram/plane"
)

// answerPicture draws an answer to Task 2. It keeps the text and parses it again when the picture
// is wanted, so that scoring keeps nothing else for it.
type answerPicture struct {
	suite  *suite
	text   string
	repair bool
	target *plane.Target
}

// drawAnswer draws the tangram pieces of an answer to Task 2 over their target, and marks overlaps,
// gaps, parts outside and distorted pieces. It scores the answer too: the metrics go with the picture,
// except the long lists. Answers to Task 1 cannot be drawn. It implements scoring.Suite.Paint.
func (suite *suite) drawAnswer(item *scoring.Item, variants scoring.Variants) (scoring.Painting, error) {
	prepared, err := suite.prepare(item, variants)
	if err != nil {
		return scoring.Painting{}, err
	}
	j, result := prepared.(*job), prepared.Score(nil) // scored without pictures, which the suite does not need
	switch {
	case result.Err != nil:
		return scoring.Painting{}, result.Err
	case item.Test != Solution:
		return scoring.Painting{}, &scoring.Error{Code: "no_picture",
			Message: fmt.Sprintf("cannot draw answer: test %s has a letter for an answer; want %s", item.Test, Solution)}
	}
	img, err := j.picture.draw()
	if err != nil {
		return scoring.Painting{}, &scoring.Error{Code: "backend", Message: err.Error()}
	}
	painting := scoring.Painting{Image: img, Name: "assembly"}
	for _, m := range result.Metrics {
		if m.Name != "overlaps" && m.Name != "pieces" { // the long lists
			painting.Stats = append(painting.Stats, m)
		}
	}
	return painting, nil
}

// Show returns the picture that explains the score of a tangram answer: its pieces over the target;
// none without an answer to Task 2. It implements scoring.Shower.
func (j *job) Show(*scoring.Result) scoring.Exhibit {
	if j.picture == nil {
		return scoring.Exhibit{}
	}
	return scoring.Exhibit{Panels: []scoring.Panel{{Title: "answer over target", Image: j.picture.draw,
		Axes: j.picture.axes}}}
}

// draw draws the pieces whose vertices could be read.
func (picture *answerPicture) draw() (*image.NRGBA, error) { return diagram.Answer(picture.outlines()) }

// axes returns where the origin and the unit of the puzzle's plane lie in the picture. y
// points up there and down in pixels.
func (picture *answerPicture) axes() scoring.Axes {
	origin, unit := diagram.Axes(picture.outlines())
	return scoring.Axes{X: origin.X, Y: origin.Y, UnitX: unit, UnitY: -unit}
}

// outlines parses a tangram answer again and returns the outlines of the target and of the pieces whose
// vertices can be read. A piece is distorted if it crosses itself, or if its shape is not that of its
// type. A piece without an id is named by its index.
func (picture *answerPicture) outlines() (target sheet.Loop, pieces []diagram.Piece) {
	prediction := picture.suite.readAnswer(picture.text, picture.repair)
	score := Evaluate(&prediction, picture.target)
	for i := range prediction.Pieces {
		answered, scored := &prediction.Pieces[i], &score.Pieces[i]
		if answered.Vertices == nil {
			continue
		}
		piece := diagram.Piece{Name: answered.ID, Distorted: !scored.Simple || scored.hasWrongShape()}
		if !answered.HasID || answered.ID == "" {
			piece.Name = fmt.Sprint(i)
		}
		for _, v := range answered.Vertices {
			piece.Loop = append(piece.Loop, sheet.Point{X: v.X.Float(), Y: v.Y.Float()})
		}
		pieces = append(pieces, piece)
	}
	for _, v := range picture.target.Vertices() {
		target = append(target, sheet.Point{X: v.X.Float(), Y: v.Y.Float()})
	}
	return target, pieces
}
