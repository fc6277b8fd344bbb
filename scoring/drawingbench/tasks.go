package drawingbench

import (
	"fmt"
	"strconv"

	"github.com/valyala/fastjson"

	"plumb/render/jsontree"
	"plumb/scoring"
)

// taskKeys returns the names of a task: "<id>#<index>", "#<index>", and "<id>",
// which names it where the id occurs once. Ids are not unique. See
// docs/spec/drawingbench.md#r1.
func taskKeys(v *fastjson.Value, n int) ([]string, error) {
	id := text(v, "id")
	if id == "" {
		return nil, fmt.Errorf("got no id; want the task's id")
	}
	return []string{fmt.Sprintf("%s#%d", id, n), "#" + strconv.Itoa(n), id}, nil
}

// refer names an item's task: by index, by task_id, or as a label does, by id
// See docs/spec/drawingbench.md#r1.
func refer(v *fastjson.Value, id string) string {
	name, index := text(v, "task_id"), v.Get("index")
	if index != nil && index.Type() == fastjson.TypeNumber {
		return name + "#" + index.String()
	}
	if name != "" {
		return name
	}
	return id
}

// elementKey names the task of an element: one of the published result
// file says its index, or is the k-th with its id.
func elementKey(v *fastjson.Value) string {
	if f := v.Get("index"); f != nil && f.Type() == fastjson.TypeNumber {
		return ""
	}
	return text(v, "id")
}

// lines returns an item per turn, with the id
// "<task id>#<index>/<turn>". Nothing that was recorded of the evaluation is passed on. See
// docs/spec/cli.md#r16.
func lines(v *fastjson.Value, task int) ([][]byte, bool) {
	turns := v.Get("results")
	if turns == nil || turns.Type() != fastjson.TypeArray || !v.Exists("id") {
		return nil, false
	}
	id, index := text(v, "id"), -1
	if f := v.Get("index"); f != nil && f.Type() == fastjson.TypeNumber {
		index = f.GetInt()
	} else {
		index = task
	}
	var out [][]byte
	for k, r := range turns.GetArray() {
		out = append(out, line(id, index, k, v, r))
	}
	return out, true
}

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
