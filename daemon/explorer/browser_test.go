package explorer_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"plumb/daemon/dump"
	"plumb/daemon/explorer"
	"plumb/daemon/index"
	"plumb/daemon/index/indextest"
	"plumb/daemon/report"
	"plumb/render/chrome"
)

// browser starts Chromium; tests share nothing else.
func browser(t *testing.T) context.Context {
	t.Helper()
	program, err := chrome.Find("")
	if errors.Is(err, chrome.ErrMissing) {
		t.Skipf("no browser: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(explorer.PagesDir(""), "app.js")); err != nil {
		t.Fatalf("the pages are not built: %v; want sh scripts/explorer.sh", err)
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.WindowSize(1280, 900), chromedp.UserDataDir(t.TempDir()))
	all, stop := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, cancel := chromedp.NewContext(all)
	t.Cleanup(func() {
		cancel()
		stop()
	})
	if _, err := chromedp.Run(ctx, chromedp.Steps()); err != nil {
		t.Fatal(err)
	}
	return ctx
}

// tab is a tab of the browser. At the end of its test it must have had no console error and no request to another origin.
type tab struct {
	t      *testing.T
	ctx    context.Context
	origin string
	mu     sync.Mutex
	faults []string
	away   bool // the server is being restarted: requests may fail
}

// open opens the page of a server in a tab.
func open(t *testing.T, ctx context.Context, s *server, query string) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(ctx)
	tb := &tab{t: t, ctx: ctx, origin: strings.TrimSuffix(s.url, explorer.Prefix)}
	t.Cleanup(func() {
		cancel()
		tb.mu.Lock()
		defer tb.mu.Unlock()
		for _, f := range tb.faults {
			t.Error(f)
		}
	})
	tb.run(func(ctx context.Context, target *chromedp.Target) (none chromedp.Void, err error) {
		if err = chromedp.Listen(ctx, tb.listen); err == nil {
			_, err = cdp.Call(ctx, target, network.Enable, network.EnableParams{})
		}
		if err == nil {
			_, err = cdp.Call(ctx, target, log.Enable, cdp.Empty{})
		}
		if err == nil {
			_, err = cdp.Call(ctx, target, runtime.Enable, cdp.Empty{})
		}
		return none, err
	}, chromedp.Navigate(s.url+query))
	return tb
}

// listen records what must not happen.
func (tb *tab) listen(e any) {
	tb.mu.Lock()
	defer tb.mu.Unlock()
	switch e := e.(type) {
	case *runtime.EventExceptionThrown:
		tb.faults = append(tb.faults, "exception: "+e.ExceptionDetails.Text+" "+fmt.Sprint(e.ExceptionDetails.Exception))
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeWarning {
			tb.faults = append(tb.faults, fmt.Sprintf("console: %s", e.Args[0].Value))
		}
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError && !tb.away {
			tb.faults = append(tb.faults, fmt.Sprintf("log: %s %s", e.Entry.Text, e.Entry.URL))
		}
	case *network.EventRequestWillBeSent:
		u, err := url.Parse(e.Request.URL)
		if err != nil || u.Scheme+"://"+u.Host != tb.origin && u.Scheme != "data" && u.Scheme != "blob" {
			tb.faults = append(tb.faults, "request to another origin: "+e.Request.URL)
		}
	}
}

// run runs actions one after the other.
func (tb *tab) run(actions ...chromedp.Action[chromedp.Void]) {
	tb.t.Helper()
	if _, err := chromedp.Run(tb.ctx, chromedp.Steps(actions...)); err != nil {
		tb.t.Fatal(err)
	}
}

// eval returns the value of an expression.
func eval[T any](tb *tab, js string) T {
	tb.t.Helper()
	v, err := chromedp.Run(tb.ctx, chromedp.Evaluate[T](js))
	if err != nil {
		tb.t.Fatalf("%s: %v", js, err)
	}
	return v
}

// do evaluates an expression whose value does not matter.
func (tb *tab) do(js string) {
	tb.t.Helper()
	eval[bool](tb, "(()=>{"+js+"; return true})()")
}

// until waits until an expression is true.
func (tb *tab) until(js string) {
	tb.t.Helper()
	const patience = 3 * time.Minute // the index of a million results takes 20 s on an idle machine
	for begin := time.Now(); time.Since(begin) < patience; time.Sleep(20 * time.Millisecond) {
		if eval[bool](tb, "Boolean("+js+")") {
			return
		}
	}
	tb.t.Fatalf("it does not become true that %s; the page has\n%.1500s\nat %s, %s", js, eval[string](tb, "document.body.innerText"), eval[string](tb, "location.search"),
		eval[string](tb, "`list at ${document.querySelector('.list')?.scrollTop} with ${document.querySelector('.list [role=option]')?.id}, ${document.visibilityState}, focus on ${document.activeElement?.outerHTML.slice(0, 80)}`"))
}

// text returns an expression that tells whether the page has a text.
func has(text string) string { return fmt.Sprintf("document.body.innerText.includes(%q)", text) }

// keys presses keys, one after the other.
func (tb *tab) keys(keys ...string) {
	tb.t.Helper()
	for _, k := range keys {
		tb.run(chromedp.KeyEvent(k, asKeyboard))
	}
}

// asKeyboard makes the pressing of a key that of a keyboard: a page that handles it gets no character, even
// where it moves the focus into a field before the character is sent.
func asKeyboard(event *input.DispatchKeyEventParams) {
	if event.Type == input.DispatchKeyEventTypeKeyDown {
		event.Type = input.DispatchKeyEventTypeRawKeyDown
	}
}

// write writes a text where the focus is.
func (tb *tab) write(text string) {
	tb.t.Helper()
	tb.run(func(ctx context.Context, target *chromedp.Target) (none chromedp.Void, err error) {
		_, err = cdp.Call(ctx, target, input.InsertText, input.InsertTextParams{Text: text})
		return none, err
	})
}

// drag drags over an element from one part of its width to another.
func (tb *tab) drag(element string, from, to float64) {
	tb.t.Helper()
	box := eval[[]float64](tb, fmt.Sprintf(`(()=>{const e = document.querySelector(%q); e.scrollIntoView({block: 'center'}); const b = e.getBoundingClientRect(); return [b.left, b.top, b.width]})()`, element))
	for _, e := range []struct {
		kind input.DispatchMouseEventType
		part float64
	}{{input.DispatchMouseEventTypeMouseMoved, from}, {input.DispatchMouseEventTypeMousePressed, from}, {input.DispatchMouseEventTypeMouseMoved, (from + to) / 2},
		{input.DispatchMouseEventTypeMouseMoved, to}, {input.DispatchMouseEventTypeMouseReleased, to}} {
		p := input.DispatchMouseEventParams{Type: e.kind, X: box[0] + e.part*box[2], Y: box[1] + 20, Button: input.MouseButtonLeft, ClickCount: 1}
		tb.run(func(ctx context.Context, target *chromedp.Target) (none chromedp.Void, err error) {
			_, err = cdp.Call(ctx, target, input.DispatchMouseEvent, p)
			return none, err
		})
		tb.do("window.drawn = false; requestAnimationFrame(() => requestAnimationFrame(() => { window.drawn = true }))")
		tb.until("window.drawn")
	}
}

// TestMillion goes through a million results, or fewer in short runs and under the race detector: filters, orders,
// the last row, an item, a link with state, a comparison, keys. The number is one for which all tests have equally
// many results.
func TestMillion(t *testing.T) {
	rows := 1_000_000
	switch {
	case raced:
		rows = 2_048
	case testing.Short():
		rows = 64_000
	}
	path := filepath.Join(t.TempDir(), "results.jsonl")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := indextest.Write(f, rows); err != nil {
		t.Fatal(err)
	}
	f.Close()
	s := serve(t, "127.0.0.1:0", explorer.Job{Results: []string{path}})
	ctx := browser(t)
	tb := open(t, ctx, s, "")
	tb.until(`document.querySelectorAll('.means tbody tr').length === 8`) // after the index is made
	total := fmt.Sprintf("%d,%03d", rows/1000, rows%1000)
	if rows >= 1_000_000 {
		total = "1,000,000"
	}
	tb.keys("2")
	tb.until(has(total + " results"))
	tb.until(`document.querySelectorAll('.list .row:not(.waiting)').length > 10`)
	t.Run("the worst first", func(t *testing.T) {
		if got := eval[string](tb, `document.querySelector('#row-0 .score').textContent`); got != "0.000" {
			t.Errorf("got %s", got)
		}
	})
	t.Run("filter", func(t *testing.T) {
		tb.do(`[...document.querySelectorAll('.value')].find((l) => l.textContent.startsWith('maze')).querySelector('input').click()`)
		tb.until(fmt.Sprintf(`document.querySelector('.total')?.textContent.startsWith('%s results')`, thousands(rows/8)))
		tb.until(`[...document.querySelectorAll('.row .col-test')].slice(1).every((e) => e.textContent === 'maze')`)
		if got := eval[string](tb, "location.search"); !strings.Contains(got, "maze") {
			t.Errorf("the filter is not in the URL: %s", got)
		}
		tb.run(chromedp.NavigateBack())
		tb.until(fmt.Sprintf(`document.querySelector('.total')?.textContent.startsWith('%s results')`, total))
	})
	t.Run("the last row", func(t *testing.T) {
		tb.until(`document.querySelector('#row-0.chosen .score')`)
		tb.keys(kb.End)
		tb.until(fmt.Sprintf(`document.querySelector('#row-%d.chosen .score')`, rows-1))
		if got := eval[string](tb, fmt.Sprintf(`document.querySelector('#row-%d .score').textContent`, rows-1)); got != "–" {
			t.Errorf("results without a score come last: got %s", got)
		}
		if n := eval[int](tb, `document.querySelectorAll('.list .row').length`); n > 200 {
			t.Errorf("the page holds %d rows; want some tens", n)
		}
		tb.keys("k", "k", kb.Home)
		tb.until(`document.querySelector('#row-0.chosen')`)
	})
	t.Run("sort", func(t *testing.T) {
		tb.do(`{const s = document.querySelector('.sort select'); s.value = 'metric:distance'; s.dispatchEvent(new Event('change', {bubbles: true}))}`)
		tb.do(`[...document.querySelectorAll('button')].find((b) => b.textContent.includes('lowest first')).click()`)
		tb.until(`document.querySelector('#row-0 .col-notes') && +document.querySelector('#row-0 .col-notes').textContent === 300`)
	})
	t.Run("item and neighbours by keys", func(t *testing.T) {
		tb.until(`document.querySelector('#row-0.chosen .score')`)
		tb.keys("j", "j", kb.Enter)
		tb.until(has("3 of " + total))
		tb.until(has("no dump is open"))
		tb.keys("j")
		tb.until(has("4 of " + total))
		tb.keys("u")
		tb.until(`document.querySelector('#row-3.chosen')`)
	})
	t.Run("a link with state", func(t *testing.T) {
		q := url.QueryEscape(`{"values":{"test":["graph"],"model":["gamma"]},"score":{"high":0.5}}`)
		other := open(t, ctx, s, "?page=items&sort=score&down=1&at=5&q="+q)
		other.until(`document.querySelector('#row-5.chosen .score')`)
		if got := eval[float64](other, `+document.querySelector('#row-5 .score').textContent`); got > 0.5 || got < 0.4 {
			t.Errorf("the highest up to 0.5: got %v", got)
		}
		tb.until(`document.querySelector('#row-3.chosen')`) // the first tab keeps its own state
	})
	t.Run("compare", func(t *testing.T) {
		tb.keys("4")
		tb.until(has("B − A on"))
		tb.until(`document.querySelectorAll('.list.short .row.pair .num').length > 10 && document.querySelector('#pair-3.chosen')`)
		tb.keys(kb.End)
		tb.until(`!document.querySelector('#pair-0')`)
	})
}

// thousands writes a number with separators.
func thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}

// evil are answers that try to become markup, to hide what they say, or to be too long.
var evil = []string{
	`<script>window.hacked = 1</script><img src=x onerror="window.hacked = 2"><svg onload="window.hacked = 3">`,
	"\u202egnp.exe\u202c \u2066hidden\u2069 \u200b\ufeff end",
	`</pre></script><a href="javascript:window.hacked=4">x</a>`,
	strings.Repeat("long ", 800_000),
	"\x00\x01\x1b[31m red",
}

// TestHostile shows answers and names that are meant to harm; none becomes markup.
func TestHostile(t *testing.T) {
	var lines []string
	for i, e := range evil {
		lines = append(lines, mazeAnswer(fmt.Sprintf("evil-%d", i), e, `,"model":"<img src=x onerror=window.hacked=5>"`))
	}
	lines = append(lines, mazeAnswer(`<b onclick=window.hacked=6>id</b>`, "{\"createShapes\":[{\"id\":\"<i>x</i>\",\"type\":\"<u>\",\"<s>\":1}]}", `,"model":"m"`))
	s := serve(t, "127.0.0.1:0", written(t, lines...))
	ctx := browser(t)
	tb := open(t, ctx, s, "?page=items&sort=row")
	tb.until(`document.querySelectorAll('.list .row:not(.waiting)').length === 6`)
	for i := range lines {
		tb.do(fmt.Sprintf(`window.last = document.querySelector('h2')?.textContent; document.querySelector('#row-%d').click()`, i))
		tb.until(has(fmt.Sprintf("%d of 6", i+1)))
		tb.until(`document.querySelector('.answer')`)
		switch i {
		case 0:
			tb.until(`document.querySelector('.answer')?.textContent.includes('<script>window.hacked')`)
		case 3:
			tb.until(has("further bytes are not shown"))
		case 5:
			tb.until(has("<b onclick=window.hacked=6>id</b>"))
		}
		tb.keys("m", "u")
		tb.until(`document.querySelector('.list .row.chosen')`)
	}
	for _, page := range []string{"1", "4", "5"} {
		tb.keys(page)
		tb.until(`document.querySelector('main .page, main .empty')`)
	}
	if got := eval[string](tb, `String(window.hacked)`); got != "undefined" {
		t.Errorf("an answer has run: %s", got)
	}
	if n := eval[int](tb, `document.scripts.length + document.querySelectorAll('[onerror], [onload], [onclick], iframe').length`); n != 1 {
		t.Errorf("got %d scripts and handlers, want the one of the page", n)
	}
}

// TestRestart takes the server away under an open page, brings it back with a damaged index, and goes on.
func TestRestart(t *testing.T) {
	job := written(t, maze("a", 130, 430, `,"model":"m"`), maze("b", 200, 430, `,"model":"m"`), maze("c", 300, 430, `,"model":"n"`))
	s := serve(t, "127.0.0.1:0", job)
	ctx := browser(t)
	tb, second := open(t, ctx, s, "?page=items&sort=row"), open(t, ctx, s, "?page=item&row=1")
	tb.until(`document.querySelectorAll('.list .row:not(.waiting)').length === 3`)
	second.until(`document.querySelector('.picture image')`)
	for _, x := range []*tab{tb, second} {
		x.mu.Lock()
		x.away = true
		x.mu.Unlock()
	}
	listen := strings.TrimSuffix(strings.TrimPrefix(s.url, "http://"), explorer.Prefix)
	s.stop()
	tb.keys(kb.Enter)
	tb.until(has("The server does not answer"))
	if err := os.WriteFile(job.Results[0]+index.Suffix, []byte("PLUMBIX\x01 damaged"), 0o600); err != nil {
		t.Fatal(err)
	}
	serve(t, listen, job)
	tb.until("!" + has("The server does not answer"))
	tb.until(`document.querySelectorAll('.picture image').length === 2`)
	tb.until(has("is made again"))
	second.keys("k")
	second.until(has("1 of 3"))
}

// TestSaved opens a saved page as a file: it holds its selection, and needs nothing else.
func TestSaved(t *testing.T) {
	s := serve(t, "127.0.0.1:0", written(t, maze("a", 130, 430, `,"model":"m"`), mazeAnswer("b", evil[0]+"</script><script>window.hacked=7</script><!--", `,"model":"m"`), maze("c", 300, 430, `,"model":"n"`)))
	s.get(t, "rows", nil)
	r, err := http.Get(s.url + "api/save?items=2&sort=row&a=0.0&b=0.1&state=page%3Ditems%26sort%3Drow")
	if err != nil {
		t.Fatal(err)
	}
	b, _ := io.ReadAll(r.Body)
	r.Body.Close()
	path := filepath.Join(t.TempDir(), "saved.html")
	if err := os.WriteFile(path, b, 0o600); err != nil || !strings.HasPrefix(r.Header.Get("Content-Disposition"), "attachment;") {
		t.Fatal(err, r.Header)
	}
	s.stop()
	tb := open(t, browser(t), &server{url: "file://" + explorer.Prefix}, "/../.."+path)
	tb.until(`document.querySelectorAll('.list .row:not(.waiting)').length === 3`)
	tb.until(has("3 of 3 results are listed, the first 2 with their items"))
	tb.keys("j", kb.Enter)
	tb.until(`document.querySelector('.answer')?.textContent.includes('<script>window.hacked')`)
	tb.keys("k")
	tb.until(`document.querySelectorAll('.picture image').length === 2 && document.querySelector('.picture image').href.baseVal.startsWith('data:image/png')`)
	tb.keys("1")
	tb.until(`document.querySelector('.means .mean')`)
	tb.keys("2")
	tb.until(`document.querySelector('.list .row.chosen')`)
	tb.keys(kb.End)
	tb.until(`document.querySelector('#row-2.chosen')`)
	tb.keys(kb.Enter)
	tb.until(has("The saved page does not hold this"))
	if got := eval[string](tb, `String(window.hacked)`); got != "undefined" {
		t.Errorf("an answer has run: %s", got)
	}
}

// TestReport opens a report as a file: its lists are filtered and sorted without a server, and on paper they have all of their rows.
func TestReport(t *testing.T) {
	dir := t.TempDir()
	w, err := report.New(report.Config{Dir: dir, Title: "a report", Items: dump.ItemConfig{Suites: coreConfig().Suites}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 120 {
		test := []string{"maze", "graph", "label"}[i/2%3]
		line := fmt.Sprintf(`{"id":"q%03d","suite":"aspire","test":%q,"model":"m%d","score":%g,"reward":0.5,"status":"fenced","metrics":{"distance":%d.0},"notes":[],"asked":{"model":"m%d","mode":"cot"}}`,
			i/2, test, i%2, float64(i)/119, 200-i, i%2)
		if err := w.Add(dump.Line{Number: i + 1, Bytes: []byte(`{"suite":"aspire","test":"maze","response":"answer number ` + fmt.Sprint(i) + `"}`)}, []byte(line)); err != nil {
			t.Fatal(err)
		}
	}
	path, err := w.Close()
	if err != nil {
		t.Fatal(err)
	}
	tb := open(t, browser(t), &server{url: "file://" + explorer.Prefix}, "/../.."+path)
	tb.until(`document.querySelectorAll('.means tbody tr').length === 6`) // three tests, two groups, the average
	tb.do(`document.querySelector('.means tbody td button').click()`)
	tb.until(`document.querySelector('.total')?.textContent.startsWith('20 results')`)
	tb.until(`[...document.querySelectorAll('.row .col-who')].slice(1).every((e) => e.textContent === 'm0 · cot')`)
	tb.do(`[...document.querySelectorAll('button')].find((b) => b.textContent === 'Clear all').click()`)
	tb.until(`document.querySelector('.total')?.textContent.startsWith('120 results')`)
	for facet, want := range map[string]string{"graph": "40", "m1": "60"} {
		if got := eval[string](tb, fmt.Sprintf(`[...document.querySelectorAll('.value')].find((l) => l.textContent.startsWith(%q)).querySelector('.n').textContent`, facet)); got != want {
			t.Errorf("beside %s: got %s, want %s", facet, got, want)
		}
	}
	tb.do(`const s = document.querySelector('.sort select'); s.value = 'metric:distance'; s.dispatchEvent(new Event('change', {bubbles: true}))`)
	tb.until(`document.querySelector('#row-0 .col-notes')?.textContent === '81'`)
	tb.run(chromedp.EmulateViewport(1280, 840))
	tb.do(`document.getElementById('find-text').focus()`)
	tb.write("number 117")
	tb.keys(kb.Enter)
	tb.until(`/^1 result( |$)/.test(document.querySelector('.total')?.textContent)`) // one has no plural
	tb.keys(kb.Backspace, kb.Enter)
	tb.until(`document.querySelector('.total')?.textContent.startsWith('11 results')`)
	tb.keys(kb.Escape, kb.Enter)
	tb.until(has("answer number 119"))
	tb.keys("j")
	tb.until(has("2 of 11"))
	tb.keys("4")
	tb.until(has("B − A on"))
	tb.keys("1")
	tb.until(`document.querySelector('.means .mean')`)
	tb.do(`dispatchEvent(new Event('beforeprint'))`)
	if n := eval[int](tb, `document.querySelectorAll('.printed .tile').length + 1000 * document.querySelectorAll('.printed .means tbody tr').length`); n != 6120 {
		t.Errorf("on paper: got %d, want all 120 rows beside the table of 6", n)
	}
	tb.do(`dispatchEvent(new Event('afterprint'))`)
	tb.until(`!document.querySelector('.printed')`)
}

// TestReportOrders sorts a report's list by cost, and turns around a list of pairs of which the report holds 200.
func TestReportOrders(t *testing.T) {
	w, err := report.New(report.Config{Dir: t.TempDir(), Title: "a report", Items: dump.ItemConfig{Suites: coreConfig().Suites}})
	if err != nil {
		t.Fatal(err)
	}
	const n = 250
	for i := range 2 * n { // question i/2 by m0, whose scores rise from 0 to 1, and by m1, whose scores are all 0.5
		score, q := [...]float64{float64(i/2) / (n - 1), 0.5}[i%2], i/2
		line := fmt.Sprintf(`{"id":"q%03d","suite":"aspire","test":"maze","model":"m%d","score":%g,"reward":0.5,"status":"fenced","metrics":{},"notes":[],"asked":{"model":"m%d","cost":%g}}`,
			q, i%2, score, i%2, float64((i*7)%(2*n))/100)
		if err := w.Add(dump.Line{Number: i + 1, Bytes: []byte(`{"suite":"aspire","test":"maze","response":"x"}`)}, []byte(line)); err != nil {
			t.Fatal(err)
		}
	}
	path, err := w.Close()
	if err != nil {
		t.Fatal(err)
	}
	tb := open(t, browser(t), &server{url: "file://" + explorer.Prefix}, "/../.."+path)
	tb.until(`document.querySelector('.means .mean')`)
	tb.keys("2")
	tb.until(`document.querySelector('.list .row.chosen')`)
	tb.do(`const s = document.querySelector('.sort select'); s.value = 'cost'; s.dispatchEvent(new Event('change', {bubbles: true}))`)
	// Row i costs 7*i modulo 500 hundredths, so the cheapest are row 0, row 143 (1) and row 286 (2).
	tb.until(`['q000', 'q071', 'q143'].every((id, i) => document.querySelector('#row-' + i)?.textContent.includes(id))`)
	tb.keys("4")
	tb.until(has("The saved page holds 200 of these 250 questions"))
	tb.until(`document.querySelector('#pair-0')?.textContent.endsWith('q249')`)
	turn := `[...document.querySelectorAll('button')].find((b) => /first$/.test(b.textContent)).click()`
	tb.do(turn)
	tb.until(`document.querySelector('#pair-0')?.textContent.endsWith('q050')`)
	tb.keys(kb.End)
	tb.until(`document.querySelector('#pair-199.chosen')?.textContent.endsWith('q249')`)
	tb.drag(".scatter .u-over", 0.1, 0.1) // a question that B gains on
	tb.until(has("The saved page does not hold these questions"))
	tb.do(turn)
	tb.until(has("largest loss of B first"))
	if n := eval[int](tb, `document.querySelectorAll('.list .pair').length`); n != 0 || !eval[bool](tb, has("The saved page does not hold these questions")) {
		t.Errorf("got %d rows of questions that the report does not hold", n)
	}
	tb.drag(".scatter .u-over", 0.9, 0.9)
	tb.until(has("1 chosen question") + ` && document.querySelectorAll('.list .pair').length === 1 && document.querySelector('#pair-0').textContent.includes('q2')`)
}

// TestPages goes through an item's overlays, the grid, suspects and sensitivity with the keyboard, on a wide and a narrow page.
func TestPages(t *testing.T) {
	var lines []string
	for i := range 12 {
		lines = append(lines, maze(fmt.Sprint("q", i), 130+float64(20*i), 430, `,"model":"m"`), maze(fmt.Sprint("q", i), 130, 430, `,"model":"n"`))
	}
	s := serve(t, "127.0.0.1:0", written(t, lines...))
	ctx := browser(t)
	for _, wide := range []int64{1280, 390} {
		tb := open(t, ctx, s, "")
		tb.run(chromedp.EmulateViewport(wide, 840))
		tb.until(`document.querySelector('.means .mean')`)
		tb.until(`document.querySelector('.multiples .u-over')`)
		tb.drag(".multiples .u-over", 0.8, 0.99)
		tb.until(`location.search.includes('page=items') && location.search.includes('%22low%22') && document.querySelector('.list .row.chosen')`)
		tb.do(`history.back()`)
		tb.until(`document.querySelector('.multiples')`)
		tb.keys("2")
		tb.until(`document.querySelector('.list .row.chosen')`)
		tb.keys("g")
		tb.until(`[...document.querySelectorAll('.tile img')].filter((i) => i.complete && i.naturalWidth > 0).length > 1`)
		tb.keys(kb.ArrowDown, kb.ArrowRight, kb.Enter)
		tb.until(`document.querySelector('.item .switch')`)
		tb.until(`document.querySelectorAll('.picture image').length === 2`)
		for _, mode := range []struct{ key, shows string }{{"b", `document.querySelectorAll('.picture').length === 1`}, {"l", `document.querySelector('.slider input')`},
			{"d", has("of the pixels differ")}, {"s", `document.querySelectorAll('.picture image').length === 2`}} {
			tb.keys(mode.key)
			tb.until(mode.shows)
		}
		tb.until(`document.querySelector('.answer mark')?.textContent.startsWith('{"createShapes"')`)
		tb.keys("h")
		tb.until(`document.querySelector('.map image') && ` + has("441 of 441 moves have a value"))
		tb.keys(kb.ArrowRight)
		tb.until(has("moved by 5, 0"))
		tb.keys("5")
		tb.until(`document.querySelectorAll('.rule').length === 6`)
		tb.keys("?")
		tb.until(`document.activeElement.closest('[role=dialog]')`)
		tb.keys(kb.Escape, "2", "/")
		tb.until(`document.activeElement.id === 'find-id'`)
		tb.write("q3")
		tb.keys(kb.Enter, kb.Escape)
		tb.until(`document.querySelector('.total')?.textContent.startsWith('2 results')`)
		if n := eval[int](tb, `document.documentElement.scrollWidth - innerWidth`); n > 0 {
			t.Errorf("at %d px the page is %d px too wide", wide, n)
		}
		checkLabels(t, tb)
	}
}

// checkLabels demands a name for everything that can be used.
func checkLabels(t *testing.T, tb *tab) {
	t.Helper()
	for _, page := range []string{"1", "2", "4", "5"} {
		tb.keys(page)
		tb.until(`document.querySelector('main .page')`)
		if got := eval[[]string](tb, `[...document.querySelectorAll('button, a, input, select, [role=img], [role=listbox]')].filter((e) => e.checkVisibility() &&
			!(e.getAttribute('aria-label') || e.textContent.trim() || e.labels?.length || e.title)).map((e) => e.outerHTML.slice(0, 200))`); len(got) > 0 {
			t.Errorf("page %s has parts without a name: %q", page, got)
		}
	}
}
