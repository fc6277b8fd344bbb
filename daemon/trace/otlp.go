package trace

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	otel "go.opentelemetry.io/otel/trace"
)

// retryFor is how long sending a batch of spans is retried. Meanwhile requests wait in the
// Tracer's queue, and are dropped where that is full.
const retryFor = 10 * time.Second

// exporter makes spans of requests. Everything but close belongs to the
// goroutine of the Tracer, which may wait for the collector.
type exporter struct {
	provider    *sdk.TracerProvider
	tracer      otel.Tracer
	log         *slog.Logger
	lost        atomic.Int64 // spans that the collector did not accept
	lastWarning time.Time    // when the last warning was logged
	sdk.SpanExporter
}

// newExporter returns an exporter that sends spans to an OpenTelemetry collector: to
// cfg.Endpoint, or where the OTEL_* variables say. It makes no connection yet.
func newExporter(cfg Config) (*exporter, error) {
	options := []otlptracehttp.Option{otlptracehttp.WithRetry(otlptracehttp.RetryConfig{
		Enabled: true, InitialInterval: time.Second, MaxInterval: retryFor / 2, MaxElapsedTime: retryFor,
	})}
	if cfg.Endpoint != "" {
		u, err := tracesURL(cfg.Endpoint)
		if err != nil {
			return nil, err
		}
		options = append(options, otlptracehttp.WithEndpointURL(u))
	}
	ctx := context.Background()
	out, err := otlptracehttp.New(ctx, options...)
	if err != nil {
		return nil, fmt.Errorf("cannot set up traces: %w", err)
	}
	about, err := resource.New(ctx,
		resource.WithAttributes(attribute.String("service.name", "plumb"),
			attribute.String("service.version", cfg.Version)),
		resource.WithHost(), resource.WithTelemetrySDK(), resource.WithFromEnv()) // what comes later wins
	if err != nil {
		return nil, fmt.Errorf("cannot describe this process in traces: %w", err)
	}
	e := &exporter{log: cfg.Log, SpanExporter: out}
	e.provider = sdk.NewTracerProvider(
		sdk.WithSampler(sdk.AlwaysSample()), // Begin has decided
		sdk.WithIDGenerator(ids{}),
		sdk.WithResource(about),
		// Blocking: the Tracer's queue is the one that drops, and drops whole requests.
		sdk.WithBatcher(e, sdk.WithBlocking()),
	)
	e.tracer = e.provider.Tracer("plumb/daemon")
	return e, nil
}

// ExportSpans implements sdk.SpanExporter. It counts spans that the collector does not
// accept, and logs a warning at most once a minute. It returns no error, because the SDK
// would log it as well, for each batch of spans.
func (exporter *exporter) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	err := exporter.SpanExporter.ExportSpans(ctx, spans)
	if err == nil {
		return nil
	}
	exporter.lost.Add(int64(len(spans)))
	if now := time.Now(); now.Sub(exporter.lastWarning) > time.Minute {
		exporter.lastWarning = now
		exporter.log.Warn("the collector takes no traces", "error", err, "spans-lost", exporter.lost.Load())
	}
	return nil
}

// close sends the remaining spans to the collector, until ctx ends at the latest. Without a collector,
// on nil, it does nothing.
func (exporter *exporter) close(ctx context.Context) error {
	if exporter == nil {
		return nil
	}
	return exporter.provider.Shutdown(ctx)
}

// exportRequest makes the spans of one request. Below the span of the request stand spans for the parts of its
// time: reading, the parts of its sample, and the reply. Samples of a request with several overlap, so
// each of them has a span of its own with its parts below it.
func (exporter *exporter) exportRequest(request *Request) {
	ctx := context.WithValue(context.Background(), traceKey{}, request.Span.trace)
	if request.Span.parent.IsValid() {
		ctx = otel.ContextWithRemoteSpanContext(ctx, request.Span.parent)
	}
	// The span of the request.
	ctx, root := exporter.tracer.Start(ctx, request.Method+" "+request.Route, otel.WithTimestamp(request.Start),
		otel.WithSpanKind(otel.SpanKindServer),
		otel.WithAttributes(
			attribute.String("http.request.method", request.Method),
			attribute.String("http.route", request.Route),
			attribute.Int("http.response.status_code", request.Code),
			attribute.String("plumb.request_id", request.ID),
			attribute.Int("plumb.samples", request.All)))
	if request.Code >= http.StatusInternalServerError {
		root.SetStatus(codes.Error, "")
	}
	// Its parts, or its samples with their parts.
	if len(request.Sample) == 1 && request.All == 1 {
		s := &request.Sample[0]
		root.SetAttributes(s.attributes()...)
		exporter.addPart(ctx, Part{"read", s.Start.Sub(request.Start)}, request.Start)
		end := exporter.addParts(ctx, s)
		exporter.addPart(ctx, Part{"reply", request.End.Sub(end)}, end)
	} else {
		for i := range request.Sample {
			s := &request.Sample[i]
			in, span := exporter.tracer.Start(ctx, "sample", otel.WithTimestamp(s.Start),
				otel.WithAttributes(s.attributes()...))
			span.End(otel.WithTimestamp(exporter.addParts(in, s)))
		}
	}
	root.End(otel.WithTimestamp(request.End))
}

// addParts makes a span for each part of a sample's time (queue, decode, draw, score, ...), one
// after another without gaps. It returns when the last one ended.
func (exporter *exporter) addParts(ctx context.Context, s *Sample) (end time.Time) {
	at := s.Start
	for _, p := range s.Parts {
		at = exporter.addPart(ctx, p, at)
	}
	return at
}

// addPart adds a span for a part of a request, and returns when it ended.
func (exporter *exporter) addPart(ctx context.Context, p Part, at time.Time) (end time.Time) {
	end = at.Add(max(p.Took, 0))
	_, span := exporter.tracer.Start(ctx, p.Name, otel.WithTimestamp(at))
	span.End(otel.WithTimestamp(end))
	return end
}

// attributes returns the OpenTelemetry attributes of a sample's span.
func (sample *Sample) attributes() []attribute.KeyValue {
	return []attribute.KeyValue{
		attribute.String("plumb.sample.id", sample.ID),
		attribute.String("plumb.suite", sample.Suite),
		attribute.String("plumb.test", sample.Test),
		attribute.String("plumb.outcome", sample.Outcome),
		attribute.String("plumb.source", sample.Source),
	}
}

// ids gives a new trace the id that Begin chose for it.
type ids struct{}

// traceKey is the key of a trace's id in a context.
type traceKey struct{}

// NewIDs returns the ids of the first span of a trace that plumb begins: the trace id that Begin chose, from the
// context, or a new one if there is none. In a trace that a client began, the SDK calls NewSpanID instead. It
// implements sdk.IDGenerator.
func (ids) NewIDs(ctx context.Context) (otel.TraceID, otel.SpanID) {
	id, ok := ctx.Value(traceKey{}).(otel.TraceID)
	if !ok {
		id = newTraceID()
	}
	return id, newSpanID()
}

// NewSpanID returns a random id for a further span. It implements sdk.IDGenerator.
func (ids) NewSpanID(context.Context, otel.TraceID) otel.SpanID { return newSpanID() }
