package tangram

import (
	"maps"
	"slices"

	"github.com/valyala/fastjson"

	"plumb/scoring"
	"plumb/scoring/tangram/construction"
)

// turns is a puzzle while the answers of several turns place pieces. It implements scoring.Canvas.
// See docs/spec/episodes.md#r11.
type turns struct {
	repair bool
	pieces map[string][]byte // JSON of the placed pieces, by id
}

// canvas implements scoring.Suite.Canvas.
func (s *suite) canvas(it *scoring.Item, v scoring.Variants) (scoring.Canvas, error) {
	if it.Test == Outline {
		return nil, badItem("test", "answers to %s do not build on each other", Outline)
	}
	return &turns{repair: v.On(Repair), pieces: map[string][]byte{}}, nil
}

// maxPlaced bounds the pieces that are placed; more than construction.Count score nothing anyway.
const maxPlaced = 64

// Apply implements scoring.Canvas. A piece whose id was placed before moves, null takes it away.
func (c *turns) Apply(it *scoring.Item) (status string, all []scoring.Note, err error) {
	answer := it.Fields.Get("response")
	if answer == nil || answer.Type() == fastjson.TypeNull {
		return "", nil, &scoring.Error{Code: "no_response", Message: "cannot score item: it has no response"}
	}
	entries, found := new(construction.Reader).Entries(answerText(answer), c.repair)
	if !found {
		return "no_json", nil, nil
	}
	note := func(code, message string) {
		all = append(all, scoring.Note{Code: code, Path: "final_state", Message: message})
	}
	for _, e := range entries {
		switch {
		case e.ID == "":
			note("no_id", "a piece without an id is not placed")
		case e.JSON == nil:
			if c.pieces[e.ID] == nil {
				note("unknown_id", "no piece "+clipped(e.ID)+" is placed that could be taken away")
			}
			delete(c.pieces, e.ID)
		case c.pieces[e.ID] == nil && len(c.pieces) >= maxPlaced:
			note(scoring.NoteLimit, "too many pieces; "+clipped(e.ID)+" is not placed")
		default:
			c.pieces[e.ID] = e.JSON
		}
	}
	return "tce", all, nil
}

// clipped is an id for messages.
func clipped(id string) string { return id[:min(len(id), 40)] }

// AppendAnswer implements scoring.Canvas.
func (c *turns) AppendAnswer(dst []byte) []byte {
	dst = append(dst, `{"final_state":{"pieces":[`...)
	for i, id := range slices.Sorted(maps.Keys(c.pieces)) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, c.pieces[id]...)
	}
	return append(dst, "]}}"...)
}

// Placed returns the ids of the placed pieces in order.
func (c *turns) Placed() []string { return slices.Sorted(maps.Keys(c.pieces)) }
