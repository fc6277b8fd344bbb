// Package construction reads the assembly of seven pieces that a model writes as text. In: raw
// text. Out: pieces with exact vertices, the reasons why the text is not a complete answer, and
// whether its coordinates are exact or decimal. It returns no errors: a part that cannot be read
// becomes a reason. See docs/spec/tangram.md#r13.
package construction

import (
	"fmt"
	"slices"
	"strings"

	"plumb/scoring/pyjson"
	"plumb/scoring/tangram/plane"
)

// Kind is the type of a tangram piece.
type Kind string

// The types. See docs/spec/tangram.md#r1.
const (
	Large         Kind = "large_triangle"
	Medium        Kind = "medium_triangle"
	Small         Kind = "small_triangle"
	Square        Kind = "square"
	Parallelogram Kind = "parallelogram"
)

// Kinds lists the types with the number of pieces of each.
var Kinds = [...]kindCount{{Large, 2}, {Medium, 1}, {Small, 2}, {Square, 1}, {Parallelogram, 1}}

type kindCount struct {
	Kind  Kind
	Count int
}

// Count is the number of pieces of a complete answer.
const Count = 7

// MaxVertices bounds the vertices of an answer that are read: pieces after the one that reaches it
// stay unparsed, which is not a syntax error by itself. See docs/spec/tangram.md#r19.
const MaxVertices = 512

// The reasons of a syntax error. See docs/spec/tangram.md#r21.
const (
	ReasonJSON      = "json"
	ReasonPieces    = "pieces"
	ReasonType      = "type"
	ReasonVertices  = "vertices"
	ReasonCount     = "count"
	ReasonInventory = "inventory"
)

// Point is a vertex of a piece.
type Point = plane.Point

// Piece is one piece of an answer. Only its kind and its vertices are scored. See
// docs/spec/tangram.md#r20.
type Piece struct {
	ID       string
	HasID    bool
	Kind     Kind    // "" where the type is not one
	Vertices []Point // nil where they could not be read
	Problem  string  // what is wrong with the vertices, "" for nothing
}

// Prediction is a parsed answer, with its pieces in the order of the text.
type Prediction struct {
	Found   bool // some JSON in the text is an answer
	Pieces  []Piece
	Reasons []string // sorted, none for a whole answer
	// Decimal reports whether a coordinate of a parsed piece is not exact, see
	// docs/spec/tangram.md#r28. Parsed is how many pieces have vertices.
	Decimal bool
	Parsed  int
	Limited bool // the search for JSON ended at its limit of work
}

// Reader parses answers one after another and reuses its memory. It serves one goroutine at a
// time.
type Reader struct {
	json      pyjson.Reader
	reasons   map[string]bool
	vertexBuf []Point // vertices of pieces read before, with room for more
	from, to  int     // bytes of the text that the object was read from
}

// Where returns the bytes from..to-1 of a text from which Read takes the answer, with or without repair;
// ok is false where it finds none.
func (reader *Reader) Where(text string, repair bool) (from, to int, ok bool) {
	read := text
	if repair {
		read = Repair(text)
	}
	state, _ := reader.findState(read)
	return originalOffset(text, read, reader.from), originalOffset(text, read, reader.to), state != nil
}

// originalOffset returns the offset in text of what stands at offset in repaired, which is what Repair
// makes of text.
func originalOffset(text, repaired string, offset int) int {
	original := 0
	for i := range offset {
		if original < len(text) && repaired[i] == text[original] { // else Repair has added this backslash
			original++
		}
	}
	return original
}

// Read parses the answer of a model that places tangram pieces. It finds the JSON in the text, reads
// each piece, checks that all seven are there, and collects the reasons of what is wrong. With repair
// it first doubles backslashes that are no escapes.
func (reader *Reader) Read(text string, repair bool) Prediction {
	if repair {
		text = Repair(text)
	}
	prediction := Prediction{}
	clear(reader.reasons)
	if reader.reasons == nil {
		reader.reasons = map[string]bool{}
	}
	// The JSON.
	state, limited := reader.findState(text)
	prediction.Limited = limited
	if state == nil {
		prediction.Reasons = []string{ReasonJSON}
		return prediction
	}
	prediction.Found = true
	// The pieces.
	reader.readPieces(state, &prediction)
	for i := range prediction.Pieces {
		if prediction.Pieces[i].Vertices != nil {
			prediction.Parsed++
		}
	}
	reader.checkInventory(&prediction)
	// The reasons, in a fixed order.
	for reason := range reader.reasons {
		prediction.Reasons = append(prediction.Reasons, reason)
	}
	slices.Sort(prediction.Reasons)
	return prediction
}

// searchFactor bounds the bytes that findState reads per byte of text, because it tries to parse a
// truncated answer from each object that it opens. See docs/spec/tangram.md#r14.
const searchFactor = 16

// findState returns the final state of the last JSON object in a tangram answer that has one, or nil.
// It tries to parse an object at every "{", and goes on after the objects it could parse. It keeps in
// reader.from and reader.to where the object is. limited is true if the search was given up because it
// read too much. See docs/spec/tangram.md#r13.
func (reader *Reader) findState(text string) (state *pyjson.Value, limited bool) {
	reader.json.Strict = true
	reader.json.Reset(text)
	budget := searchFactor*len(text) + 1<<20 // bytes; short texts are never given up
	for pos := 0; ; {
		next := strings.IndexByte(text[pos:], '{')
		if next < 0 {
			return state, false
		}
		pos += next
		if reader.json.Steps() > budget {
			return state, true
		}
		value, end, err := reader.json.At(pos)
		if err != nil {
			pos++
			continue
		}
		if s := finalState(&value); s != nil {
			state, reader.from, reader.to = s, pos, end
		}
		pos = end
	}
}

// finalState returns the member final_state of an answer's object, or of the object in its member
// "tce" or "TCE", or nil. TCE is the paper's name of the JSON form of a tangram assembly, in which
// models may wrap their answer. See docs/spec/tangram.md#r13.
func finalState(value *pyjson.Value) *pyjson.Value {
	if s := value.Get("final_state"); s != nil {
		return s
	}
	for _, name := range [2]string{"tce", "TCE"} {
		if in := value.Get(name); in != nil && in.Kind == pyjson.Dict {
			if s := in.Get("final_state"); s != nil {
				return s
			}
		}
	}
	return nil
}

// Repair doubles the backslashes of a tangram answer that do not begin a JSON escape. Models write
// LaTeX in JSON strings without escaping its backslashes, which JSON cannot read. It returns the text
// itself if there are none. See docs/spec/tangram.md#r15.
func Repair(text string) string {
	var out []byte
	copied := 0 // bytes of text that are in out already
	for pos := 0; ; {
		next := strings.IndexByte(text[pos:], '\\')
		if next < 0 {
			break
		}
		pos += next
		length := escapeLength(text[pos+1:])
		if length == 0 {
			out = append(append(out, text[copied:pos]...), `\\`...)
			copied = pos + 1
		}
		pos += 1 + length
	}
	if copied == 0 {
		return text
	}
	return string(append(out, text[copied:]...))
}

// escapeLength returns the length of the JSON escape that text, the rest of a tangram answer after a
// backslash, begins with: 1, 5 for the escape of a code point, or 0 if there is none. An escape of one
// letter with another letter after it, such as \frac, counts as LaTeX.
func escapeLength(text string) int {
	if text == "" {
		return 0
	}
	switch c := text[0]; c {
	case '\\', '"', '/':
		return 1
	case 'u':
		const digits = "0123456789abcdefABCDEF"
		for i := 1; i <= 4; i++ {
			if i >= len(text) || strings.IndexByte(digits, text[i]) < 0 {
				return 0
			}
		}
		return 5
	case 'b', 'f', 'n', 'r', 't':
		if len(text) > 1 && isLetter(text[1]) {
			return 0
		}
		return 1
	}
	return 0
}

// isLetter reports whether a byte of an answer is a letter of ASCII.
func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// piecesOf returns the pieces of a final state: its member "pieces", or the state itself.
func piecesOf(state *pyjson.Value) *pyjson.Value {
	if pieces := state.Get("pieces"); state.Kind == pyjson.Dict && pieces != nil {
		return pieces
	}
	return state
}

// readPieces reads the tangram pieces of a final state, which is a list or an object by id, into prediction.
// Once MaxVertices vertices are read, it skips those of further pieces. See
// docs/spec/tangram.md#r16.
func (reader *Reader) readPieces(state *pyjson.Value, prediction *Prediction) {
	list := piecesOf(state)
	if list.Kind != pyjson.List && list.Kind != pyjson.Dict {
		reader.reasons[ReasonPieces] = true
		return
	}
	prediction.Pieces = make([]Piece, len(list.Items()))
	vertices := 0
	for i := range list.Items() {
		piece := &prediction.Pieces[i]
		if list.Kind == pyjson.Dict {
			piece.ID, piece.HasID = list.Keys()[i], true
		}
		reader.readPiece(&list.Items()[i], piece, prediction, vertices >= MaxVertices)
		vertices += len(piece.Vertices)
	}
}

// readPiece reads one tangram piece from the JSON of an answer. What is wrong with it goes into
// piece.Problem and reader.reasons. It sets prediction.Decimal if a coordinate is inexact. With full it
// skips the vertices, because the pieces before have MaxVertices already.
func (reader *Reader) readPiece(value *pyjson.Value, piece *Piece, prediction *Prediction, full bool) {
	if value.Kind != pyjson.Dict {
		reader.reasons[ReasonType], reader.reasons[ReasonVertices] = true, true
		piece.Problem = "the piece is no object"
		return
	}
	if id := value.Get("id"); isNumberOrText(id) {
		piece.ID, piece.HasID = id.S, true
	}
	piece.Kind = kindOf(value)
	if piece.Kind == "" {
		reader.reasons[ReasonType] = true
	}
	if full {
		piece.Problem = fmt.Sprintf("its vertices are not read: the pieces before it have %d", MaxVertices)
		return
	}
	// Its vertices.
	points, inexact, problem := reader.readVertices(value)
	if problem != "" {
		reader.reasons[ReasonVertices] = true
		piece.Problem = problem
		return
	}
	piece.Vertices = points
	prediction.Decimal = prediction.Decimal || inexact
}

// kindNames are the known spellings of types. See docs/spec/tangram.md#r17.
var kindNames = map[string]Kind{"largetriangle": Large, "bigtriangle": Large, "mediumtriangle": Medium,
	"middletriangle": Medium,
	"smalltriangle":  Small, "square": Square, "parallelogram": Parallelogram}

// kindOf returns the type of a tangram piece in an answer, or "" if it is unknown. Types have several
// known spellings: only their letters count, in lower case.
func kindOf(piece *pyjson.Value) Kind {
	value := piece.Get("type")
	if value == nil {
		value = piece.Get("piece_type")
	}
	if value == nil || value.Kind != pyjson.Str {
		return ""
	}
	if known := Kind(value.S); slices.ContainsFunc(Kinds[:], func(k kindCount) bool { return k.Kind == known }) {
		return known
	}
	var buf [32]byte // so that most names need no allocation
	letters := buf[:0]
	for _, c := range strings.ToLower(value.S) {
		if c >= 'a' && c <= 'z' {
			letters = append(letters, byte(c))
		}
	}
	return kindNames[string(letters)]
}

// checkInventory records whether the answer has the wrong number of tangram pieces, or of pieces of
// a type. Types are only counted where the number of pieces is right and all types are known. See
// docs/spec/tangram.md#r21.
func (reader *Reader) checkInventory(prediction *Prediction) {
	if reader.reasons[ReasonPieces] {
		return
	}
	if len(prediction.Pieces) != Count {
		reader.reasons[ReasonCount] = true
	}
	if reader.reasons[ReasonCount] || reader.reasons[ReasonType] {
		return
	}
	for _, want := range Kinds {
		count := 0
		for i := range prediction.Pieces {
			if prediction.Pieces[i].Kind == want.Kind {
				count++
			}
		}
		if count != want.Count {
			reader.reasons[ReasonInventory] = true
		}
	}
}
