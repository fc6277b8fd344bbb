package main

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"plumb/daemon/trace/tracetest"
)

// light sends one balance request at a time: what a request costs when the daemon has no other.
// The latency is taken without traces, the parts from the traces of a second daemon.
func light(c config) error {
	items, err := makeItems(min(c.n, c.distinct), c.tests...)
	if err != nil {
		return err
	}
	if _, err := c.score(items); err != nil {
		return err
	}
	c.say("# light: one request at a time, %d items of %s", len(items), strings.Join(c.tests, ", "))
	plain, _, err := c.oneByOne(items)
	if err != nil {
		return err
	}
	c.say("latency             p50 %.2f ms, p90 %.2f ms, p99 %.2f ms (%d requests)", plain.ms(50), plain.ms(90), plain.ms(99), plain.n)
	col := tracetest.Collect(nil)
	defer col.Close()
	traced, began, err := c.oneByOne(items, "--otlp-endpoint", col.URL)
	if err != nil {
		return err
	}
	c.say("latency, traced     p50 %.2f ms, p90 %.2f ms, p99 %.2f ms", traced.ms(50), traced.ms(90), traced.ms(99))
	return report(c, col.Spans(), traced, began)
}

// oneByOne warms a daemon up with a tenth of the requests and measures the rest.
func (c config) oneByOne(items []item, args ...string) (t *tally, began time.Time, err error) {
	p, err := c.serve("127.0.0.1:0", nil, args...)
	if err != nil {
		return nil, began, err
	}
	defer p.kill()
	cl := newClient(p.addr, time.Minute)
	t = newTally()
	for k := -c.n / 10; k < c.n; k++ {
		if k == 0 {
			began = time.Now()
			t = newTally()
		}
		it := &items[(k+c.n)%len(items)]
		start := time.Now()
		b, err := cl.post("/v1/score", it.line)
		if err != nil {
			return nil, began, fmt.Errorf("cannot score %s: %w", clipped(it.line), err)
		}
		t.answered(time.Since(start))
		if !bytes.Equal(bytes.TrimSpace(b), it.want) {
			t.err(fmt.Sprintf("got %.300s; want %.300s", b, it.want))
		}
	}
	if err := t.verdict(); err != nil {
		return nil, began, err
	}
	return t, began, p.stop()
}

// report prints the mean of each part and checks that they add up.
func report(c config, spans []*tracepb.Span, t *tally, began time.Time) error {
	roots := map[string]float64{} // ms by span id
	for _, s := range spans {
		if len(s.ParentSpanId) == 0 && s.StartTimeUnixNano >= uint64(began.UnixNano()) {
			roots[string(s.SpanId)] = float64(s.EndTimeUnixNano-s.StartTimeUnixNano) / 1e6
		}
	}
	if len(roots) != t.n {
		return fmt.Errorf("got traces of %d requests; want %d", len(roots), t.n)
	}
	whole, parts, order := 0.0, map[string]float64{}, []string(nil)
	for _, ms := range roots {
		whole += ms / float64(len(roots))
	}
	sum := 0.0
	for _, s := range spans {
		if _, ok := roots[string(s.ParentSpanId)]; !ok {
			continue
		}
		if _, ok := parts[s.Name]; !ok {
			order = append(order, s.Name)
		}
		ms := float64(s.EndTimeUnixNano-s.StartTimeUnixNano) / 1e6 / float64(len(roots))
		parts[s.Name] += ms
		sum += ms
	}
	c.say("mean parts of a request, in the trace of %d requests:", len(roots))
	for _, name := range order {
		c.say("  %-10s %7.3f ms", name, parts[name])
	}
	c.say("  %-10s %7.3f ms", "sum", sum)
	c.say("  %-10s %7.3f ms, as the client saw it %.3f ms", "request", whole, t.took.Mean()/1000)
	if d := sum - whole; d > 0.001 || d < -0.001 {
		return fmt.Errorf("the parts add up to %.3f ms; want %.3f", sum, whole)
	}
	return nil
}
