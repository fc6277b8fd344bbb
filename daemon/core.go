// Package daemon joins the engine, the queue and the HTTP server into a process that
// starts, serves and stops: sockets, handover, secrets, task files, plumb view. In: a
// Config. Out: one line when it listens. It finishes the requests under way before it
// stops. It declares no flags and reads no environment.
package daemon

import (
	"errors"
	"fmt"
	"runtime"
	"strings"

	"plumb/daemon/api"
	"plumb/daemon/dump"
	"plumb/daemon/judge"
	"plumb/daemon/queue"
	"plumb/render"
	"plumb/render/font"
	"plumb/render/paint"
	"plumb/render/scene"
	"plumb/render/view"
	"plumb/scoring"
)

// CoreConfig configures scoring, both in process and behind HTTP.
type CoreConfig struct {
	Engine   render.Config
	Fonts    string // folder of the fonts, "" to look for it
	Suites   scoring.Suites
	Suite    string            // for items that name none
	TaskFile map[string]string // by suite, or SUITE:SPLIT
	Lines    dump.Limits
	Scenes   scene.Limits
	Response int           // bytes of an answer at most
	Actions  int           // operations of an answer at most
	Queue    queue.Config  // Engine, Items and Judge are filled in
	Judge    *judge.Config // the judge of open answers; nil for none
	Remote   bool          // results go to clients; messages then name no paths of this machine
	Whole    bool          // tasks are kept whole, for prompts
}

// Core is an engine with its queue.
type Core struct {
	Engine   *render.Engine
	Queue    *queue.Queue
	Items    dump.ItemConfig
	Pictures dump.PictureOptions // how scenes are read for this engine
	Workers  int                 // goroutines of the queue
	Judge    *judge.Client       // nil for none
}

// The work of one batch, in rows of masks and items as render.Prepared.Work counts them: about 16 ms on a
// software driver, and enough to fill a GPU.
const (
	softwareBatchWork = 800_000
	gpuBatchWork      = 4_000_000
)

// BatchWork is the work of one batch on that engine, in the unit of
// render.Prepared.Work.
func BatchWork(i render.Info) int {
	if i.GPU != nil && !i.GPU.Software {
		return gpuBatchWork
	}
	return softwareBatchWork
}

// Items loads the task files and returns what the decoding of dump lines needs. The keys of
// cfg.TaskFile are SUITE or SUITE:SPLIT. An unknown suite is an error.
func Items(cfg CoreConfig) (dump.ItemConfig, error) {
	items := dump.ItemConfig{DefaultSuite: cfg.Suite, Suites: cfg.Suites, Limits: cfg.Scenes, MaxResponse: cfg.Response,
		MaxActions: cfg.Actions, Tasks: map[string]*dump.Tasks{}}
	if cfg.Suite != "" && items.Suites.Find(cfg.Suite) == nil {
		return items, fmt.Errorf("cannot use suite %q: want one of %v", cfg.Suite, items.Suites.Names())
	}
	for key, path := range cfg.TaskFile {
		suite, _, _ := strings.Cut(key, ":")
		s := items.Suites.Find(suite)
		if s == nil {
			return items, fmt.Errorf("cannot load tasks of suite %q: want one of %v", suite, items.Suites.Names())
		}
		tasks, err := dump.TaskSource{Path: path, Rule: s.Tasks, Limits: cfg.Lines, JSON: cfg.Scenes,
			Whole: cfg.Whole}.Load()
		if err != nil {
			return items, err
		}
		items.Tasks[key] = tasks
	}
	return items, nil
}

// Open starts the judge, the engine and its queue; Close stops them. Limits of the queue
// that are not set follow from the engine and from the limits of scenes. After an error
// nothing is left open.
func Open(cfg CoreConfig) (*Core, error) {
	items, err := Items(cfg)
	if err != nil {
		return nil, err
	}
	if cfg.Fonts != "" {
		if err := font.Use(cfg.Fonts); err != nil {
			return nil, fmt.Errorf("cannot use fonts: %w", err)
		}
	}
	// Limits of scenes are limits of the engine and the browser too.
	cfg.Engine.MaxPixels, cfg.Engine.MaxSide, cfg.Engine.MaxPoints = cfg.Scenes.Pixels, cfg.Scenes.Side, cfg.Scenes.Points
	cfg.Engine.Chrome.MaxSource = cfg.Scenes.Line
	if d := cfg.Queue.Deadline; d > 0 {
		cfg.Engine.Chrome.Deadline = min(d, queue.DefaultDeadline)
	}
	// Open the judge and the engine.
	judgeClient, err := openJudge(cfg.Judge)
	if err != nil {
		return nil, err
	}
	device, err := render.Open(cfg.Engine)
	if err != nil {
		closeJudge(judgeClient)
		return nil, err
	}
	items.Meter = device.Meter()
	// The queue, whose batches fit the engine.
	queueConfig := cfg.Queue
	queueConfig.Engine, queueConfig.Items = engine{device, cfg.Queue.Watch.Stage, cfg.Remote}, items
	if queueConfig.Workers <= 0 {
		queueConfig.Workers = runtime.GOMAXPROCS(0)
	}
	queueConfig.MaxBatchPixels = max(queueConfig.MaxBatchPixels, queue.DefaultPixels, cfg.Scenes.Pixels)
	if queueConfig.MaxBatchWork <= 0 {
		queueConfig.MaxBatchWork = BatchWork(device.Info())
	}
	if judgeClient != nil {
		queueConfig.Judge, queueConfig.JudgeDeadline = judgeClient, cfg.Judge.Deadline
	}
	return &Core{Engine: device, Queue: queue.New(queueConfig), Items: items,
		Pictures: pictureOptions(device.Info(), cfg.Scenes), Workers: queueConfig.Workers, Judge: judgeClient}, nil
}

// pictureOptions returns the options with which scenes are read for an engine: its version of
// tldraw, and which scenes the editor draws.
func pictureOptions(info render.Info, limits scene.Limits) dump.PictureOptions {
	options := dump.PictureOptions{Limits: limits}
	options.Version, _ = view.ParseVersion(info.Tldraw) // no error: the engine has read this version before
	switch {
	case info.Fidelity == render.FidelityTldraw:
		options.Editor = dump.ForAll
	case info.Fidelity == render.FidelityAuto: // without a browser too: the error then says what is missing
		options.Editor = dump.ForForeign
	}
	return options
}

// Close finishes what is queued and stops the engine.
func (c *Core) Close() error {
	c.Queue.Close()
	return errors.Join(closeJudge(c.Judge), c.Engine.Close())
}

// openJudge returns the judge, or nil if none is configured.
func openJudge(cfg *judge.Config) (*judge.Client, error) {
	if cfg == nil {
		return nil, nil
	}
	return judge.New(*cfg)
}

// judgeCounts converts the counts of a judge for the metrics. An answer that shared the question of another
// one counts as judged.
func judgeCounts(s judge.Stats) api.JudgeCounts {
	return api.JudgeCounts{Judged: s.Judged + s.Shared, Known: s.Cached, Unjudged: s.Failed, Calls: s.Calls,
		Lost:   s.Lost,
		Prompt: s.PromptTokens, Completion: s.CompletionTokens, Cost: s.Cost}
}

// closeJudge closes the judge, if there is one.
func closeJudge(j *judge.Client) error {
	if j == nil {
		return nil
	}
	return j.Close()
}

// ParseRaster reads the value of --raster: how paths are filled. "reference", the default, is as the
// reference browser fills them, "exact" with their true coverage.
func ParseRaster(text string) (paint.Raster, error) {
	switch text {
	case "", "reference":
		return paint.Reference, nil
	case "exact":
		return paint.Exact, nil
	}
	return 0, fmt.Errorf("cannot use raster %q: want reference or exact", text)
}
