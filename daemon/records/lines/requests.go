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
	byID       map[string]*request
	idsInOrder []string // keys in the order of the files
	rollouts   map[rollout][]byte
	parser     record.Parser // of metadata
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
	requests := &Requests{byID: map[string]*request{}, rollouts: map[rollout][]byte{}}
	requests.parser.Limits = json
	for _, path := range paths {
		in, err := input.Open(path, nil, limits)
		if err == nil {
			err = requests.loadFile(in)
			in.Close()
		}
		if err != nil {
			return nil, fmt.Errorf("cannot read requests %s: %w", path, err)
		}
	}
	return requests, nil
}

// loadFile reads one file of --requests and keeps what the lines say. Each line is a request of a batch
// (custom_id) or an input of a rollout of NeMo Gym (responses_create_params), of which only the label
// is kept. Any other line is an error.
func (requests *Requests) loadFile(in *input.Input) error {
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
			return fmt.Errorf("line %d: %w", l.Number, err)
		}
		id := idText(v.Get("custom_id"))
		switch {
		case v.Exists("responses_create_params"):
			storeLabel(requests.rollouts, v)
		case id == "":
			return fmt.Errorf("line %d: got neither custom_id nor responses_create_params; want a request of a batch or an input of a rollout", l.Number)
		default:
			requests.addRequest(id, &request{at: placeOf(l), file: in.Name, metadata: metadataOf(v), model: askedModel(v)})
		}
	}
}

// addRequest adds a request of a batch by its id; of two with one id the first counts.
func (requests *Requests) addRequest(id string, r *request) {
	if requests.byID[id] == nil {
		requests.byID[id] = r
		requests.idsInOrder = append(requests.idsInOrder, id)
	}
}

// askedModel returns the model that a request of a batch asks, which OpenAI puts in body and Anthropic in
// params; "" for none.
func askedModel(v *fastjson.Value) string {
	if m := stringOf(v.Get("body", "model")); m != "" {
		return m
	}
	return stringOf(v.Get("params", "model"))
}

// metadataOf returns the metadata of a batch's request, which is beside its body or in it, or nil.
func metadataOf(v *fastjson.Value) []byte {
	for _, m := range []*fastjson.Value{v.Get("metadata"), v.Get("body", "metadata"), v.Get("params", "metadata")} {
		if hasType(m, fastjson.TypeObject) {
			return jsontree.Append(nil, m)
		}
	}
	return nil
}

// metadata returns the metadata of the batch's request with this id, nil for none. It is valid
// until the next call.
func (requests *Requests) metadata(id string) *fastjson.Value {
	if requests == nil || requests.byID[id] == nil || requests.byID[id].metadata == nil {
		return nil
	}
	v, _ := requests.parser.Parse(requests.byID[id].metadata)
	return v
}

// markAnswered records that a dump has a line, an answer or a failure, for the request with this id. It
// returns the model that the request asked, "" for an unknown request.
func (requests *Requests) markAnswered(id string) (model string) {
	if requests == nil || requests.byID[id] == nil {
		return ""
	}
	requests.byID[id].answered = true
	return requests.byID[id].model
}

// Unanswered returns, by the path of the file of --requests, a record without an answer for each request of
// which no dump has a line. So answers that got lost count as missing. See docs/spec/dumps.md#r12.
func (requests *Requests) Unanswered() map[string][]record.Record {
	if requests == nil {
		return nil
	}
	missing := map[string][]record.Record{}
	for _, id := range requests.idsInOrder {
		r := requests.byID[id]
		if r.answered {
			continue
		}
		lost := record.Record{At: r.at, Key: id, Model: r.model, Usage: record.NoUsage}
		if r.metadata != nil {
			var p record.Parser // the record keeps the value
			lost.Labels, _ = p.Parse(r.metadata)
		}
		lost.MarkMissing(record.NoResponse, "the request was never answered")
		missing[r.file] = append(missing[r.file], lost)
	}
	return missing
}
