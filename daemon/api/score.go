package api

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/valyala/fasthttp"
	"github.com/valyala/fastjson"

	"plumb/daemon/dump"
	"plumb/daemon/jsoncut"
	"plumb/daemon/names"
	"plumb/daemon/queue"
	"plumb/scoring"
)

// score answers POST /v1/score with the result of one item, or with the list of results of
// {"items":[...], "options":{...}}. See docs/spec/http.md#r4.
func (server *Server) score(ctx *fasthttp.RequestCtx) {
	body, ok := server.readBody(ctx)
	if !ok {
		return
	}
	env, err := split(body, server.cfg.MaxItems)
	if errors.Is(err, jsoncut.ErrTooMany) {
		server.fail(ctx, fasthttp.StatusRequestEntityTooLarge, "too_large",
			fmt.Sprintf("cannot score items: got more than %d (--max-items); POST /v1/score/stream takes any number", server.cfg.MaxItems))
		return
	}
	if err != nil {
		server.fail(ctx, fasthttp.StatusBadRequest, "bad_line", "cannot read body: "+err.Error())
		return
	}
	opt, fault := server.options(ctx, env.options)
	if fault != nil {
		server.fail(ctx, fasthttp.StatusBadRequest, fault.Code, fault.Message)
		return
	}
	if !env.batch {
		server.scoreOne(ctx, body, opt)
		return
	}
	server.scoreMany(ctx, env.items, opt)
}

// scoreOne scores the only item of a request and answers with its result line. If the item could not be
// scored, the answer is its error with the status for that. Headers have the times of the sample.
func (server *Server) scoreOne(ctx *fasthttp.RequestCtx, body []byte, opt *queue.Options) {
	life, done := server.clients.wait(server.life, ctx.Conn())
	defer done()
	answer, err := server.cfg.Queue.Score(life, dump.Line{Number: 1, Bytes: body}, opt)
	if err != nil {
		server.failWith(ctx, err)
		return
	}
	server.noteAnswer(trailOf(ctx), &answer, time.Now())
	setTimingHeaders(ctx, &answer)
	if answer.Source != queue.Computed {
		ctx.Response.Header.Set("X-Source", answer.Source.String())
	}
	if e := answer.Result.Err; e != nil {
		if status := statusOf(e.Code); status != fasthttp.StatusOK {
			server.fail(ctx, status, e.Code, e.Message)
			return
		}
	}
	ctx.SetContentType("application/json")
	if wantsTimings(ctx) {
		answer.JSON = appendTimed(nil, &answer)
	}
	ctx.SetBody(append(answer.JSON, '\n'))
}

// scoreMany scores the items of one request as a stream and answers with {"results":[...]}, in which
// each item has its result or its error. The stream takes one place in the queue, has the normal
// priority unless the request chooses another, and bounded memory.
func (server *Server) scoreMany(ctx *fasthttp.RequestCtx, items [][]byte, opt *queue.Options) {
	leaveQueue, err := server.cfg.Queue.Admit()
	if err != nil {
		server.failWith(ctx, err)
		return
	}
	defer leaveQueue()
	life, cancel := server.clients.wait(server.life, ctx.Conn())
	defer cancel()
	opt.Priority = cmp.Or(opt.Priority, queue.PriorityNormal)
	stream := server.cfg.Queue.Stream(life, opt)
	// One goroutine puts the items in, this one takes the results in the same order.
	go func() {
		defer stream.End()
		for i, b := range items {
			if stream.Put(dump.Line{Number: i + 1, Bytes: b}) != nil {
				return
			}
		}
	}()
	trail, timed := trailOf(ctx), wantsTimings(ctx)
	out := []byte(`{"results":[`)
	for i := 0; ; i++ {
		answer, err := stream.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			server.failWith(ctx, err)
			return
		}
		server.noteAnswer(trail, &answer, time.Now())
		if i > 0 {
			out = append(out, ',')
		}
		if timed {
			out = appendTimed(out, &answer)
		} else {
			out = append(out, answer.JSON...)
		}
	}
	ctx.SetContentType("application/json")
	ctx.SetBody(append(out, ']', '}', '\n'))
}

// requestOptions are the options of a request as it names them.
type requestOptions struct {
	suite, reward string // "" for the daemon's
	variants      []string
	urgency       urgency
	timings       *bool // nil where the body does not say
}

// options returns the options of a request: those of object, the member options of its body (nil for
// none), else those of the query and the headers, else those of the daemon's flags. Whether results
// carry times is kept with the request, for wantsTimings.
func (server *Server) options(ctx *fasthttp.RequestCtx, object []byte) (*queue.Options, *scoring.Error) {
	args := ctx.QueryArgs()
	given := requestOptions{suite: string(args.Peek("suite")), reward: string(args.Peek("reward"))}
	for _, v := range args.PeekMulti("variant") {
		given.variants = append(given.variants, string(v))
	}
	var fault *scoring.Error
	if given.urgency, fault = (urgency{}).header(ctx); fault != nil {
		return nil, fault
	}
	if object != nil {
		if fault = given.read(object); fault != nil {
			return nil, fault
		}
	}
	if given.timings != nil {
		ctx.SetUserValue(timingsKey, *given.timings)
	}
	options, fault := server.newOptions(given.suite, given.reward, given.variants)
	if fault == nil {
		options.Priority, options.Deadline, options.JoinIdentical = given.urgency.Priority, given.urgency.Deadline, true
		options.Client = server.client(ctx)
		options.Memory = server.clientMemory
	}
	return options, fault
}

// scoreQuery are the names that the query of a request for scores may have, trainQuery those on a
// trainer's route.
var (
	scoreQuery = []string{"suite", "reward", "variant", "timings"}
	trainQuery = append(slices.Clone(scoreQuery), "prepare")
)

// queries are the names that the query may have on each route that reads any, by the route's name.
// Every route may have a token beside them.
var queries = map[string][]string{
	"score":         scoreQuery,
	"score_stream":  scoreQuery,
	"reward":        trainQuery,
	"get_reward":    trainQuery,
	"slime":         append(slices.Clone(trainQuery), "format"),
	"verify":        trainQuery,
	"step":          trainQuery,
	"reset":         trainQuery,
	"ws":            trainQuery,
	"render":        {"bounds", "channels", paramRegion, paramSize, paramOffset},
	"pixel_metrics": {"width", "height", "channels", "threshold", "hausdorff", paramRegion, paramSize, paramOffset},
	"prompt":        {"mode", "input", "setting", "format", "method", "images"},
}

// unknownQuery returns the fault of a query with a name that the route does not read, or nil. The explorer
// has names of its own and refuses others itself.
func unknownQuery(args *fasthttp.Args, route route) *scoring.Error {
	if route.name == uiRoute {
		return nil
	}
	if message := names.UnknownInQuery(args, queries[route.name]); message != "" {
		return &scoring.Error{Code: "bad_options", Message: message}
	}
	return nil
}

// read reads the options of the JSON object of a request's body, which replace those that it names. A
// member that is unknown or of another type is refused; null counts as absent.
func (options *requestOptions) read(object []byte) (fault *scoring.Error) {
	refuse := func(f string, args ...any) *scoring.Error {
		return &scoring.Error{Code: "bad_options", Message: "cannot use options: " + fmt.Sprintf(f, args...)}
	}
	if len(object) > maxSmallBody {
		return refuse("they have %d bytes; want at most %d", len(object), maxSmallBody)
	}
	parsed, err := fastjson.ParseBytes(object)
	if err != nil {
		return refuse("they are not JSON")
	}
	members, err := parsed.Object()
	if err != nil {
		return refuse("want an object with suite, reward, variants, timings, priority, deadline_ms")
	}
	// Each member has its type; a later one does not undo the first fault.
	members.Visit(func(k []byte, value *fastjson.Value) {
		switch key := string(k); {
		case value.Type() == fastjson.TypeNull:
		case key == "timings" && (value.Type() == fastjson.TypeTrue || value.Type() == fastjson.TypeFalse):
			on := value.Type() == fastjson.TypeTrue
			options.timings = &on
		case key == "suite" && value.Type() == fastjson.TypeString:
			options.suite = string(value.GetStringBytes())
		case key == "reward" && value.Type() == fastjson.TypeString:
			options.reward = string(value.GetStringBytes())
		case key == "variants" && value.Type() == fastjson.TypeArray:
			options.variants = nil
			for _, element := range value.GetArray() {
				options.variants = append(options.variants, string(element.GetStringBytes()))
			}
		case key == "priority" && value.Type() == fastjson.TypeString:
			fault = cmp.Or(fault, options.urgency.priority(string(value.GetStringBytes())))
		case key == "deadline_ms" && value.Type() == fastjson.TypeNumber:
			fault = cmp.Or(fault, options.urgency.deadline(value.String()))
		default:
			fault = refuse("got %.40q; want suite (text), reward (text), variants (list of NAME or NAME=VALUE), "+
				"timings (true or false), priority (high, normal or bulk), deadline_ms (number)", key)
		}
	})
	return fault
}

// newOptions returns the options for a suite, a reward mode and variants by name. An empty name, or no
// variant, means what the daemon's flags chose. An unknown name is refused.
func (server *Server) newOptions(suite, reward string, variants []string) (*queue.Options, *scoring.Error) {
	opts := &queue.Options{Suite: suite, Variants: server.cfg.Variants, Reward: server.cfg.RewardMode}
	if suite != "" && server.cfg.Items.Suites.Find(suite) == nil {
		names := strings.Join(server.cfg.Items.Suites.Names(), ", ")
		return nil, &scoring.Error{Code: "unknown_suite", Message: fmt.Sprintf("cannot use suite %.40q: want one of %s", suite, names)}
	}
	var err error
	if reward != "" {
		if opts.Reward, err = scoring.ParseReward(reward); err != nil {
			return nil, &scoring.Error{Code: "bad_options", Message: err.Error()}
		}
	}
	if len(variants) > 0 {
		if opts.Variants, err = scoring.ParseVariants(variants, server.knownVariants()); err != nil {
			return nil, &scoring.Error{Code: "bad_options", Message: err.Error()}
		}
	}
	return opts, nil
}

// envelope is a body of /v1/score, split into items but not parsed, so that an invalid
// item does not affect others.
type envelope struct {
	batch   bool
	items   [][]byte
	options []byte
}

// split finds the items and the options of the body of a score request, without parsing them. A body
// without a list items is one item itself. More than limit items are jsoncut.ErrTooMany.
func split(body []byte, limit int) (e envelope, err error) {
	body = bytes.TrimSpace(body)
	if len(body) == 0 {
		return e, fmt.Errorf("it is empty; want an item or {\"items\":[...]}")
	}
	if body[0] != '{' {
		return e, nil // one item, which the decoder refuses
	}
	err = jsoncut.Named(body, func(key, value []byte) error {
		switch string(key) {
		case "items":
			if len(value) == 0 || value[0] != '[' {
				return nil // an item may have a field of that name
			}
			e.batch = true
			e.items, err = jsoncut.Elements(value, limit)
			return err
		case "options":
			e.options = value
		}
		return nil
	})
	if !e.batch {
		return envelope{}, nil // one item; the decoder reports it if the JSON is invalid
	}
	return e, err
}
