package aspire

import (
	"math"
	"strconv"

	"plumb/render/scene"
	"plumb/render/view"
	"plumb/scoring"
	"plumb/scoring/aspire/answer"
)

// turns is the whiteboard of an item while the answers of several turns are applied to it. It
// implements scoring.Board. See docs/spec/episodes.md#r9.
type turns struct {
	w        workspace
	turn     int
	updates  map[string]*scene.Record   // of initial shapes: the fields that answers gave them
	rich     map[*scene.RichText]string // JSON of the texts of records
	arrow    string                     // id of the arrow of the arrow test
	rotation float64                    // of that arrow by all answers together, radians
	updated  bool                       // an update has turned the arrow: the board has all of its rotation
}

// canvas implements scoring.Suite.Canvas. The item needs no response.
func (s *suite) canvas(it *scoring.Item, v scoring.Variants) (scoring.Canvas, error) {
	t := findTest(it.Test)
	if t == nil {
		return nil, newError("unknown_test", "cannot build on a board of test %s: want one of ASPIRE's", quote(it.Test))
	}
	initial, err := s.readShapes(it.Fields.Get("shapes"))
	if err != nil {
		return nil, err
	}
	c := &turns{updates: map[string]*scene.Record{}, rich: map[*scene.RichText]string{}}
	c.w.suite, c.w.variants, c.w.test = s, v, t
	if i := c.w.board.reset(initial); i >= 0 {
		return nil, newError("bad_scene", "cannot read %s.id: %s is the id of another shape", shapePath(i), quote(initial[i].ID))
	}
	if t.name == "arrow" {
		c.arrow = withPrefix(string(it.Fields.GetStringBytes("task", "arrow")))
	}
	return c, nil
}

// Apply implements scoring.Canvas.
func (c *turns) Apply(it *scoring.Item) (status string, all []scoring.Note, err error) {
	w := &c.w
	w.notes, w.reader = &notes{}, answer.Reader{} // records keep strings of the reader
	if err := w.readResponse(it.Fields.Get("response")); err != nil {
		return "", nil, err
	}
	c.turn++
	status = string(w.found.Status)
	w.cleaner.rich = c.rich
	if c.turn > 1 {
		w.cleaner.turn = "t" + strconv.Itoa(c.turn) + "-"
	}
	if c.arrow != "" {
		if refused := c.rotate(); refused != "" {
			status = refused
		}
		return status, w.notes.all(), nil
	}
	w.ops.cleanAndApply(&w.cleaner, &w.board, w.found.Value)
	for i := range w.ops.update {
		c.remember(&w.ops.update[i])
	}
	return status, w.notes.all(), nil
}

// rotate applies the answer to the arrow test and returns the state of one that turns nothing.
func (c *turns) rotate() (refused string) {
	w := &c.w
	turn, ok := w.readRotation()
	switch {
	case ok && !w.namesArrow(c.arrow):
		return otherShape
	case ok && c.updated:
		c.turnBoard(turn)
	case ok:
		c.rotation = clampFinite(c.rotation + turn)
	case w.variants.On(ArrowAcceptUpdate) && w.updatesRotation(c.arrow):
		if !c.updated {
			c.updated = true
			c.turnBoard(c.rotation)
		}
		w.board.applyUpdates(w.ops.update)
		for i := range w.ops.update {
			c.remember(&w.ops.update[i])
		}
	default:
		return noAnswer
	}
	return ""
}

// turnBoard turns the arrow on the board about its centre. An update says where a shape then is, so
// turns before and after one must be in the same fields.
func (c *turns) turnBoard(turn float64) {
	rotateAboutCentre(c.w.board.recs, c.arrow, turn)
	r := c.w.board.find(c.arrow)
	if r == nil {
		return
	}
	u := scene.NewRecord(r.ID, r.Kind)
	u.X, u.Y, u.Rotation, u.Has = r.X, r.Y, r.Rotation, scene.HasX|scene.HasY|scene.HasRotation
	c.remember(&u)
}

// remember adds the fields of an update of an initial shape to what the answers of earlier turns
// gave it, so that one answer can say all of it.
func (c *turns) remember(u *scene.Record) {
	if c.w.board.slots[c.w.board.byID[u.ID]].created >= 0 {
		return // the record that was created has them
	}
	all := c.updates[u.ID]
	if all == nil {
		r := scene.NewRecord(u.ID, u.Kind)
		all = &r
		c.updates[u.ID] = all
	}
	all.Merge(u)
}

// AppendAnswer implements scoring.Canvas: creations and updates in z-order, deletions in the order
// of the item's shapes.
func (c *turns) AppendAnswer(dst []byte) []byte {
	if c.arrow != "" && !c.updated {
		return append(scoring.AppendFloat(append(dst, `{"rotation":`...), c.rotation), '}')
	}
	b := &c.w.board
	list := func(dst []byte, wanted func(i int) *scene.Record) []byte {
		first := true
		for i := range b.recs {
			r := wanted(i)
			if b.slots[i].dead || r == nil {
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
	dst = list(append(dst, `{"createShapes":[`...), func(i int) *scene.Record {
		if b.slots[i].created < 0 {
			return nil
		}
		return &b.recs[i]
	})
	dst = list(append(dst, `],"updateShapes":[`...), func(i int) *scene.Record {
		if b.slots[i].created >= 0 {
			return nil
		}
		return c.updates[b.recs[i].ID]
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

// text returns the JSON of a text of a shape on the board.
func (c *turns) text(t *scene.RichText) []byte {
	if t == nil {
		return []byte(`""`)
	}
	return []byte(c.rich[t])
}

// View implements scoring.Board.
func (c *turns) View() (view.View, error) {
	recs := c.w.board.final()
	if c.arrow != "" && !c.updated {
		rotateAboutCentre(recs, c.arrow, c.rotation)
	}
	s, err := resolve(recs, c.w.suite.limits, nil)
	if err != nil {
		return view.View{}, err
	}
	v := view.View{Scene: s, Bounds: canvas}
	if c.w.test.name != "overlap" {
		return v, nil
	}
	b, ok, err := view.ContentBounds(s, nil)
	if err != nil || !ok {
		return v, err
	}
	const pad = 32 // as in the picture of the prompt
	x0, y0 := math.Floor(b.X-pad), math.Floor(b.Y-pad)
	v.Bounds = view.Box{X: x0, Y: y0, W: math.Ceil(b.X+b.W+pad) - x0, H: math.Ceil(b.Y+b.H+pad) - y0}
	return v, nil
}
