// Package trace exports the timing of requests as OpenTelemetry spans and as files of
// trace events. In: one Request after its answer, with its samples, which are the benchmark answers
// that it had scored, and how long each part of a sample took (queue, decode, draw, ...). Out:
// OpenTelemetry spans to a collector, by OpenTelemetry's protocol OTLP, or events of a file
// that Perfetto, a viewer of traces, opens. It
// never blocks a request: requests that do not fit into a bounded queue are dropped and
// counted.
package trace

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/propagation"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	otel "go.opentelemetry.io/otel/trace"
)

// DefaultQueue is how many answered requests may wait for the collector.
const DefaultQueue = 4096

// Config of a Tracer. Without Endpoint, Env and File there is nothing to trace to.
type Config struct {
	Endpoint string  // base URL of an OTLP/HTTP collector; /v1/traces is appended where it does not end so
	Env      bool    // a collector as the OTEL_* variables say; Endpoint wins
	Ratio    float64 // of the requests whose client did not decide, 0..1; negative: as OTEL_TRACES_SAMPLER says, or all
	File     string  // takes Chrome's trace events, "" for none
	Version  string  // of the program
	Queue    int     // requests that wait at most, default DefaultQueue
	Log      *slog.Logger
	Getenv   func(string) string // nil: no variable of the sampler is read
}

// Part is one phase of the time of a sample.
type Part struct {
	Name string
	Took time.Duration
}

// Sample is one answer of a request. Its parts follow each other from Start
// without gaps.
type Sample struct {
	ID, Suite, Test string
	Outcome         string // "scored", or the code of the error
	Source          string // "computed", "shared" or "cached"
	Start           time.Time
	Parts           []Part
}

// Request is one answered HTTP request. If it has one sample, the spans of the sample's parts stand below
// that of the request. If it has several, each sample has a span of its own, with those of its parts below it.
type Request struct {
	Span   Span
	Method string
	Route  string // path of the route, never the path that was sent
	ID     string // X-Request-Id
	Code   int
	Start  time.Time
	End    time.Time
	All    int // number of samples, with those that are not in Sample
	Sample []Sample
}

// Span is the place of one request in a trace. The zero Span is not recorded.
type Span struct {
	parent   otel.SpanContext // remote; invalid for none
	trace    otel.TraceID
	recorded bool
}

// Recorded reports whether the request is to be given to End.
func (s Span) Recorded() bool { return s.recorded }

// TraceID returns the id in hexadecimal digits, "" where nothing is recorded.
func (s Span) TraceID() string {
	if !s.recorded {
		return ""
	}
	return s.trace.String()
}

// Lost counts requests and spans that were not exported.
type Lost struct {
	Requests int64 // dropped because the queue was full
	Spans    int64 // not accepted by the collector
}

// Tracer writes requests. A nil Tracer records nothing and costs nothing.
type Tracer struct {
	cfg      Config
	sampler  sdk.Sampler
	requests chan *Request // requests that wait to be exported
	done     chan struct{} // closed when run has ended
	exporter *exporter     // nil for none
	file     *file         // nil for none
	dropped  atomic.Int64  // requests that were not exported
	closing  chan struct{} // closed by Close
}

// Open starts a Tracer, which sends the timings of requests to a collector, writes them to a file, or
// both. It returns nil without an error if cfg names no destination.
func Open(cfg Config) (*Tracer, error) {
	if cfg.Endpoint == "" && !cfg.Env && cfg.File == "" {
		return nil, nil
	}
	if cfg.Queue <= 0 {
		cfg.Queue = DefaultQueue
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if err := cfg.Check(); err != nil {
		return nil, err
	}
	sampler, err := samplerOf(cfg)
	if err != nil {
		return nil, err
	}
	// Open the destinations.
	tracer := &Tracer{cfg: cfg, sampler: sampler, requests: make(chan *Request, cfg.Queue), done: make(chan struct{}),
		closing: make(chan struct{})}
	if cfg.Endpoint != "" || cfg.Env {
		if tracer.exporter, err = newExporter(cfg); err != nil {
			return nil, err
		}
	}
	if cfg.File != "" {
		if tracer.file, err = create(cfg.File, maxFile); err != nil {
			tracer.exporter.close(context.Background())
			return nil, err
		}
	}
	go tracer.run()
	return tracer, nil
}

// Begin decides whether a request is traced, and returns its place in a trace. get returns a header of the
// request by its name. If the headers say that the client began a trace, the span continues that trace,
// and the client's decision counts.
func (tracer *Tracer) Begin(get func(string) string) Span {
	if tracer == nil {
		return Span{}
	}
	ctx := propagation.TraceContext{}.Extract(context.Background(), carrier(get))
	span := Span{parent: otel.SpanContextFromContext(ctx)}
	span.trace = span.parent.TraceID()
	if !span.parent.IsValid() {
		span.trace = newTraceID()
	}
	d := tracer.sampler.ShouldSample(sdk.SamplingParameters{ParentContext: ctx, TraceID: span.trace, Kind: otel.SpanKindServer})
	span.recorded = d.Decision == sdk.RecordAndSample
	return span
}

// End queues a recorded request, which the caller must not use afterwards. It never waits:
// if the queue is full or the Tracer closed, the request is dropped and counted.
func (tracer *Tracer) End(request *Request) {
	if tracer == nil || !request.Span.recorded {
		return
	}
	request.useStartClock()
	select {
	case <-tracer.closing:
		tracer.dropped.Add(1)
		return
	default:
	}
	select {
	case tracer.requests <- request:
	default:
		tracer.dropped.Add(1)
	}
}

// useStartClock replaces all times of a request by the wall clock at its start plus the monotonic time
// since then. So the parts of the request add up to the nanosecond even if the wall clock was set
// meanwhile. Round(0) removes the monotonic reading from a time.
func (request *Request) useStartClock() {
	base, start := request.Start.Round(0), request.Start
	request.Start, request.End = base, base.Add(request.End.Sub(start))
	for i := range request.Sample {
		s := &request.Sample[i]
		s.Start = base.Add(s.Start.Sub(start))
	}
}

// Lost returns how many requests and spans were not traced, because the tracer or the collector was
// too slow.
func (tracer *Tracer) Lost() Lost {
	if tracer == nil {
		return Lost{}
	}
	lost := Lost{Requests: tracer.dropped.Load()}
	if tracer.exporter != nil {
		lost.Spans = tracer.exporter.lost.Load()
	}
	return lost
}

// Close exports the queued requests, for as long as ctx allows, and closes the file unless
// it is still being written. Later calls of End drop their requests. It must be called once
// only.
func (tracer *Tracer) Close(ctx context.Context) error {
	if tracer == nil {
		return nil
	}
	close(tracer.closing)
	select {
	case <-tracer.done:
	case <-ctx.Done():
	}
	err := tracer.exporter.close(ctx)
	select {
	case <-tracer.done:
		if tracer.file != nil {
			err = errors.Join(err, tracer.file.Close())
		}
	default: // ctx has ended, and run may still be writing the file
	}
	if err != nil {
		return fmt.Errorf("cannot write all traces: %w", err)
	}
	return nil
}

// run is the goroutine that exports queued requests. After Close it exports those that are
// left and ends.
func (tracer *Tracer) run() {
	defer close(tracer.done)
	for {
		select {
		case r := <-tracer.requests:
			tracer.export(r)
			continue
		case <-tracer.closing:
		}
		for { // what is left
			select {
			case r := <-tracer.requests:
				tracer.export(r)
			default:
				return
			}
		}
	}
}

// export exports one request to the collector and the trace file. If the file takes no more,
// it is closed.
func (tracer *Tracer) export(request *Request) {
	if tracer.exporter != nil {
		tracer.exporter.exportRequest(request)
	}
	if tracer.file != nil {
		if err := tracer.file.writeRequest(request); err != nil {
			tracer.cfg.Log.Warn("no more requests in the trace file", "error", err)
			tracer.file.Close()
			tracer.file = nil
		}
	}
}

// carrier lets the propagator read headers.
type carrier func(string) string

// Get returns a header of the request. It implements propagation.TextMapCarrier.
func (c carrier) Get(key string) string { return c(key) }

// Set implements propagation.TextMapCarrier; nothing is written.
func (c carrier) Set(string, string) {}

// Keys implements propagation.TextMapCarrier; headers are only asked for by name.
func (c carrier) Keys() []string { return nil }

// newTraceID returns a random id, which need not be secret.
func newTraceID() (id otel.TraceID) {
	for !id.IsValid() {
		binary.LittleEndian.PutUint64(id[:8], rand.Uint64())
		binary.LittleEndian.PutUint64(id[8:], rand.Uint64())
	}
	return id
}

// newSpanID returns a random id that is valid (not zero).
func newSpanID() (id otel.SpanID) {
	for !id.IsValid() {
		binary.LittleEndian.PutUint64(id[:], rand.Uint64())
	}
	return id
}
