package generate

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"plumb/scoring"
	"plumb/scoring/tangram/assembly"
	"plumb/scoring/tangram/field"
	"plumb/scoring/tangram/splitmix"
)

// Quality is the kind of a generated answer: what is right or wrong with it.
type Quality string

// The qualities, with how such an answer is scored. TSE, RGE and PE are its errors in syntax, in the geometry of
// pieces and in their placement, see docs/spec/tangram.md#r49.
const (
	Right      Quality = "right"      // success
	Fenced     Quality = "fenced"     // success; prose and a code fence around it
	Rounded    Quality = "rounded"    // success, class decimal: three decimals
	Rough      Quality = "rough"      // class decimal: one decimal, mostly distorted
	Shifted    Quality = "shifted"    // valid, but beside the target
	Overlaps   Quality = "overlap"    // PE: a piece moved onto another one
	Loose      Quality = "loose"      // PE: a piece lies apart
	Distorted  Quality = "distorted"  // RGE: a vertex is off
	Missing    Quality = "missing"    // TSE count: six pieces
	Inventory  Quality = "inventory"  // TSE inventory: a second square, no parallelogram
	Unescaped  Quality = "unescaped"  // TSE: LaTeX with single backslashes
	Unfinished Quality = "unfinished" // TSE json: the text ends too early
)

// Qualities are all qualities.
var Qualities = []Quality{Right, Fenced, Rounded, Rough, Shifted, Overlaps, Loose, Distorted, Missing, Inventory,
	Unescaped, Unfinished}

// Answer writes an answer to Task 2 for an instance, as a model could, with what the quality
// says right or wrong. It depends only on the instance and the quality.
func Answer(instance *assembly.Instance, quality Quality) string {
	random := splitmix.New(instance.ID + ":" + string(quality))
	answer := &assembly.Instance{ID: instance.ID, Figure: instance.Figure}
	for i, polygon := range instance.Pieces {
		answer.Pieces[i] = slices.Clone(polygon)
	}
	// Some qualities move the pieces; others change the text that is written of them.
	piece := random.Below(assembly.Count)
	switch quality {
	case Shifted:
		for i := range answer.Pieces {
			translate(answer.Pieces[i], field.Ratio(1, 2), field.Int(0))
		}
	case Overlaps:
		// Move a piece a third of the way onto a neighbour, with which it shares an edge.
		pair := instance.Adjacent[random.Below(len(instance.Adjacent))]
		from, to := assembly.Center(answer.Pieces[pair[0]]), assembly.Center(answer.Pieces[pair[1]])
		way := to.Sub(from)
		translate(answer.Pieces[pair[0]], way.X.Mul(field.Ratio(1, 3)), way.Y.Mul(field.Ratio(1, 3)))
	case Loose:
		translate(answer.Pieces[piece], field.Int(20), field.Ratio(1, 2))
	case Distorted:
		vertex := &answer.Pieces[piece][random.Below(len(answer.Pieces[piece]))]
		vertex.X = vertex.X.Add(field.Ratio(1, 8))
	}
	text := string(answer.AppendAnswer(nil))
	switch quality {
	case Fenced:
		text = "The square and the parallelogram come first, then the triangles.\n\n```json\n" + text +
			"\n```\nAll seven pieces are placed."
	case Rounded:
		text = decimalAnswer(answer, 3)
	case Rough:
		text = decimalAnswer(answer, 1)
	case Missing:
		text = text[:strings.LastIndex(text, `,{"id"`)] + "]}}" // without the last piece
	case Inventory:
		text = strings.Replace(text, `"type":"parallelogram"`, `"type":"square"`, 1)
	case Unescaped:
		text = strings.ReplaceAll(text, `\\`, `\`)
	case Unfinished:
		text = text[:len(text)*2/3]
	}
	return text
}

// translate shifts a polygon in place.
func translate(poly []assembly.Point, x, y field.Number) {
	for i := range poly {
		poly[i] = poly[i].Add(assembly.Point{X: x, Y: y})
	}
}

// decimalAnswer writes the correct answer to a tangram instance with coordinates rounded to that
// many decimals.
func decimalAnswer(in *assembly.Instance, digits int) string {
	out := scoring.AppendString([]byte(`{"instance_id":`), in.ID)
	out = append(out, `,"final_state":{"pieces":[`...)
	for i, poly := range in.Pieces {
		out = fmt.Appendf(out, `{"id":"%s","type":"%s","vertices":[`, assembly.IDs[i], assembly.Kinds[i])
		for _, p := range poly {
			x, y := p.Floats()
			out = strconv.AppendFloat(append(out, '['), x, 'f', digits, 64)
			out = strconv.AppendFloat(append(out, ','), y, 'f', digits, 64)
			out = append(out, "],"...)
		}
		out = append(bytes.TrimSuffix(out, []byte{','}), "]},"...)
	}
	return string(append(bytes.TrimSuffix(out, []byte{','}), "]}}"...))
}

// Line returns a dump line with a generated tangram answer whose quality is number k, modulo the
// number of qualities.
func Line(instance *assembly.Instance, k int) []byte {
	quality := Qualities[k%len(Qualities)]
	out := scoring.AppendString([]byte(`{"id":`), instance.ID+"-"+string(quality))
	out = scoring.AppendString(append(out, `,"suite":"tangram","test":"solution","instance_id":`...), instance.ID)
	out = scoring.AppendString(append(out, `,"quality":`...), string(quality))
	out = append(out, `,"response":`...)
	out = scoring.AppendString(out, Answer(instance, quality))
	return append(out, '}')
}

// Choice writes an answer to Task 1 of TangramPuzzle as a model could, in form k modulo 8. right is
// the correct letter. ok says whether the answer gives it, valid whether it gives any letter.
func Choice(right string, k int) (text string, ok, valid bool) {
	wrong := string('A' + (right[0]-'A'+1)%4)
	switch k % 8 {
	case 0:
		return `{"answer":"` + right + `"}`, true, true
	case 1:
		return "The two large triangles form the body. The answer is **" + right + "**.", true, true
	case 2:
		return `The outline has a notch. \boxed{` + right + `}`, true, true
	case 3:
		return "Option " + wrong + " is too wide, so the answer is " + right + ".", true, true
	case 4:
		return `{"answer":"` + wrong + `"}`, false, true
	case 5:
		return "I cannot see the image.", false, false
	case 6:
		return "It is " + wrong + ", since " + wrong + " has the right width.", false, true
	}
	return "", false, false
}
