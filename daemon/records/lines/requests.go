package lines

import (
	"fmt"
	"io"

	"github.com/valyala/fastjson"

	"plumb/daemon/records/input"
	"plumb/daemon/records/record"
	"plumb/render/jsontree"
	"plumb/render/scene"
)

// Requests holds what was asked (--requests): the requests of a batch, or the inputs of
// rollouts of NeMo Gym. A nil *Requests holds nothing. It is not safe for concurrent use.
type Requests struct {
	asked    map[string]*request
	order    []string // keys in the order of the files
	rollouts map[rollout][]byte
	parser   record.Parser // of metadata
}

// request is one request of a batch.
type request struct {
	at       string // its line, such as "line 3"
	file     string // the file of --requests that has it
	metadata []byte // JSON of an object, nil for none
	model    string // that was asked
	answered bool   // a dump has an answer or a failure for it
}

// LoadRequests reads the files of --requests, which hold what a batch or a run was asked.
func LoadRequests(paths []string, limits input.Limits, json scene.Limits) (*Requests, error) {
	requests := &Requests{asked: map[string]*request{}, rollouts: map[rollout][]byte{}}
	requests.parser.Limits = json
	for _, path := range paths {
		in, err := input.Open(path, nil, limits)
		if err == nil {
			err = requests.load(in)
			in.Close()
		}
		if err != nil {
			return nil, fmt.Errorf("cannot read requests %s: %w", path, err)
		}
	}
	return requests, nil
}

// load reads one file of --requests and keeps what the lines say. Each line is a request of a batch
// (custom_id) or an input of a rollout of NeMo Gym (responses_create_params), of which only the label
// is kept. Any other line is an error.
func (requests *Requests) load(in *input.Input) error {
	for {
		l, err := in.Lines().Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if l.Fault != "" {
			return fmt.Errorf("%s", l.Fault)
		}
		v, err := requests.parser.Parse(l.Bytes)
		if err != nil {
			return fmt.Errorf("line %d: %w", l.N, err)
		}
		id := key(v.Get("custom_id"))
		switch {
		case v.Exists("responses_create_params"):
			keepLabel(requests.rollouts, v)
		case id == "":
			return fmt.Errorf("line %d: got neither custom_id nor responses_create_params; want a request of a batch or an input of a rollout", l.N)
		default:
			requests.add(id, &request{at: at(l), file: in.Name, metadata: metadataOf(v), model: modelOf(v)})
		}
	}
}

// add adds a request of a batch by its id; of two with one id the first counts.
func (requests *Requests) add(id string, r *request) {
	if requests.asked[id] == nil {
		requests.asked[id] = r
		requests.order = append(requests.order, id)
	}
}

// modelOf returns the model that a request of a batch asks, which OpenAI puts in body and Anthropic in
// params; "" for none.
func modelOf(v *fastjson.Value) string {
	if m := text(v.Get("body", "model")); m != "" {
		return m
	}
	return text(v.Get("params", "model"))
}

// metadataOf returns the metadata of a batch's request, which is beside its body or in it, or nil.
func metadataOf(v *fastjson.Value) []byte {
	for _, m := range []*fastjson.Value{v.Get("metadata"), v.Get("body", "metadata"), v.Get("params", "metadata")} {
		if is(m, fastjson.TypeObject) {
			return jsontree.Append(nil, m)
		}
	}
	return nil
}

// metadata returns the metadata of the batch's request with this id, nil for none. It is valid
// until the next call.
func (requests *Requests) metadata(id string) *fastjson.Value {
	if requests == nil || requests.asked[id] == nil || requests.asked[id].metadata == nil {
		return nil
	}
	v, _ := requests.parser.Parse(requests.asked[id].metadata)
	return v
}

// markAnswered records that a dump has a line, an answer or a failure, for the request with this id. It
// returns the model that the request asked, "" for an unknown request.
func (requests *Requests) markAnswered(id string) (model string) {
	if requests == nil || requests.asked[id] == nil {
		return ""
	}
	requests.asked[id].answered = true
	return requests.asked[id].model
}

// Unanswered returns, by the path of the file of --requests, a record without an answer for each
// request of which no dump has a line. So answers that got lost count as missing. See
// docs/spec/dumps.md#r12.
func (requests *Requests) Unanswered() map[string][]record.Record {
	if requests == nil {
		return nil
	}
	missing := map[string][]record.Record{}
	for _, id := range requests.order {
		r := requests.asked[id]
		if r.answered {
			continue
		}
		lost := record.Record{At: r.at, Key: id, Model: r.model, Usage: record.NoUsage}
		if r.metadata != nil {
			var p record.Parser // the record keeps the value
			lost.Labels, _ = p.Parse(r.metadata)
		}
		lost.Failed(record.NoResponse, "the request was never answered")
		missing[r.file] = append(missing[r.file], lost)
	}
	return missing
}
