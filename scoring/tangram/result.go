package tangram

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"plumb/scoring"
	"plumb/scoring/tangram/construction"
	"plumb/scoring/tangram/plane"
)

// solution is an answer to Task 2 that has been read.
type solution struct {
	target     *plane.Target
	raster     *rasterMeter // nil where exact arithmetic measures
	variants   scoring.Variants
	prediction construction.Prediction
	repaired   *construction.Prediction // under the variant Repair; nil where that changes nothing
}

// scoreInto scores an answer to Task 2 of TangramPuzzle into result: its score, metrics and notes. result may
// hold metrics of the item already; these come last. If the raster could not be measured, result gets an
// error instead.
func (solution *solution) scoreInto(result *scoring.Result) {
	score := evaluate(&solution.prediction, solution.target, solution.raster)
	if score.rasterResult != nil && score.rasterResult.err != nil {
		result.Err = &scoring.Error{Code: "backend", Message: score.rasterResult.err.Error()}
		return
	}
	result.Scored, result.Status = true, "tce" // the paper's name of the JSON form of an answer
	switch {
	case !score.Found:
		result.Status = "no_json"
	case score.SyntaxError:
		result.Status = "malformed"
	}
	switch { // see docs/spec/tangram.md#r48
	case solution.variants[ScoreVariant] == "iou":
		result.Score = score.IoU
	case score.succeeds(solution.variants):
		result.Score = 1
	}
	metrics := score.metrics()
	if solution.repaired != nil {
		metrics = append(metrics, solution.repairMetrics()...)
	}
	result.Metrics = append(metrics, result.Metrics...)
	result.Notes = score.notes(&solution.prediction)
}

// repairMetrics returns the metrics of the answer as it is read once backslashes that JSON does
// not know are doubled (the variant Repair). They stand beside the main figures, because tables show
// with them how much unescaped LaTeX costs. The names are the paper's: tse is a syntax error, rge an
// error of rigid geometry, pe a physics error, and vpr an answer with none of the three. IoU and
// Hausdorff distance are null for an answer that cannot be measured. See docs/spec/tangram.md#r15.
func (solution *solution) repairMetrics() []scoring.Metric {
	score := Evaluate(solution.repaired, solution.target)
	var iou, hausdorff any
	if score.Evaluable {
		iou, hausdorff = score.IoU, score.Hausdorff
	}
	return []scoring.Metric{{Name: "repair_tse", Value: score.SyntaxError}, {Name: "repair_rge", Value: score.RigidError},
		{Name: "repair_pe", Value: score.PhysicsError}, {Name: "repair_vpr", Value: score.Valid},
		{Name: "repair_matches", Value: score.Matches},
		{Name: "repair_iou", Value: iou}, {Name: "repair_hausdorff", Value: hausdorff},
		{Name: "repair_success", Value: score.Success}}
}

// succeeds reports whether the tangram answer is a success under the chosen variants: no syntax error,
// no distorted piece, no overlap, all pieces connected, and the target filled. The variant Congruent
// decides on distortion by congruence, and Points lets common points connect pieces. See
// docs/spec/tangram.md#r44.
func (score *Score) succeeds(variants scoring.Variants) bool {
	if !variants.On(Congruent) && !variants.On(Points) {
		return score.Success
	}
	distorted, disconnected := score.RigidError, score.Disconnected
	if variants.On(Congruent) {
		distorted = score.RigidErrorCongruent
	}
	if variants.On(Points) {
		disconnected = score.DisconnectedByPoint
	}
	return score.Matches && !score.SyntaxError && !distorted && !disconnected && !score.OverlapError
}

// metrics returns the flags and numbers of a scored tangram answer in a fixed order, under the paper's
// abbreviations: tse, rge and pe are its three kinds of errors, vpr the absence of all. Numbers that
// compare the answer with the target are null where it is not evaluable. See docs/spec/tangram.md#r47.
func (score *Score) metrics() []scoring.Metric {
	var class any
	if score.Class != "" {
		class = score.Class
	}
	orNull := func(x float64) any {
		if !score.Evaluable {
			return nil
		}
		return x
	}
	reasons := score.Reasons
	if reasons == nil {
		reasons = []string{}
	}
	out := make([]scoring.Metric, 0, 32) // with room for those of the setting and of repair
	out = append(out, []scoring.Metric{
		{Name: "tse", Value: score.SyntaxError}, {Name: "tse_reasons", Value: reasons}, {Name: "class", Value: class},
		{Name: "n_pieces", Value: len(score.Pieces)}, {Name: "n_parsed", Value: score.Parsed},
		{Name: "rge", Value: score.RigidError}, {Name: "rge_parsed", Value: score.RigidErrorParsed},
		{Name: "rge_congruent", Value: score.RigidErrorCongruent},
		{Name: "pe", Value: score.PhysicsError}, {Name: "pe_overlap", Value: score.OverlapError},
		{Name: "pe_disconnected", Value: score.Disconnected},
		{Name: "pe_disconnected_point", Value: score.DisconnectedByPoint}, {Name: "vpr", Value: score.Valid},
		{Name: "evaluable", Value: score.Evaluable},
		{Name: "union_area", Value: orNull(score.Union)}, {Name: "intersection_area", Value: orNull(score.Shared)},
		{Name: "iou", Value: orNull(score.IoU)}, {Name: "hausdorff", Value: orNull(score.Hausdorff)},
		{Name: "success", Value: score.Success},
		{Name: "matches", Value: score.Matches},
		{Name: "overlaps", Value: score.overlapList()}, {Name: "pieces", Value: score.pieceList()},
	}...)
	return append(out, score.rasterMetrics()...)
}

// overlapList returns the overlaps of tangram pieces as a JSON list of [i, j, area, counts]: the
// indices of two pieces, the area of their overlap, and whether it is above the tolerance.
func (score *Score) overlapList() scoring.JSON {
	out := []byte{'['}
	for i, overlap := range score.Overlaps {
		if i > 0 {
			out = append(out, ',')
		}
		out = fmt.Appendf(out, "[%d,%d,", overlap.I, overlap.J)
		out = scoring.AppendFloat(out, overlap.Area)
		out = strconv.AppendBool(append(out, ','), overlap.Counts)
		out = append(out, ']')
	}
	return append(out, ']')
}

// pieceList returns the descriptions of all tangram pieces of an answer as JSON.
func (score *Score) pieceList() scoring.JSON {
	out := append(make([]byte, 0, 2+192*len(score.Pieces)), '[')
	for i := range score.Pieces {
		if i > 0 {
			out = append(out, ',')
		}
		out = score.Pieces[i].appendJSON(out, i)
	}
	return append(out, ']')
}

// appendJSON appends what was found about one tangram piece of an answer as a JSON object; index is
// its position in the answer. Unknown members are null (id, type) or left out.
func (piece *PieceScore) appendJSON(dst []byte, index int) []byte {
	dst = strconv.AppendInt(append(dst, `{"index":`...), int64(index), 10)
	text := func(name, s string, known bool) {
		dst = append(dst, `,"`...)
		dst = append(dst, name...)
		dst = append(dst, `":`...)
		if known {
			dst = scoring.AppendString(dst, s)
		} else {
			dst = append(dst, "null"...)
		}
	}
	flag := func(name string, v bool) {
		dst = append(dst, `,"`...)
		dst = append(dst, name...)
		dst = append(dst, `":`...)
		dst = strconv.AppendBool(dst, v)
	}
	text("id", piece.ID, piece.HasID)
	text("type", string(piece.Kind), piece.Kind != "")
	flag("parsed", piece.Parsed)
	if piece.Parsed {
		flag("simple", piece.Simple)
		dst = scoring.AppendFloat(append(dst, `,"area":`...), piece.Area)
		dst = scoring.AppendFloat(append(dst, `,"perimeter":`...), piece.Perimeter)
	}
	if piece.HasKnownType {
		flag("rge", piece.RigidError)
		flag("congruent", piece.Congruent)
	}
	return append(dst, '}')
}

// pieceName returns what notes call tangram piece i: its id, or else its index.
func (score *Score) pieceName(i int) string {
	if piece := &score.Pieces[i]; piece.HasID && piece.ID != "" {
		return piece.ID
	}
	return fmt.Sprintf("piece %d", i)
}

// maxNotes bounds the notes of a result.
const maxNotes = 64

// notes returns what is wrong with a tangram answer, in words that a model can learn from: which
// pieces could not be read, which one is distorted at which edge and by how much, which overlap and
// by what area, and which are disconnected. There are at most maxNotes.
func (score *Score) notes(prediction *construction.Prediction) (out []scoring.Note) {
	add := func(code, path, format string, args ...any) {
		if len(out) >= maxNotes {
			return
		}
		out = append(out, scoring.Note{Code: code, Path: path, Message: fmt.Sprintf(format, args...)})
	}
	if score.Limited {
		add("search_limit", "response", "the search for JSON was given up: the text opens too many objects that do not end")
	}
	if score.Rounded {
		add("coordinates_rounded", "final_state.pieces",
			"coordinates have so many digits that they were rounded to 1e-12 or so: nothing is decided exactly")
	}
	// Each piece.
	for i := range score.Pieces {
		piece := &score.Pieces[i]
		addForPiece := func(code, format string, args ...any) {
			add(code, fmt.Sprintf("final_state.pieces[%d]", i), format, args...)
		}
		switch {
		case !piece.Parsed:
			addForPiece("piece_unread", "%s: %s", score.pieceName(i), piece.Problem)
		case !piece.Simple:
			addForPiece("piece_not_simple", "%s: its edges cross or touch each other", score.pieceName(i))
		case piece.hasWrongShape():
			addForPiece("piece_distorted", "%s is no %s: area %s (%s), perimeter %s (%s)%s", score.pieceName(i),
				strings.ReplaceAll(string(piece.Kind), "_", " "),
				formatShort(piece.Area), deviation(piece.AreaError), formatShort(piece.Perimeter),
				deviation(piece.PerimeterError), worstEdge(prediction.Pieces[i].Vertices, piece.Kind))
		}
		if piece.Kind == "" && piece.Parsed {
			addForPiece("piece_untyped", "%s has no known type", score.pieceName(i))
		}
	}
	// The pieces together.
	for _, overlap := range score.Overlaps {
		if overlap.Counts {
			add("pieces_overlap", fmt.Sprintf("final_state.pieces[%d]", overlap.J), "%s and %s overlap by area %s",
				score.pieceName(overlap.I), score.pieceName(overlap.J), formatShort(overlap.Area))
		}
	}
	if len(score.Components) > 1 {
		var groups []string
		for _, component := range score.Components {
			var names []string
			for _, i := range component {
				names = append(names, score.pieceName(i))
			}
			groups = append(groups, strings.Join(names, " "))
		}
		add("pieces_apart", "final_state.pieces", "the pieces fall into %d parts that share no edge: %s",
			len(groups), strings.Join(groups, " | "))
	}
	return out
}

// formatShort formats a number of a note with 6 digits.
func formatShort(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }

// roundingNoise is the size below which a difference of areas or lengths is put down to rounding.
const roundingNoise = 1e-12

// deviation says, for a note on a tangram piece, by how much an area or perimeter is off.
func deviation(difference float64) string {
	if math.Abs(difference) < roundingNoise {
		return "right"
	}
	return strconv.FormatFloat(difference, 'g', 3, 64) + " off"
}

// worstEdge says, for a note, which edge of a tangram piece differs most in length from the canonical
// piece of its kind. The answer may list the vertices from any start and in either direction, so it
// compares with the start and direction that fit best overall. It says so where the number of
// vertices is wrong, or where only angles are.
func worstEdge(vertices []construction.Point, kind construction.Kind) string {
	canonical := canonicalPieces[kind]
	points := make([]plane.Point, len(vertices))
	for i, v := range vertices {
		points[i] = plane.Point(v)
	}
	if len(points) != len(canonical.corners) {
		return fmt.Sprintf("; it has %d vertices, want %d", len(points), len(canonical.corners))
	}
	own, want := edgeLengths(points), edgeLengths(canonical.corners)
	n := len(own)
	// The worst edge under the start and direction whose differences have the smallest sum.
	smallestSum, worstIndex, worstDifference := math.Inf(1), 0, 0.0
	for shift := range n {
		for _, step := range [2]int{1, n - 1} { // forwards and backwards, modulo n
			sum, index, largest := 0.0, 0, 0.0
			for i := range n {
				difference := own[i] - want[(shift+i*step)%n]
				sum += math.Abs(difference)
				if math.Abs(difference) > math.Abs(largest) {
					index, largest = i, difference
				}
			}
			if sum < smallestSum {
				smallestSum, worstIndex, worstDifference = sum, index, largest
			}
		}
	}
	if math.Abs(worstDifference) < roundingNoise {
		return "; its edges have the right lengths, its angles are wrong"
	}
	return fmt.Sprintf("; edge %d-%d has length %s, want %s", worstIndex, (worstIndex+1)%n,
		formatShort(own[worstIndex]), formatShort(own[worstIndex]-worstDifference))
}

// edgeLengths returns the lengths of a tangram piece's edges; edge i leads from vertex i to the
// next one.
func edgeLengths(vertices []plane.Point) (out []float64) {
	for i, a := range vertices {
		out = append(out, math.Sqrt(squaredDistance(a, vertices[(i+1)%len(vertices)]).Float()))
	}
	return out
}
