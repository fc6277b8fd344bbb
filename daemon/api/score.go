package api

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/valyala/fasthttp"
	"github.com/valyala/fastjson"

	"plumb/daemon/dump"
	"plumb/daemon/jsoncut"
	"plumb/daemon/queue"
	"plumb/scoring"
)

// score answers POST /v1/score: one item, or {"items":[...], "options":{...}}. See
// docs/spec/http.md#r4.
func (s *Server) score(ctx *fasthttp.RequestCtx) {
	body, ok := s.body(ctx)
	if !ok {
		return
	}
	env, err := split(body, s.cfg.ItemsMax)
	if errors.Is(err, jsoncut.ErrTooMany) {
		s.fail(ctx, fasthttp.StatusRequestEntityTooLarge, "too_large", fmt.Sprintf("cannot score items: got more than %d (--max-items); POST /v1/score/stream takes any number", s.cfg.ItemsMax))
		return
	}
	if err != nil {
		s.fail(ctx, fasthttp.StatusBadRequest, "bad_line", "cannot read body: "+err.Error())
		return
	}
	opt, fault := s.options(ctx, env.options)
	if fault != nil {
		s.fail(ctx, fasthttp.StatusBadRequest, fault.Code, fault.Message)
		return
	}
	if !env.batch {
		s.scoreOne(ctx, body, opt)
		return
	}
	s.scoreMany(ctx, env.items, opt)
}

// scoreOne scores the only item of a request. Its error decides the status of the answer.
func (s *Server) scoreOne(ctx *fasthttp.RequestCtx, body []byte, opt *queue.Options) {
	life, done := s.clients.wait(s.life, ctx.Conn())
	defer done()
	a, err := s.cfg.Queue.Score(life, dump.Line{N: 1, Bytes: body}, opt)
	if err != nil {
		s.failWith(ctx, err)
		return
	}
	s.answered(trailOf(ctx), &a, time.Now())
	timing(ctx, &a)
	if a.Source != queue.Computed {
		ctx.Response.Header.Set("X-Source", a.Source.String())
	}
	if e := a.Result.Err; e != nil {
		if status := statusOf(e.Code); status != fasthttp.StatusOK {
			s.fail(ctx, status, e.Code, e.Message)
			return
		}
	}
	ctx.SetContentType("application/json")
	if wantsTimings(ctx) {
		a.JSON = appendTimed(nil, &a)
	}
	ctx.SetBody(append(a.JSON, '\n'))
}

// scoreMany scores the items of one request as a stream, which counts as one request and
// has bounded memory.
func (s *Server) scoreMany(ctx *fasthttp.RequestCtx, items [][]byte, opt *queue.Options) {
	done, err := s.cfg.Queue.Admit()
	if err != nil {
		s.failWith(ctx, err)
		return
	}
	defer done()
	life, cancel := s.clients.wait(s.life, ctx.Conn())
	defer cancel()
	opt.Priority = cmp.Or(opt.Priority, queue.PriorityNormal)
	st := s.cfg.Queue.Stream(life, opt)
	go func() {
		defer st.End()
		for i, b := range items {
			if st.Put(dump.Line{N: i + 1, Bytes: b}) != nil {
				return
			}
		}
	}()
	left, timed := trailOf(ctx), wantsTimings(ctx)
	out := []byte(`{"results":[`)
	for i := 0; ; i++ {
		a, err := st.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			s.failWith(ctx, err)
			return
		}
		s.answered(left, &a, time.Now())
		if i > 0 {
			out = append(out, ',')
		}
		if timed {
			out = appendTimed(out, &a)
		} else {
			out = append(out, a.JSON...)
		}
	}
	ctx.SetContentType("application/json")
	ctx.SetBody(append(out, ']', '}', '\n'))
}

// options reads the options of a request from query parameters, headers and, with
// precedence, object, the member options of its body. The daemon's flags are the
// defaults.
func (s *Server) options(ctx *fasthttp.RequestCtx, object []byte) (*queue.Options, *scoring.Error) {
	bad := func(f string, args ...any) *scoring.Error {
		return &scoring.Error{Code: "bad_options", Message: "cannot use options: " + fmt.Sprintf(f, args...)}
	}
	args := ctx.QueryArgs()
	suite, reward := string(args.Peek("suite")), string(args.Peek("reward"))
	u, fault := urgency{}.header(ctx)
	if fault != nil {
		return nil, fault
	}
	var variants []string
	for _, v := range args.PeekMulti("variant") {
		variants = append(variants, string(v))
	}
	if object != nil {
		if len(object) > maxVerb {
			return nil, bad("they have %d bytes; want at most %d", len(object), maxVerb)
		}
		v, err := fastjson.ParseBytes(object)
		if err != nil {
			return nil, bad("they are not JSON")
		}
		o, err := v.Object()
		if err != nil {
			return nil, bad("want an object with suite, reward, variants, timings, priority, deadline_ms")
		}
		o.Visit(func(k []byte, f *fastjson.Value) {
			switch key := string(k); {
			case f.Type() == fastjson.TypeNull:
			case key == "timings" && (f.Type() == fastjson.TypeTrue || f.Type() == fastjson.TypeFalse):
				ctx.SetUserValue(timingsKey, f.Type() == fastjson.TypeTrue)
			case key == "suite" && f.Type() == fastjson.TypeString:
				suite = string(f.GetStringBytes())
			case key == "reward" && f.Type() == fastjson.TypeString:
				reward = string(f.GetStringBytes())
			case key == "variants" && f.Type() == fastjson.TypeArray:
				variants = nil
				for _, e := range f.GetArray() {
					variants = append(variants, string(e.GetStringBytes()))
				}
			case key == "priority" && f.Type() == fastjson.TypeString:
				fault = cmp.Or(fault, u.priority(string(f.GetStringBytes())))
			case key == "deadline_ms" && f.Type() == fastjson.TypeNumber:
				fault = cmp.Or(fault, u.deadline(f.String()))
			default:
				fault = bad("got %.40q; want suite (text), reward (text), variants (list of NAME or NAME=VALUE), timings (true or false), priority (high, normal or bulk), deadline_ms (number)", key)
			}
		})
		if fault != nil {
			return nil, fault
		}
	}
	o, fault := s.newOptions(suite, reward, variants)
	if fault == nil {
		o.Priority, o.Deadline, o.Share = u.Priority, u.Deadline, true
		o.Client = s.client(ctx)
		o.Memory = s.bodies
	}
	return o, fault
}

// newOptions returns the options for a suite, a reward mode and variants by name.
func (s *Server) newOptions(suite, reward string, variants []string) (*queue.Options, *scoring.Error) {
	o := &queue.Options{Suite: suite, Variants: s.cfg.Variants, Reward: s.cfg.Reward}
	if suite != "" && s.cfg.Items.Suites.Find(suite) == nil {
		return nil, &scoring.Error{Code: "unknown_suite", Message: fmt.Sprintf("cannot use suite %.40q: want one of %v", suite, s.cfg.Items.Suites.Names())}
	}
	var err error
	if reward != "" {
		if o.Reward, err = scoring.ParseReward(reward); err != nil {
			return nil, &scoring.Error{Code: "bad_options", Message: err.Error()}
		}
	}
	if len(variants) > 0 {
		if o.Variants, err = scoring.ParseVariants(variants, s.known()); err != nil {
			return nil, &scoring.Error{Code: "bad_options", Message: err.Error()}
		}
	}
	return o, nil
}

// envelope is a body of /v1/score, split into items but not parsed, so that an invalid
// item does not affect others.
type envelope struct {
	batch   bool
	items   [][]byte
	options []byte
}

// split finds the items of the body of a score request. A body without "items" is one item. More
// than limit items are jsoncut.ErrTooMany.
func split(body []byte, limit int) (e envelope, err error) {
	body = bytes.TrimSpace(body)
	if len(body) == 0 {
		return e, fmt.Errorf("it is empty; want an item or {\"items\":[...]}")
	}
	if body[0] != '{' {
		return e, nil
	}
	err = jsoncut.Members(body, func(key, value []byte) error {
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
		return envelope{}, nil // the decoder reports an invalid item
	}
	return e, err
}
