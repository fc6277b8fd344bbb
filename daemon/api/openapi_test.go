package api

import (
	"bytes"
	"context"
	"image/png"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"

	"plumb/daemon/queue"
	"plumb/daemon/queue/queuetest"
)

func contract(t *testing.T) *openapi3.T {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromData(document)
	if err != nil {
		t.Fatal(err)
	}
	if err := doc.Validate(context.Background()); err != nil {
		t.Fatal(err)
	}
	return doc
}

// The document lists the paths that are answered, all of them and no others.
func TestDocumentListsRoutes(t *testing.T) {
	doc := contract(t)
	var described, answered []string
	for path, item := range doc.Paths.Map() {
		for method := range item.Operations() {
			described = append(described, method+" "+path)
		}
	}
	for path, r := range routes() {
		answered = append(answered, r.method+" "+path)
	}
	slices.Sort(described)
	slices.Sort(answered)
	if !slices.Equal(described, answered) {
		t.Errorf("described: %v\nanswered:  %v", described, answered)
	}
}

// Every kind of answer is as the document says.
func TestAnswersMatchDocument(t *testing.T) {
	const token = "t"
	s := serve(t, func(c *Config, _ *queue.Config, _ *queuetest.Suite) { c.MaxBody, c.Tokens = 4000, oneToken(token) })
	router, err := legacy.NewRouter(contract(t))
	if err != nil {
		t.Fatal(err)
	}
	const scene = `{"shapes":[{"id":"shape:a","type":"geo","x":1,"y":2,"props":{"w":10,"h":10}}],"bounds":[0,0,20,10]}`
	for _, c := range []struct {
		method, path, body string
		header             string // "Name: value"
		status             int
	}{
		{"POST", "/v1/score", `{"id":"a","test":"sum","views":[3]}`, "", 200},
		{"POST", "/v1/score?reward=raw&variant=twice&suite=fake", `{"id":7,"views":[3]}`, "", 200},
		{"POST", "/v1/score", `{"items":[{"test":"sum"},{"id":"x","test":"nothing"},5]}`, "", 200},
		{"POST", "/v1/score", `{"items":[],"options":{"reward":"raw"}}`, "", 200},
		{"POST", "/v1/score?timings=1", `{"id":"a","test":"sum","views":[3]}`, "", 200},
		{"POST", "/v1/score", `{"items":[{"test":"sum","views":[3]},5],"options":{"timings":true}}`, "", 200},
		{"POST", "/v1/score", `{`, "", 400},
		{"POST", "/v1/score", `{"suite":"chess"}`, "", 422},
		{"POST", "/v1/score", strings.Repeat(" ", 5000), "", 413},
		{"POST", "/v1/score", `{}`, "Content-Encoding: br", 415},
		{"POST", "/v1/score", `{"test":"sum","do":"refuse"}`, "", 422},
		{"POST", "/v1/score", `{"test":"sum","do":"panic"}`, "", 500},
		{"POST", "/v1/score", `{"test":"sum"}`, "Authorization: none", 401},
		{"POST", "/v1/score/stream", "{\"test\":\"sum\"}\n{\n", "", 200},
		{"POST", "/v1/reward", `{"label":"{\"suite\":\"fake\",\"test\":\"sum\",\"views\":[3]}","response":"x"}`, "", 200},
		{"POST", "/v1/reward", `{"samples":[{"label":{"suite":"fake","views":[-1]},"response":"x"}]}`, "", 200},
		{"POST", "/v1/reward", `{"label":"","response":"x"}`, "", 422},
		{"POST", "/v1/reward", `{`, "", 400},
		{"POST", "/v1/render", scene, "", 200},
		{"POST", "/v1/render?channels=alpha", scene, "Accept: application/octet-stream", 200},
		{"POST", "/v1/render", `{"shapes":[]}`, "", 422},
		{"POST", "/v1/render", `{"shapes":[`, "", 400},
		{"POST", "/v1/render", `{"shapes":[],"bounds":[0,0,1e6,1e6]}`, "", 422},
		{"POST", "/v1/render?bounds=1", scene, "", 400},
		{"GET", "/v1/suites", "", "", 200},
		{"GET", "/v1/info", "", "", 200},
		{"GET", "/v2", "", "", 200},
		{"GET", "/health", "", "", 200},
		{"GET", "/v2/health/live", "", "", 200},
		{"GET", "/v2/health/ready", "", "", 200},
		{"GET", "/metrics", "", "", 200},
		{"GET", "/openapi.json", "", "", 200},
	} {
		req, err := http.NewRequest(c.method, s.url(c.path), strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+token)
		if name, value, ok := strings.Cut(c.header, ": "); ok {
			req.Header.Set(name, value)
		}
		resp, err := s.client.Do(req)
		if err != nil {
			t.Fatalf("%s %s: %v", c.method, c.path, err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != c.status {
			t.Errorf("%s %s %.60q: got %d %.200s, %v; want %d", c.method, c.path, c.body, resp.StatusCode, body, err, c.status)
		}
		check(t, router, req, resp, body)
	}
}

// check holds one answer against the document.
func check(t *testing.T, router routers.Router, req *http.Request, resp *http.Response, body []byte) {
	t.Helper()
	bare := req.Clone(context.Background())
	bare.URL.Scheme, bare.URL.Host, bare.Host = "", "", ""
	route, params, err := router.FindRoute(bare)
	if err != nil {
		t.Errorf("%s %s: %v", req.Method, req.URL.Path, err)
		return
	}
	if route.Operation.Responses.Status(resp.StatusCode) == nil {
		t.Errorf("%s %s: status %d is not in the document", req.Method, req.URL.Path, resp.StatusCode)
	}
	in := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: bare, PathParams: params, Route: route},
		Status:                 resp.StatusCode, Header: resp.Header, Body: io.NopCloser(bytes.NewReader(body)),
	}
	if err := openapi3filter.ValidateResponse(context.Background(), in); err != nil {
		t.Errorf("%s %s %d: %v", req.Method, req.URL, resp.StatusCode, err)
	}
}

func init() {
	raw := func(body io.Reader, _ http.Header, _ *openapi3.SchemaRef, _ openapi3filter.EncodingFn) (any, error) {
		b, err := io.ReadAll(body)
		return string(b), err
	}
	for _, kind := range []string{"application/x-ndjson", "text/html", "image/png", "application/octet-stream", "text/plain"} {
		openapi3filter.RegisterBodyDecoder(kind, raw)
	}
}

func TestRender(t *testing.T) {
	s := serve(t, nil)
	const scene = `{"shapes":[{"id":"shape:a","type":"geo","x":1,"y":2,"props":{"w":10,"h":10}}],"bounds":[0,0,20,10]}`
	_, h, body := s.do(t, "POST", "/v1/render", scene)
	img, err := png.Decode(strings.NewReader(body))
	if err != nil || img.Bounds().Dx() != 20 || h.Get("X-Image-Width") != "20" || h.Get("Content-Type") != "image/png" {
		t.Errorf("got %v, %v; want a picture of 20 px", h, err)
	}
	_, h, body = s.do(t, "POST", "/v1/render?bounds=5,5,7,3", scene, "Accept", "text/html, application/octet-stream;q=0.9")
	if len(body) != 7*4 || h.Get("Content-Type") != "application/octet-stream" { // the fake's pictures have one row
		t.Errorf("got %d bytes of %s; want 28 raw ones", len(body), h.Get("Content-Type"))
	}
}

// The metrics that dashboards rely on. See docs/spec/http.md#r41.
func TestMetrics(t *testing.T) {
	s := serve(t, nil)
	s.do(t, "POST", "/v1/score", `{"test":"sum","views":[3]}`)
	s.do(t, "POST", "/v1/score/stream", "{\"test\":\"sum\",\"views\":[3]}\n")
	_, _, body := s.do(t, "GET", "/metrics", "")
	for _, want := range []string{
		`plumb_requests_total{code="200",route="score"} 1`, `plumb_requests_total{code="200",route="score_stream"} 1`,
		`plumb_samples_total{benchmark="fake",outcome="scored"} 2`, `plumb_batches_total 2`, `plumb_queue_depth 0`,
		`plumb_request_duration_seconds_count{route="score"} 1`, `plumb_queue_wait_seconds_count 2`,
		`plumb_stage_duration_seconds_count{stage="decode"} 2`, `plumb_stage_duration_seconds_count{stage="render"} 2`,
		`plumb_stage_duration_seconds_count{stage="metric"} 2`, `plumb_stage_duration_seconds_count{stage="readback"} 0`,
		`plumb_stage_duration_seconds_count{stage="encode"} 2`, `plumb_batch_size_count 2`,
		`plumb_gl_context_resets_total{reason="lost"} 0`, `plumb_gl_context_resets_total{reason="hang"} 0`, `plumb_shm_regions 0`, `plumb_build_info{commit="",gl_renderer="",version="test"} 1`,
	} {
		if !strings.Contains(body, want+"\n") {
			t.Errorf("no line %q in\n%s", want, body)
		}
	}
}
