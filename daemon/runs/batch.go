package runs

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"plumb/daemon/chat"
	"plumb/daemon/chat/budget"
	"plumb/daemon/ledger"
	"plumb/scoring/plural"
)

// Limits of a part, which becomes one batch. See docs/spec/runs.md#r55.
const (
	maxPartRequests = 50_000
	maxPartBytes    = 190 << 20
)

// maxIdleWaves is how many times in a row batches of missing calls are made and bring no outcome, before
// the run gives up.
const maxIdleWaves = 8

// BatchConfig is how calls are made by batches.
type BatchConfig struct {
	Dir    string // folder of the run
	Key    string // of the endpoint; it is cut out of what comes back
	Meter  *budget.Meter
	Price  *budget.Price // of calls in a batch, which often cost less than others; nil for unknown
	Cancel bool          // end the batches that run, and begin none
	// Poll is the first and Slow the longest time between two looks at a batch.
	Poll, Slow time.Duration
	Tell       func(string) // gets a line for people at each event; nil is silent
}

// part is what is known of one batch: a line of batches.jsonl, and below it what only this process knows.
type part struct {
	Event  string    `json:"event"`
	Part   int       `json:"part"`
	Time   time.Time `json:"time"`
	Keys   []string  `json:"keys,omitempty"`
	Hash   string    `json:"sha256,omitempty"` // of the file
	File   string    `json:"file,omitempty"`   // id of the uploaded file
	Batch  string    `json:"batch,omitempty"`
	Status string    `json:"status,omitempty"`
	Output string    `json:"output,omitempty"` // ids of files with results
	Errors string    `json:"errors,omitempty"`

	budgetHold   *budget.Hold  // what is reserved of the budget; nil for a batch of an earlier process
	lookInterval time.Duration // between the last look at the batch and the next one
	nextLook     time.Time     // when to look at the batch next
}

// The events of batches.jsonl, in the order in which a part goes through them.
const (
	partPrepared = "prepared"
	partUploaded = "uploaded"
	partCreated  = "created"
	partEnded    = "ended"
	partFetched  = "fetched"
)

// batcher makes calls by batches.
type batcher struct {
	run          *Run
	client       *chat.Client
	cfg          BatchConfig
	log          *ledger.Log
	parts        []*part
	runID        string // names the run in the metadata of its batches
	outcomesKept int    // outcomes that this process put into the log
}

// The shortest and the longest time between two looks at a batch, if the configuration does not say.
const (
	defaultPoll = 15 * time.Second
	defaultSlow = 2 * time.Minute
)

// AskBatches makes all calls that the log lacks by batches, and puts their outcomes into the log. Calls
// that depend on the answers of others come in later batches. Batches that an earlier process began
// are taken up, as batches.jsonl in the folder tells. ctx ends the waiting only: batches go on at the
// endpoint. Results are as for Ask.
func (run *Run) AskBatches(ctx context.Context, client *chat.Client, cfg BatchConfig) ([]Failure, error) {
	cfg.Poll, cfg.Slow = cmp.Or(cfg.Poll, defaultPoll), cmp.Or(cfg.Slow, defaultSlow)
	if cfg.Tell == nil {
		cfg.Tell = func(string) {}
	}
	b := &batcher{run: run, client: client, cfg: cfg}
	var err error
	if b.log, err = ledger.OpenLog(filepath.Join(cfg.Dir, "batches.jsonl"), b.replay); err != nil {
		return nil, err
	}
	defer b.log.Close()
	// With this id and the hash of its file, a batch is found again among those of all runs at the endpoint.
	sum := sha256.Sum256([]byte(run.cfg.Suite + "|" + run.cfg.Model + "|" + cfg.Dir))
	b.runID = hex.EncodeToString(sum[:8])
	failures, err := b.askInWaves(ctx)
	if err != nil && ctx.Err() != nil {
		err = fmt.Errorf("%w: %s on at the endpoint; the same command goes on with that, --batch-cancel ends it",
			ErrEarly, plural.Of(len(b.unfetched()), "batch goes", "batches go"))
	}
	return failures, err
}

// replay brings batcher.parts up to date with one line of batches.jsonl: what an earlier process did with a
// batch. Only the first line of a batch has its calls and hash; later ones get them from it.
func (batcher *batcher) replay(line []byte, _ ledger.Place) error {
	var p part
	if err := json.Unmarshal(line, &p); err != nil {
		return fmt.Errorf("cannot read batches.jsonl: %w", err)
	}
	if p.Event == partPrepared {
		batcher.parts = append(batcher.parts, &p)
		return nil
	}
	i := slices.IndexFunc(batcher.parts, func(earlier *part) bool { return earlier.Part == p.Part })
	if i < 0 {
		return fmt.Errorf("cannot read batches.jsonl: part %d was not prepared", p.Part)
	}
	p.Keys, p.Hash = batcher.parts[i].Keys, batcher.parts[i].Hash
	batcher.parts[i] = &p
	return nil
}

// logEvent sets the event and time of a batch, writes them to batches.jsonl, and returns when that is on
// the disk. The keys of its calls, which are long, are written with the first event only.
func (batcher *batcher) logEvent(p *part, event string) error {
	p.Event, p.Time = event, now()
	line := *p // a copy, which may be cut
	if event != partPrepared {
		line.Keys, line.Hash = nil, ""
	}
	j, err := json.Marshal(line)
	if err == nil {
		_, err = batcher.log.Append(j)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", errLog, err)
	}
	return nil
}

// unfetched returns the batches at the endpoint whose results are not fetched yet.
func (batcher *batcher) unfetched() (list []*part) {
	for _, p := range batcher.parts {
		if p.Event != partFetched {
			list = append(list, p)
		}
	}
	return list
}

// askInWaves takes up the batches of an earlier process. Then it repeats two steps: it makes batches of all calls
// that can be made now (a wave), and waits for the batch that is due next (waitStep). It ends when no batch
// is left and no call can be made, or early, when maxIdleWaves waves in a row brought no outcome, because more
// would be paid for in vain. With Cancel it makes no batches, and waits for those that run. Failures are
// tasks that cannot be asked.
func (batcher *batcher) askInWaves(ctx context.Context) ([]Failure, error) {
	if err := batcher.resume(ctx); err != nil {
		return nil, err
	}
	for idleWaves := 0; ; { // waves in a row that left calls and brought no outcome
		makeBatches := !batcher.cfg.Cancel && idleWaves < maxIdleWaves
		lacking, failures, err := batcher.batchMissing(ctx, makeBatches) // lacking: calls without an outcome that are in no batch yet
		if err != nil {
			return failures, err
		}
		keptBefore := batcher.outcomesKept
		if lacking > 0 && !batcher.cfg.Cancel {
			if idleWaves++; !makeBatches { // too many waves brought nothing
				return failures, fmt.Errorf("%w: %s no outcome in %d batches each", ErrEarly, plural.Of(lacking, "call had", "calls had"), maxIdleWaves)
			}
		}
		// Without a batch that runs there is nothing more to come.
		if len(batcher.unfetched()) == 0 {
			if batcher.cfg.Cancel && lacking > 0 {
				return failures, fmt.Errorf("%w: batches were cancelled; %s no outcome", ErrEarly, plural.Of(lacking, "call has", "calls have"))
			}
			return failures, nil
		}
		if err := batcher.waitStep(ctx); err != nil {
			return failures, err
		}
		if batcher.outcomesKept > keptBefore {
			idleWaves = 0
		}
	}
}

// batchMissing finds the calls that can be made now, the next one of each unit (a task in an arm) that has no
// outcome, and returns their number. If makeBatches is true, it writes them to files and makes these as batches
// at the endpoint, as many as the limits of a batch ask for; each call is in memory only until it is written. It
// leaves out calls in a batch that runs, and takes a call of several units once, as one answer serves all.
// A unit without a next call is marked as finished. failures are the tasks that cannot be asked.
func (batcher *batcher) batchMissing(ctx context.Context, makeBatches bool) (count int, failures []Failure, err error) {
	busy := map[string]bool{} // keys of calls
	for _, p := range batcher.unfetched() {
		for _, k := range p.Keys {
			busy[k] = true
		}
	}
	var file *partFile // of the batch that is being written; nil for none
	defer func() {
		if file != nil {
			file.remove()
		}
	}()
	for i, unit := range batcher.run.units {
		if _, ok := batcher.run.finished[i]; ok {
			continue
		}
		var m unitCalls
		call, err := batcher.run.firstWithoutOutcome(unit, &m, batcher.run.usableOutcome, ignore)
		switch {
		case errors.Is(err, errLog):
			return count, failures, err
		case err != nil:
			failures = append(failures, Failure{unit.task.ID, err})
		case call == nil:
			batcher.run.finished[i] = m.keys()
		case !busy[call.key]:
			busy[call.key] = true // units of several arms may ask the same
			count++
			if makeBatches {
				if file, err = batcher.addCall(ctx, file, call); err != nil {
					return count, failures, err
				}
			}
		}
	}
	if file != nil {
		last := file
		file = nil // beginBatch removes the file itself
		err = batcher.beginBatch(ctx, last)
	}
	return count, failures, err
}

// addCall writes a call into the file of a batch. It returns the file that takes the next call: a new one
// where there was none, or where the call would exceed the limits of the one before, whose batch is then
// made. The call's pictures are kept in the folder of the run.
func (batcher *batcher) addCall(ctx context.Context, file *partFile, call *call) (*partFile, error) {
	body, err := call.request.Body()
	if err != nil {
		return file, fmt.Errorf("cannot ask %s: %w", call.task.ID, err)
	}
	// The line of the file.
	line, err := json.Marshal(map[string]any{
		"custom_id": call.key, "method": "POST", "url": "/v1/chat/completions", "body": json.RawMessage(body)})
	if err != nil {
		return file, err
	}
	line = append(line, '\n')
	// A full file is sent as a batch, and another one is begun.
	if file != nil && file.isFull(len(line)) {
		if err := batcher.beginBatch(ctx, file); err != nil {
			return nil, err
		}
		file = nil
	}
	if file == nil {
		p := &part{Part: len(batcher.parts) + 1}
		if file, err = newPartFile(p, batcher.requestFile(p)); err != nil {
			return nil, err
		}
	}
	if err := batcher.run.keepPictures(call); err != nil {
		return file, err
	}
	file.add(line, call)
	return file, nil
}

// beginBatch makes the batch of a file at the endpoint. Before it is uploaded, the most that it may cost is
// reserved of the budget, and its calls are in batches.jsonl.
func (batcher *batcher) beginBatch(ctx context.Context, file *partFile) error {
	part := file.part
	if err := file.finish(); err != nil {
		file.remove()
		return fmt.Errorf("cannot write batch: %w", err)
	}
	var err error
	if part.budgetHold, err = batcher.cfg.Meter.Reserve(ctx, file.maxTokens); err != nil {
		file.remove()
		return fmt.Errorf("%w: %w", ErrEarly, err)
	}
	if err := batcher.logEvent(part, partPrepared); err != nil {
		return err
	}
	batcher.parts = append(batcher.parts, part)
	return batcher.upload(ctx, part)
}

// requestFile returns the path of the file of a batch, which is deleted when the endpoint has made the batch.
func (batcher *batcher) requestFile(p *part) string {
	return filepath.Join(batcher.cfg.Dir, "batch-"+strconv.Itoa(p.Part)+".jsonl")
}

// upload sends the file of a batch to the endpoint as a form, notes the id of the uploaded file in
// batches.jsonl, and has the endpoint make the batch. The form is written to a pipe while it is sent,
// as it is too long for memory.
func (batcher *batcher) upload(ctx context.Context, part *part) error {
	f, err := os.Open(batcher.requestFile(part))
	if err != nil {
		return fmt.Errorf("cannot read batch: %w", err)
	}
	defer f.Close()
	body, into := io.Pipe()
	form := multipart.NewWriter(into)
	// Write the form.
	go func() {
		err := form.WriteField("purpose", "batch")
		var w io.Writer
		if err == nil {
			w, err = form.CreateFormFile("file", filepath.Base(batcher.requestFile(part)))
		}
		if err == nil {
			_, err = io.Copy(w, f)
		}
		into.CloseWithError(errors.Join(err, form.Close()))
	}()
	// Send it.
	var file struct{ ID string }
	err = batcher.callAPI(ctx, "POST", "files", form.FormDataContentType(), body, &file)
	body.Close()
	if err != nil || file.ID == "" {
		return fmt.Errorf("%w: cannot upload a batch: %w", ErrEarly, cmp.Or(err, errors.New("the endpoint named no file")))
	}
	part.File = file.ID
	if err := batcher.logEvent(part, partUploaded); err != nil {
		return err
	}
	return batcher.createBatch(ctx, part)
}

// createBatch has the endpoint make the batch of an uploaded file, and notes its id.
func (batcher *batcher) createBatch(ctx context.Context, part *part) error {
	body, err := json.Marshal(map[string]any{
		"input_file_id": part.File, "endpoint": "/v1/chat/completions", "completion_window": "24h", "metadata": batcher.metadata(part)})
	if err != nil {
		return err
	}
	var made state
	if err := batcher.callAPI(ctx, "POST", "batches", "application/json", bytes.NewReader(body), &made); err != nil || made.ID == "" {
		return fmt.Errorf("%w: cannot begin a batch: %w", ErrEarly, cmp.Or(err, errors.New("the endpoint named no batch")))
	}
	return batcher.noteCreated(part, made.ID)
}

// noteCreated notes the id that the endpoint gave to a batch in batches.jsonl, deletes the batch's file,
// which is not needed any more, and tells people.
func (batcher *batcher) noteCreated(part *part, id string) error {
	part.Batch = id
	if err := batcher.logEvent(part, partCreated); err != nil {
		return err
	}
	os.Remove(batcher.requestFile(part))
	batcher.cfg.Tell(fmt.Sprintf("batch %s: %s", id, plural.Of(len(part.Keys), "call")))
	return nil
}

// metadata returns the metadata by which a batch of this run is told from all others at the endpoint: the
// id of the run, and the number of the part with the start of its file's hash.
func (batcher *batcher) metadata(p *part) map[string]string {
	return map[string]string{"plumb_run": batcher.runID, "plumb_part": strconv.Itoa(p.Part) + "-" + p.Hash[:16]}
}

// state is what the endpoint says of a batch.
type state struct {
	ID       string            `json:"id"`
	Status   string            `json:"status"`
	Output   *string           `json:"output_file_id"`
	Errors   *string           `json:"error_file_id"`
	Metadata map[string]string `json:"metadata"`
}

// resume takes up the batches that an earlier process began, so that they can be waited for. One that was
// not uploaded is given up: its calls are asked anew. One whose file was uploaded is looked for among the
// endpoint's batches before it is made, so that none is made and paid for twice. With Cancel the endpoint
// is told to end each batch.
func (batcher *batcher) resume(ctx context.Context) error {
	for _, part := range batcher.unfetched() {
		var err error
		switch part.Event {
		case partPrepared: // not uploaded: its calls are asked anew
			os.Remove(batcher.requestFile(part))
			err = batcher.logEvent(part, partFetched)
		case partUploaded:
			var id string
			if id, err = batcher.findBatch(ctx, part); err == nil && id != "" {
				err = batcher.noteCreated(part, id)
			} else if err == nil {
				err = batcher.createBatch(ctx, part)
			}
		}
		if err == nil && part.Event == partCreated && batcher.cfg.Cancel {
			err = batcher.callAPI(ctx, "POST", "batches/"+part.Batch+"/cancel", "application/json", nil, nil)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// findBatch returns the id of the batch at the endpoint that has the metadata of p, "" for none. It goes
// through the list of all batches there, page by page.
func (batcher *batcher) findBatch(ctx context.Context, p *part) (string, error) {
	want := batcher.metadata(p)
	after := "" // the last batch of the page before
	for {
		var list struct {
			Data []state `json:"data"`
			More bool    `json:"has_more"`
		}
		route := "batches?limit=100"
		if after != "" {
			route += "&after=" + after
		}
		if err := batcher.callAPI(ctx, "GET", route, "", nil, &list); err != nil {
			return "", fmt.Errorf("%w: cannot list batches: %w", ErrEarly, err)
		}
		for _, s := range list.Data {
			if s.Metadata["plumb_run"] == want["plumb_run"] && s.Metadata["plumb_part"] == want["plumb_part"] {
				return s.ID, nil
			}
		}
		if !list.More || len(list.Data) == 0 {
			return "", nil
		}
		after = list.Data[len(list.Data)-1].ID
	}
}

// waitStep does one step of waiting. If a batch has ended whose results an earlier process did not fetch,
// it fetches them. Otherwise it sleeps until the batch that is due first is due, asks the endpoint
// about it, and fetches its results if it has ended, be it with success or not: a batch that failed or
// was cancelled may have answered some of its calls. The time between two looks doubles. An endpoint
// that does not answer is told to people and asked again.
func (batcher *batcher) waitStep(ctx context.Context) error {
	for _, p := range batcher.unfetched() {
		if p.Event == partEnded {
			return batcher.fetchResults(ctx, p)
		}
	}
	// Wait until the first batch is due.
	var due *part
	for _, p := range batcher.unfetched() {
		if due == nil || p.nextLook.Before(due.nextLook) {
			due = p
		}
	}
	if d := time.Until(due.nextLook); d > 0 {
		select {
		case <-time.After(d):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	// Look at it.
	var s state
	if err := batcher.callAPI(ctx, "GET", "batches/"+due.Batch, "", nil, &s); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		batcher.cfg.Tell(fmt.Sprintf("batch %s: cannot look at it: %v", due.Batch, err))
	}
	switch s.Status {
	case "completed", "failed", "expired", "cancelled":
		due.Status = s.Status
		if s.Output != nil {
			due.Output = *s.Output
		}
		if s.Errors != nil {
			due.Errors = *s.Errors
		}
		if s.Status != "completed" {
			batcher.cfg.Tell(fmt.Sprintf("batch %s: %s; what it answered is kept", due.Batch, s.Status))
		}
		if err := batcher.logEvent(due, partEnded); err != nil {
			return err
		}
		return batcher.fetchResults(ctx, due)
	}
	// It goes on: look again later.
	due.lookInterval = min(max(2*due.lookInterval, batcher.cfg.Poll), batcher.cfg.Slow)
	due.nextLook = time.Now().Add(due.lookInterval)
	return nil
}
