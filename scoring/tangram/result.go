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

// addScore adds the score and the metrics to r, which holds the metrics of the item.
func (a *solution) addScore(r *scoring.Result) {
	s := evaluate(&a.prediction, a.target, a.raster)
	if s.rasterResult != nil && s.rasterResult.err != nil {
		r.Err = &scoring.Error{Code: "backend", Message: s.rasterResult.err.Error()}
		return
	}
	r.Scored, r.Status = true, "tce"
	switch {
	case !s.Found:
		r.Status = "no_json"
	case s.TSE:
		r.Status = "malformed"
	}
	switch { // see docs/spec/tangram.md#r48
	case a.variants[ScoreVariant] == "iou":
		r.Score = s.IoU
	case s.succeeds(a.variants):
		r.Score = 1
	}
	metrics := s.metrics()
	if a.repaired != nil {
		metrics = append(metrics, a.repairMetrics()...)
	}
	r.Metrics = append(metrics, r.Metrics...)
	r.Notes = s.notes(&a.prediction)
}

// repairMetrics returns the metrics of the answer as it is read once backslashes that JSON does
// not know are doubled (the variant Repair). They are scored beside the main figures, because
// tables show with them how much unescaped LaTeX costs. tse is a syntax error, rge an error of rigid
// geometry, pe a physics error, and vpr an answer with none of the three. IoU and Hausdorff
// distance are null for an answer that cannot be measured. See docs/spec/tangram.md#r15.
func (a *solution) repairMetrics() []scoring.Metric {
	s := Evaluate(a.repaired, a.target)
	var iou, hausdorff any
	if s.Evaluable {
		iou, hausdorff = s.IoU, s.Hausdorff
	}
	return []scoring.Metric{{Name: "repair_tse", Value: s.TSE}, {Name: "repair_rge", Value: s.RGE},
		{Name: "repair_pe", Value: s.PE}, {Name: "repair_vpr", Value: s.VPR}, {Name: "repair_matches", Value: s.Matches},
		{Name: "repair_iou", Value: iou}, {Name: "repair_hausdorff", Value: hausdorff}, {Name: "repair_success", Value: s.Success}}
}

// succeeds reports whether the answer is a success under the chosen variants. See
// docs/spec/tangram.md#r44.
func (s *Score) succeeds(v scoring.Variants) bool {
	if !v.On(Congruent) && !v.On(Points) {
		return s.Success
	}
	rge, apart := s.RGE, s.PEDisconnected
	if v.On(Congruent) {
		rge = s.RGECongruent
	}
	if v.On(Points) {
		apart = s.PEDisconnectedPoint
	}
	if s.TSE || rge || apart || s.PEOverlap {
		return false
	}
	return s.Matches
}

// metrics returns the flags and numbers of a solution in their fixed order. See
// docs/spec/tangram.md#r47.
func (s *Score) metrics() []scoring.Metric {
	var class any
	if s.Class != "" {
		class = s.Class
	}
	number := func(x float64) any {
		if !s.Evaluable {
			return nil
		}
		return x
	}
	reasons := s.Reasons
	if reasons == nil {
		reasons = []string{}
	}
	out := make([]scoring.Metric, 0, 32) // with room for those of the setting and of repair
	out = append(out, []scoring.Metric{
		{Name: "tse", Value: s.TSE}, {Name: "tse_reasons", Value: reasons}, {Name: "class", Value: class},
		{Name: "n_pieces", Value: len(s.Pieces)}, {Name: "n_parsed", Value: s.Parsed},
		{Name: "rge", Value: s.RGE}, {Name: "rge_parsed", Value: s.RGEParsed}, {Name: "rge_congruent", Value: s.RGECongruent},
		{Name: "pe", Value: s.PE}, {Name: "pe_overlap", Value: s.PEOverlap}, {Name: "pe_disconnected", Value: s.PEDisconnected},
		{Name: "pe_disconnected_point", Value: s.PEDisconnectedPoint}, {Name: "vpr", Value: s.VPR}, {Name: "evaluable", Value: s.Evaluable},
		{Name: "union_area", Value: number(s.Union)}, {Name: "intersection_area", Value: number(s.Shared)},
		{Name: "iou", Value: number(s.IoU)}, {Name: "hausdorff", Value: number(s.Hausdorff)}, {Name: "success", Value: s.Success},
		{Name: "matches", Value: s.Matches},
		{Name: "overlaps", Value: s.overlapList()}, {Name: "pieces", Value: s.pieceList()},
	}...)
	return append(out, s.rasterMetrics()...)
}

// overlapList returns [[i, j, area, counts], ...] as JSON.
func (s *Score) overlapList() scoring.JSON {
	b := []byte{'['}
	for i, o := range s.Overlaps {
		if i > 0 {
			b = append(b, ',')
		}
		b = fmt.Appendf(b, "[%d,%d,", o.I, o.J)
		b = scoring.AppendFloat(b, o.Area)
		b = strconv.AppendBool(append(b, ','), o.Counts)
		b = append(b, ']')
	}
	return append(b, ']')
}

// pieceList returns the descriptions of all pieces as JSON.
func (s *Score) pieceList() scoring.JSON {
	b := append(make([]byte, 0, 2+192*len(s.Pieces)), '[')
	for i := range s.Pieces {
		if i > 0 {
			b = append(b, ',')
		}
		b = s.Pieces[i].appendJSON(b, i)
	}
	return append(b, ']')
}

// appendJSON appends the description of one piece of an answer as JSON.
func (q *PieceScore) appendJSON(b []byte, index int) []byte {
	b = strconv.AppendInt(append(b, `{"index":`...), int64(index), 10)
	text := func(name, s string, known bool) {
		b = append(append(append(b, `,"`...), name...), `":`...)
		if known {
			b = scoring.AppendString(b, s)
		} else {
			b = append(b, "null"...)
		}
	}
	flag := func(name string, v bool) {
		b = strconv.AppendBool(append(append(append(b, `,"`...), name...), `":`...), v)
	}
	text("id", q.ID, q.HasID)
	text("type", string(q.Kind), q.Kind != "")
	flag("parsed", q.Parsed)
	if q.Parsed {
		flag("simple", q.Simple)
		b = scoring.AppendFloat(append(b, `,"area":`...), q.Area)
		b = scoring.AppendFloat(append(b, `,"perimeter":`...), q.Perimeter)
	}
	if q.Typed {
		flag("rge", q.RGE)
		flag("congruent", q.Congruent)
	}
	return append(b, '}')
}

// name returns what notes call a piece: its id or else its index.
func (s *Score) name(i int) string {
	if q := &s.Pieces[i]; q.HasID && q.ID != "" {
		return q.ID
	}
	return fmt.Sprintf("piece %d", i)
}

// maxNotes bounds the notes of a result.
const maxNotes = 64

// notes returns reasons that a model can learn from: which piece is distorted at which edge and by
// how much, which pieces overlap and by what area, which components are disconnected.
func (s *Score) notes(p *construction.Prediction) (out []scoring.Note) {
	add := func(code, path, format string, args ...any) {
		if len(out) >= maxNotes {
			return
		}
		out = append(out, scoring.Note{Code: code, Path: path, Message: fmt.Sprintf(format, args...)})
	}
	if s.Limited {
		add("search_limit", "response", "the search for JSON was given up: the text opens too many objects that do not end")
	}
	if s.Rounded {
		add("coordinates_rounded", "final_state.pieces", "coordinates have so many digits that they were rounded to 1e-12 or so: nothing is decided exactly")
	}
	for i := range s.Pieces {
		q := &s.Pieces[i]
		on := func(code, format string, args ...any) {
			add(code, fmt.Sprintf("final_state.pieces[%d]", i), format, args...)
		}
		switch {
		case !q.Parsed:
			on("piece_unread", "%s: %s", s.name(i), q.Problem)
		case !q.Simple:
			on("piece_not_simple", "%s: its edges cross or touch each other", s.name(i))
		case q.Typed && (q.RGE || !q.Congruent):
			on("piece_distorted", "%s is no %s: area %s (%s), perimeter %s (%s)%s", s.name(i), strings.ReplaceAll(string(q.Kind), "_", " "),
				formatShort(q.Area), deviation(q.AreaError), formatShort(q.Perimeter), deviation(q.PerimeterError), worstEdge(p.Pieces[i].Vertices, q.Kind))
		}
		if q.Kind == "" && q.Parsed {
			on("piece_untyped", "%s has no known type", s.name(i))
		}
	}
	for _, o := range s.Overlaps {
		if o.Counts {
			add("pieces_overlap", fmt.Sprintf("final_state.pieces[%d]", o.J), "%s and %s overlap by area %s", s.name(o.I), s.name(o.J), formatShort(o.Area))
		}
	}
	if len(s.Components) > 1 {
		var groups []string
		for _, g := range s.Components {
			var names []string
			for _, i := range g {
				names = append(names, s.name(i))
			}
			groups = append(groups, strings.Join(names, " "))
		}
		add("pieces_apart", "final_state.pieces", "the pieces fall into %d parts that share no edge: %s", len(groups), strings.Join(groups, " | "))
	}
	return out
}

// formatShort formats a number of a note with 6 digits.
func formatShort(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }

// deviation describes in a note by how much a piece's area or length is off.
func deviation(d float64) string {
	if math.Abs(d) < 1e-12 {
		return "right"
	}
	return strconv.FormatFloat(d, 'g', 3, 64) + " off"
}

// worstEdge describes the edge whose length is farthest from the canonical one, for the rotation
// and direction of the vertices that fit best.
func worstEdge(list []construction.Point, kind construction.Kind) string {
	c := canons[kind]
	points := make([]plane.Point, len(list))
	for i, v := range list {
		points[i] = plane.Point(v)
	}
	if len(points) != len(c.corners) {
		return fmt.Sprintf("; it has %d vertices, want %d", len(points), len(c.corners))
	}
	own, want := edgeLengths(points), edgeLengths(c.corners)
	n := len(own)
	best, at, gap := math.Inf(1), 0, 0.0
	for shift := range n {
		for _, step := range [2]int{1, n - 1} {
			total, worst, where, d := 0.0, 0.0, 0, 0.0
			for i := range n {
				e := own[i] - want[(shift+i*step)%n]
				total += math.Abs(e)
				if math.Abs(e) > worst {
					worst, where, d = math.Abs(e), i, e
				}
			}
			if total < best {
				best, at, gap = total, where, d
			}
		}
	}
	if math.Abs(gap) < 1e-12 {
		return "; its edges have the right lengths, its angles are wrong"
	}
	return fmt.Sprintf("; edge %d-%d has length %s, want %s", at, (at+1)%n, formatShort(own[at]), formatShort(own[at]-gap))
}

// edgeLengths returns the lengths of a piece's edges.
func edgeLengths(list []plane.Point) (out []float64) {
	for i, a := range list {
		out = append(out, math.Sqrt(squaredDistance(a, list[(i+1)%len(list)]).Float()))
	}
	return out
}
