package daemon

import (
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"log/slog"
	"net"
	"os"
	"runtime/debug"
	"slices"
	"time"

	"github.com/valyala/fasthttp"

	"plumb/daemon/ask"
	"plumb/daemon/dump"
	"plumb/daemon/explorer"
	"plumb/daemon/queue"
	"plumb/render/view"
	"plumb/scoring"
)

// explorerEngine is the engine of an explorer: it draws pictures and scores answers through the daemon's
// core.
type explorerEngine struct {
	queue    *queue.Queue
	variants scoring.Variants
}

// Picture draws a view through the queue and waits for it. It implements explorer.Engine.
func (e explorerEngine) Picture(v view.View) (*image.NRGBA, error) {
	v.Unmeasured = true // an explorer shows no sums of its pictures
	got, err := e.queue.Draw(context.Background(), nil, func() (view.View, error) { return v, nil })
	return got.Image, err
}

// Score scores a dump line through the queue, behind all work that clients wait for. It implements
// explorer.Engine.
func (e explorerEngine) Score(ctx context.Context, l dump.Line, suite string) (scoring.Result, error) {
	a, err := e.queue.Score(ctx, l, &queue.Options{Suite: suite, Variants: e.variants, Reward: scoring.Raw,
		Priority: queue.PriorityBulk})
	return a.Result, err
}

// ExploredBy returns what draws and scores for an explorer.
func ExploredBy(c *Core, variants scoring.Variants) explorer.Engine {
	return explorerEngine{c.Queue, variants}
}

// ViewConfig configures View.
type ViewConfig struct {
	Listen   string          // a loopback address
	Explorer explorer.Config // Engine, Hosts, Prompts and Log are filled in
	Core     CoreConfig
	Out      io.Writer // gets the line with the address
	Log      *slog.Logger
	Save     io.Writer // gets the results as one HTML file in place of a server; nil to serve
	Items    int       // how many items of that file have their pictures and texts
}

// Limits of the server of View.
const (
	viewConnections = 256
	viewMemory      = 600 << 20 // beside the pages of indexes, which the kernel can drop
	viewHeader      = 64 << 10  // filters are in URLs
	viewTimeout     = 30 * time.Second
)

// View serves an explorer on a loopback address until ctx ends, or writes its results to
// cfg.Save. The engine is opened when the first picture is wanted, and closed at the end.
func View(ctx context.Context, cfg ViewConfig) (err error) {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(viewMemory) // collect more often near the bound, and do not wait for twice as much
	}
	var core *Core
	prompts := &boards{limits: cfg.Core.Scenes, cache: cfg.Core.Engine.TallyCache}
	cfg.Explorer.Prompts = &ask.Prompter{Suites: cfg.Explorer.Items.Suites, Tasks: cfg.Explorer.Items.Tasks,
		Boards: prompts.open}
	cfg.Explorer.Log = cfg.Log
	cfg.Explorer.Engine = func() (explorer.Engine, error) {
		c, err := Open(cfg.Core)
		if err != nil {
			return nil, err
		}
		core = c
		return ExploredBy(c, cfg.Explorer.Variants), nil
	}
	if cfg.Save != nil {
		err = saveResults(ctx, &cfg)
	} else {
		err = serveView(ctx, &cfg)
	}
	if core != nil {
		err = errors.Join(err, core.Close())
	}
	err = errors.Join(err, prompts.close())
	return err
}

// saveResults writes the results that an explorer shows to cfg.Save as one HTML file.
func saveResults(ctx context.Context, cfg *ViewConfig) error {
	e := explorer.New(cfg.Explorer)
	defer e.Close()
	data, err := e.Save(ctx, "", cfg.Items)
	if err != nil {
		return err
	}
	_, err = cfg.Save.Write(data)
	return err
}

// serveView serves the explorer's pages on a loopback address until ctx ends. Then requests in flight
// get five seconds to end.
func serveView(ctx context.Context, cfg *ViewConfig) (err error) {
	if rejectRemote(cfg.Listen, "--listen") != nil {
		return fmt.Errorf("cannot listen on %s: it is reached from other machines, and these pages ask for no token; want an address of this machine (--listen), or plumb serve --ui", cfg.Listen)
	}
	listener, err := net.Listen("tcp", cfg.Listen)
	if err != nil {
		return fmt.Errorf("cannot listen on %s: %w (--listen)", cfg.Listen, err)
	}
	host, _, _ := net.SplitHostPort(listener.Addr().String())
	cfg.Explorer.Hosts = append(slices.Clone(loopbackNames), host)
	e := explorer.New(cfg.Explorer)
	defer e.Close()
	e.Begin("") // begins to open the job, so that it is there when the first page asks for it
	srv := &fasthttp.Server{Name: "plumb", Concurrency: viewConnections, ReadBufferSize: viewHeader,
		ReadTimeout:  viewTimeout,
		WriteTimeout: viewTimeout, IdleTimeout: 5 * time.Minute, MaxRequestBodySize: 1 << 10, NoDefaultContentType: true, CloseOnShutdown: true, Logger: noLog{},
		Handler: func(c *fasthttp.RequestCtx) {
			if string(c.Path()) == "/" {
				c.Redirect(explorer.Prefix, fasthttp.StatusFound)
				return
			}
			e.Handle(c)
		}}
	ended := make(chan error, 1)
	go func() { ended <- srv.Serve(listener) }()
	fmt.Fprintf(cfg.Out, "listening on http://%s%s\n", listener.Addr(), explorer.Prefix)
	select {
	case err = <-ended:
	case <-ctx.Done():
		stop, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		srv.ShutdownWithContext(stop) // what is under way after that is cut
	}
	return err
}

// loopbackNames are the names of this machine by which an explorer without tokens may be reached:
// another name that leads here may be that of a hostile page.
var loopbackNames = []string{"127.0.0.1", "localhost", "::1"}

// noLog drops what the HTTP library reports of connections.
type noLog struct{}

func (noLog) Printf(string, ...any) {}
