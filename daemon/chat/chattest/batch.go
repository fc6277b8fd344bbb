package chattest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// maxRequests is the number of requests that a batch may have.
const maxRequests = 50_000

// batches are the files and batches of an endpoint.
type batches struct {
	mu    sync.Mutex
	files map[string]*file
	list  []*batch // oldest first
	next  int
}

type file struct {
	ID       string `json:"id"`
	Object   string `json:"object"`
	Bytes    int    `json:"bytes"`
	Created  int64  `json:"created_at"`
	Filename string `json:"filename"`
	Purpose  string `json:"purpose"`
	data     []byte
}

type batch struct {
	ID       string            `json:"id"`
	Object   string            `json:"object"`
	Endpoint string            `json:"endpoint"`
	Window   string            `json:"completion_window"`
	Status   string            `json:"status"`
	Input    string            `json:"input_file_id"`
	Output   *string           `json:"output_file_id"`
	Errors   *string           `json:"error_file_id"`
	Created  int64             `json:"created_at"`
	Metadata map[string]string `json:"metadata"`
	Counts   struct {
		Total     int `json:"total"`
		Completed int `json:"completed"`
		Failed    int `json:"failed"`
	} `json:"request_counts"`
	Problems any `json:"errors"`

	number int // from 0
	polls  int
	items  []item
}

// item is a request of a batch.
type item struct {
	ID     string          `json:"custom_id"`
	Method string          `json:"method"`
	URL    string          `json:"url"`
	Body   json.RawMessage `json:"body"`
}

// serveBatches answers the routes of files and batches. It returns false, and sends nothing,
// for any other route.
func (endpoint *Endpoint) serveBatches(w http.ResponseWriter, r *http.Request, body []byte) bool {
	endpoint.batches.mu.Lock()
	defer endpoint.batches.mu.Unlock()
	path := strings.Split(strings.TrimPrefix(r.URL.Path, "/v1/"), "/")
	route := r.Method + " " + path[0]
	switch {
	case route == "POST files" && len(path) == 1:
		endpoint.upload(w, r, body)
	case route == "GET files" && len(path) == 2:
		send(w, endpoint.batches.files[path[1]])
	case route == "GET files" && len(path) == 3 && path[2] == "content":
		if f := endpoint.batches.files[path[1]]; f != nil {
			w.Write(f.data)
		} else {
			fail(w, http.StatusNotFound, "no such file")
		}
	case route == "DELETE files" && len(path) == 2:
		delete(endpoint.batches.files, path[1])
		say(w, http.StatusOK, `{"id":"`+path[1]+`","object":"file","deleted":true}`)
	case route == "POST batches" && len(path) == 1:
		endpoint.create(w, body)
	case route == "GET batches" && len(path) == 1:
		endpoint.listBatches(w, r)
	case route == "GET batches" && len(path) == 2:
		b := endpoint.find(path[1])
		endpoint.poll(b)
		send(w, b)
	case route == "POST batches" && len(path) == 3 && path[2] == "cancel":
		batch := endpoint.find(path[1])
		if batch != nil && (batch.Status == "in_progress" || batch.Status == "validating") {
			batch.Status = "cancelling"
		}
		send(w, batch)
	default:
		return false
	}
	return true
}

// send answers with an object, or that there is none.
func send[T any](w http.ResponseWriter, v *T) {
	if v == nil {
		fail(w, http.StatusNotFound, "no such object")
		return
	}
	say(w, http.StatusOK, string(encode(v)))
}

// find returns the batch of that id, nil if there is none.
func (endpoint *Endpoint) find(id string) *batch {
	for _, b := range endpoint.batches.list {
		if b.ID == id {
			return b
		}
	}
	return nil
}

// upload answers the upload of a file of requests: a form with the purpose batch and one file.
func (endpoint *Endpoint) upload(w http.ResponseWriter, r *http.Request, body []byte) {
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/form-data" {
		fail(w, http.StatusBadRequest, "want multipart/form-data")
		return
	}
	const inMemory = 256 << 20 // bytes of files; more would go to temporary files
	form, err := multipart.NewReader(bytes.NewReader(body), params["boundary"]).ReadForm(inMemory)
	if err != nil || len(form.File["file"]) != 1 || len(form.Value["purpose"]) != 1 ||
		form.Value["purpose"][0] != "batch" {
		fail(w, http.StatusBadRequest, "want the purpose batch and one file")
		return
	}
	file, err := form.File["file"][0].Open()
	if err != nil {
		fail(w, http.StatusBadRequest, err.Error())
		return
	}
	defer file.Close()
	data, err := io.ReadAll(file)
	if err != nil {
		fail(w, http.StatusBadRequest, err.Error())
		return
	}
	send(w, endpoint.store(form.File["file"][0].Filename, "batch", data))
}

// store keeps a file. The caller holds the lock of the batches.
func (endpoint *Endpoint) store(name, purpose string, data []byte) *file {
	batches := &endpoint.batches
	batches.next++
	f := &file{ID: fmt.Sprintf("file-%04d", batches.next), Object: "file", Bytes: len(data), Created: time.Now().Unix(),
		Filename: name, Purpose: purpose, data: data}
	if batches.files == nil {
		batches.files = map[string]*file{}
	}
	batches.files[f.ID] = f
	return f
}

// create answers the creation of a batch. One whose file is wrong, or that draws the fault
// Failed, is created with the status failed.
func (endpoint *Endpoint) create(w http.ResponseWriter, body []byte) {
	var req struct {
		Input    string            `json:"input_file_id"`
		Endpoint string            `json:"endpoint"`
		Window   string            `json:"completion_window"`
		Metadata map[string]string `json:"metadata"`
	}
	if json.Unmarshal(body, &req) != nil || req.Endpoint != "/v1/chat/completions" || req.Window != "24h" ||
		endpoint.batches.files[req.Input] == nil {
		fail(w, http.StatusBadRequest, "want an input_file_id, the endpoint /v1/chat/completions and the completion_window 24h")
		return
	}
	batches := &endpoint.batches
	b := &batch{ID: fmt.Sprintf("batch_%04d", len(batches.list)), Object: "batch", Endpoint: req.Endpoint,
		Window: req.Window, Status: "in_progress", Input: req.Input,
		Created: time.Now().Unix(), Metadata: req.Metadata, number: len(batches.list)}
	if problem := b.read(batches.files[req.Input].data); problem != "" || endpoint.meetsFault(b, Failed) {
		b.Status = "failed"
		b.Problems = map[string]any{"object": "list", "data": []any{map[string]any{"code": "invalid_file", "message": "the input file cannot be used" + problem}}}
	}
	batches.list = append(batches.list, b)
	send(w, b)
}

// read reads the requests of a batch from its file. problem, to be put after a message,
// says what is wrong with them, "" for nothing.
func (batch *batch) read(data []byte) (problem string) {
	seen := map[string]bool{}
	for line := range bytes.Lines(data) {
		var it item
		switch {
		case len(bytes.TrimSpace(line)) == 0:
			continue
		case json.Unmarshal(line, &it) != nil || it.ID == "" || it.Method != "POST" || it.URL != batch.Endpoint:
			return ": a line is no request"
		case seen[it.ID]:
			return ": two requests have the custom_id " + it.ID
		}
		seen[it.ID] = true
		batch.items = append(batch.items, it)
	}
	batch.Counts.Total = len(batch.items)
	if n := len(batch.items); n == 0 || n > maxRequests {
		return fmt.Sprintf(": it has %d requests; want 1 to %d", n, maxRequests)
	}
	return ""
}

// meetsFault reports whether a batch of the mock endpoint meets a fault, and counts it then. That follows
// from the seed and the number of the batch, so a test can repeat it.
func (endpoint *Endpoint) meetsFault(b *batch, f Fault) bool {
	hit := endpoint.chance(fmt.Sprintf("%s|%d", f, b.number)) < endpoint.cfg.Faults[f]
	if hit {
		endpoint.meet(f)
	}
	return hit
}

// listBatches answers with a page of the list of batches, newest first, that begins after the batch `after`.
func (endpoint *Endpoint) listBatches(w http.ResponseWriter, r *http.Request) {
	limit, err := strconv.Atoi(r.URL.Query().Get("limit"))
	if err != nil || limit < 1 || limit > 100 {
		limit = 20
	}
	var page []*batch // newest first
	after := r.URL.Query().Get("after")
	more := false
	for _, b := range slices.Backward(endpoint.batches.list) {
		switch {
		case after != "":
			if b.ID == after {
				after = ""
			}
		case len(page) == limit:
			more = true
		default:
			page = append(page, b)
		}
	}
	out := map[string]any{"object": "list", "data": append([]*batch{}, page...), "has_more": more}
	if len(page) > 0 {
		out["first_id"], out["last_id"] = page[0].ID, page[len(page)-1].ID
	}
	say(w, http.StatusOK, string(encode(out)))
}

// poll advances a batch each time that a client looks at it. After Config.BatchPolls looks it ends, completed
// or expired; a slow one takes ten times as many, and one that is being cancelled ends at once. Half of the
// requests of an expired or cancelled batch are answered.
func (endpoint *Endpoint) poll(batch *batch) {
	if batch == nil || batch.Status != "in_progress" && batch.Status != "cancelling" {
		return
	}
	if batch.polls == 0 && endpoint.meetsFault(batch, Slow) {
		batch.polls = -9 * endpoint.cfg.BatchPolls // so that the batch takes ten times as many looks
	}
	if batch.polls++; batch.Status == "in_progress" && batch.polls <= endpoint.cfg.BatchPolls {
		return
	}
	half := (len(batch.items) + 1) / 2
	switch {
	case batch.Status == "cancelling":
		endpoint.end(batch, "cancelled", half)
	case endpoint.meetsFault(batch, Expired):
		endpoint.end(batch, "expired", half)
	default:
		endpoint.end(batch, "completed", len(batch.items))
	}
}

// end ends a batch: it answers the first n requests, reports the others as not executed, and
// stores both files. Faults repeat or reorder the answers.
func (endpoint *Endpoint) end(batch *batch, status string, n int) {
	batch.Status = status
	var good, bad [][]byte
	for i, item := range batch.items {
		if i >= n {
			bad = append(bad, encode(map[string]any{"id": fmt.Sprintf("batch_req_%d", i), "custom_id": item.ID, "response": nil,
				"error": map[string]any{"code": "batch_" + status, "message": "This request was not executed."}}))
			continue
		}
		code, body := endpoint.answerItem(&item)
		line := encode(map[string]any{"id": fmt.Sprintf("batch_req_%d", i), "custom_id": item.ID, "error": nil,
			"response": map[string]any{"status_code": code, "request_id": fmt.Sprintf("req_%d", i), "body": body}})
		if code == http.StatusOK {
			good = append(good, line)
		} else {
			bad = append(bad, line)
		}
	}
	batch.Counts.Completed, batch.Counts.Failed = len(good), len(bad)
	if endpoint.meetsFault(batch, Twice) {
		good = append(good, good[:(len(good)+1)/2]...)
	}
	if endpoint.meetsFault(batch, Shuffled) {
		slices.Reverse(good)
		good = append(good[len(good)/3:], good[:len(good)/3]...)
	}
	if len(good) > 0 {
		batch.Output = &endpoint.store(batch.ID+"_output.jsonl", "batch_output", lines(good)).ID
	}
	if len(bad) > 0 {
		batch.Errors = &endpoint.store(batch.ID+"_error.jsonl", "batch_output", lines(bad)).ID
	}
}

func lines(list [][]byte) []byte {
	return append(bytes.Join(list, []byte("\n")), '\n')
}

// answerItem answers one request of a batch, with those of the faults of calls that batches
// have, and bills the answer.
func (endpoint *Endpoint) answerItem(item *item) (status int, body json.RawMessage) {
	call, err := readCall(item.Body)
	if err != nil {
		return http.StatusBadRequest, encode(map[string]any{"error": map[string]any{"message": err.Error()}})
	}
	endpoint.mu.Lock()
	call.N = endpoint.asked[call.id]
	endpoint.asked[call.id]++
	endpoint.mu.Unlock()
	fault := endpoint.fault(call)
	switch fault {
	case Context, Parameter, Broken, TooMany:
		endpoint.meet(fault)
		code := map[Fault]int{Context: 400, Parameter: 400, Broken: 500, TooMany: 429}[fault]
		return code, encode(map[string]any{"error": map[string]any{"message": "refused in a batch: " + string(fault)}})
	case Length, LengthNull, Filter, GeminiFilter, Refusal, NoUsage, Gap:
		endpoint.meet(fault)
	default:
		fault = None
	}
	call.Stream = false
	b := endpoint.completion(fault, call)
	endpoint.bill(call, item.ID)
	return http.StatusOK, b
}
