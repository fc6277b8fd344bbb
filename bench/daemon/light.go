package main

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"time"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"plumb/daemon/trace/tracetest"
)

// light measures what a request takes when the daemon has no other: it sends one item at a time. The latency
// is that of a daemon without traces. The times of the parts of a request are those in the traces of a
// second daemon, because tracing costs time.
func light(cfg config) error {
	items, err := makeItems(min(cfg.requests, cfg.distinctItems), cfg.tests...)
	if err != nil {
		return err
	}
	if _, err := cfg.runPlumbScore(items); err != nil {
		return err
	}
	cfg.say("# light: one request at a time, %d items of %s", len(items), strings.Join(cfg.tests, ", "))
	plain, _, err := cfg.oneByOne(items)
	if err != nil {
		return err
	}
	cfg.say("latency             p50 %.2f ms, p90 %.2f ms, p99 %.2f ms (%d requests)", plain.percentileMS(50), plain.percentileMS(90), plain.percentileMS(99), plain.answers)
	collector := tracetest.Collect(nil)
	defer collector.Close()
	traced, began, err := cfg.oneByOne(items, "--otlp-endpoint", collector.URL)
	if err != nil {
		return err
	}
	cfg.say("latency, traced     p50 %.2f ms, p90 %.2f ms, p99 %.2f ms", traced.percentileMS(50), traced.percentileMS(90), traced.percentileMS(99))
	return report(cfg, collector.Spans(), traced, began)
}

// oneByOne starts a daemon with further flags, args, and sends it one request after another from a single
// client. The first config.requests/10 requests warm the daemon up and are not counted. It returns the tally of the
// next config.requests and when they began. A wrong or missing answer is an error.
func (config config) oneByOne(items []item, args ...string) (tally *tally, began time.Time, err error) {
	process, err := config.serve("127.0.0.1:0", nil, args...)
	if err != nil {
		return nil, began, err
	}
	defer process.kill()
	client := newClient(process.addr, time.Minute)
	tally = newTally()
	for k := -config.requests / 10; k < config.requests; k++ { // below 0 the daemon is warmed up
		if k == 0 { // the daemon is warm
			began = time.Now()
			tally = newTally()
		}
		item := &items[(k+config.requests)%len(items)]
		start := time.Now()
		data, err := client.post("/v1/score", item.line)
		if err != nil {
			return nil, began, fmt.Errorf("cannot score %s: %w", clipped(item.line), err)
		}
		tally.answered(time.Since(start))
		if !bytes.Equal(bytes.TrimSpace(data), item.want) {
			tally.differed(fmt.Sprintf("got %.300s; want %.300s", data, item.want))
		}
	}
	if err := tally.verdict(); err != nil {
		return nil, began, err
	}
	return tally, began, process.stop()
}

// report prints how long each part of a request took in the mean, from the spans that the daemon
// traced, and returns an error if the parts do not add up to the whole request. A request is a span
// without a parent; those before began, which warmed the daemon up, are left out.
func report(cfg config, spans []*tracepb.Span, tally *tally, began time.Time) error {
	// The requests.
	requests := map[string]float64{} // ms by span id
	for _, span := range spans {
		if len(span.ParentSpanId) == 0 && span.StartTimeUnixNano >= uint64(began.UnixNano()) {
			requests[string(span.SpanId)] = float64(span.EndTimeUnixNano-span.StartTimeUnixNano) / 1e6
		}
	}
	if len(requests) != tally.answers {
		return fmt.Errorf("got traces of %d requests; want %d", len(requests), tally.answers)
	}
	// The means of a request and of its parts, in ms.
	whole, parts, order := 0.0, map[string]float64{}, []string(nil)
	for _, ms := range requests {
		whole += ms / float64(len(requests))
	}
	sum := 0.0
	for _, span := range spans {
		if _, isPart := requests[string(span.ParentSpanId)]; !isPart {
			continue
		}
		if _, known := parts[span.Name]; !known {
			order = append(order, span.Name)
		}
		ms := float64(span.EndTimeUnixNano-span.StartTimeUnixNano) / 1e6 / float64(len(requests))
		parts[span.Name] += ms
		sum += ms
	}
	cfg.say("mean parts of a request, in the trace of %d requests:", len(requests))
	for _, name := range order {
		cfg.say("  %-10s %7.3f ms", name, parts[name])
	}
	cfg.say("  %-10s %7.3f ms", "sum", sum)
	cfg.say("  %-10s %7.3f ms, as the client saw it %.3f ms", "request", whole, tally.took.Mean()/1000)
	const tolerance = 0.001 // ms, for rounding
	if math.Abs(sum-whole) > tolerance {
		return fmt.Errorf("the parts add up to %.3f ms; want %.3f", sum, whole)
	}
	return nil
}
