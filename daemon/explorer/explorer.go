// Package explorer serves the pages of plumb view: lists of results, what explains a score,
// comparisons, suspects, moved answers. In: result files, the dumps that they are of, an engine
// that draws. Out: over HTTP, a page that a browser loads and what it asks for: selections, lists,
// explanations of single scores, pictures. It changes nothing and scores nothing but moved copies
// of answers, whose scores it keeps nowhere. It refuses requests of other origins.
package explorer

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"plumb/daemon/ask"
	"plumb/daemon/dump"
	"plumb/daemon/exhibit"
	"plumb/daemon/index"
	"plumb/scoring"
	"plumb/scoring/plural"
)

// Engine draws pictures and scores answers. It is safe for concurrent use.
type Engine interface {
	exhibit.Renderer
	// Score scores a dump line.
	Score(ctx context.Context, l dump.Line, suite string) (scoring.Result, error)
}

// Job is a set of result files that are looked at together.
type Job struct {
	Name    string
	Results []string
	Dumps   []string
}

// Config of an Explorer.
type Config struct {
	Title    string
	Jobs     func() ([]Job, error) // called for each list of jobs
	Items    dump.ItemConfig       // the suites and their task files
	Variants scoring.Variants
	Papers   [][]byte // as in table.Options
	Line     int      // bytes of a line at most
	// ResultCopies and DumpCopies are index.Options.Copies of result files and dumps; nil refuses
	// what is no plain file of plumb's own lines.
	ResultCopies, DumpCopies func(path string) (index.Copy, error)
	// Engine opens the engine; it is called once, when the first picture is wanted. The error is
	// shown in place of pictures.
	Engine  func() (Engine, error)
	Prompts *ask.Prompter // what models were asked, with pictures; nil for pages without
	// Flags are the flags with which plumb score reads the dumps, for the commands that pages show.
	Flags   []string
	Client  string // folder of the built pages
	Version string
	Hosts   []string // names by which browsers may reach it, on any port because ports are forwarded; nil for any
	Log     *slog.Logger
	Cached  int64 // bytes of pictures that are kept, default 64 MiB
}

// Explorer answers requests. It is safe for concurrent use.
type Explorer struct {
	cfg    Config
	assets map[string]asset
	cache  *pictureCache

	engineOnce sync.Once
	engine     Engine
	engineErr  error

	mu   sync.Mutex // guards open
	open []*opened  // the one that was used last at the end
	life context.Context
	end  context.CancelFunc
}

// maxOpen is how many jobs are open at once; of others the one that was used longest ago is closed.
const maxOpen = 4

// New returns an explorer. It opens nothing yet. A folder without built pages is no error: the page
// then says so.
func New(cfg Config) *Explorer {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	e := &Explorer{cfg: cfg, cache: newPictureCache(cmp.Or(cfg.Cached, 64<<20))}
	e.assets = readAssets(cfg.Client)
	e.life, e.end = context.WithCancel(context.Background())
	return e
}

// Close stops the work in the background, such as the making of indexes, and closes all open jobs.
// Requests must have ended.
func (explorer *Explorer) Close() {
	explorer.end()
	explorer.mu.Lock()
	defer explorer.mu.Unlock()
	for _, o := range explorer.open {
		o.close()
	}
	explorer.open = nil
}

// openEngine returns the engine that draws pictures and scores answers. The first call opens
// it, and every call gets the same engine or error.
func (explorer *Explorer) openEngine() (Engine, error) {
	explorer.engineOnce.Do(func() {
		if explorer.cfg.Engine == nil {
			explorer.engineErr = errors.New("there is no engine")
			return
		}
		explorer.engine, explorer.engineErr = explorer.cfg.Engine()
	})
	return explorer.engine, explorer.engineErr
}

// opened is a job with its indexes.
type opened struct {
	job    Job
	done   chan struct{} // closed when set and dumps are there, or fault
	cancel context.CancelFunc

	mu      sync.Mutex // guards what follows until done is closed
	loading Loading
	remarks []string

	set         *index.Set
	dumps       []*index.Dump
	papers      []TextTable
	series      []Series
	byID        map[string]int // of series
	fault       error
	reportLines map[int]*Given // lines of rows, where no files are open; nil where files are
	rules       *scanner
	texts       textCache
	lastAsked   askedCache
	lastPairs   pairCache
	users       sync.RWMutex // held for reading while a request uses the columns
	closed      bool
}

// Begin begins to open a job, so that it is there when the first page asks for it. Errors are kept and shown
// on that page.
func (explorer *Explorer) Begin(name string) { explorer.find(name) }

// errLoading says that indexes are still made.
var errLoading = errors.New("the index is being made; ask info for how far it is")

// find returns the opened job of that name, and begins to open it in the background if it is
// not open or its files have changed. If more than maxOpen jobs are open, it closes the one
// that was used longest ago. Callers must not read the columns before its channel done is closed.
func (explorer *Explorer) find(name string) (*opened, error) {
	explorer.mu.Lock()
	defer explorer.mu.Unlock()
	// An open job moves to the end of the list, as the one used last.
	for i, opened := range explorer.open {
		if opened.job.Name != name {
			continue
		}
		if opened.stale() {
			explorer.open = slices.Delete(explorer.open, i, i+1)
			go opened.close()
			break
		}
		explorer.open = append(slices.Delete(explorer.open, i, i+1), opened)
		return opened, nil
	}
	// Another job is opened.
	jobs, err := explorer.cfg.Jobs()
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(jobs, func(j Job) bool { return j.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("cannot open %.80q: there is no such job", name)
	}
	opened := explorer.begin(jobs[i])
	if explorer.open = append(explorer.open, opened); len(explorer.open) > maxOpen {
		go explorer.open[0].close()
		explorer.open = slices.Delete(explorer.open, 0, 1)
	}
	return opened, nil
}

// ready returns an open job whose columns may be read until release is called. The error is
// errLoading while the job is being opened.
func (explorer *Explorer) ready(name string) (opened *opened, release func(), err error) {
	opened, err = explorer.find(name)
	if err != nil {
		return nil, nil, err
	}
	select {
	case <-opened.done:
	default:
		return nil, nil, errLoading
	}
	if opened.fault != nil {
		return nil, nil, opened.fault
	}
	opened.users.RLock()
	if opened.closed { // since find: the next request opens it again
		opened.users.RUnlock()
		return nil, nil, errLoading
	}
	return opened, opened.users.RUnlock, nil
}

// begin opens the result files of a job in the background. The channel done is closed at the end, and
// the field fault says what failed.
func (explorer *Explorer) begin(j Job) *opened {
	ctx, cancel := context.WithCancel(explorer.life)
	job := &opened{job: j, done: make(chan struct{}), cancel: cancel, set: &index.Set{}, byID: map[string]int{}}
	go func() {
		defer close(job.done)
		defer func() {
			if p := recover(); p != nil {
				job.fault = fmt.Errorf("cannot open the results: BUG: %v", p)
			}
		}()
		if job.fault = explorer.load(ctx, job); job.fault != nil {
			explorer.cfg.Log.Warn("cannot show results", "job", j.Name, "error", job.fault)
		}
	}()
	return job
}

// load opens the result files and dumps of a job, which makes the indexes that are missing.
// A dump that cannot be opened is only remarked on, because results can be shown without it.
func (explorer *Explorer) load(ctx context.Context, opened *opened) error {
	for _, path := range opened.job.Results {
		opt := opened.options(explorer, path, IndexOptions(explorer.cfg.Items.Suites, explorer.cfg.Variants, explorer.cfg.Papers))
		opt.Copies = explorer.cfg.ResultCopies
		file, err := index.OpenResults(ctx, path, opt)
		if err != nil {
			return err
		}
		opened.set.Files = append(opened.set.Files, file)
		var tables []TextTable
		if len(file.Extra) > 0 && json.Unmarshal(file.Extra, &tables) == nil { // stored as IndexOptions says
			opened.addPapers(tables, path)
		}
	}
	for _, path := range opened.job.Dumps {
		opt := opened.options(explorer, path, index.Options{})
		opt.Copies = explorer.cfg.DumpCopies
		dump, err := index.OpenDump(ctx, path, opt)
		if err != nil { // results can be shown without it
			opened.remark(err.Error() + "; answers and pictures of it are not shown")
			continue
		}
		opened.dumps = append(opened.dumps, dump)
	}
	if len(opened.dumps) == 0 {
		opened.remark("no dump is open, so answers and pictures are not shown; want --dump DUMP")
	}
	opened.findSeries()
	opened.set.Texts = opened.searchTexts
	opened.rules = newScanner(explorer, opened)
	opened.set.Rules = opened.rules.bitmaps
	return nil
}

// addPapers keeps the tables of a result file. If the job has several files, the titles get the file's name.
func (opened *opened) addPapers(tables []TextTable, path string) {
	for _, table := range tables {
		if len(opened.job.Results) > 1 {
			table.Title = short(path) + ": " + table.Title
		}
		opened.papers = append(opened.papers, table)
	}
}

// options returns opt with the limit of lines, and with functions that show progress and remarks on the page.
func (opened *opened) options(explorer *Explorer, path string, opt index.Options) index.Options {
	opt.Line = explorer.cfg.Line
	opt.Progress = func(done, total int64) {
		opened.mu.Lock()
		opened.loading = Loading{What: "index of " + filepath.Base(path), Done: done, Total: total}
		opened.mu.Unlock()
	}
	opt.Tell = func(s string) {
		explorer.cfg.Log.Warn("index", "what", s)
		opened.remark(s)
	}
	return opt
}

// maxRemarks bounds the sentences on a job that the page shows.
const maxRemarks = 100

// remark adds a sentence on the job for the page, unless it has maxRemarks.
func (opened *opened) remark(text string) {
	opened.mu.Lock()
	defer opened.mu.Unlock()
	if len(opened.remarks) < maxRemarks {
		opened.remarks = append(opened.remarks, text)
	}
}

// stale reports whether the job must be opened again: a result file has changed, or opening
// failed and the cause may be gone. It returns false while the job is being opened.
func (opened *opened) stale() bool {
	select {
	case <-opened.done:
	default:
		return false
	}
	if opened.fault != nil { // what was wrong may have been mended
		return true
	}
	return slices.ContainsFunc(opened.set.Files, (*index.File).Changed)
}

// close ends the opening and the scan of answers, waits until no request uses the columns,
// and closes the job's files. It may be called twice.
func (opened *opened) close() {
	opened.cancel()
	<-opened.done
	if opened.rules != nil {
		opened.rules.stop()
	}
	opened.users.Lock()
	defer opened.users.Unlock()
	if opened.closed {
		return
	}
	opened.closed = true
	for _, f := range opened.set.Files {
		f.Close()
	}
	for _, d := range opened.dumps {
		d.Close()
	}
}

// findSeries lists the series of all files with their numbers of rows. A series that several
// files have gets the file's name in its own.
func (opened *opened) findSeries() {
	filesWith := map[string]int{} // by the name of a series
	for _, file := range opened.set.Files {
		for _, word := range file.SeriesOf {
			filesWith[seriesName(word)]++
		}
	}
	for i, file := range opened.set.Files {
		counts := make([]int, len(file.SeriesOf))
		for _, c := range file.Series {
			counts[c]++
		}
		for code, word := range file.SeriesOf {
			name := seriesName(word)
			if filesWith[name] > 1 {
				name = strings.TrimSuffix(short(file.Path)+": "+name, ": ")
			}
			series := Series{ID: seriesID(i, code), Name: cmp.Or(name, short(file.Path)), Model: word[0], Arm: arm(word), File: file.Path, Rows: counts[code], Words: word}
			opened.byID[series.ID] = len(opened.series)
			opened.series = append(opened.series, series)
		}
	}
}

// seriesID is the id of a series of a file.
func seriesID(file, code int) string { return fmt.Sprintf("%d.%d", file, code) }

// seriesName is the name of a series without its file.
func seriesName(w index.Word) string { return scoring.Series{Model: w[0], Arm: arm(w)}.String() }

// arm returns how the model of a series was asked, as one text for the page.
func arm(w index.Word) string {
	var parts []string
	for _, s := range w[1:] { // w[0] is the model
		if s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, "/")
}

// short returns the name of a result file for titles: the file's name without .jsonl, or the
// name of its folder for results.jsonl.
func short(path string) string {
	name := strings.TrimSuffix(filepath.Base(path), ".jsonl")
	if name == "results" {
		return filepath.Base(filepath.Dir(path))
	}
	return name
}

// info answers GET info: what is open, or how far the making of indexes is. Without a job's
// name, and with several jobs to choose from, it lists only their names.
func (explorer *Explorer) info(name string) (*Info, error) {
	jobs, err := explorer.cfg.Jobs()
	if err != nil {
		return nil, err
	}
	out := explorer.emptyInfo()
	out.Job = name
	for _, j := range jobs {
		out.Jobs = append(out.Jobs, j.Name)
	}
	if name == "" && !slices.ContainsFunc(jobs, func(j Job) bool { return j.Name == "" }) {
		return out, nil // one has to be chosen first
	}
	opened, err := explorer.find(name)
	if err != nil {
		return nil, err
	}
	select {
	case <-opened.done:
	default:
		opened.mu.Lock()
		l := opened.loading
		opened.mu.Unlock()
		out.Loading = &l
		return out, nil
	}
	if opened.fault != nil {
		out.Loading = &Loading{Error: opened.fault.Error()}
		return out, nil
	}
	opened.inform(out)
	return out, nil
}

// emptyInfo returns what is known while nothing is open.
func (explorer *Explorer) emptyInfo() *Info {
	return &Info{Title: explorer.cfg.Title, Jobs: []string{}, Files: []FileInfo{}, Series: []Series{}, Metrics: []string{}, Remarks: []string{}, Version: explorer.cfg.Version}
}

// maxMapped is the number of bytes of mapped files in memory above which they are released after a request.
const maxMapped = 96 << 20

// trim releases the mapped pages of the indexes if this process holds more than maxMapped bytes of mapped
// files, so that its memory stays small. It does nothing where the system does not tell.
func (opened *opened) trim() {
	data, err := os.ReadFile("/proc/self/statm") // in pages: size, resident, those of them that are of files, ...
	if err != nil {
		return // no Linux
	}
	f := bytes.Fields(data)
	if len(f) < 3 {
		return
	}
	if n, err := strconv.Atoi(string(f[2])); err == nil && n*os.Getpagesize() > maxMapped {
		opened.set.Release()
	}
}

// inform fills in what is known of an open job: its files, metrics, series, remarks and number of rows.
func (opened *opened) inform(out *Info) {
	for _, file := range opened.set.Files {
		out.Files = append(out.Files, FileInfo{file.Path, file.Rows(), file.Bad})
		if file.Bad > 0 {
			out.Remarks = append(out.Remarks, fmt.Sprintf("%s no results in %s; each is a row with the failure unreadable_line", plural.Of(file.Bad, "line holds", "lines hold"), file.Path))
		}
		for _, m := range file.Metrics {
			if !slices.Contains(out.Metrics, m) {
				out.Metrics = append(out.Metrics, m)
			}
		}
	}
	slices.Sort(out.Metrics)
	opened.mu.Lock()
	out.Remarks = append(out.Remarks, opened.remarks...)
	opened.mu.Unlock()
	out.Rows = opened.set.Rows()
	out.Series = opened.series
	out.Answers = len(opened.dumps) > 0 || opened.reportLines != nil
}
