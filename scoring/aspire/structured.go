package aspire

import (
	"slices"
	"strings"

	"plumb/render/metric"
	"plumb/render/scene"
)

// The grid of the maze where the task does not give it (docs/spec/aspire.md#r27), px.
const (
	mazeGrid = 600
	mazeCell = 150
)

// prepareMaze prepares the score of the maze test: how close the new shape is to the target square
// (docs/spec/aspire.md#r25). The first created red star counts, else the first created shape, but not under the
// variant strict. Without one the score is 0. The centre of the shape may be known only after rendering.
func prepareMaze(workspace *workspace, j *job) error {
	target, ok := workspace.point("target")
	if !ok {
		return badTask("target", "[x, y]")
	}
	grid, err := workspace.positiveNumber("grid_width", mazeGrid)
	if err != nil {
		return err
	}
	cell, err := workspace.positiveNumber("cell_width", mazeCell)
	if err != nil {
		return err
	}
	j.marks = showMaze(target, grid)
	// The shape that counts.
	created := workspace.board.created()
	j.addMetric("created", idsOf(created))
	chosen := redStar(created)
	if chosen == nil && len(created) > 0 && !workspace.variants.On(MazeStrict) {
		chosen = created[0]
	}
	if chosen == nil {
		j.computeScore = func(j *job, _ []metric.Tally) { scoreMazeWithoutShape(j) }
		return nil
	}
	// Its distance from the target.
	rule := mazeRule{target: target, grid: grid, cell: cell, byCell: workspace.variants.On(MazeCell),
		clamp: workspace.variants.On(MazeClamp)}
	var pending pendingPoints
	j.addMetric("chosen", chosen.ID)
	if err := pending.addCentre(workspace.centre(&workspace.board, chosen)); err != nil {
		j.setError(err)
		return nil
	}
	pending.scoreFromPoints(j, rule.score)
	return nil
}

// scoreMazeWithoutShape sets the score of an answer to the maze test that created no shape that counts.
func scoreMazeWithoutShape(j *job) {
	j.addMetric("chosen", nil)
	j.addMetric("centre", nil)
	j.addMetric("distance", nil)
	j.addMetric("score_cell", 0.0)
	j.setScore(0)
}

// mazeRule computes the score of the maze test from the centre of the new shape.
type mazeRule struct {
	target        scene.Point
	grid, cell    float64
	byCell, clamp bool
}

// score sets the score of the maze test: 1 minus the distance of the shape's centre from the
// target in halves of the grid's width, or of a cell's under the variant cell.
func (rule mazeRule) score(j *job, points []scene.Point) error {
	centre := points[0]
	gap := clampFinite(distance(centre, rule.target))
	byCell := clampFinite(1 - gap/(rule.cell/2))
	j.addMetric("centre", xy(centre))
	j.addMetric("distance", gap)
	j.addMetric("score_cell", byCell)
	score := 1 - gap/(rule.grid/2)
	if rule.byCell {
		score = byCell
	}
	if rule.clamp {
		score = clamp01(score)
	}
	j.setScore(score)
	return nil
}

// redStar returns the first created red star, which the maze task asks for (docs/spec/aspire.md#r29), or nil.
func redStar(created []*scene.Record) *scene.Record {
	isRedStar := func(r *scene.Record) bool {
		return r.Kind == scene.Geo && r.Geo == scene.Star &&
			r.Color == scene.Red
	}
	if i := slices.IndexFunc(created, isRedStar); i >= 0 {
		return created[i]
	}
	return nil
}

// prepareGraph prepares the score of the graph test: by F1, which nodes the answer coloured red
// (docs/spec/aspire.md#r31). A node is an initial shape that the task lists, or whose id has the
// prefix of nodes. Its final colour counts.
func prepareGraph(workspace *workspace, j *job) error {
	meant, ok := workspace.shapeIDs("neighbours")
	if !ok {
		return badTask("neighbours", "a list of ids")
	}
	nodes, ok := workspace.shapeIDs("nodes")
	if !ok {
		nodes = nil // then the prefix of ids identifies nodes (docs/spec/aspire.md#r32)
	}
	selected := []string{}
	for i := range workspace.board.initial {
		id := workspace.board.initial[i].ID
		isNode := nodes[id]
		if nodes == nil {
			isNode = strings.HasPrefix(id, "shape:node-")
		}
		if !isNode {
			continue
		}
		if r := workspace.board.find(id); r != nil && r.Has&scene.HasColor != 0 && r.Color == scene.Red {
			selected = append(selected, id)
		}
	}
	j.marks = showGraph(meant)
	j.addMetric("created", idsOf(workspace.board.created()))
	j.addMetric("selected", selected)
	j.computeScore = func(j *job, _ []metric.Tally) { j.setScore(f1(selected, meant)) }
	return nil
}

// preparePattern prepares the score of the pattern test: 1 if the answer deleted the outlier and nothing else,
// else 0 (docs/spec/aspire.md#r35). Under the variant contains it does not matter what else was deleted.
func preparePattern(workspace *workspace, j *job) error {
	outlier, err := workspace.initialShape("outlier")
	if err != nil {
		return err
	}
	deleted := workspace.board.deleted()
	j.marks = showDeleted("", map[string]bool{outlier.ID: true})
	j.addMetric("created", idsOf(workspace.board.created()))
	j.addMetric("deleted", deleted)
	othersMatter := !workspace.variants.On(PatternContains)
	j.computeScore = func(j *job, _ []metric.Tally) {
		score := 0.0
		if slices.Contains(deleted, outlier.ID) {
			score = 1
		}
		j.addMetric("score_contains", score)
		if othersMatter && len(deleted) != 1 {
			score = 0
		}
		j.setScore(score)
	}
	return nil
}
