package tangram

import (
	"fmt"

	"github.com/valyala/fastjson"

	"plumb/scoring"
	"plumb/scoring/tangram/construction"
)

// parts implements scoring.Suite.Parts: the pieces of an answer to Task 2 whose vertices can be read, in the plane of the
// puzzle.
func (s *suite) parts(it *scoring.Item, v scoring.Variants) (list []scoring.Part) {
	text, ok := placing(it)
	if !ok {
		return nil
	}
	p := s.readAnswer(text, v.On(Repair))
	for i := range p.Pieces {
		q := &p.Pieces[i]
		if q.Vertices == nil {
			continue
		}
		out := scoring.Part{Name: partName(i, q)}
		for _, c := range q.Vertices {
			out.X += c.X.Float() / float64(len(q.Vertices))
			out.Y += c.Y.Float() / float64(len(q.Vertices))
		}
		list = append(list, out)
	}
	return list
}

// partName is the name of the i-th piece of an answer.
func partName(i int, p *construction.Piece) string {
	name := p.ID
	if name == "" {
		name = string(p.Kind)
	}
	return fmt.Sprintf("%d %.80s", i+1, name)
}

// placing returns the text of an answer that places pieces; ok is false for none.
func placing(it *scoring.Item) (text string, ok bool) {
	answer := it.Fields.Get("response")
	if it.Test == Outline || answer == nil || answer.Type() == fastjson.TypeNull {
		return "", false
	}
	return answerText(answer), true
}

// moved implements scoring.Suite.Moved: it writes the answer anew with other vertices.
func (s *suite) moved(it *scoring.Item, v scoring.Variants, part string, dx, dy float64) ([]byte, error) {
	text, ok := placing(it)
	if !ok {
		return nil, &scoring.Error{Code: "no_answer", Message: "cannot move pieces: the answer places none"}
	}
	p := s.readAnswer(text, v.On(Repair))
	known := part == ""
	for i := range p.Pieces {
		known = known || part == partName(i, &p.Pieces[i])
	}
	r := s.readers.Get().(*construction.Reader)
	defer s.readers.Put(r)
	answer, ok := r.Moved(text, v.On(Repair), func(i int) bool { return part == "" || part == partName(i, &p.Pieces[i]) }, dx, dy)
	if !ok || !known {
		return nil, &scoring.Error{Code: "no_answer", Message: fmt.Sprintf("cannot move %.80q: the answer places nothing of that name", part)}
	}
	return answer, nil
}
