package tangram

import (
	"maps"
	"slices"

	"github.com/valyala/fastjson"

	"plumb/scoring"
	"plumb/scoring/tangram/construction"
)

// placedPieces is the state of a puzzle over several turns, in which each answer places,
// moves or removes pieces. It implements scoring.Canvas. See docs/spec/episodes.md#r11.
type placedPieces struct {
	repair bool
	pieces map[string][]byte // JSON of the placed pieces, by id
}

// canvas returns the empty board on which a tangram answer of several turns places its pieces.
// Answers to Task 1 do not build on each other and are refused. It implements scoring.Suite.Canvas.
func (suite *suite) canvas(item *scoring.Item, variants scoring.Variants) (scoring.Canvas, error) {
	if item.Test == Outline {
		return nil, badItem("test", "answers to %s do not build on each other", Outline)
	}
	return &placedPieces{repair: variants.On(Repair), pieces: map[string][]byte{}}, nil
}

// maxPlaced bounds the pieces that are placed; more than construction.Count score nothing anyway.
const maxPlaced = 64

// Apply places the tangram pieces of one turn's answer. A piece with a known id replaces the placed
// one, and null removes it. Entries without an id, unknown ids to remove, and pieces beyond
// maxPlaced are left out with a note. status is "tce", the paper's name of the JSON form of an answer,
// or "no_json" if the answer has no readable object. It implements scoring.Canvas.
func (placed *placedPieces) Apply(item *scoring.Item) (status string, notes []scoring.Note, err error) {
	answer := item.Fields.Get("response")
	if answer == nil || answer.Type() == fastjson.TypeNull {
		return "", nil, &scoring.Error{Code: "no_response", Message: "cannot score item: it has no response"}
	}
	entries, found := new(construction.Reader).Entries(answerText(answer), placed.repair)
	if !found {
		return "no_json", nil, nil
	}
	addNote := func(code, message string) {
		notes = append(notes, scoring.Note{Code: code, Path: "final_state", Message: message})
	}
	// Place, replace or remove each piece.
	for _, entry := range entries {
		switch {
		case entry.ID == "":
			addNote("no_id", "a piece without an id is not placed")
		case entry.JSON == nil:
			if placed.pieces[entry.ID] == nil {
				addNote("unknown_id", "no piece "+shortID(entry.ID)+" is placed that could be taken away")
			}
			delete(placed.pieces, entry.ID)
		case placed.pieces[entry.ID] == nil && len(placed.pieces) >= maxPlaced:
			addNote(scoring.NoteLimit, "too many pieces; "+shortID(entry.ID)+" is not placed")
		default:
			placed.pieces[entry.ID] = entry.JSON
		}
	}
	return "tce", notes, nil
}

// shortID is an id for messages.
func shortID(id string) string { return id[:min(len(id), 40)] }

// AppendAnswer appends all placed tangram pieces as one answer, sorted by id, which is scored at
// the end of the turns. It implements scoring.Canvas.
func (placed *placedPieces) AppendAnswer(dst []byte) []byte {
	dst = append(dst, `{"final_state":{"pieces":[`...)
	for i, id := range slices.Sorted(maps.Keys(placed.pieces)) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, placed.pieces[id]...)
	}
	return append(dst, "]}}"...)
}

// Placed returns the ids of the placed pieces in order.
func (placed *placedPieces) Placed() []string { return slices.Sorted(maps.Keys(placed.pieces)) }
