package assembly

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"

	"plumb/scoring"
	"plumb/scoring/plural"
	"plumb/scoring/tangram/field"
)

// Schema is the JSON Schema (draft 2020-12) of an instance. See
// docs/spec/tangram.md#r6.
//
//go:embed schema.json
var Schema []byte

// Instance is a named configuration: one problem of TangramPuzzle.
type Instance struct {
	ID string
	Figure
	// Source is free: a JSON value, nil for none.
	Source json.RawMessage
}

// AppendJSON appends a tangram instance as one line of canonical JSON without a line end: members
// in the order of the format, numbers in canonical LaTeX, no blanks. Equal instances have equal
// bytes. See docs/spec/tangram.md#r6.
func (instance *Instance) AppendJSON(dst []byte) []byte {
	dst = scoring.AppendString(append(dst, `{"instance_id":`...), instance.ID)
	dst = instance.appendOutline(append(dst, `,"target_outline":`...))
	dst = append(dst, `,"initial_state":{"pieces":[`...)
	for i := range Count {
		dst = appendComma(dst, i)
		dst = appendPiece(dst, i, Initial(i))
		dst = append(dst, '}')
	}
	dst = append(dst, `]},"final_state":{"pieces":[`...)
	for i := range Count {
		dst = appendPiece(appendComma(dst, i), i, instance.Pieces[i])
		dst = append(dst, `,"transform_matrix":`...)
		dst = appendMatrix(dst, Matrix(i, instance.At[i]))
		dst = append(dst, '}')
	}
	dst = append(dst, `]},"adjacency_graph":[`...)
	for i, pair := range instance.Adjacent {
		dst = fmt.Appendf(appendComma(dst, i), `["%s","%s"]`, IDs[pair[0]], IDs[pair[1]])
	}
	dst = append(dst, ']')
	if instance.Source != nil {
		dst = append(append(dst, `,"source":`...), instance.Source...)
	}
	return append(dst, '}')
}

// appendComma appends a comma before every element of a JSON list but the first.
func appendComma(dst []byte, i int) []byte {
	if i > 0 {
		return append(dst, ',')
	}
	return dst
}

// appendOutline appends the target outline of a tangram instance as JSON for the model's prompt:
// {"vertices":[point,...],"edges":[{"v":[0,1],"length":number},...]}. v holds the indices of the
// edge's two vertices.
func (instance *Instance) appendOutline(dst []byte) []byte {
	dst = append(dst, `{"vertices":[`...)
	for i, p := range instance.Outline {
		dst = appendPoint(appendComma(dst, i), p)
	}
	dst = append(dst, `],"edges":[`...)
	for i, l := range instance.Lengths {
		dst = fmt.Appendf(appendComma(dst, i), `{"v":[%d,%d],"length":`, i, (i+1)%len(instance.Outline))
		dst = append(appendNumber(dst, l), '}')
	}
	return append(dst, "]}"...)
}

// appendPiece appends the members that a piece has in both states, and leaves the object
// open.
func appendPiece(b []byte, i int, poly []Point) []byte {
	b = appendShape(b, i, poly)
	b = append(b, `,"center":`...)
	return appendPoint(b, Center(poly))
}

// appendShape appends the members of tangram piece i that instances and answers both have: id, type,
// vertices and edges. It leaves the JSON object open, so that an instance can add its own members.
func appendShape(dst []byte, i int, poly []Point) []byte {
	dst = fmt.Appendf(dst, `{"id":"%s","type":"%s","vertices":[`, IDs[i], Kinds[i])
	for k, p := range poly {
		dst = appendPoint(appendComma(dst, k), p)
	}
	dst = append(dst, `],"edges":[`...)
	for k := range poly {
		dst = fmt.Appendf(appendComma(dst, k), "[%d,%d]", k, (k+1)%len(poly))
	}
	return append(dst, ']')
}

// appendMatrix appends the transform_matrix of a tangram piece, row by row, as JSON.
func appendMatrix(dst []byte, m [3][3]field.Number) []byte {
	dst = append(dst, '[')
	for i, row := range m {
		dst = append(appendComma(dst, i), '[')
		for k, x := range row {
			dst = appendNumber(appendComma(dst, k), x)
		}
		dst = append(dst, ']')
	}
	return append(dst, ']')
}

// appendPoint appends the exact coordinates of a tangram piece's vertex as a JSON list.
func appendPoint(dst []byte, p Point) []byte {
	dst = append(dst, '[')
	dst = appendNumber(dst, p.X)
	dst = append(dst, ',')
	return append(appendNumber(dst, p.Y), ']')
}

// appendNumber appends the canonical LaTeX of x as a JSON string. The backslash is the only
// character in it that needs an escape.
func appendNumber(dst []byte, x field.Number) []byte {
	var room [64]byte
	dst = append(dst, '"')
	for _, c := range x.AppendLaTeX(room[:0]) {
		if c == '\\' {
			dst = append(dst, '\\')
		}
		dst = append(dst, c)
	}
	return append(dst, '"')
}

// instanceJSON is the JSON of an instance, as far as it is read.
type instanceJSON struct {
	ID      *string `json:"instance_id"`
	Outline *struct {
		Vertices [][]string `json:"vertices"`
	} `json:"target_outline"`
	Final *struct {
		Pieces []struct {
			ID       string     `json:"id"`
			Type     string     `json:"type"`
			Vertices [][]string `json:"vertices"`
		} `json:"pieces"`
	} `json:"final_state"`
	Adjacent [][]string      `json:"adjacency_graph"`
	Source   json.RawMessage `json:"source"`
}

// Read parses the JSON of one tangram instance and verifies it: the pieces must be a valid,
// normalized configuration, and target_outline and adjacency_graph must be those that are computed from
// it. Errors name the member. See docs/spec/tangram.md#r11.
func Read(b []byte) (*Instance, error) {
	var document instanceJSON
	if err := json.Unmarshal(b, &document); err != nil {
		return nil, fmt.Errorf("cannot read instance: %w", err)
	}
	if document.ID == nil || document.Outline == nil || document.Final == nil {
		return nil, fmt.Errorf("cannot read instance: instance_id, target_outline or final_state is missing; want all three")
	}
	polys, err := document.pieces()
	if err != nil {
		return nil, fmt.Errorf("cannot read instance %q: %w", *document.ID, err)
	}
	figure, err := FromPolygons(polys)
	if err != nil {
		return nil, fmt.Errorf("cannot read instance %q: final_state: %w", *document.ID, err)
	}
	instance := &Instance{ID: *document.ID, Figure: *figure, Source: document.Source}
	if err := document.checkDerived(instance, polys); err != nil {
		return nil, fmt.Errorf("cannot read instance %q: %w", *document.ID, err)
	}
	return instance, nil
}

// pieces returns the final polygons of a tangram instance in the order of IDs. It refuses an
// unknown or repeated id and a wrong type.
func (json *instanceJSON) pieces() (polys [Count][]Point, err error) {
	if n := len(json.Final.Pieces); n != Count {
		return polys, fmt.Errorf("final_state.pieces: got %d; want %d", n, Count)
	}
	for i, p := range json.Final.Pieces {
		index := Index(p.ID)
		if index < 0 || polys[index] != nil {
			return polys, fmt.Errorf("final_state.pieces[%d].id: got %q; want each of T1 to T5, S1, P1 once", i, p.ID)
		}
		if p.Type != Kinds[index].String() {
			return polys, fmt.Errorf("final_state.pieces[%d].type: got %q; want %q for %s", i, p.Type, Kinds[index],
				p.ID)
		}
		if polys[index], err = parsePoints(p.Vertices); err != nil {
			return polys, fmt.Errorf("final_state.pieces[%d].vertices%w", i, err)
		}
	}
	return polys, nil
}

// parsePoints reads the vertices of a tangram piece or outline from LaTeX. The error begins with
// the index in the list.
func parsePoints(list [][]string) ([]Point, error) {
	out := make([]Point, len(list))
	for i, v := range list {
		if len(v) != 2 {
			return nil, fmt.Errorf("[%d]: got %s; want 2", i, plural.Of(len(v), "coordinate"))
		}
		for k, target := range [2]*field.Number{&out[i].X, &out[i].Y} {
			value, _, err := field.Parse(v[k])
			if err != nil {
				return nil, fmt.Errorf("[%d][%d]: %w", i, k, err)
			}
			*target = value
		}
	}
	return out, nil
}

// checkDerived compares the JSON of a tangram instance with the instance built from its pieces, whose
// polygons are given as they were read. It returns an error unless the pieces were normalized already,
// and the outline and the adjacency in the JSON are those of the built instance.
func (json *instanceJSON) checkDerived(instance *Instance, polys [Count][]Point) error {
	for i := range polys {
		if !polys[i][0].Equal(instance.Pieces[i][0]) { // building shifted it, so it was not normalized
			return fmt.Errorf("final_state: not normalised; want the least x and y to be 0")
		}
	}
	outline, err := parsePoints(json.Outline.Vertices)
	if err != nil {
		return fmt.Errorf("target_outline.vertices%w", err)
	}
	if !samePolygon(outline, instance.Outline) {
		return fmt.Errorf("target_outline.vertices: not the outline of final_state; want the boundary of the pieces, counter-clockwise from its lowest vertex")
	}
	var pairs [][2]int
	for i, pair := range json.Adjacent {
		if len(pair) != 2 || Index(pair[0]) < 0 || Index(pair[1]) < 0 {
			return fmt.Errorf("adjacency_graph[%d]: got %q; want two piece ids", i, pair)
		}
		pairs = append(pairs, [2]int{Index(pair[0]), Index(pair[1])})
	}
	if !slices.Equal(pairs, instance.Adjacent) {
		return fmt.Errorf("adjacency_graph: not that of final_state; want every pair that shares a segment, in the order of the ids")
	}
	return nil
}

// AppendAnswer appends the instance as a correct answer to Task 2: one JSON object with what the
// prompt asks for, coordinates in canonical LaTeX. See docs/spec/tangram.md#r58.
func (instance *Instance) AppendAnswer(dst []byte) []byte {
	dst = scoring.AppendString(append(dst, `{"instance_id":`...), instance.ID)
	dst = append(dst, `,"final_state":{"pieces":[`...)
	for i, poly := range instance.Pieces {
		dst = appendComma(dst, i)
		dst = appendShape(dst, i, poly)
		dst = append(dst, '}')
	}
	return append(dst, "]}}"...)
}
