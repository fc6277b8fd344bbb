package aspire

import (
	"slices"
	"strings"

	"plumb/render/scene"
)

// The grid of the maze where the task does not give it (docs/spec/aspire.md#r27), px.
const (
	mazeGrid = 600
	mazeCell = 150
)

// prepareMaze scores how close the new shape is to the target square of the maze
// (docs/spec/aspire.md#r25).
func prepareMaze(w *workspace, j *job) error {
	target, ok := w.point("target")
	if !ok {
		return badTask("target", "[x, y]")
	}
	grid, err := w.positiveNumber("grid_width", mazeGrid)
	if err != nil {
		return err
	}
	cell, err := w.positiveNumber("cell_width", mazeCell)
	if err != nil {
		return err
	}
	j.marks = showMaze(target, grid)
	created := w.board.created()
	j.addMetric("created", idsOf(created))
	chosen := redStar(created)
	if chosen == nil && len(created) > 0 && !w.variants.On(MazeStrict) {
		chosen = created[0]
	}
	if chosen == nil {
		j.addMetric("chosen", nil)
		j.addMetric("centre", nil)
		j.addMetric("distance", nil)
		j.addMetric("score_cell", 0.0)
		j.setScore(0)
		return nil
	}
	rule := mazeRule{target: target, grid: grid, cell: cell, byCell: w.variants.On(MazeCell), clamp: w.variants.On(MazeClamp)}
	var c knownLater
	j.addMetric("chosen", chosen.ID)
	if err := c.add(w.centre(&w.board, chosen)); err != nil {
		j.setError(err)
		return nil
	}
	return c.whenKnown(j, rule.score)
}

// mazeRule computes the score of the maze test from the centre of the new shape.
type mazeRule struct {
	target        scene.Point
	grid, cell    float64
	byCell, clamp bool
}

// score sets the score of the maze test from the distance between the centre of the new shape and
// the target square.
func (m mazeRule) score(j *job, at []scene.Point) error {
	centre := at[0]
	d := clampFinite(distance(centre, m.target))
	byCell := clampFinite(1 - d/(m.cell/2))
	j.addMetric("centre", xy(centre))
	j.addMetric("distance", d)
	j.addMetric("score_cell", byCell)
	score := 1 - d/(m.grid/2)
	if m.byCell {
		score = byCell
	}
	if m.clamp {
		score = clamp01(score)
	}
	j.setScore(score)
	return nil
}

// redStar returns the first created red star, which the maze task asks for
// (docs/spec/aspire.md#r29), or nil.
func redStar(created []*scene.Record) *scene.Record {
	isRedStar := func(r *scene.Record) bool { return r.Kind == scene.Geo && r.Geo == scene.Star && r.Color == scene.Red }
	if i := slices.IndexFunc(created, isRedStar); i >= 0 {
		return created[i]
	}
	return nil
}

// prepareGraph scores which graph nodes were coloured red (docs/spec/aspire.md#r31). An initial
// node is found by its id and counts by its final colour.
func prepareGraph(w *workspace, j *job) error {
	meant, ok := w.shapeIDs("neighbours")
	if !ok {
		return badTask("neighbours", "a list of ids")
	}
	nodes, ok := w.shapeIDs("nodes")
	if !ok {
		nodes = nil // then the prefix of ids identifies nodes (docs/spec/aspire.md#r32)
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
	j.marks = showGraph(meant)
	j.addMetric("created", idsOf(w.board.created()))
	j.addMetric("selected", selected)
	j.setScore(f1(selected, meant))
	return nil
}

// preparePattern scores whether the outlier of the pattern was deleted, and nothing else
// (docs/spec/aspire.md#r35).
func preparePattern(w *workspace, j *job) error {
	outlier, err := w.initialShape("outlier")
	if err != nil {
		return err
	}
	deleted := w.board.deleted()
	contains := 0.0
	if slices.Contains(deleted, outlier.ID) {
		contains = 1
	}
	j.marks = showDeleted("", map[string]bool{outlier.ID: true})
	j.addMetric("created", idsOf(w.board.created()))
	j.addMetric("deleted", deleted)
	j.addMetric("score_contains", contains)
	if len(deleted) != 1 && !w.variants.On(PatternContains) {
		contains = 0
	}
	j.setScore(contains)
	return nil
}
