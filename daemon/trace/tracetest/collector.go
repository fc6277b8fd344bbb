// Package tracetest is a collector of OpenTelemetry traces on a port of its own.
// In: what an OTLP/HTTP exporter sends, in protobuf. Out: the spans, to be looked
// at. It refuses, and remembers, what is not as OTLP wants it.
package tracetest

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// Collector keeps every span that it gets. It is safe for concurrent use.
type Collector struct {
	URL    string // base of the endpoint
	server *httptest.Server
	answer func() int

	mu     sync.Mutex // guards all below
	spans  []*tracepb.Span
	about  map[string]string // attributes of the process that sent the spans
	faults []string          // what was wrong with requests
}

// Collect starts a collector; Close ends it. answer, where not nil, is asked
// before each request is read and returns the status of its answer: what does
// not get 200 is not kept.
func Collect(answer func() int) *Collector {
	c := &Collector{about: map[string]string{}, answer: answer}
	c.server = httptest.NewServer(c)
	c.URL = c.server.URL
	return c
}

// Close waits for requests under way.
func (collector *Collector) Close() { collector.server.Close() }

// ServeHTTP takes a request of an exporter and keeps its spans, or keeps what is wrong with it and answers
// 400. It implements http.Handler.
func (collector *Collector) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	if collector.answer != nil {
		if code := collector.answer(); code != http.StatusOK {
			w.WriteHeader(code)
			return
		}
	}
	m, err := read(req)
	collector.mu.Lock()
	defer collector.mu.Unlock()
	if err != nil {
		collector.faults = append(collector.faults, err.Error())
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	for _, rs := range m.ResourceSpans {
		for _, a := range rs.Resource.GetAttributes() {
			collector.about[a.Key] = a.Value.GetStringValue()
		}
		for _, ss := range rs.ScopeSpans {
			collector.spans = append(collector.spans, ss.Spans...)
		}
	}
	w.Header().Set("Content-Type", "application/x-protobuf")
}

// read reads the body of an exporter's request, and refuses what is not OTLP in protobuf.
func read(req *http.Request) (*collector.ExportTraceServiceRequest, error) {
	kind := req.Header.Get("Content-Type")
	if req.Method != http.MethodPost || req.URL.Path != "/v1/traces" || kind != "application/x-protobuf" {
		return nil, fmt.Errorf("cannot take %s %s of type %q: want POST /v1/traces of protobuf", req.Method,
			req.URL.Path, kind)
	}
	in := io.Reader(req.Body)
	if req.Header.Get("Content-Encoding") == "gzip" {
		z, err := gzip.NewReader(in)
		if err != nil {
			return nil, fmt.Errorf("cannot read spans: %w", err)
		}
		in = z
	}
	data, err := io.ReadAll(in)
	if err != nil {
		return nil, fmt.Errorf("cannot read spans: %w", err)
	}
	m := new(collector.ExportTraceServiceRequest)
	if err := proto.Unmarshal(data, m); err != nil {
		return nil, fmt.Errorf("cannot read spans: %w", err)
	}
	return m, nil
}

// Spans returns all spans so far, in the order in which they came.
func (collector *Collector) Spans() []*tracepb.Span {
	collector.mu.Lock()
	defer collector.mu.Unlock()
	return slices.Clone(collector.spans)
}

// Faults returns what was wrong with requests so far.
func (collector *Collector) Faults() []string {
	collector.mu.Lock()
	defer collector.mu.Unlock()
	return slices.Clone(collector.faults)
}

// About returns an attribute of the process that sent the spans.
func (collector *Collector) About(key string) string {
	collector.mu.Lock()
	defer collector.mu.Unlock()
	return collector.about[key]
}

// Children returns the spans below the one with this id in the order of their
// starts; nil asks for those without a parent.
func (collector *Collector) Children(id []byte) (list []*tracepb.Span) {
	for _, s := range collector.Spans() {
		if bytes.Equal(s.ParentSpanId, id) {
			list = append(list, s)
		}
	}
	slices.SortStableFunc(list, func(a, b *tracepb.Span) int { return cmp.Compare(a.StartTimeUnixNano, b.StartTimeUnixNano) })
	return list
}

// Names returns the names of spans.
func Names(spans []*tracepb.Span) (list []string) {
	for _, s := range spans {
		list = append(list, s.Name)
	}
	return list
}
