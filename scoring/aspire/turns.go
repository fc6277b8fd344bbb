package aspire

import (
	"math"
	"strconv"

	"plumb/render/scene"
	"plumb/render/view"
	"plumb/scoring"
	"plumb/scoring/aspire/answer"
)

// boardOverTurns is the whiteboard of an item to which the answers of several turns are
// applied, one after the other. It implements scoring.Board. See docs/spec/episodes.md#r9.
type boardOverTurns struct {
	workspace      workspace
	turn           int
	updates        map[string]*scene.Record   // of initial shapes: the fields that answers gave them
	textJSON       map[*scene.RichText]string // JSON of the texts of records
	arrowID        string                     // id of the arrow of the arrow test
	totalRotation  float64                    // of that arrow by all answers together, radians
	turnedByUpdate bool                       // an update has turned the arrow: the board has all of its rotation
}

// canvas returns the whiteboard of an ASPIRE item before the first answer of an episode. The item
// needs no response. It implements scoring.Suite.Canvas.
func (s *suite) canvas(it *scoring.Item, v scoring.Variants) (scoring.Canvas, error) {
	test := findTest(it.Test)
	if test == nil {
		return nil, newError("unknown_test", "cannot build on a board of test %s: want one of ASPIRE's", quote(it.Test))
	}
	initial, err := s.readShapes(it.Fields.Get("shapes"))
	if err != nil {
		return nil, err
	}
	c := &boardOverTurns{updates: map[string]*scene.Record{}, textJSON: map[*scene.RichText]string{}}
	c.workspace.suite, c.workspace.variants, c.workspace.test = s, v, test
	if duplicate := c.workspace.board.reset(initial); duplicate >= 0 {
		return nil, newError("bad_scene", "cannot read %s.id: %s is the id of another shape", shapePath(duplicate),
			quote(initial[duplicate].ID))
	}
	if test.name == "arrow" {
		c.arrowID = withPrefix(string(it.Fields.GetStringBytes("task", "arrow")))
	}
	return c, nil
}

// Apply applies the operations of one turn's answer to the whiteboard or, for the arrow test, its
// rotation. status says how the answer was read, or why a rotation did not count. It implements
// scoring.Canvas.
func (c *boardOverTurns) Apply(it *scoring.Item) (status string, all []scoring.Note, err error) {
	w := &c.workspace
	w.notes, w.reader = &notes{}, answer.Reader{} // a new reader, because records keep strings of the old one
	if err := w.readResponse(it.Fields.Get("response")); err != nil {
		return "", nil, err
	}
	c.turn++
	status = string(w.found.Status)
	w.cleaner.textJSON = c.textJSON
	if c.turn > 1 {
		w.cleaner.idTurn = "t" + strconv.Itoa(c.turn) + "-"
	}
	if c.arrowID != "" {
		if refused := c.applyRotation(); refused != "" {
			status = refused
		}
		return status, w.notes.all(), nil
	}
	w.ops.cleanAndApply(&w.cleaner, &w.board, w.found.Value)
	for i := range w.ops.update {
		c.rememberUpdate(&w.ops.update[i])
	}
	return status, w.notes.all(), nil
}

// applyRotation applies the answer to the arrow test. Rotations add up in totalRotation
// until an update turns the arrow; from then on the board has all of them. refused is the
// status of an answer that turns nothing, "" otherwise.
func (c *boardOverTurns) applyRotation() (refused string) {
	w := &c.workspace
	turn, ok := w.readRotation()
	switch {
	case ok && !w.namesArrow(c.arrowID):
		return otherShape
	case ok && c.turnedByUpdate:
		c.rotateOnBoard(turn)
	case ok:
		c.totalRotation = clampFinite(c.totalRotation + turn)
	case w.variants.On(ArrowAcceptUpdate) && w.updatesRotation(c.arrowID):
		if !c.turnedByUpdate {
			c.turnedByUpdate = true
			c.rotateOnBoard(c.totalRotation)
		}
		w.board.applyUpdates(w.ops.update)
		for i := range w.ops.update {
			c.rememberUpdate(&w.ops.update[i])
		}
	default:
		return noAnswer
	}
	return ""
}

// rotateOnBoard turns the arrow on the whiteboard about its centre and remembers its new place as
// an update. An update gives a place too, so once there was one, all rotations must be kept in the
// same fields.
func (c *boardOverTurns) rotateOnBoard(turn float64) {
	rotateAboutCentre(c.workspace.board.records, c.arrowID, turn)
	record := c.workspace.board.find(c.arrowID)
	if record == nil {
		return
	}
	update := scene.NewRecord(record.ID, record.Kind)
	update.X, update.Y, update.Rotation, update.Has = record.X, record.Y, record.Rotation,
		scene.HasX|scene.HasY|scene.HasRotation
	c.rememberUpdate(&update)
}

// rememberUpdate merges an update of an initial shape into those of earlier turns, so that
// one answer can say all of it. Updates of created shapes are in their records already.
func (c *boardOverTurns) rememberUpdate(update *scene.Record) {
	if c.workspace.board.origins[c.workspace.board.byID[update.ID]].creationRank >= 0 {
		return // the record that was created has them
	}
	merged := c.updates[update.ID]
	if merged == nil {
		r := scene.NewRecord(update.ID, update.Kind)
		merged = &r
		c.updates[update.ID] = merged
	}
	merged.Merge(update)
}

// AppendAnswer appends one ASPIRE answer that has the effect of all turns. Creations and updates
// are in z-order, deletions in the order of the item's shapes. It implements scoring.Canvas.
func (c *boardOverTurns) AppendAnswer(dst []byte) []byte {
	if c.arrowID != "" && !c.turnedByUpdate {
		dst = append(dst, `{"rotation":`...)
		dst = scoring.AppendFloat(dst, c.totalRotation)
		return append(dst, '}')
	}
	b := &c.workspace.board
	appendRecords := func(dst []byte, recordOf func(i int) *scene.Record) []byte {
		first := true
		for i := range b.records {
			r := recordOf(i)
			if b.origins[i].dead || r == nil {
				continue
			}
			if !first {
				dst = append(dst, ',')
			}
			first = false
			dst = r.AppendJSON(dst, c.text)
		}
		return dst
	}
	dst = appendRecords(append(dst, `{"createShapes":[`...), func(i int) *scene.Record {
		if b.origins[i].creationRank < 0 {
			return nil
		}
		return &b.records[i]
	})
	dst = appendRecords(append(dst, `],"updateShapes":[`...), func(i int) *scene.Record {
		if b.origins[i].creationRank >= 0 {
			return nil
		}
		return c.updates[b.records[i].ID]
	})
	dst = append(dst, `],"deleteShapes":[`...)
	for i, id := range b.deleted() {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = scoring.AppendString(dst, id)
	}
	return append(dst, ']', '}')
}

// text returns the JSON of a text on the whiteboard, as the answer that set it gave it.
func (c *boardOverTurns) text(t *scene.RichText) []byte {
	if t == nil {
		return []byte(`""`)
	}
	return []byte(c.textJSON[t])
}

// View returns the picture of the whiteboard that the model is shown between turns: the canvas, or
// for the overlap test all content with padding. It implements scoring.Board.
func (c *boardOverTurns) View() (view.View, error) {
	records := c.workspace.board.final()
	if c.arrowID != "" && !c.turnedByUpdate {
		rotateAboutCentre(records, c.arrowID, c.totalRotation)
	}
	s, err := resolve(records, c.workspace.suite.limits, nil)
	if err != nil {
		return view.View{}, err
	}
	v := view.View{Scene: s, Bounds: canvas}
	if c.workspace.test.name != "overlap" {
		return v, nil
	}
	content, ok, err := view.ContentBounds(s, nil)
	if err != nil || !ok {
		return v, err
	}
	const pad = 32 // as in the picture of the prompt
	x0, y0 := math.Floor(content.X-pad), math.Floor(content.Y-pad)
	v.Bounds = view.Box{X: x0, Y: y0, W: math.Ceil(content.X+content.W+pad) - x0,
		H: math.Ceil(content.Y+content.H+pad) - y0}
	return v, nil
}
