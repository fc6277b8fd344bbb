package construction

import (
	"math"
	"strconv"

	"plumb/render/jsontree"
	"plumb/scoring/pyjson"
	"plumb/scoring/tangram/field"
)

// Moved returns a tangram answer as JSON, {"final_state": ...}, with some pieces moved. It takes the
// final state that Read scores, and moves the pieces for which moves(index) is true by (dx, dy),
// rounded to 1e-9. Exact coordinates stay exact and decimal ones decimal. Pieces whose vertices cannot
// be read stay as they are. ok is false if Read finds no answer.
func (reader *Reader) Moved(text string, repair bool, moves func(piece int) bool, dx, dy float64) (answer []byte, ok bool) {
	if repair {
		text = Repair(text)
	}
	state, _ := reader.findState(text)
	if state == nil {
		return nil, false
	}
	by := [2]field.Number{roundedShift(dx), roundedShift(dy)}
	out := []byte(`{"final_state":`)
	pieces := state.Get("pieces")
	if state.Kind != pyjson.Dict || pieces == nil { // the state itself is the list or object of pieces
		return append(reader.appendPieces(out, state, moves, by), '}'), true
	}
	out = appendMembers(out, state, func(out []byte, key string, v *pyjson.Value) []byte {
		if key != "pieces" {
			return v.AppendJSON(out)
		}
		return reader.appendPieces(out, pieces, moves, by)
	})
	return append(out, '}'), true
}

// roundedShift returns how far a tangram piece is moved along an axis as an exact number, rounded
// to 1e-9; 0 for a length that is not finite.
func roundedShift(distance float64) field.Number {
	shift, _, err := field.Parse(strconv.FormatFloat(math.Round(distance*1e9)/1e9, 'f', -1, 64))
	if err != nil { // NaN or infinite
		return field.Int(0)
	}
	return shift
}

// appendMembers appends an object of a tangram answer as JSON. appendValue appends the value of
// each member.
func appendMembers(dst []byte, value *pyjson.Value, appendValue func(b []byte, key string, v *pyjson.Value) []byte) []byte {
	dst = append(dst, '{')
	for i, key := range value.Keys() {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = jsontree.AppendString(dst, key)
		dst = append(dst, ':')
		dst = appendValue(dst, key, &value.Items()[i])
	}
	return append(dst, '}')
}

// appendPieces appends the list or object of a tangram answer's pieces as JSON. The pieces for whose
// index moves is true are moved by the x and y in `by`.
func (reader *Reader) appendPieces(dst []byte, list *pyjson.Value, moves func(piece int) bool, by [2]field.Number) []byte {
	// appendOne appends piece i, moved or as it is.
	appendOne := func(out []byte, i int) []byte {
		value := &list.Items()[i]
		if value.Kind != pyjson.Dict || !moves(i) {
			return value.AppendJSON(out)
		}
		return reader.appendPiece(out, value, by)
	}
	switch list.Kind {
	case pyjson.Dict:
		i := -1
		return appendMembers(dst, list, func(b []byte, _ string, _ *pyjson.Value) []byte {
			i++
			return appendOne(b, i)
		})
	case pyjson.List:
		dst = append(dst, '[')
		for i := range list.Items() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendOne(dst, i)
		}
		return append(dst, ']')
	}
	return list.AppendJSON(dst)
}

// appendPiece appends a tangram piece as JSON with its vertices moved, or unchanged if they cannot
// be read.
func (reader *Reader) appendPiece(dst []byte, piece *pyjson.Value, by [2]field.Number) []byte {
	name, vertices := verticesOf(piece)
	if _, _, problem := reader.readVertices(piece); problem != "" {
		return piece.AppendJSON(dst)
	}
	return appendMembers(dst, piece, func(out []byte, key string, member *pyjson.Value) []byte {
		if key != name {
			return member.AppendJSON(out)
		}
		out = append(out, '[')
		for i := range vertices.Items() {
			if i > 0 {
				out = append(out, ',')
			}
			x, y, _ := coordinates(&vertices.Items()[i]) // readable, because readVertices read them
			out = append(out, '[')
			out = appendCoordinate(out, x, by[0])
			out = append(out, ',')
			out = append(appendCoordinate(out, y, by[1]), ']')
		}
		return append(out, ']')
	})
}

// appendCoordinate appends a coordinate of a tangram piece, moved by a shift, as a JSON string: exact
// ones in LaTeX, inexact ones with 12 decimals, unchanged if the shift is 0. field.Parse must be able
// to read the text.
func appendCoordinate(dst []byte, text string, shift field.Number) []byte {
	coordinate, inexact, _ := field.Parse(text)
	switch {
	case shift.Zero():
	case inexact:
		text = strconv.FormatFloat(coordinate.Add(shift).Float(), 'f', 12, 64)
	default:
		text = coordinate.Add(shift).LaTeX()
	}
	return jsontree.AppendString(dst, text)
}
