package drawingbench

import (
	"cmp"
	"fmt"
	"strconv"

	"github.com/valyala/fastjson"

	"plumb/render/jsontree"
	"plumb/scoring"
)

// taskKeys returns the names by which lines refer to the n-th task of DrawingBench's task file:
// "<id>#<n>", "#<n>" and "<id>". Ids are not unique, so the last one counts only where the id
// occurs once. It implements scoring.TaskFile.Keys. See docs/spec/drawingbench.md#r1.
func taskKeys(v *fastjson.Value, n int) ([]string, error) {
	id := stringMember(v, "id")
	if id == "" {
		return nil, fmt.Errorf("got no id; want the task's id")
	}
	return []string{fmt.Sprintf("%s#%d", id, n), "#" + strconv.Itoa(n), id}, nil
}

// taskReference returns the name of the DrawingBench task that an item refers to, by task_id and
// index, by index, by task_id, or by its id. It implements scoring.TaskFile.Refer. See
// docs/spec/drawingbench.md#r1.
func taskReference(v *fastjson.Value, id string) string {
	name := stringMember(v, "task_id")
	if index := indexMember(v); index != nil {
		return name + "#" + index.String()
	}
	return cmp.Or(name, id)
}

// indexMember returns the member index of a DrawingBench task or item, nil where it is not a
// number.
func indexMember(v *fastjson.Value) *fastjson.Value {
	value := v.Get("index")
	if value == nil || value.Type() != fastjson.TypeNumber {
		return nil
	}
	return value
}

// elementKey returns the id of the task that an element of DrawingBench's published result file is
// about, or "" where the element states its index. It implements scoring.Suite.ElementKey.
func elementKey(value *fastjson.Value) string {
	if indexMember(value) != nil {
		return ""
	}
	return stringMember(value, "id")
}

// dumpLines makes dump lines of an element of DrawingBench's published result file, one for each
// turn, with the id "<task id>#<index>/<turn>". taskIndex counts where the element does not state its
// index, and is negative where it is not known. What was recorded of the evaluation is left out. ok is
// false for an element of another form. It implements scoring.Suite.Lines. See
// docs/spec/cli.md#r16.
func dumpLines(value *fastjson.Value, taskIndex int) (lines [][]byte, ok bool) {
	turns := value.Get("results")
	if turns == nil || turns.Type() != fastjson.TypeArray || !value.Exists("id") {
		return nil, false
	}
	id := stringMember(value, "id")
	if stated := indexMember(value); stated != nil {
		taskIndex = stated.GetInt()
	}
	for position, turn := range turns.GetArray() {
		lines = append(lines, dumpLine(id, taskIndex, position, value, turn))
	}
	return lines, true
}

// dumpLine returns the dump line of one turn of an element of DrawingBench's published result file, so
// that the answer can be scored again. recorded is what the file records of that turn, and position its
// place among the turns, from 0, which counts where the file gives no number. id and index are the
// task's; index is negative where it is not known.
func dumpLine(id string, index, position int, element, recorded *fastjson.Value) []byte {
	turn := position + 1
	if n := recorded.GetInt("turn"); n > 0 {
		turn = n
	}
	// Which task and turn it is, how hard, who answered, and the answer.
	name := id
	if index >= 0 {
		name = fmt.Sprintf("%s#%d", id, index)
	}
	out := scoring.AppendString([]byte(`{"id":`), fmt.Sprintf("%s/%d", name, turn))
	out = scoring.AppendString(append(out, `,"suite":"drawingbench","task_id":`...), id)
	if index >= 0 {
		out = strconv.AppendInt(append(out, `,"index":`...), int64(index), 10)
	}
	out = strconv.AppendInt(append(out, `,"turn":`...), int64(turn), 10)
	for _, key := range []string{"category", "difficulty", "model"} {
		if s := stringMember(element, key); s != "" {
			out = scoring.AppendString(append(out, `,"`+key+`":`...), s)
		}
	}
	for _, key := range []string{"actions", "response"} {
		if member := recorded.Get(key); member != nil {
			out = jsontree.Append(append(out, `,"`+key+`":`...), member)
		}
	}
	return append(out, '}')
}
