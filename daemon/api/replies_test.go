package api

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fasthttp/websocket"
	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"
	"github.com/valyala/fasthttp"

	"plumb/daemon/ask"
	"plumb/daemon/dump"
	"plumb/daemon/queue"
	"plumb/daemon/queue/queuetest"
	"plumb/scoring"
)

// replies holds what has been heard against the document, and keeps count.
type replies struct {
	doc    *openapi3.T
	router routers.Router
	heard  map[string]bool // "POST /v1/score 200"
}

const replyToken = "t"

// send sends a request with the token and holds the answer against the document.
func (r *replies) send(t *testing.T, s *served, method, path, body, header string, want int) {
	t.Helper()
	req, err := http.NewRequest(method, s.url(path), strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+replyToken)
	for h := range strings.SplitSeq(header, "\n") {
		if name, value, ok := strings.Cut(h, ": "); ok {
			req.Header.Set(name, value)
		}
	}
	resp, err := s.client.Do(req)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	defer resp.Body.Close()
	var b []byte
	if resp.StatusCode != http.StatusSwitchingProtocols {
		if b, err = io.ReadAll(resp.Body); err != nil {
			t.Fatal(err)
		}
	}
	r.take(t, req, resp, b, want)
}

func (r *replies) take(t *testing.T, req *http.Request, resp *http.Response, body []byte, want int) {
	t.Helper()
	if resp.StatusCode != want {
		t.Errorf("%s %s: got %d %.200s; want %d", req.Method, req.URL, resp.StatusCode, body, want)
		return
	}
	if want == 429 || want == 503 {
		if resp.Header.Get("Retry-After") == "" {
			t.Errorf("%s %s: %d without Retry-After", req.Method, req.URL, want)
		}
	}
	bare := req.Clone(context.Background())
	bare.URL.Scheme, bare.URL.Host, bare.Host = "", "", ""
	route, _, err := r.router.FindRoute(bare)
	if err != nil {
		t.Errorf("%s %s: %v", req.Method, req.URL, err)
		return
	}
	r.heard[fmt.Sprintf("%s %s %d", req.Method, route.Path, want)] = true
	check(t, r.router, req, resp, body)
}

// each calls f for the operations that have a status.
func (r *replies) each(status int, f func(method, path string)) {
	for path, item := range r.doc.Paths.Map() {
		for method, op := range item.Operations() {
			if op.Responses.Status(status) != nil {
				f(method, strings.NewReplacer("{name}", "r", envInPath, "fake").Replace(path))
			}
		}
	}
}

// handshake is what opens a WebSocket.
const handshake = "Connection: Upgrade\nUpgrade: websocket\nSec-WebSocket-Version: 13\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="

// Every reply that the document lists is provoked and as it says, but for a few
// that only the machine's own failure could bring.
func TestEveryDocumentedReply(t *testing.T) {
	doc := contract(t)
	router, err := legacy.NewRouter(doc)
	if err != nil {
		t.Fatal(err)
	}
	r := &replies{doc: doc, router: router, heard: map[string]bool{}}
	t.Run("plain", r.plain)
	t.Run("refused", r.refused)
	t.Run("busy", r.busy)
	t.Run("draining", r.draining)
	t.Run("slow", r.slow)
	t.Run("panic", r.panics)
	t.Run("late", r.late)
	var silent []string
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			for status := range op.Responses.Map() {
				if name := method + " " + path + " " + status; !r.heard[name] && !elsewhere(name) {
					silent = append(silent, name)
				}
			}
		}
	}
	slices.Sort(silent)
	if silent != nil {
		t.Errorf("documented and never heard:\n%s", strings.Join(silent, "\n"))
	}
}

// elsewhere lists the replies that other tests hold against the document (those
// of shared memory and of the explorer), and those that need a machine that fails.
func elsewhere(name string) bool {
	return strings.Contains(name, "/v2/systemsharedmemory") || name == "GET /ui/{name} 200" || name == "GET /ui/{name} 302" || name == "POST /v1/metrics 504" || name == "POST /v1/prompt 504"
}

func replyServer(t *testing.T, change func(*Config, *queue.Config, *queuetest.Suite)) *served {
	t.Helper()
	return serve(t, func(c *Config, q *queue.Config, s *queuetest.Suite) {
		c.Tokens, c.MaxBody = oneToken(replyToken), 4000
		c.Items.Tasks = map[string]*dump.Tasks{"fake": taskFile(t, `{"id":"a","test":"sum","views":[93]}`)}
		c.Prompts = &ask.Prompter{Suites: scoring.NewSuites(&scoring.Suite{Name: "fake", Prompt: func(it *scoring.Item, _ scoring.PromptOptions) (string, error) { return "Q " + it.ID, nil }})}
		if change != nil {
			change(c, q, s)
		}
	})
}

func (r *replies) plain(t *testing.T) {
	s := replyServer(t, nil)
	const scene = `{"shapes":[{"id":"shape:a","type":"geo","x":1,"y":2,"props":{"w":10,"h":10}}],"bounds":[0,0,20,10]}`
	good, bad := quoted(label(3)), quoted(label(-1))
	for _, c := range []struct {
		method, path, body, header string
		status                     int
	}{
		{"POST", "/v1/score", `{"id":"a","test":"sum","views":[3]}`, "", 200},
		{"POST", "/v1/score", `{"items":[{"test":"sum"},5]}`, "", 200},
		{"POST", "/v1/score", `{"suite":"chess"}`, "", 422},
		{"POST", "/v1/score", `{"test":"sum","do":"panic"}`, "", 500},
		{"POST", "/v1/score/stream", "{\"test\":\"sum\"}\n{\n", "", 200},
		{"POST", "/v1/reward", `{"label":` + good + `,"response":"x"}`, "", 200},
		{"POST", "/v1/reward", `{"samples":[{"label":` + good + `,"response":"x"},{"label":` + bad + `,"response":"x"}]}`, "", 200},
		{"POST", "/v1/reward", `{"label":"","response":"x"}`, "", 422},
		{"POST", "/get_reward", `{"query":["x","y"],"prompts":["x","y"],"labels":[` + good + `,` + bad + `]}`, "", 200},
		{"POST", "/get_reward", `{"query":[],"prompts":[],"labels":[]}`, "", 200},
		{"POST", "/get_reward", `{"query":["x"],"labels":[null]}`, "", 422},
		{"POST", "/reward/slime", `{"response":"x","label":` + good + `}`, "", 200},
		{"POST", "/reward/slime?format=object", `{"response":"x","label":` + bad + `}`, "", 200},
		{"POST", "/reward/slime", `{"response":"x","label":5}`, "", 422},
		{"POST", "/verify", `{"responses_create_params":{},"response":` + spokenBy("x") + `,"label":` + good + `}`, "", 200},
		{"POST", "/verify", `{"responses_create_params":{},"response":` + spokenBy("x") + `,"label":` + bad + `}`, "", 200},
		{"POST", "/verify", `{"responses_create_params":{},"response":` + spokenBy("x") + `,"label":5}`, "", 200},
		{"POST", "/verify", `{"response":"x","label":5}`, "", 422},
		{"POST", "/seed_session", `{"label":"x"}`, "", 200},
		{"POST", "/seed_session", `{"resources_session_id":"x"}`, "", 200},
		{"POST", "/close_session", `{"resources_session_id":"x","episode_id":"e"}`, "", 200},
		{"POST", "/mcp", `{}`, "", 200},
		{"POST", "/v1/prompt", `{"label":` + good + `}`, "", 200},
		{"POST", "/v1/prompt", `{"label":5}`, "", 422},
		{"GET", "/list_environments", "", "", 200}, {"GET", "/fake/splits", "", "", 200}, {"GET", "/chess/splits", "", "", 404},
		{"POST", "/fake/tasks", `{"split":"test"}`, "", 200}, {"POST", "/fake/tasks", `{"split":5}`, "", 422}, {"POST", "/chess/tasks", `{}`, "", 404},
		{"POST", "/fake/num_tasks", `{}`, "", 200}, {"POST", "/fake/num_tasks", `{"split":5}`, "", 422}, {"POST", "/fake/num_tasks", `{"splits":"train"}`, "", 422}, {"POST", "/chess/num_tasks", `{}`, "", 404},
		{"POST", "/fake/task", `{"index":-1}`, "", 200}, {"POST", "/fake/task", `{"index":1.5}`, "", 422}, {"POST", "/chess/task", `{}`, "", 404},
		{"POST", "/fake/task_range", `{"start":-5,"stop":null}`, "", 200}, {"POST", "/fake/task_range", `{"start":"x"}`, "", 422}, {"POST", "/chess/task_range", `{}`, "", 404},
		{"POST", "/aggregate_metrics", `{"verify_responses":[{"reward":1.0,"_ng_task_index":4},{"reward":0.0,"_ng_failure_class":"x"}]}`, "", 200},
		{"POST", "/aggregate_metrics", `{"verify_responses":5}`, "", 422},
		{"GET", "/reverify_mode", "", "", 200}, {"GET", "/metadata", "", "", 200}, {"GET", "/schema", "", "", 200}, {"GET", "/state", "", "", 200},
		{"POST", "/reset", `{"seed":1}`, "", 200}, {"POST", "/reset", `{"seed":"x"}`, "", 422},
		{"POST", "/step", `{"action":{"response":"x","label":` + good + `}}`, "", 200},
		{"POST", "/step", `{"action":{"response":"x","label":` + bad + `}}`, "", 200},
		{"POST", "/step", `{"action":{"response":"x","label":5}}`, "", 422},
		{"GET", "/ws", "", "", 426}, {"GET", "/ws?reward=x", "", handshake, 400}, {"GET", "/ws", "", handshake + "\nOrigin: http://other.example", 403},
		{"POST", "/v1/render", scene, "", 200}, {"POST", "/v1/render?channels=alpha", scene, "Accept: application/octet-stream", 200},
		{"POST", "/v1/render", `{"shapes":[]}`, "", 422}, {"POST", "/v1/render?bounds=1", scene, "", 400},
		{"POST", "/v1/metrics?width=2&height=1", "\xff\x00", "Content-Type: application/octet-stream", 200},
		{"POST", "/v1/metrics?width=2", "\xff\x00", "Content-Type: application/octet-stream", 422},
		{"POST", "/v1/metrics?width=2&height=1&threshold=256", "\xff\x00", "Content-Type: application/octet-stream", 400},
		{"GET", "/v1/suites", "", "", 200}, {"GET", "/v1/info", "", "", 200}, {"GET", "/v2", "", "", 200}, {"GET", "/health", "", "", 200}, {"GET", "/healthz", "", "", 200}, {"GET", "/", "", "", 200}, {"GET", "/docs/deploy.md", "", "", 200}, {"GET", "/docs/none.md", "", "", 404}, {"GET", "/ui/", "", "", 404}, {"GET", "/v2/health/live", "", "", 200},
		{"GET", "/v2/health/ready", "", "", 200}, {"GET", "/metrics", "", "", 200}, {"GET", "/openapi.json", "", "", 200},
	} {
		r.send(t, s, c.method, c.path, c.body, c.header, c.status)
	}
	conn, resp, err := websocket.DefaultDialer.Dial("ws://"+s.addr+"/ws?token="+replyToken, nil)
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
	req, _ := http.NewRequest("GET", s.url("/ws"), nil)
	r.take(t, req, resp, nil, 101)
}

// refused: what is wrong with a request whatever it asks.
func (r *replies) refused(t *testing.T) {
	s := replyServer(t, nil)
	long := strings.Repeat(" ", 5000)
	r.each(401, func(method, path string) { r.send(t, s, method, path, "", "Authorization: none", 401) })
	r.each(413, func(method, path string) {
		if !own(path) {
			r.send(t, s, method, path, long, "", 413)
		}
	})
	r.each(415, func(method, path string) {
		if !own(path) {
			r.send(t, s, method, path, "{}", "Content-Encoding: br", 415)
		}
	})
	r.each(400, func(method, path string) {
		switch {
		case own(path), path == "/ws":
		case path == "/v1/score/stream":
			r.send(t, s, method, path+"?reward=x", "{}", "", 400)
		case path == "/mcp":
			r.send(t, s, method, path, "{", "Content-Encoding: gzip", 400)
		default:
			r.send(t, s, method, path, "{", "Content-Type: application/json", 400)
		}
	})
}

// own reports whether a path needs a region that a client shares.
func own(path string) bool { return strings.Contains(path, "systemsharedmemory") }

// samples has a body that is scored, for each path that scores.
func samples(label string) map[string]string {
	return map[string]string{
		"/v1/score": strings.TrimSuffix(label, "}") + "}", "/v1/score/stream": label + "\n",
		"/v1/reward": `{"response":"x","label":` + label + `}`, "/reward/slime": `{"response":"x","label":` + label + `}`,
		"/get_reward": `{"query":["x"],"labels":[` + label + `]}`, "/verify": `{"response":` + spokenBy("x") + `,"label":` + label + `}`,
		"/step": `{"action":{"response":"x","label":` + label + `}}`, "/v1/render": `{"shapes":[]}`,
		"/v1/metrics": `{"a":{"data":"AP8A","width":3,"height":1}}`,
	}
}

func (r *replies) busy(t *testing.T) {
	s := replyServer(t, func(_ *Config, q *queue.Config, _ *queuetest.Suite) { q.MaxRequests = 1 })
	done, err := s.queue.Admit()
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	bodies := samples(label(3))
	for path, body := range bodies {
		r.send(t, s, "POST", path, body, "Content-Type: application/json", 429)
	}
	limited := replyServer(t, func(c *Config, _ *queue.Config, _ *queuetest.Suite) { // a token whose only request is spent
		var err error
		if c.Tokens, err = NewTokens(strings.NewReader("a:spent:0.000001")); err != nil {
			t.Fatal(err)
		}
	})
	limited.do(t, "GET", "/v2", "", "Authorization", "Bearer spent")
	r.each(429, func(method, path string) {
		r.send(t, limited, method, path, "", "Authorization: Bearer spent", 429)
	})
	r.send(t, s, "GET", "/health", "", "", 503)
	r.send(t, s, "GET", "/healthz", "", "", 503)
	r.send(t, s, "GET", "/v2/health/ready", "", "", 503)
}

func (r *replies) draining(t *testing.T) {
	s := replyServer(t, func(c *Config, _ *queue.Config, _ *queuetest.Suite) { // as a drain does from a connection's second request on
		c.WhyDown = func() error { return io.ErrNoProgress }
	})
	r.each(503, func(method, path string) {
		if method == "POST" && !own(path) {
			r.send(t, s, method, path, "{}", "", 503)
		}
	})
}

// slow: the body does not come.
func (r *replies) slow(t *testing.T) {
	s := replyServer(t, func(c *Config, _ *queue.Config, _ *queuetest.Suite) { c.ReadTimeout = 3 * time.Second }) // the head has to come in it
	var answers []func()
	r.each(408, func(method, path string) {
		if own(path) {
			return
		}
		c := s.raw(t)
		fmt.Fprintf(c, "%s %s?token=%s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{\"\r\n", method, path, replyToken)
		answers = append(answers, func() { // all wait at once
			resp, err := http.ReadResponse(bufio.NewReader(c), nil)
			if err != nil {
				t.Errorf("%s: %v", path, err)
				return
			}
			b, _ := io.ReadAll(resp.Body)
			req, _ := http.NewRequest(method, s.url(path), nil)
			r.take(t, req, resp, b, 408)
		})
	})
	for _, read := range answers {
		read()
	}
}

// panics: a bug in a handler is an answer too.
func (r *replies) panics(t *testing.T) {
	s := replyServer(t, nil)
	for path, route := range s.routes {
		route.handle = func(*Server, *fasthttp.RequestCtx) { panic("a bug") }
		s.routes[path] = route
	}
	r.each(500, func(method, path string) {
		if !own(path) {
			r.send(t, s, method, path, "{}", "", 500)
		}
	})
}

// late: nothing comes in time, where trainers want that to be an error.
func (r *replies) late(t *testing.T) {
	block := make(chan struct{})
	policies, err := ParsePolicies([]string{"openrlhf=error", "slime=error", "nemo-gym=error", "openenv=error"})
	if err != nil {
		t.Fatal(err)
	}
	s := replyServer(t, func(c *Config, q *queue.Config, suite *queuetest.Suite) {
		c.Policies, q.Deadline, suite.Block = policies, 30*time.Millisecond, block
		e := q.Engine.(*queuetest.Engine)
		e.Late, e.Draws = 1, func(ctx context.Context, _ float64) error {
			<-ctx.Done()
			return errors.New("too late")
		}
	})
	defer close(block)
	bodies := samples(`{"suite":"fake","id":"a","test":"sum","do":"block"}`)
	bodies["/v1/render"] = `{"shapes":[],"bounds":[0,-10,20,10]}`
	r.each(504, func(method, path string) {
		if path != "/v1/metrics" && path != "/v1/prompt" {
			r.send(t, s, method, path, bodies[path], "", 504)
		}
	})
}
