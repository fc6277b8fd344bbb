package tangram

import (
	"fmt"

	"github.com/valyala/fastjson"

	"plumb/scoring"
	"plumb/scoring/tangram/construction"
)

// listParts lists the movable parts of an answer to Task 2 of TangramPuzzle: the pieces whose
// vertices can be read, each placed at the mean of its vertices. It implements scoring.Suite.MovableParts.
func (suite *suite) listParts(item *scoring.Item, variants scoring.Variants) (list []scoring.Part) {
	text, ok := placementText(item)
	if !ok {
		return nil
	}
	prediction := suite.readAnswer(text, variants.On(Repair))
	for i := range prediction.Pieces {
		piece := &prediction.Pieces[i]
		if piece.Vertices == nil {
			continue
		}
		part := scoring.Part{Name: partName(i, piece)}
		for _, vertex := range piece.Vertices {
			part.X += vertex.X.Float() / float64(len(piece.Vertices))
			part.Y += vertex.Y.Float() / float64(len(piece.Vertices))
		}
		list = append(list, part)
	}
	return list
}

// partName returns the name of tangram piece i of an answer for users: its number from 1, then its
// id or kind.
func partName(i int, p *construction.Piece) string {
	name := p.ID
	if name == "" {
		name = string(p.Kind)
	}
	return fmt.Sprintf("%d %.80s", i+1, name)
}

// placementText returns the text of an answer to Task 2 of TangramPuzzle. ok is false for an item without
// an answer, and for Task 1, whose answer places no pieces.
func placementText(item *scoring.Item) (text string, ok bool) {
	answer := item.Fields.Get("response")
	if item.Test == Outline || answer == nil || answer.Type() == fastjson.TypeNull {
		return "", false
	}
	return answerText(answer), true
}

// moveParts returns a TangramPuzzle answer with the vertices of the named piece moved by (dx, dy), in
// units of the puzzle, or of all pieces if part is "". part is a name of partName, so the answer is
// parsed first to know the names. It returns an error if the answer has no such piece. It implements
// scoring.Suite.MoveParts.
func (suite *suite) moveParts(item *scoring.Item, variants scoring.Variants, part string, dx, dy float64) ([]byte, error) {
	text, ok := placementText(item)
	if !ok {
		return nil, &scoring.Error{Code: "no_answer", Message: "cannot move pieces: the answer places none"}
	}
	prediction := suite.readAnswer(text, variants.On(Repair))
	known := part == ""
	for i := range prediction.Pieces {
		known = known || part == partName(i, &prediction.Pieces[i])
	}
	reader := suite.readers.Get().(*construction.Reader)
	defer suite.readers.Put(reader)
	answer, ok := reader.Moved(text, variants.On(Repair),
		func(i int) bool { return part == "" || part == partName(i, &prediction.Pieces[i]) }, dx, dy)
	if !ok || !known {
		return nil, &scoring.Error{Code: "no_answer",
			Message: fmt.Sprintf("cannot move %.80q: the answer places nothing of that name", part)}
	}
	return answer, nil
}
