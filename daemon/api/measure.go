package api

import (
	"cmp"
	"context"
	"fmt"

	"github.com/valyala/fasthttp"
	"github.com/valyala/fastjson"

	"plumb/daemon/names"
	"plumb/render/jsontree"
	"plumb/render/metric"
	"plumb/scoring"
)

// pixelRequest is a request for metrics of pixels.
type pixelRequest struct {
	a, b      *pixels // b is nil where there is one mask
	threshold uint8
	hausdorff bool
}

// measure answers POST /v1/metrics: it measures the pixels that the client sends, inline
// or in a region. See docs/spec/http.md#r13.
func (server *Server) measure(ctx *fasthttp.RequestCtx) {
	body, ok := server.readBody(ctx)
	if !ok {
		return
	}
	var request pixelRequest
	var fault error
	err := server.parseWithinMemory(server.life, server.client(ctx), body, func() { request, fault = server.readPixelRequest(ctx, body) })
	if err = cmp.Or(err, fault); err != nil {
		server.failWith(ctx, err)
		return
	}
	leaveQueue, err := server.cfg.Queue.Admit()
	if err != nil {
		server.failWith(ctx, err)
		return
	}
	defer leaveQueue()
	life, cancel := context.WithTimeout(server.life, server.cfg.ReadTimeout)
	defer cancel()
	if err := server.measurePixels(life, ctx, request); err != nil {
		server.failWith(ctx, err)
	}
}

// measurePixels loads the masks of a request, measures each, compares them if there are two, and
// answers. It waits until the bounds on pictures and pixels that are held at once leave room.
func (server *Server) measurePixels(life context.Context, ctx *fasthttp.RequestCtx, request pixelRequest) error {
	if err := server.drawingSlots.Acquire(life, 1); err != nil {
		return err
	}
	defer server.drawingSlots.Release(1)
	// Both masks must have one size. Together they take room for their pixels.
	area := request.a.width * request.a.height
	if request.b != nil {
		if request.a.width != request.b.width || request.a.height != request.b.height {
			return wrongPixels("b", "it has %d x %d px and a has %d x %d px; want one size",
				request.b.width, request.b.height, request.a.width, request.a.height)
		}
		area *= 2
	}
	releasePixels, err := server.takePixels(life, area)
	if err != nil {
		return err
	}
	defer releasePixels()
	// One mask is measured, two are also compared.
	a, err := server.loadMask(request.a, server.peerFuncOf(ctx))
	if err != nil {
		return err
	}
	if request.b == nil {
		server.replyMask(ctx, metric.Measure(a, request.threshold), request)
		return nil
	}
	b, err := server.loadMask(request.b, server.peerFuncOf(ctx))
	if err != nil {
		return err
	}
	comparison, err := server.cfg.Meter.Compare(life, a, b, metric.Options{Threshold: request.threshold, Hausdorff: request.hausdorff})
	if err != nil {
		return err
	}
	server.replyPair(ctx, comparison, request)
	return nil
}

// readPixelRequest reads a request for metrics of pixels. Its masks are JSON, a PNG or raw bytes in the
// body, by the Content-Type, or in a region that the query names. Options are in the query; those of
// a JSON body take precedence. The pixels themselves are decoded later.
func (server *Server) readPixelRequest(ctx *fasthttp.RequestCtx, body []byte) (request pixelRequest, err error) {
	args := ctx.QueryArgs()
	request = pixelRequest{threshold: metric.CoveredFrom, hausdorff: true}
	if value := args.Peek("threshold"); value != nil {
		n, ok := digits(value)
		if !ok {
			n = -1 // which threshold refuses, with the text in its message
		}
		if request.threshold, err = threshold(n, string(value)); err != nil {
			return request, err
		}
	}
	switch v := string(args.Peek("hausdorff")); v {
	case "", "true":
	case "false":
		request.hausdorff = false
	default:
		return request, &scoring.Error{Code: "bad_options", Message: fmt.Sprintf("cannot use hausdorff %.16q: want true or false", v)}
	}
	region, err := queryRegion(ctx)
	if err != nil {
		return request, err
	}
	kind := mediaType(ctx)
	switch {
	case region.name != "":
		if len(body) > 0 {
			return request, wrongPixels("a", "got a body and %s; want one of them", paramRegion)
		}
		return request, server.rawPixels(ctx, &request, nil, region)
	case kind == "application/octet-stream":
		return request, server.rawPixels(ctx, &request, body, region)
	case kind == "image/png":
		request.a, err = server.pngPixels("a", body)
		return request, err
	}
	return request, server.jsonPixels(&request, body)
}

// jsonPixels reads into request a JSON body {"a": mask, "b": mask, "threshold": 1 to 255,
// "hausdorff": bool}, of which only a is needed. Errors name the member that cannot be used.
func (server *Server) jsonPixels(request *pixelRequest, body []byte) error {
	if err := server.cfg.SceneLimits.Check(body); err != nil {
		return err
	}
	value, err := jsontree.Parse(new(fastjson.Parser), body)
	if err != nil || value.Type() != fastjson.TypeObject {
		return &scoring.Error{Code: "bad_line", Message: `cannot read body: want {"a":{...},"b":{...}}, image/png, ` +
			`or application/octet-stream with width and height in the query`}
	}
	if message := names.UnknownMember("body", value.GetObject(), []string{"a", "b", "threshold", "hausdorff"}); message != "" {
		return &scoring.Error{Code: "bad_options", Message: message}
	}
	if f := value.Get("threshold"); f != nil && f.Type() != fastjson.TypeNull {
		n, e := f.Int()
		if e != nil {
			n = -1 // which threshold refuses
		}
		if request.threshold, err = threshold(n, f.String()); err != nil {
			return err
		}
	}
	if f := value.Get("hausdorff"); f != nil && f.Type() != fastjson.TypeNull {
		if request.hausdorff, err = f.Bool(); err != nil {
			return &scoring.Error{Code: "bad_options", Message: fmt.Sprintf("cannot use hausdorff %.40q: want true or false", f.String())}
		}
	}
	if request.a, err = server.mask(value.Get("a"), "a"); err != nil {
		return err
	}
	if request.a == nil {
		return wrongPixels("a", "it is missing; want a mask")
	}
	request.b, err = server.mask(value.Get("b"), "b")
	return err
}

// threshold returns n as an alpha of 1 to 255, from which a pixel of the client's mask counts as
// covered. The error for any other n quotes got, the text of the request.
func threshold(n int, got string) (uint8, error) {
	if n < 1 || n > 255 {
		message := fmt.Sprintf("cannot use threshold %.40q: want an alpha of 1 to 255 from which a pixel is covered", got)
		return 0, &scoring.Error{Code: "bad_options", Message: message}
	}
	return uint8(n), nil
}

// nullMembers collects the reasons for null members of an answer, as members of a JSON
// object without its braces.
type nullMembers struct{ reasons []byte }

// explain records why a member of the reply to a measurement is null.
func (nulls *nullMembers) explain(member, why string) {
	if nulls.reasons != nil {
		nulls.reasons = append(nulls.reasons, ',')
	}
	nulls.reasons = scoring.AppendString(nulls.reasons, member)
	nulls.reasons = scoring.AppendString(append(nulls.reasons, ':'), why)
}

// appendSums appends the pixel metrics of one mask to the JSON b, as a member called name, and records why
// metrics of it are null. The metrics have the names that `plumb render` writes. See docs/spec/cli.md#r31.
func (nulls *nullMembers) appendSums(b []byte, name string, m metric.Stats) []byte {
	b = append(scoring.AppendString(b, name), ":{"...)
	return append(scoring.AppendStats(b, m, func(metric, why string) { nulls.explain(name+"."+metric, name+" "+why) }), '}')
}

// pairMetrics are the metrics of two masks, in the order in which they are written; value returns
// false where the metric is null, for the reason why. Replies and their description follow from
// this table. See docs/spec/http.md#r13.
var pairMetrics = []struct {
	name, why string
	value     func(metric.Comparison) (float64, bool)
}{
	{"coverage", "a covers no pixel", metric.Comparison.Coverage},
	{"iou", "neither covers a pixel", metric.Comparison.IoU},
	{"hausdorff", "a mask covers no pixel", metric.Comparison.Hausdorff},
}

// notAsked is why the Hausdorff distance is null where the request leaves it out.
const notAsked = "not asked for"

// replyHead returns the beginning of the JSON of an answer: the size of the masks and the threshold.
func replyHead(q pixelRequest) []byte {
	return fmt.Appendf(nil, `{"width":%d,"height":%d,"threshold":%d,`, q.a.width, q.a.height, q.threshold)
}

// replyMask answers with the measures of one mask.
func (server *Server) replyMask(ctx *fasthttp.RequestCtx, m metric.Stats, q pixelRequest) {
	var nulls nullMembers
	nulls.replyWithReasons(ctx, nulls.appendSums(replyHead(q), "a", m))
}

// replyPair answers with the measures of two masks and of how they overlap. A metric that is undefined,
// or that the request leaves out, is null with a reason.
func (server *Server) replyPair(ctx *fasthttp.RequestCtx, comparison metric.Comparison, request pixelRequest) {
	var nulls nullMembers
	out := nulls.appendSums(replyHead(request), "a", comparison.A)
	out = nulls.appendSums(append(out, ','), "b", comparison.B)
	out = fmt.Appendf(out, `,"both_pixels":%d`, comparison.Both)
	for _, m := range pairMetrics {
		out = append(out, ',')
		out = scoring.AppendString(out, m.name)
		out = append(out, ':')
		value, defined := m.value(comparison)
		switch {
		case defined:
			out = scoring.AppendFloat(out, value)
			continue
		case m.name == "hausdorff" && !request.hausdorff:
			nulls.explain(m.name, notAsked)
		default:
			nulls.explain(m.name, m.why)
		}
		out = append(out, "null"...)
	}
	nulls.replyWithReasons(ctx, out)
}

// replyWithReasons adds the reasons for null members to the reply and sends it.
func (nulls *nullMembers) replyWithReasons(ctx *fasthttp.RequestCtx, dst []byte) {
	if nulls.reasons != nil {
		dst = append(append(append(dst, `,"undefined":{`...), nulls.reasons...), '}')
	}
	ctx.SetContentType("application/json")
	ctx.SetBody(append(dst, '}', '\n'))
}
