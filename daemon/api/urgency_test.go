package api

import (
	"strings"
	"testing"

	"plumb/daemon/queue"
	"plumb/daemon/queue/queuetest"
)

// What a request says of its priority and deadline is read, or refused by name.
func TestUrgency(t *testing.T) {
	block := make(chan struct{})
	s := serve(t, func(_ *Config, _ *queue.Config, suite *queuetest.Suite) { suite.Block = block })
	defer close(block)
	for _, c := range []struct {
		header, value, options string
		status                 int
		want                   string
	}{
		{"X-Priority", "bulk", "", 200, ""},
		{"X-Priority", "urgent", "", 400, "want high, normal or bulk"},
		{"X-Deadline-Ms", "5000", "", 200, ""},
		{"X-Deadline-Ms", "0", "", 400, "milliseconds"},
		{"X-Deadline-Ms", "NaN", "", 400, "milliseconds"},
		{"X-Deadline-Ms", "soon", "", 400, "milliseconds"},
		{"X-A", "", `{"priority":"high","deadline_ms":5000}`, 200, ""},
		{"X-A", "", `{"priority":"most"}`, 400, "want high, normal or bulk"},
		{"X-A", "", `{"deadline_ms":-1}`, 400, "milliseconds"},
		{"X-A", "", `{"deadline_ms":"1"}`, 400, "deadline_ms"},
	} {
		body := `{"test":"sum","views":[1]}`
		if c.options != "" {
			body = `{"items":[` + body + `],"options":` + c.options + `}`
		}
		status, _, got := s.do(t, "POST", "/v1/score", body, c.header, c.value)
		if status != c.status || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q %s: got %d %s; want %d and %q", c.header, c.value, c.options, status, got, c.status, c.want)
		}
	}
	const stuck = `{"id":"s","test":"sum","do":"block"}`
	status, _, got := s.do(t, "POST", "/v1/score", stuck, "X-Deadline-Ms", "30")
	if status != 504 || !strings.Contains(got, "30ms (X-Deadline-Ms)") {
		t.Errorf("got %d %s; want 504 after the time that was asked for", status, got)
	}
	status, _, got = s.do(t, "POST", "/v1/score", `{"items":[{"test":"sum","views":[3]},`+stuck+`],"options":{"deadline_ms":30}}`)
	if status != 200 || !strings.Contains(got, `"score":3.0`) || !strings.Contains(got, `"deadline"`) {
		t.Errorf("got %d %s; want the other item scored", status, got)
	}
}

// A client learns that its result was not computed for it, and gets the same
// bytes.
func TestSourceOfResult(t *testing.T) {
	s := serve(t, func(_ *Config, q *queue.Config, _ *queuetest.Suite) { q.CacheBytes = 1 << 20 })
	const item = `{"id":"a","test":"sum","views":[1,2]}`
	_, first, one := s.do(t, "POST", "/v1/score", item)
	_, second, two := s.do(t, "POST", "/v1/score", item)
	if first.Get("X-Source") != "" || second.Get("X-Source") != "cached" || one != two {
		t.Errorf("got %q %s and %q %s; want the second one from the cache", first.Get("X-Source"), one, second.Get("X-Source"), two)
	}
	_, _, metrics := s.do(t, "GET", "/metrics", "")
	for _, want := range []string{"plumb_result_cache_hits_total 1\n", "plumb_result_cache_misses_total 1\n", "plumb_shared_samples_total 0\n"} {
		if !strings.Contains(metrics, want) {
			t.Errorf("metrics lack %q", want)
		}
	}
}
