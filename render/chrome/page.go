package chrome

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/css"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/inspector"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// page is one tab with the editor in it. One goroutine uses it at a time.
type page struct {
	browser *browserInstance
	site    site
	ctx     context.Context // ends with the tab
	cancel  context.CancelFunc
	target  *chromedp.Target
	plumb   runtime.RemoteObjectID // window.plumb
	exports int
	blocked atomic.Int64 // requests stopped since the last export
	loaded  atomic.Bool  // the document was asked for
	plain   bool         // VersionPlain: without the guard against the network, without proofs
}

// openPage opens a tab in browser b, mounts the editor of site s in it, within limit, and minimises its window.
// After an error the tab is closed.
func openPage(b *browserInstance, s site, cfg *Config, limit time.Duration) (*page, error) {
	p := &page{browser: b, site: s, plain: cfg.Version == VersionPlain}
	p.ctx, p.cancel = chromedp.NewContext(b.ctx)
	late := time.AfterFunc(limit, p.cancel)
	_, err := chromedp.Run(p.ctx, func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
		p.target = t
		return chromedp.Void{}, p.mount(ctx, cfg.LicenseKey)
	})
	if !late.Stop() { // the limit has passed
		err = errors.Join(fmt.Errorf("no answer within %v (--chrome-start)", limit), err)
	}
	if err != nil {
		p.cancel()
		return nil, fmt.Errorf("cannot open the export page: %w", err)
	}
	if !p.plain {
		p.minimise()
	}
	return p, nil
}

// minimise minimises the tab's window, because the browser paints a visible page after every change, which
// costs an eighth of an export. A browser without windows may refuse; then it stays visible.
func (page *page) minimise() {
	ctx, cancel := context.WithTimeout(page.ctx, time.Second)
	defer cancel()
	window, err := chromedp.CallBrowser(ctx, browser.GetWindowForTarget,
		browser.GetWindowForTargetParams{TargetID: page.target.TargetID})
	if err == nil {
		chromedp.CallBrowser(ctx, browser.SetWindowBounds, browser.SetWindowBoundsParams{
			WindowID: window.WindowID, Bounds: &browser.Bounds{WindowState: browser.WindowStateMinimized}})
	}
}

// mount prepares the tab: it intercepts the tab's requests, which blocks the network, loads the
// page, finds its script (window.plumb) and starts it with tldraw's licence key. A page that was
// made for another protocol is refused.
func (page *page) mount(ctx context.Context, licence string) error {
	// chromedp has switched these reports on for purposes of its own. The editor changes its document all
	// the time, and every change would be reported here for nothing.
	for _, off := range []string{css.Disable.Method, dom.Disable.Method, log.Disable.Method, network.Disable.Method} {
		if err := page.target.Call(ctx, off, cdp.Empty{}, nil); err != nil {
			return err
		}
	}
	if err := chromedp.Listen(ctx, page.onEvent); err != nil {
		return err
	}
	guarded := "*"  // addresses whose requests are intercepted: all
	if page.plain { // VersionPlain, used for comparison: only its own files are served, without the cost of watching all
		guarded = page.site.origin + "/*"
	}
	patterns := fetch.EnableParams{Patterns: []*fetch.RequestPattern{{URLPattern: guarded}}}
	if _, err := cdp.Call(ctx, page.target, fetch.Enable, patterns); err != nil {
		return err
	}
	loaded := cdp.Events(ctx, page.target, cdppage.LoadEventFired)
	address := cdppage.NavigateParams{URL: page.site.origin + "/"}
	if _, err := cdp.Call(ctx, page.target, cdppage.Navigate, address); err != nil {
		return err
	}
	for _, err := range loaded { // the first event says that the page is loaded
		if err != nil {
			return err
		}
		break
	}
	object, err := cdp.Call(ctx, page.target, runtime.Evaluate, runtime.EvaluateParams{Expression: "window.plumb"})
	if err != nil {
		return err
	}
	page.plumb = object.Result.ObjectID
	if page.plumb == "" {
		return errors.New("its script did not run")
	}
	made, err := page.call(ctx, "start", licence)
	if err == nil && string(made) != strconv.Quote(protocol) {
		err = fmt.Errorf("%w: got a page that was made for %s; want %q, made by make setup",
			ErrMissing, clip(string(made), 40), protocol)
	}
	return err
}

// call calls a method of window.plumb, the script in the tab, with one string, waits for its promise, and
// returns the value as JSON. An exception in the page is a chromedp.ExceptionError.
func (page *page) call(ctx context.Context, method, argument string) ([]byte, error) {
	arg, err := json.Marshal(argument)
	if err != nil {
		return nil, err
	}
	yes := true
	r, err := cdp.Call(ctx, page.target, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: "function(x){return this." + method + "(x)}",
		ObjectID:            page.plumb,
		Arguments:           []*runtime.CallArgument{{Value: arg}},
		Silent:              &yes, AwaitPromise: &yes, ReturnByValue: &yes,
	})
	if err != nil {
		return nil, err
	}
	if r.ExceptionDetails != nil {
		return nil, &chromedp.ExceptionError{ExceptionDetails: r.ExceptionDetails}
	}
	return r.Result.Value, nil
}

// onEvent handles the browser's events for this tab: requests of the page, and a crash. It must not block.
func (page *page) onEvent(ev any) {
	switch ev := ev.(type) {
	case *fetch.EventRequestPaused:
		go page.answerRequest(ev)
	case *inspector.EventTargetCrashed:
		go page.cancel()
	}
}

// answerRequest serves the page's own files to the browser and stops and counts every other request, so that
// no scene reaches the network. Blobs, which the page makes itself in memory, pass.
func (page *page) answerRequest(ev *fetch.EventRequestPaused) {
	file := page.site.files[ev.Request.URL]
	if ev.ResourceType == network.ResourceTypeDocument && page.loaded.Swap(true) {
		file = nil // the page is loaded once and goes nowhere else
	}
	if file == nil || ev.Request.Method != "GET" {
		if strings.HasPrefix(ev.Request.URL, "blob:"+page.site.origin+"/") {
			cdp.Call(page.ctx, page.target, fetch.ContinueRequest, fetch.ContinueRequestParams{RequestID: ev.RequestID})
			return
		}
		page.blocked.Add(1)
		cdp.Call(page.ctx, page.target, fetch.FailRequest,
			fetch.FailRequestParams{RequestID: ev.RequestID, ErrorReason: network.ErrorReasonBlockedByClient})
		return
	}
	cdp.Call(page.ctx, page.target, fetch.FulfillRequest, fetch.FulfillRequestParams{
		RequestID: ev.RequestID, ResponseCode: 200, ResponseHeaders: file.headers, Body: file.body})
}

// run sends a job to the editor in the tab and waits for its answer, for at most deadline. After an
// error the page must not be used again.
func (page *page) run(job string, deadline time.Duration) (*answer, error) {
	ctx, cancel := context.WithTimeout(page.ctx, deadline)
	defer cancel()
	value, err := page.call(ctx, "run", job)
	switch {
	case err == nil:
	case page.ctx.Err() == nil && ctx.Err() != nil:
		return nil, fmt.Errorf("cannot export scene: %w: no answer within %v", ErrDeadline, deadline)
	default:
		return nil, err
	}
	a := new(answer)
	if err := json.Unmarshal(value, a); err != nil {
		return nil, fmt.Errorf("cannot read the page's answer of %d bytes: %w", len(value), err)
	}
	a.Blocked += int(page.blocked.Swap(0))
	page.exports++
	return a, nil
}

// close closes the tab, without waiting if the browser is gone.
func (page *page) close() { page.cancel() }
