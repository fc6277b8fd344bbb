package drawingbench

import (
	"cmp"
	"fmt"
	"strconv"

	"github.com/valyala/fastjson"

	"plumb/render/jsontree"
	"plumb/scoring"
)

// taskKeys implements scoring.TaskFile.Keys: it returns the names by which lines refer to the
// n-th task of the task file: "<id>#<n>", "#<n>" and "<id>". Ids are not unique; the last one
// counts where the id occurs once. See docs/spec/drawingbench.md#r1.
func taskKeys(v *fastjson.Value, n int) ([]string, error) {
	id := text(v, "id")
	if id == "" {
		return nil, fmt.Errorf("got no id; want the task's id")
	}
	return []string{fmt.Sprintf("%s#%d", id, n), "#" + strconv.Itoa(n), id}, nil
}

// refer implements scoring.TaskFile.Refer: it names the task of an item by task_id and index,
// by task_id, or by id, as labels do. See docs/spec/drawingbench.md#r1.
func refer(v *fastjson.Value, id string) string {
	name := text(v, "task_id")
	if index := indexOf(v); index != nil {
		return name + "#" + index.String()
	}
	return cmp.Or(name, id)
}

// indexOf returns the member index of a task or label of DrawingBench, nil where it is no number.
func indexOf(v *fastjson.Value) *fastjson.Value {
	f := v.Get("index")
	if f == nil || f.Type() != fastjson.TypeNumber {
		return nil
	}
	return f
}

// elementKey implements scoring.Suite.ElementKey: it names the task of an element of the
// published result file by its id; "" where the element says its index.
func elementKey(v *fastjson.Value) string {
	if indexOf(v) != nil {
		return ""
	}
	return text(v, "id")
}

// lines implements scoring.Suite.Lines: it makes dump lines of an element of the published
// result file, one for each turn, with the id "<task id>#<index>/<turn>". task is the task's
// index where the element does not say it, negative where it is not known. What was recorded of
// the evaluation is left out. ok is false for an element of another form. See
// docs/spec/cli.md#r16.
func lines(v *fastjson.Value, task int) (list [][]byte, ok bool) {
	turns := v.Get("results")
	if turns == nil || turns.Type() != fastjson.TypeArray || !v.Exists("id") {
		return nil, false
	}
	id, index := text(v, "id"), task
	if f := indexOf(v); f != nil {
		index = f.GetInt()
	}
	var out [][]byte
	for k, r := range turns.GetArray() {
		out = append(out, line(id, index, k, v, r))
	}
	return out, true
}

// line makes the dump line of r, the k-th turn of an element. index is negative where it is not
// known.
func line(id string, index, k int, element, r *fastjson.Value) []byte {
	turn := k + 1
	if n := r.GetInt("turn"); n > 0 {
		turn = n
	}
	name := id
	if index >= 0 {
		name = fmt.Sprintf("%s#%d", id, index)
	}
	b := scoring.AppendString([]byte(`{"id":`), fmt.Sprintf("%s/%d", name, turn))
	b = scoring.AppendString(append(b, `,"suite":"drawingbench","task_id":`...), id)
	if index >= 0 {
		b = strconv.AppendInt(append(b, `,"index":`...), int64(index), 10)
	}
	b = strconv.AppendInt(append(b, `,"turn":`...), int64(turn), 10)
	for _, key := range []string{"category", "difficulty", "model"} {
		if s := text(element, key); s != "" {
			b = scoring.AppendString(append(b, `,"`+key+`":`...), s)
		}
	}
	for _, key := range []string{"actions", "response"} {
		if f := r.Get(key); f != nil {
			b = jsontree.Append(append(b, `,"`+key+`":`...), f)
		}
	}
	return append(b, '}')
}
