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

// readVertices reads the vertices of a piece. problem is the reason if they cannot be used.
func (r *Reader) readVertices(v *pyjson.Value) (list []Point, inexact bool, problem string) {
	_, f := verticesOf(v)
	switch {
	case f == nil:
		return nil, false, "it has no vertices"
	case f.Kind != pyjson.List:
		return nil, false, "vertices are no list"
	case len(f.Items()) > maxVertices:
		return nil, false, fmt.Sprintf("it has %d vertices; want at most %d", len(f.Items()), maxVertices)
	}
	items := f.Items()
	if cap(r.vertexBuf)-len(r.vertexBuf) < len(items) {
		r.vertexBuf = make([]Point, 0, max(blockSize, len(items)))
	}
	from := len(r.vertexBuf)
	list = r.vertexBuf[from:from] // in the reader's block until it is whole
	for i := range items {
		n := len(list)
		list = list[:n+1]
		rough, ok := readVertex(&list[n], &items[i])
		if !ok {
			return nil, false, fmt.Sprintf("vertex %d cannot be read", i)
		}
		inexact = inexact || rough
		if n > 0 && list[n-1].Equal(list[n]) {
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
	r.vertexBuf = r.vertexBuf[:from+n]
	return list[:n:n], inexact, ""
}

// verticesOf returns the member of a piece that has its vertices, nil for none.
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

// readVertex reads a vertex.
func readVertex(p *Point, v *pyjson.Value) (inexact, ok bool) {
	x, y, ok := coordinates(v)
	if !ok {
		return false, false
	}
	roughX, okX := readCoordinate(&p.X, x)
	roughY, okY := readCoordinate(&p.Y, y)
	return roughX || roughY, okX && okY
}

// coordinates returns the texts of the coordinates of a vertex, which is [x, y], {"x":, "y":} or "(x, y)".
func coordinates(v *pyjson.Value) (x, y string, ok bool) {
	var a, b *pyjson.Value
	switch v.Kind {
	case pyjson.List:
		items := v.Items()
		if len(items) != 2 {
			return "", "", false
		}
		a, b = &items[0], &items[1]
	case pyjson.Dict:
		a, b = v.Get("x"), v.Get("y")
	case pyjson.Str:
		return splitPair(v.S)
	}
	if !written(a) || !written(b) {
		return "", "", false
	}
	return a.S, b.S, true
}

// written reports whether a coordinate is a number or a text.
func written(v *pyjson.Value) bool {
	return v != nil && (v.Kind == pyjson.Str || v.Kind == pyjson.Int || v.Kind == pyjson.Float)
}

// readCoordinate reads a coordinate: a number or a LaTeX expression within the limit.
func readCoordinate(x *field.Number, text string) (inexact, ok bool) {
	n, inexact, err := field.Parse(text)
	if err != nil || !n.Within(maxCoordinate) {
		return false, false
	}
	*x = n
	return inexact, true
}

var spacingReplacer = strings.NewReplacer(`\left`, "", `\right`, "", `\,`, " ")

// splitPair splits the text "(x, y)" of a piece's vertex in an answer, with or without LaTeX
// delimiters.
func splitPair(s string) (x, y string, ok bool) {
	s = strings.TrimSpace(s)
	for _, d := range [][2]string{{"$$", "$$"}, {"$", "$"}, {`\(`, `\)`}, {`\[`, `\]`}} {
		if len(s) >= len(d[0])+len(d[1]) && strings.HasPrefix(s, d[0]) && strings.HasSuffix(s, d[1]) {
			// Delimiters inside mean that each coordinate has its own.
			if in := s[len(d[0]) : len(s)-len(d[1])]; !strings.Contains(in, d[1]) {
				s = in
			}
			break
		}
	}
	s = strings.TrimSpace(spacingReplacer.Replace(s))
	if parenthesized(s) {
		s = s[1 : len(s)-1]
	}
	depth, comma := 0, -1
	for i := range len(s) {
		switch s[i] {
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
	return s[:comma], s[comma+1:], true
}

// parenthesized reports whether the text of a vertex begins with a round bracket that its end
// closes.
func parenthesized(s string) bool {
	if len(s) < 2 || s[0] != '(' || s[len(s)-1] != ')' {
		return false
	}
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '(':
			depth++
		case ')':
			depth--
			if depth == 0 {
				return i == len(s)-1
			}
		}
	}
	return false
}
