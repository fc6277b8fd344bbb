package aspire

import (
	"strings"

	"plumb/render/scene"
)

// The grid of the maze where the task does not give it (docs/spec/aspire.md#r27), px.
const (
	mazeGrid = 600
	mazeCell = 150
)

// prepareMaze scores how close the new shape is to the target square
// (docs/spec/aspire.md#r25).
func prepareMaze(w *work, j *job) error {
	target, ok := w.point("target")
	if !ok {
		return badTask("target", "[x, y]")
	}
	grid, err := w.positive("grid_width", mazeGrid)
	if err != nil {
		return err
	}
	cell, err := w.positive("cell_width", mazeCell)
	if err != nil {
		return err
	}
	j.show = showMaze(target, grid)
	created := w.board.created()
	j.metric("created", idsOf(created))
	chosen := redStar(created)
	if chosen == nil && len(created) > 0 && !w.variants.On(MazeStrict) {
		chosen = created[0]
	}
	if chosen == nil {
		j.metric("chosen", nil)
		j.metric("centre", nil)
		j.metric("distance", nil)
		j.metric("score_cell", 0.0)
		j.score(0)
		return nil
	}
	rule := mazeRule{target: target, grid: grid, cell: cell, byCell: w.variants.On(MazeCell), clamp: w.variants.On(MazeClamp)}
	var c centres
	j.metric("chosen", chosen.ID)
	if err := c.add(w.centre(&w.board, chosen)); err != nil {
		j.fail(err)
		return nil
	}
	return c.then(j, rule.score)
}

// mazeRule turns the centre of the new shape into a score.
type mazeRule struct {
	target        scene.Point
	grid, cell    float64
	byCell, clamp bool
}

func (m mazeRule) score(j *job, at []scene.Point) error {
	centre := at[0]
	d := finite(distance(centre, m.target))
	byCell := finite(1 - d/(m.cell/2))
	j.metric("centre", pair(centre))
	j.metric("distance", d)
	j.metric("score_cell", byCell)
	score := 1 - d/(m.grid/2)
	if m.byCell {
		score = byCell
	}
	if m.clamp {
		score = clamp01(score)
	}
	j.score(score)
	return nil
}

// redStar returns the first shape that is what the task asks for (docs/spec/aspire.md#r29), nil for
// none.
func redStar(created []*scene.Record) *scene.Record {
	for _, r := range created {
		if r.Kind == scene.Geo && r.Geo == scene.Star && r.Color == scene.Red {
			return r
		}
	}
	return nil
}

// prepareGraph scores which nodes were coloured red (docs/spec/aspire.md#r31). An initial
// node counts by its id, as it is at the end.
func prepareGraph(w *work, j *job) error {
	meant, ok := w.shapeIDs("neighbours")
	if !ok {
		return badTask("neighbours", "a list of ids")
	}
	nodes, ok := w.shapeIDs("nodes")
	if !ok {
		nodes = nil // told by their ids (docs/spec/aspire.md#r32)
	}
	selected := []string{}
	for i := range w.board.initial {
		id := w.board.initial[i].ID
		if nodes == nil && !strings.HasPrefix(id, "shape:node-") || nodes != nil && !nodes[id] {
			continue
		}
		if r := w.board.find(id); r != nil && r.Has&scene.HasColor != 0 && r.Color == scene.Red {
			selected = append(selected, id)
		}
	}
	j.show = showGraph(meant)
	j.metric("created", idsOf(w.board.created()))
	j.metric("selected", selected)
	j.score(f1(selected, meant))
	return nil
}

// preparePattern scores whether the outlier was deleted, and only it
// (docs/spec/aspire.md#r35).
func preparePattern(w *work, j *job) error {
	outlier, err := w.given("outlier")
	if err != nil {
		return err
	}
	deleted := w.board.deleted()
	contains := 0.0
	for _, id := range deleted {
		if id == outlier.ID {
			contains = 1
		}
	}
	j.show = showChoice("", map[string]bool{outlier.ID: true})
	j.metric("created", idsOf(w.board.created()))
	j.metric("deleted", deleted)
	j.metric("score_contains", contains)
	switch {
	case w.variants.On(PatternContains), len(deleted) == 1:
		j.score(contains)
	default:
		j.score(0)
	}
	return nil
}
