package tangram

import (
	"fmt"

	"github.com/valyala/fastjson"

	"plumb/scoring"
	"plumb/scoring/tangram/construction"
)

// listParts implements scoring.Suite.Parts: the pieces of an answer to Task 2 whose vertices
// can be read, each with the mean of its vertices as its place.
func (s *suite) listParts(it *scoring.Item, v scoring.Variants) (list []scoring.Part) {
	text, ok := placing(it)
	if !ok {
		return nil
	}
	prediction := s.readAnswer(text, v.On(Repair))
	for i := range prediction.Pieces {
		piece := &prediction.Pieces[i]
		if piece.Vertices == nil {
			continue
		}
		part := scoring.Part{Name: partName(i, piece)}
		for _, c := range piece.Vertices {
			part.X += c.X.Float() / float64(len(piece.Vertices))
			part.Y += c.Y.Float() / float64(len(piece.Vertices))
		}
		list = append(list, part)
	}
	return list
}

// partName returns the name of piece i of an answer for users: its number from 1, and its id
// or kind.
func partName(i int, p *construction.Piece) string {
	name := p.ID
	if name == "" {
		name = string(p.Kind)
	}
	return fmt.Sprintf("%d %.80s", i+1, name)
}

// placing returns the text of an answer to Task 2. ok is false for an item without an answer
// and for Task 1, whose answer places nothing.
func placing(it *scoring.Item) (text string, ok bool) {
	answer := it.Fields.Get("response")
	if it.Test == Outline || answer == nil || answer.Type() == fastjson.TypeNull {
		return "", false
	}
	return answerText(answer), true
}

// moveParts implements scoring.Suite.Moved: it returns the answer with the vertices of the
// named part moved by (dx, dy), of all pieces if part is "". The error says that the answer
// has no such part.
func (s *suite) moveParts(it *scoring.Item, v scoring.Variants, part string, dx, dy float64) ([]byte, error) {
	text, ok := placing(it)
	if !ok {
		return nil, &scoring.Error{Code: "no_answer", Message: "cannot move pieces: the answer places none"}
	}
	prediction := s.readAnswer(text, v.On(Repair))
	known := part == ""
	for i := range prediction.Pieces {
		known = known || part == partName(i, &prediction.Pieces[i])
	}
	reader := s.readers.Get().(*construction.Reader)
	defer s.readers.Put(reader)
	answer, ok := reader.Moved(text, v.On(Repair),
		func(i int) bool { return part == "" || part == partName(i, &prediction.Pieces[i]) }, dx, dy)
	if !ok || !known {
		return nil, &scoring.Error{Code: "no_answer",
			Message: fmt.Sprintf("cannot move %.80q: the answer places nothing of that name", part)}
	}
	return answer, nil
}
