package aspire

import (
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
func (suite *suite) canvas(item *scoring.Item, variants scoring.Variants) (scoring.Canvas, error) {
	test := findTest(item.Test)
	if test == nil {
		return nil, newError("unknown_test", "cannot build on a board of test %s: want one of ASPIRE's", quote(item.Test))
	}
	initial, err := suite.readShapes(item.Fields.Get("shapes"))
	if err != nil {
		return nil, err
	}
	turns := &boardOverTurns{updates: map[string]*scene.Record{}, textJSON: map[*scene.RichText]string{}}
	turns.workspace.suite, turns.workspace.variants, turns.workspace.test = suite, variants, test
	if duplicate := turns.workspace.board.reset(initial); duplicate >= 0 {
		return nil, newError("bad_scene", "cannot read %s.id: %s is the id of another shape", shapePath(duplicate),
			quote(initial[duplicate].ID))
	}
	if test.name == "arrow" {
		turns.arrowID = withPrefix(string(item.Fields.GetStringBytes("task", "arrow")))
	}
	return turns, nil
}

// Apply applies the operations of one turn's answer to the whiteboard or, for the arrow test, its rotation.
// status says how the answer was read, or why a rotation did not count. It implements scoring.Canvas.
func (turns *boardOverTurns) Apply(it *scoring.Item) (status string, all []scoring.Note, err error) {
	workspace := &turns.workspace
	workspace.notes, workspace.reader = &notes{}, answer.Reader{} // a new reader, because records keep strings of the old one
	if err := workspace.readResponse(it.Fields.Get("response")); err != nil {
		return "", nil, err
	}
	turns.turn++
	status = string(workspace.answer.Status)
	workspace.cleaner.textJSON = turns.textJSON
	if turns.turn > 1 {
		workspace.cleaner.turnInIDs = "t" + strconv.Itoa(turns.turn) + "-"
	}
	if turns.arrowID != "" {
		if refused := turns.applyRotation(); refused != "" {
			status = refused
		}
		return status, workspace.notes.all(), nil
	}
	workspace.operations.cleanAndApply(&workspace.cleaner, &workspace.board, workspace.answer.Value)
	for i := range workspace.operations.updates {
		turns.rememberUpdate(&workspace.operations.updates[i])
	}
	return status, workspace.notes.all(), nil
}

// applyRotation applies the answer to the arrow test. Rotations add up in totalRotation
// until an update turns the arrow; from then on the board has all of them. refused is the
// status of an answer that turns nothing, "" otherwise.
func (turns *boardOverTurns) applyRotation() (refused string) {
	workspace := &turns.workspace
	turn, ok := workspace.readRotation()
	switch {
	case ok && !workspace.namesArrow(turns.arrowID):
		return otherShape
	case ok && turns.turnedByUpdate:
		turns.rotateOnBoard(turn)
	case ok:
		turns.totalRotation = clampFinite(turns.totalRotation + turn)
	case workspace.variants.On(ArrowAcceptUpdate) && workspace.readUpdatesOfArrow(turns.arrowID):
		if !turns.turnedByUpdate { // the rotations so far go onto the board, before the update
			turns.turnedByUpdate = true
			turns.rotateOnBoard(turns.totalRotation)
		}
		workspace.board.applyUpdates(workspace.operations.updates)
		for i := range workspace.operations.updates {
			turns.rememberUpdate(&workspace.operations.updates[i])
		}
	default:
		return noAnswer
	}
	return ""
}

// rotateOnBoard turns the arrow on the whiteboard about its centre, by radians, and remembers its new
// place as an update. It is used from the first turn on in which an update turned the arrow. An update
// gives a place too, so from then on all rotations must be kept in the same fields.
func (turns *boardOverTurns) rotateOnBoard(turn float64) {
	rotateAboutCentre(turns.workspace.board.records, turns.arrowID, turn)
	record := turns.workspace.board.find(turns.arrowID)
	if record == nil {
		return
	}
	update := scene.NewRecord(record.ID, record.Kind)
	update.X, update.Y, update.Rotation, update.Has = record.X, record.Y, record.Rotation,
		scene.HasX|scene.HasY|scene.HasRotation
	turns.rememberUpdate(&update)
}

// rememberUpdate merges an update of an initial shape into those of earlier turns, so that AppendAnswer
// can write them as one. Updates of shapes that answers created are in their records already.
func (turns *boardOverTurns) rememberUpdate(update *scene.Record) {
	board := &turns.workspace.board
	if index := board.byID[update.ID]; board.states[index].isCreated() {
		return
	}
	merged := turns.updates[update.ID]
	if merged == nil {
		r := scene.NewRecord(update.ID, update.Kind)
		merged = &r
		turns.updates[update.ID] = merged
	}
	merged.Merge(update)
}

// AppendAnswer appends one ASPIRE answer that has the effect of the answers of all turns: the shapes that were
// created and still exist, the updates of initial shapes, both in z-order, and the deletions in the order of
// the item's shapes. An arrow that was only turned becomes one rotation. It implements scoring.Canvas.
func (turns *boardOverTurns) AppendAnswer(dst []byte) []byte {
	if turns.arrowID != "" && !turns.turnedByUpdate {
		dst = append(dst, `{"rotation":`...)
		dst = scoring.AppendFloat(dst, turns.totalRotation)
		return append(dst, '}')
	}
	// Shapes that still exist: created ones, then initial ones with updates.
	board := &turns.workspace.board
	appendRecords := func(dst []byte, recordOf func(i int) *scene.Record) []byte {
		first := true
		for i := range board.records {
			record := recordOf(i)
			if board.states[i].removed || record == nil {
				continue
			}
			if !first {
				dst = append(dst, ',')
			}
			first = false
			dst = record.AppendJSON(dst, turns.givenJSON)
		}
		return dst
	}
	dst = appendRecords(append(dst, `{"createShapes":[`...), func(i int) *scene.Record {
		if !board.states[i].isCreated() {
			return nil
		}
		return &board.records[i]
	})
	dst = appendRecords(append(dst, `],"updateShapes":[`...), func(i int) *scene.Record {
		if board.states[i].isCreated() {
			return nil
		}
		return turns.updates[board.records[i].ID]
	})
	// Initial shapes that do not exist any more.
	dst = append(dst, `],"deleteShapes":[`...)
	for i, id := range board.deleted() {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = scoring.AppendString(dst, id)
	}
	return append(dst, ']', '}')
}

// givenJSON returns the JSON of a text on the whiteboard, as the answer that set the text gave it.
func (turns *boardOverTurns) givenJSON(text *scene.RichText) []byte {
	if text == nil {
		return []byte(`""`)
	}
	return []byte(turns.textJSON[text])
}

// View returns the picture of the whiteboard that the model is shown between turns: the canvas, or
// for the overlap test all content with padding. It implements scoring.Board.
func (turns *boardOverTurns) View() (view.View, error) {
	records := turns.workspace.board.final()
	if turns.arrowID != "" && !turns.turnedByUpdate { // then the records do not have its rotations yet
		rotateAboutCentre(records, turns.arrowID, turns.totalRotation)
	}
	scene, err := resolve(records, turns.workspace.suite.limits, nil)
	if err != nil {
		return view.View{}, err
	}
	wanted := view.View{Scene: scene, Bounds: canvas}
	if turns.workspace.test.name != "overlap" {
		return wanted, nil
	}
	content, ok, err := view.ContentBounds(scene, nil)
	if err != nil || !ok {
		return wanted, err
	}
	wanted.Bounds = padded(content) // as in the picture of the prompt
	return wanted, nil
}
