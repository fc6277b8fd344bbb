package explorer

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/valyala/fasthttp"

	"plumb/daemon/index"
	"plumb/daemon/names"
	"plumb/render/assets"
)

// Schema is the JSON schema of the API's answers.
//
//go:embed schema.json
var Schema []byte

// Prefix is the path under which the explorer answers.
const Prefix = "/ui/"

// asset is a file of the built pages.
type asset struct {
	body        []byte
	contentType string
	tag         string // of the content, for the header ETag
}

// readAssets reads the files of the built pages, by name. It returns an empty map if the
// folder is missing, and leaves out files that cannot be read.
func readAssets(dir string) map[string]asset {
	out := map[string]asset{}
	entries, _ := os.ReadDir(dir)
	for _, entry := range entries {
		name := entry.Name()
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err == nil {
			contentType := cmp.Or(mime.TypeByExtension(path.Ext(name)), "application/octet-stream")
			out[name] = asset{body: b, contentType: contentType, tag: fmt.Sprintf(`"%016x"`, xxhash.Sum64(b))}
		}
	}
	return out
}

// policy is the Content-Security-Policy: nothing runs or loads that is not of this origin.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Handle answers a GET request for a path under Prefix: a file of the pages, or below api/ what the pages ask
// for. It refuses other methods and pages of other origins. A panic becomes an error; a memory fault in a
// mapped index, which another program has cut, asks the client to try again.
func (explorer *Explorer) Handle(ctx *fasthttp.RequestCtx) {
	responseHeader := &ctx.Response.Header
	responseHeader.Set("Content-Security-Policy", policy)
	responseHeader.Set("X-Content-Type-Options", "nosniff")
	responseHeader.Set("Referrer-Policy", "no-referrer")
	responseHeader.Set("Cross-Origin-Resource-Policy", "same-origin")
	responseHeader.Set("Cross-Origin-Opener-Policy", "same-origin")
	responseHeader.Set("Cache-Control", "no-cache")
	// If another program cut a mapped index, reading it panics and does not end the process.
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		p := recover()
		if _, fault := p.(interface{ Addr() uintptr }); fault { // the next request finds that the index has changed
			ctx.Response.Header.Set("Retry-After", "1")
			fail(ctx, fasthttp.StatusServiceUnavailable, "loading", "the index was cut while it was read; it is made again")
			return
		}
		if p != nil {
			explorer.cfg.Log.Error("BUG: panic in the explorer", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			fail(ctx, fasthttp.StatusInternalServerError, "internal", "cannot answer: internal error; the log has the details")
		}
	}()
	if why := explorer.refusal(ctx); why != "" {
		fail(ctx, fasthttp.StatusForbidden, "forbidden", why)
		return
	}
	if !ctx.IsGet() && !ctx.IsHead() {
		responseHeader.Set("Allow", "GET, HEAD")
		fail(ctx, fasthttp.StatusMethodNotAllowed, "bad_method", "the explorer changes nothing: want GET")
		return
	}
	name := strings.TrimPrefix(string(ctx.Path()), Prefix)
	if route, ok := strings.CutPrefix(name, "api/"); ok {
		explorer.api(ctx, route)
		return
	}
	explorer.file(ctx, name)
}

// refusal returns the reason why a request is refused, "" for one that is answered. Pages of other origins must
// not read from a server on the loopback address, not even under a host name of their own that resolves to it.
// A link from another site that opens the page is allowed.
func (explorer *Explorer) refusal(ctx *fasthttp.RequestCtx) string {
	host := string(ctx.Host())
	name, _, err := net.SplitHostPort(host)
	if err != nil { // without a port
		name = strings.Trim(host, "[]")
	}
	if explorer.cfg.Hosts != nil && !slices.Contains(explorer.cfg.Hosts, name) {
		return fmt.Sprintf("cannot answer for the host %.80q; want one of %s", host, strings.Join(explorer.cfg.Hosts, ", "))
	}
	if origin := string(ctx.Request.Header.Peek("Origin")); origin != "" {
		if address, err := url.Parse(origin); err != nil || address.Host != host {
			return "cannot answer a page of another origin"
		}
	}
	site := string(ctx.Request.Header.Peek("Sec-Fetch-Site"))
	if mode := string(ctx.Request.Header.Peek("Sec-Fetch-Mode")); (site == "cross-site" || site == "same-site") && mode != "navigate" {
		return "cannot answer a page of another origin"
	}
	return ""
}

// file answers with a file of the built pages, index.html for an empty name, or with an
// error that says how to build them.
func (explorer *Explorer) file(ctx *fasthttp.RequestCtx, name string) {
	a, ok := explorer.assets[cmp.Or(name, "index.html")]
	switch {
	case ok:
		answer304(ctx, a.tag, a.contentType, a.body)
	case len(explorer.assets) == 0:
		fail(ctx, fasthttp.StatusNotFound, "not_built", "the explorer's pages are not built: no folder "+explorer.cfg.Client+"; want sh scripts/explorer.sh (part of make setup)")
	default:
		fail(ctx, fasthttp.StatusNotFound, "not_found", "there is no such page; want "+Prefix)
	}
}

// answer304 answers with a body and its tag, or with status 304 and no body if the client
// already has the one of that tag.
func answer304(ctx *fasthttp.RequestCtx, tag, kind string, body []byte) {
	ctx.Response.Header.Set("ETag", tag)
	if string(ctx.Request.Header.Peek("If-None-Match")) == tag {
		ctx.SetStatusCode(fasthttp.StatusNotModified)
		return
	}
	ctx.SetContentType(kind)
	ctx.SetBody(body)
}

// fail answers with an error.
func fail(ctx *fasthttp.RequestCtx, status int, kind, message string) {
	ctx.SetStatusCode(status)
	writeJSON(ctx, Fault{message, kind})
}

// writeJSON answers a request of the explorer's pages with a value as JSON.
func writeJSON(ctx *fasthttp.RequestCtx, v any) {
	var buffer bytes.Buffer
	enc := json.NewEncoder(&buffer)
	if err := enc.Encode(v); err != nil {
		panic("BUG: an answer without JSON: " + err.Error())
	}
	ctx.SetContentType("application/json; charset=utf-8")
	ctx.SetBody(buffer.Bytes())
}

// answerTime bounds the drawing and scoring for one answer.
const answerTime = 30 * time.Second

// queries are the names that the query may have on each route of the API. The pages add away to the
// address of info while the server does not answer, so that a browser asks anew.
var queries = map[string][]string{
	"schema.json": nil,
	"info":        {"job", "away"},
	"select":      {"job", "q"},
	"rows":        {"job", "q", "sort", "down", "from", "n"},
	"overview":    {"job", "q"},
	"compare":     {"job", "q", "a", "b"},
	"against":     {"job", "q", "a"},
	"pairs":       {"job", "q", "a", "b", "down", "from", "n"},
	"suspects":    {"job", "q"},
	"item":        {"job", "q", "sort", "down", "row"},
	"sensitivity": {"job", "row", "part", "metric", "steps", "step"},
	"asked":       {"job", "row"},
	"seen":        {"job", "row", "panel"},
	"picture":     {"job", "row", "panel", "w"},
	"save":        {"job", "q", "sort", "down", "a", "b", "items", "state"},
	"raw":         {"job", "row"},
}

// api answers a route of the explorer's API. It refuses a query with a name that the route does not read.
// schema.json and info need no open job. The others do: while its index is made, they answer at once with
// errLoading, so that the page asks again. Drawing and scoring for one answer are given up after answerTime.
func (explorer *Explorer) api(ctx *fasthttp.RequestCtx, name string) {
	known, ok := queries[name]
	if !ok {
		fail(ctx, fasthttp.StatusNotFound, "not_found", "there is no such route")
		return
	}
	if message := names.UnknownInQuery(ctx.QueryArgs(), known); message != "" {
		fail(ctx, fasthttp.StatusBadRequest, "bad_query", message)
		return
	}
	switch name {
	case "schema.json":
		ctx.SetContentType("application/schema+json")
		ctx.SetBody(Schema)
		return
	case "info":
		explorer.answer(ctx, func(*query) (any, error) { return explorer.info(string(ctx.QueryArgs().Peek("job"))) })
		return
	}
	// What each other route answers from the open job and the query.
	respond := map[string]func(context.Context, *opened, *query) (any, error){
		"select": func(_ context.Context, o *opened, q *query) (any, error) { return o.selected(q.filter(o)), nil },
		"rows": func(_ context.Context, o *opened, q *query) (any, error) {
			return o.rows(q.filter(o), q.sort, q.from, q.count), nil
		},
		"overview": func(_ context.Context, o *opened, q *query) (any, error) { return o.overview(q.filter(o)), nil },
		"compare": func(_ context.Context, o *opened, q *query) (any, error) {
			return o.compare(q.filter(o), q.seriesA, q.seriesB)
		},
		"against": func(_ context.Context, o *opened, q *query) (any, error) { return o.against(q.filter(o), q.seriesA) },
		"pairs": func(_ context.Context, o *opened, q *query) (any, error) {
			return o.listPairs(q.filter(o), q.seriesA, q.seriesB, q.sort.Down, q.from, q.count)
		},
		"suspects": func(_ context.Context, o *opened, q *query) (any, error) { return o.rules.list(q.filter(o)), nil },
		"item": func(c context.Context, o *opened, q *query) (any, error) {
			return explorer.item(c, o, q.row, q.filter(o), q.sort)
		},
		"sensitivity": func(c context.Context, o *opened, q *query) (any, error) {
			return explorer.sensitivity(c, o, q)
		},
		"asked": func(_ context.Context, o *opened, q *query) (any, error) { return explorer.asked(o, q.row) },
		"seen": func(c context.Context, o *opened, q *query) (any, error) {
			return explorer.seenPicture(c, o, q.row, q.panel)
		},
		"picture": func(c context.Context, o *opened, q *query) (any, error) {
			return explorer.picture(c, o, q.row, q.panel, q.wide)
		},
		"save": func(_ context.Context, o *opened, q *query) (any, error) {
			b, err := explorer.savePage(o, q, q.items, string(ctx.QueryArgs().Peek("state")))
			return attachment{fileName(o), b}, err
		},
		"raw": func(_ context.Context, o *opened, q *query) (any, error) {
			answer, err := explorer.read(o, q.row)
			if err != nil {
				return nil, err
			}
			return append(append(answer.resultLine, '\n'), answer.dumpLine...), nil
		},
	}[name]
	explorer.answer(ctx, func(q *query) (any, error) {
		job, release, err := explorer.ready(string(ctx.QueryArgs().Peek("job")))
		if err != nil {
			return nil, err
		}
		defer release()
		defer job.trim()
		c, cancel := context.WithTimeout(explorer.life, answerTime)
		defer cancel()
		return respond(c, job, q)
	})
}

// answer reads the query of a request and writes what f returns: a picture, a file, plain
// text, or else JSON. Errors become status codes: 400 for the query, 503 while indexes are
// made, 204 for no picture, 422 for the rest.
func (explorer *Explorer) answer(ctx *fasthttp.RequestCtx, f func(*query) (any, error)) {
	query, err := readQuery(ctx.QueryArgs())
	if err != nil {
		fail(ctx, fasthttp.StatusBadRequest, "bad_query", err.Error())
		return
	}
	value, err := f(query)
	switch {
	case errors.Is(err, errLoading):
		ctx.Response.Header.Set("Retry-After", "1")
		fail(ctx, fasthttp.StatusServiceUnavailable, "loading", err.Error())
	case errors.Is(err, errNoPicture): // an error would stand in the console of the browser
		ctx.SetStatusCode(fasthttp.StatusNoContent)
	case err != nil:
		fail(ctx, fasthttp.StatusUnprocessableEntity, "cannot", err.Error())
	default:
		switch v := value.(type) {
		case drawn:
			answer304(ctx, v.tag, "image/png", v.picture.PNG)
		case modelPicture:
			ctx.SetContentType(v.contentType)
			ctx.SetBody(v.data)
		case attachment:
			ctx.Response.Header.Set("Content-Disposition", `attachment; filename="`+v.name+`"`)
			ctx.SetContentType("text/html; charset=utf-8")
			ctx.SetBody(v.body)
		case []byte:
			ctx.SetContentType("text/plain; charset=utf-8")
			ctx.SetBody(v)
		default:
			writeJSON(ctx, v)
		}
	}
}

// attachment is a file that a browser keeps and does not show.
type attachment struct {
	name string
	body []byte
}

// query holds the parameters of a request.
type query struct {
	sentFilter                                  index.Filter
	sort                                        index.Sort
	from, count, row, panel, wide, steps, items int
	step                                        float64
	part, metric, seriesA, seriesB              string
}

// filter returns the filter of a request. If it names a rule for suspects, the scan of answers is started, and
// the filter gets the number of the rule's present bitmaps, so that results of older ones are not used again.
func (query *query) filter(opened *opened) index.Filter {
	filter := query.sentFilter
	if filter.Rule != "" {
		opened.rules.begin()
		filter.Epoch = opened.rules.epoch(filter.Rule)
	}
	return filter
}

// maxFilter is the longest filter, bytes.
const maxFilter = 32 << 10

// readQuery reads the parameters of a request. Those that are missing get defaults: 100 rows, the panel that is
// shown first, pictures 320 px wide, 10 steps, 60 items of a saved page. Errors name the parameter.
func readQuery(args *fasthttp.Args) (*query, error) {
	query := &query{count: 100, panel: -1, wide: 320, steps: 10, items: 60, part: string(args.Peek("part")), metric: string(args.Peek("metric")),
		seriesA: string(args.Peek("a")), seriesB: string(args.Peek("b"))}
	for _, parameter := range []struct {
		name string
		to   *int
	}{{"from", &query.from}, {"n", &query.count}, {"row", &query.row}, {"panel", &query.panel}, {"w", &query.wide}, {"steps", &query.steps}, {"items", &query.items}} {
		text := string(args.Peek(parameter.name))
		if text == "" {
			continue
		}
		number, err := strconv.Atoi(text)
		if err != nil || number < -1 || number > 1<<31 { // -1: the panel to see first
			return nil, fmt.Errorf("cannot use %s: got %.40q; want a whole number", parameter.name, text)
		}
		*parameter.to = number
	}
	if s := string(args.Peek("step")); s != "" {
		value, err := strconv.ParseFloat(s, 64)
		if err != nil {
			return nil, fmt.Errorf("cannot use step: got %.40q; want a number", s)
		}
		query.step = value
	}
	query.sort = index.Sort{By: string(args.Peek("sort")), Down: string(args.Peek("down")) == "1"}
	if err := query.sort.Check(); err != nil {
		return nil, err
	}
	return query, query.readFilter(args.Peek("q"))
}

// readFilter reads the parameter q, a filter as JSON, into query.sentFilter. It refuses unknown members,
// facets and rules.
func (query *query) readFilter(data []byte) error {
	if len(data) == 0 {
		return nil
	}
	if len(data) > maxFilter {
		return fmt.Errorf("cannot use q: it has %d bytes; want at most %d", len(data), maxFilter)
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&query.sentFilter); err != nil {
		return fmt.Errorf("cannot use q: %w; want a filter as in schema.json", err)
	}
	if _, err := decoder.Token(); err != io.EOF {
		return errors.New("cannot use q: want one JSON object")
	}
	for name := range query.sentFilter.Values {
		if !slices.Contains(index.FacetNames[:], name) {
			return fmt.Errorf("cannot use q.values.%.40s: want one of %s", name, strings.Join(index.FacetNames[:], ", "))
		}
	}
	if rule := query.sentFilter.Rule; rule != "" && findRule(rule) == nil {
		return fmt.Errorf("cannot use q.rule: there is no rule %.40q", rule)
	}
	query.sentFilter.Epoch = 0 // query.filter sets it
	return nil
}

// PagesDir returns the folder of the built pages: explicit if given, else the environment's
// PLUMB_UI_PAGES, else where assets.Dir finds explorer. It does not check the files.
func PagesDir(explicit string) string { return assets.Dir(explicit, "PLUMB_UI_PAGES", "explorer") }
