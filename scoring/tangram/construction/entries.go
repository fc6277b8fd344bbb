package construction

import (
	"plumb/render/jsontree"
	"plumb/scoring/pyjson"
)

// Entry is one entry of the final state of an answer, as it was written.
type Entry struct {
	ID   string // "" for none
	JSON []byte // the piece as an object with its id; nil for null, or for vertices that are null
}

// Entries returns the pieces of the last final state in a tangram answer, in the order of the text,
// without checking them. found is false if the text has no final state. With repair it doubles
// stray backslashes first.
func (reader *Reader) Entries(text string, repair bool) (all []Entry, found bool) {
	if repair {
		text = Repair(text)
	}
	state, _ := reader.findState(text)
	if state == nil {
		return nil, false
	}
	list := piecesOf(state)
	if list.Kind != pyjson.List && list.Kind != pyjson.Dict {
		return nil, false
	}
	for i := range list.Items() {
		value, entry := &list.Items()[i], Entry{}
		if list.Kind == pyjson.Dict { // pieces by id; an id within the piece counts more
			entry.ID = list.Keys()[i]
		}
		if id := value.Get("id"); isNumberOrText(id) {
			entry.ID = id.S
		}
		// null in place of a piece, or of its vertices, takes the piece away: JSON stays nil.
		vertices := value.Get("vertices")
		verticesAreNull := vertices != nil && vertices.Kind == pyjson.None
		switch {
		case value.Kind == pyjson.Dict && !verticesAreNull:
			entry.JSON = pieceJSON(value, entry.ID)
		case value.Kind != pyjson.Dict && value.Kind != pyjson.None:
			entry.JSON = value.AppendJSON(nil) // no piece; the scorer says so
		}
		all = append(all, entry)
	}
	return all, true
}

// pieceJSON returns the JSON object of a tangram piece with the given id as its first member. A member
// "id" of the piece is left out, so that there is only one.
func pieceJSON(value *pyjson.Value, id string) []byte {
	out := jsontree.AppendString([]byte(`{"id":`), id)
	for i, key := range value.Keys() {
		if key == "id" {
			continue
		}
		out = append(out, ',')
		out = jsontree.AppendString(out, key)
		out = append(out, ':')
		out = value.Items()[i].AppendJSON(out)
	}
	return append(out, '}')
}
