// Package prompt writes the text of the TangramPuzzle tasks for a model. See
// docs/spec/tangram.md#r58. In: exact instances. Out: the text beside the picture: for Task 1 the
// placed pieces, for Task 2 the initial pieces and, except in the visual-centric setting, the
// outline.
package prompt

import (
	"fmt"
	"strings"

	"plumb/scoring/tangram/assembly"
)

// Setting is the paper's name of what a Task 2 prompt contains beside the picture.
type Setting string

// The settings of the paper.
const (
	ZeroShot Setting = "zero-shot"
	// InContext puts solved instances before the question.
	InContext Setting = "in-context"
	// VisualCentric leaves the text of the outline out.
	VisualCentric Setting = "visual-centric"
)

// Examples is the number of solved instances in an InContext prompt.
const Examples = 3

// ExampleSeed returns the text that seeds the draw of the solved examples for one instance. See
// docs/spec/tangram.md#r59.
func ExampleSeed(seed int64, id string) string { return fmt.Sprintf("%d:icl:%s", seed, id) }

// Outline returns the prompt of Task 1 of TangramPuzzle: which of four silhouettes the pieces form.
func Outline(instance *assembly.Instance) string {
	var text strings.Builder
	text.WriteString(`# Task: which silhouette do these tangram pieces form?

Seven tangram pieces lie in the plane. Each is given by its type and the exact coordinates of its vertices in LaTeX; x points right, y points up. They do not overlap, and together they form one connected shape without holes. The image shows four silhouettes labelled A, B, C and D, all drawn to one scale, not rotated and not mirrored. Exactly one of them is the shape that the pieces form. Where a silhouette lies in its cell means nothing.

## Pieces

`)
	for i, poly := range instance.Pieces {
		fmt.Fprintf(&text, "- %s, %s: %s\n", assembly.IDs[i], assembly.Kinds[i], vertexList(poly))
	}
	text.WriteString("\n## Options\n\nThe image options are A, B, C and D.\n\nThink as long as you need. End your answer with one line that holds your choice as JSON, X being the letter:\n\n{\"answer\":\"X\"}\n")
	return text.String()
}

// vertexList writes the vertices of a tangram piece or outline for a prompt as (x, y), (x, y).
func vertexList(poly []assembly.Point) string {
	list := make([]string, len(poly))
	for i, p := range poly {
		list[i] = fmt.Sprintf("(%s, %s)", p.X.LaTeX(), p.Y.LaTeX())
	}
	return strings.Join(list, ", ")
}

// Solution returns the prompt of Task 2 of TangramPuzzle: place the pieces so that they fill the
// outline. examples are solved instances, shown only in the setting InContext. In VisualCentric the
// text leaves out the outline, which only the picture shows.
func Solution(instance *assembly.Instance, setting Setting, examples []*assembly.Instance) string {
	var text strings.Builder
	text.WriteString("# Task: solve a tangram\n\nPlace the seven tangram pieces in the plane so that together they fill a target outline exactly. Coordinates are exact; x points right, y points up. ")
	if setting == VisualCentric {
		text.WriteString("The image shows the outline, with the coordinates of every vertex written beside it.\n")
	} else {
		text.WriteString("The outline is given as text below, and the image shows it with the coordinates of every vertex.\n")
	}
	text.WriteString("\n## Pieces in their initial state\n\n")
	for i := range assembly.Count {
		p := assembly.Initial(i)
		fmt.Fprintf(&text, "- %s, %s: vertices %s; edges %s\n", assembly.IDs[i], assembly.Kinds[i], vertexList(p), edgeList(len(p)))
	}
	text.WriteString(rules)
	text.WriteString(format)
	if setting == InContext {
		for i, e := range examples {
			fmt.Fprintf(&text, "\n## Solved example %d\n\nInstance: %s\n\n%s\nAnswer:\n%s\n", i+1, e.ID, outlineText(e), e.AppendAnswer(nil))
		}
	}
	fmt.Fprintf(&text, "\n## Your problem\n\nInstance: %s\n", instance.ID)
	if setting != VisualCentric {
		text.WriteString("\n" + outlineText(instance))
	}
	return text.String()
}

const rules = `
## Rules

1. Use each of the seven pieces exactly once. A piece may be translated, rotated and reflected. It must keep its shape and size.
2. Pieces must not overlap.
3. Together the pieces form one connected shape: each shares a stretch of an edge with another one; touching in a point is not enough.
4. Together the pieces fill the outline exactly: no gaps, nothing outside. The outline is fixed where it is; do not shift, turn or mirror it.
`

const format = `
## Answer

Answer with one JSON object and nothing else. All coordinates are exact LaTeX expressions in strings, such as "2", "-\\frac{1}{2}", "\\sqrt{2}", "1+\\frac{3\\sqrt{2}}{2}"; never decimals. In JSON each backslash is written twice. List the vertices of a piece in the order of its initial state. The object has this form:

{"instance_id": "...", "final_state": {"pieces": [{"id": "T1", "type": "large_triangle", "vertices": [["x", "y"], ["x", "y"], ["x", "y"]], "edges": [[0, 1], [1, 2], [2, 0]]}, ...]}}

final_state.pieces has seven entries, one for each of T1, T2, T3, T4, T5, S1 and P1. A piece may also have "transform_matrix", a 3x3 matrix of expressions that maps its initial vertices to its final ones, and the object may have "adjacency_graph", the list of pairs of ids of pieces that share a stretch of an edge.
`

// edgeList writes the edges of a tangram piece of n vertices for a prompt as 0-1, 1-2, 2-0.
func edgeList(n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("%d-%d", i, (i+1)%n)
	}
	return strings.Join(list, ", ")
}

// outlineText writes the target outline of a tangram for a prompt: its vertices and the lengths of
// its edges.
func outlineText(instance *assembly.Instance) string {
	var text strings.Builder
	text.WriteString("Target outline, vertices counter-clockwise:\n")
	for i, p := range instance.Outline {
		fmt.Fprintf(&text, "%d: (%s, %s)\n", i, p.X.LaTeX(), p.Y.LaTeX())
	}
	text.WriteString("Edges of the outline:\n")
	for i, l := range instance.Lengths {
		fmt.Fprintf(&text, "%d-%d: length %s\n", i, (i+1)%len(instance.Lengths), l.LaTeX())
	}
	return text.String()
}
