package lines

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/valyala/fastjson"

	"plumb/daemon/dump"
	"plumb/daemon/message"
	"plumb/daemon/records/input"
	"plumb/daemon/records/record"
	"plumb/render/jsontree"
)

// nemoGym reads rollouts of NeMo Gym. Where a verifier does not repeat the task, the
// label stands in the file of inputs. See docs/spec/dumps.md#r16.
type nemoGym struct {
	labels     map[rollout][]byte // JSON objects with the label, from the file of inputs; nil without such a file
	inputsName string             // the name of the file of inputs, for messages
	parser     record.Parser      // of labels
}

// rollout identifies an answer: the index of its task and the number of the attempt, both from 0.
type rollout struct{ task, index int }

// newNeMoGym returns the reader of rollouts of NeMo Gym. Labels come from --requests if
// given, else from the file of inputs beside the dump, if there is one.
func newNeMoGym(in *input.Input, o *Options) (format, error) {
	// The file of inputs has the dump's name with another ending; x_failures.jsonl has the failures of x.jsonl.
	// The dump may be compressed, as in x.jsonl.gz.
	name := dump.WithoutCompression(filepath.Base(in.Path))
	stem := strings.TrimSuffix(strings.TrimSuffix(name, ".jsonl"), "_failures")
	f := &nemoGym{inputsName: stem + "_materialized_inputs.jsonl"}
	f.parser.Limits = o.Limits
	if o.Requests != nil {
		f.labels = o.Requests.rollouts
		return f, nil
	}
	// Read the labels from the file beside the dump.
	beside, err := in.OpenSibling(f.inputsName)
	if errors.Is(err, os.ErrNotExist) {
		return f, nil
	}
	if err != nil {
		return nil, err
	}
	defer beside.Close()
	f.labels = map[rollout][]byte{}
	p := record.Parser{Limits: o.Limits}
	for {
		l, err := beside.Lines().Next()
		if err == io.EOF {
			return f, nil
		}
		if err != nil {
			return nil, fmt.Errorf("cannot read %s: %w", beside.Name, err)
		}
		if l.Fault != "" {
			return nil, fmt.Errorf("cannot read %s: %s", beside.Name, l.Fault)
		}
		v, err := p.Parse(l.Bytes)
		if err != nil {
			return nil, fmt.Errorf("cannot read %s: line %d: %w", beside.Name, l.Number, err)
		}
		storeLabel(f.labels, v)
	}
}

// labelMembers are the members that may hold a label. See docs/spec/dumps.md#r19.
var labelMembers = []string{"label", "answer", "ground_truth"}

// storeLabel stores the label of v, a line of NeMo Gym's file of inputs, if it has one, under the line's task
// and rollout. It stores {NAME: LABEL} for the first NAME of labelMembers that the line has.
func storeLabel(labels map[rollout][]byte, v *fastjson.Value) {
	for _, name := range labelMembers {
		if label := v.Get(name); !jsontree.Absent(label) {
			object := append(jsontree.AppendString([]byte{'{'}, name), ':')
			object = append(jsontree.Append(object, label), '}')
			labels[rolloutOf(v)] = object
			return
		}
	}
}

func rolloutOf(v *fastjson.Value) rollout {
	return rollout{v.GetInt("_ng_task_index"), v.GetInt("_ng_rollout_index")}
}

// addRecords adds the record of a rollout of NeMo Gym. Its label is in the line, or else in the file of
// inputs; without either NoTask says so. A rollout with a failure or an error has no answer.
func (f *nemoGym) addRecords(s *source, l dump.Line, v *fastjson.Value) error {
	task, index := v.Get("_ng_task_index"), v.Get("_ng_rollout_index")
	if !hasType(task, fastjson.TypeNumber) {
		return fmt.Errorf("_ng_task_index: got %s; want a number", message.Describe(task))
	}
	r := s.addRecord(l)
	r.Key, r.Fields, r.Labels = idText(task), v, v
	if hasType(index, fastjson.TypeNumber) {
		r.Repeat = index.GetInt() + 1
	}
	// Its label.
	if !hasLabel(v) {
		r.Labels = nil
		if b := f.labels[rolloutOf(v)]; b != nil {
			r.Labels, _ = f.parser.Parse(b)
		} else {
			r.NoTask = "the rollout of task index " + strconv.Itoa(task.GetInt()) + " has no label, and " + f.missingLabel()
		}
	}
	// Its answer, or why there is none.
	if class := stringOf(v.Get("_ng_failure_class")); class != "" {
		r.MarkMissing(record.NoResponse, class)
		return nil
	}
	response := v.Get("response")
	if jsontree.Absent(response) {
		r.MarkMissing(record.NoResponse, "the rollout has no response")
		return nil
	}
	if e := response.Get("error"); !jsontree.Absent(e) {
		r.MarkMissing(record.NoResponse, failureWords(noStatus, e))
		return nil
	}
	return setFromResponse(r, response)
}

// missingLabel returns, for a message, why NeMo Gym's file of inputs gives no label for a rollout.
func (f *nemoGym) missingLabel() string {
	if f.labels == nil {
		return "there is no file " + f.inputsName + " beside it (or name it with --requests)"
	}
	return "the file of inputs has none for it"
}

// hasLabel reports whether a line of NeMo Gym repeats the label of its task.
func hasLabel(v *fastjson.Value) bool {
	for _, name := range labelMembers {
		if !jsontree.Absent(v.Get(name)) {
			return true
		}
	}
	return false
}
