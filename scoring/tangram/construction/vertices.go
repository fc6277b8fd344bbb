package construction

import (
	"fmt"
	"strings"

	"plumb/scoring/pyjson"
	"plumb/scoring/tangram/field"
)

// maxVertices bounds the vertices of a piece. See docs/spec/tangram.md#r18.
const maxVertices = 64

// maxCoordinate bounds the coordinates of a vertex. See docs/spec/tangram.md#r18.
const maxCoordinate = 1_000_000

// readVertices reads the vertices of a tangram piece in an answer. It leaves out vertices that repeat
// the one before, and a last one that closes the polygon. problem says why they cannot be used, or is
// "". The list lies in a block of memory that several pieces share and that is never used again, which
// saves allocations.
func (reader *Reader) readVertices(piece *pyjson.Value) (list []Point, inexact bool, problem string) {
	_, member := verticesOf(piece)
	switch {
	case member == nil:
		return nil, false, "it has no vertices"
	case member.Kind != pyjson.List:
		return nil, false, "vertices are no list"
	case len(member.Items()) > maxVertices:
		return nil, false, fmt.Sprintf("it has %d vertices; want at most %d", len(member.Items()), maxVertices)
	}
	items := member.Items()
	if cap(reader.vertexBuf)-len(reader.vertexBuf) < len(items) {
		reader.vertexBuf = make([]Point, 0, max(blockSize, len(items)))
	}
	from := len(reader.vertexBuf)
	list = reader.vertexBuf[from:from] // in the reader's block until it is whole
	for i := range items {
		n := len(list)
		list = list[:n+1]
		isInexact, ok := readVertex(&list[n], &items[i])
		if !ok {
			return nil, false, fmt.Sprintf("vertex %d cannot be read", i)
		}
		inexact = inexact || isInexact
		if n > 0 && list[n-1].Equal(list[n]) { // repeats the one before
			list = list[:n]
		}
	}
	if n := len(list); n > 1 && list[n-1].Equal(list[0]) {
		list = list[:n-1]
	}
	n := len(list)
	if n < 3 {
		return nil, false, fmt.Sprintf("it has %d different vertices; want at least 3", n)
	}
	reader.vertexBuf = reader.vertexBuf[:from+n]
	return list[:n:n], inexact, ""
}

// verticesOf returns the first member of a tangram piece that can hold its vertices, with its name,
// or nil if it has none.
func verticesOf(v *pyjson.Value) (name string, f *pyjson.Value) {
	for _, name = range [3]string{"vertices", "V_world", "V"} {
		if f = v.Get(name); f != nil {
			return name, f
		}
	}
	return "", nil
}

// blockSize is the number of vertices that are allocated together; most answers have fewer.
const blockSize = 32

// readVertex reads a vertex of a tangram piece into *p. inexact says that a coordinate is decimal.
// ok is false if the vertex does not have two readable coordinates.
func readVertex(p *Point, v *pyjson.Value) (inexact, ok bool) {
	x, y, ok := coordinates(v)
	if !ok {
		return false, false
	}
	inexactX, okX := readCoordinate(&p.X, x)
	inexactY, okY := readCoordinate(&p.Y, y)
	return inexactX || inexactY, okX && okY
}

// coordinates returns the texts of the two coordinates of a tangram piece's vertex, which is [x,
// y], {"x":, "y":} or "(x, y)". ok is false for other forms.
func coordinates(v *pyjson.Value) (x, y string, ok bool) {
	var valueX, valueY *pyjson.Value
	switch v.Kind {
	case pyjson.List:
		items := v.Items()
		if len(items) != 2 {
			return "", "", false
		}
		valueX, valueY = &items[0], &items[1]
	case pyjson.Dict:
		valueX, valueY = v.Get("x"), v.Get("y")
	case pyjson.Str:
		return splitPair(v.S)
	}
	if !isNumberOrText(valueX) || !isNumberOrText(valueY) {
		return "", "", false
	}
	return valueX.S, valueY.S, true // S is the text of a number too
}

// isNumberOrText reports whether a coordinate or an id is a number or a text.
func isNumberOrText(v *pyjson.Value) bool {
	return v != nil && (v.Kind == pyjson.Str || v.Kind == pyjson.Int || v.Kind == pyjson.Float)
}

// readCoordinate reads a coordinate of a tangram piece, a number or a LaTeX expression, into *x. ok
// is false if it cannot be read or is beyond maxCoordinate.
func readCoordinate(x *field.Number, text string) (inexact, ok bool) {
	n, inexact, err := field.Parse(text)
	if err != nil || !n.Within(maxCoordinate) {
		return false, false
	}
	*x = n
	return inexact, true
}

var spacingReplacer = strings.NewReplacer(`\left`, "", `\right`, "", `\,`, " ")

// splitPair splits the text "(x, y)" of a tangram piece's vertex at its only comma outside of brackets.
// The round brackets around it, and LaTeX delimiters such as $, may be there or not. ok is false if
// there is not exactly one such comma.
func splitPair(text string) (x, y string, ok bool) {
	text = strings.TrimSpace(text)
	for _, delimiters := range [][2]string{{"$$", "$$"}, {"$", "$"}, {`\(`, `\)`}, {`\[`, `\]`}} {
		if len(text) >= len(delimiters[0])+len(delimiters[1]) && strings.HasPrefix(text, delimiters[0]) &&
			strings.HasSuffix(text, delimiters[1]) {
			// Delimiters inside mean that each coordinate has its own.
			if inner := text[len(delimiters[0]) : len(text)-len(delimiters[1])]; !strings.Contains(inner, delimiters[1]) {
				text = inner
			}
			break
		}
	}
	// Take off the brackets around the pair, and find the comma.
	text = strings.TrimSpace(spacingReplacer.Replace(text))
	if parenthesized(text) {
		text = text[1 : len(text)-1]
	}
	depth, comma := 0, -1
	for i := range len(text) {
		switch text[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case ',':
			if depth != 0 {
				continue
			}
			if comma >= 0 {
				return "", "", false
			}
			comma = i
		}
	}
	if comma < 0 {
		return "", "", false
	}
	return text[:comma], text[comma+1:], true
}

// parenthesized reports whether the last character of a vertex's text closes the round bracket with
// which it begins.
func parenthesized(text string) bool {
	if len(text) < 2 || text[0] != '(' || text[len(text)-1] != ')' {
		return false
	}
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '(':
			depth++
		case ')':
			depth--
			if depth == 0 {
				return i == len(text)-1
			}
		}
	}
	return false
}
