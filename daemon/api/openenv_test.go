package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fasthttp/websocket"

	"plumb/daemon/queue"
	"plumb/daemon/queue/queuetest"
)

func TestOpenEnvHTTP(t *testing.T) {
	s := serve(t, nil)
	good := `"label":` + quoted(label(3))
	for _, c := range []struct {
		method, path, body string
		status             int
		want               string
	}{
		{"GET", "/health", "", 200, `{"status":"healthy"}`},
		{"GET", "/metadata", "", 200, `"name":"plumb"`},
		{"GET", "/state", "", 200, `{"episode_id":null,"step_count":0}`},
		{"POST", "/reset", "", 200, `{"observation":{"status":null,"score":null,"error":null,"result":null},"reward":null,"done":false}`},
		{"POST", "/reset", `{"seed":42,"episode_id":"e","more":[1]}`, 200, `"done":false}`},
		{"POST", "/reset", `{"seed":null,"episode_id":null,` + good + `}`, 200, `"done":false}`},
		{"POST", "/reset", `{"seed":-1}`, 422, `cannot use seed`}, {"POST", "/reset", `{"seed":1.5}`, 422, `cannot use seed`},
		{"POST", "/reset", `{"episode_id":7}`, 422, `cannot use episode_id`},
		{"POST", "/reset", `{"episode_id":"` + strings.Repeat("é", 256) + `"}`, 422, `at most 255`},
		{"POST", "/reset", `{"label":"{"}`, 422, `bad_label`}, {"POST", "/reset", `[]`, 422, `want an object`}, {"POST", "/reset", `{`, 400, `bad_json`},
		{"POST", "/step?reward=raw", `{"action":{"response":"x",` + good + `},"timeout_s":30.0,"request_id":"r"}`, 200, `"reward":3.0,"done":true}`},
		{"POST", "/step", `{"\u0061ction":{"\u0072esponse":"x","l\u0061bel":` + quoted(label(3)) + `}}`, 200, `"reward":1.0,"done":true}`}, // names with escapes
		{"POST", "/step", `{"action":{"response":"x",` + good + `},"timeout_s":null}`, 200, `"reward":1.0,"done":true}`},
		{"POST", "/step", `{"action":{"response":"x",` + good + `},"timeout_s":0}`, 422, `cannot use timeout_s`},
		{"POST", "/step", `{"action":{"response":"x",` + good + `},"timeout_s":"1"}`, 422, `cannot use timeout_s`},
		{"POST", "/step", `{"action":{"response":"x",` + good + `,"timeout_s":-1}}`, 422, `cannot use action.timeout_s`},
		{"POST", "/step", `{"action":{"response":"x"}}`, 422, `cannot use action.label`},
		{"POST", "/step", `{"action":{"response":7,` + good + `}}`, 422, `cannot read action.response`},
		{"POST", "/step", `{"action":"x"}`, 422, `cannot use action: got a string`}, {"POST", "/step", `{}`, 422, `cannot use action: got nothing`},
		{"GET", "/ws", "", 426, `bad_handshake`},
	} {
		status, _, body := s.do(t, c.method, c.path, c.body)
		if status != c.status || !strings.Contains(body, c.want) {
			t.Errorf("%s %s %.80s: got %d %s; want %d with %s", c.method, c.path, c.body, status, body, c.status, c.want)
		}
	}
	_, _, body := s.do(t, "GET", "/schema", "")
	var schema struct {
		Action, Observation, State struct{ Properties map[string]any }
	}
	if err := json.Unmarshal([]byte(body), &schema); err != nil || schema.Action.Properties["label"] == nil ||
		schema.Observation.Properties["result"] == nil || schema.State.Properties["step_count"] == nil {
		t.Errorf("got %s, %v; want three schemas", body, err)
	}
}

// dial opens a session.
func (s *served) dial(t *testing.T, query string) *websocket.Conn {
	t.Helper()
	c, resp, err := websocket.DefaultDialer.Dial("ws://"+s.addr+"/ws"+query, nil)
	if err != nil {
		t.Fatalf("%v: %+v", err, resp)
	}
	c.SetReadDeadline(time.Now().Add(2 * time.Minute))
	t.Cleanup(func() { c.Close() })
	return c
}

// say sends a message and reads the answer.
func say(t *testing.T, c *websocket.Conn, message string) string {
	t.Helper()
	if err := c.WriteMessage(websocket.TextMessage, []byte(message)); err != nil {
		t.Fatal(err)
	}
	return hear(t, c)
}

// hear reads a message and holds it to OpenEnv's models: no members but theirs.
func hear(t *testing.T, c *websocket.Conn) string {
	t.Helper()
	_, b, err := c.ReadMessage()
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]any
	if err := json.Unmarshal(b, &m); err != nil || len(m) != 2 || m["data"] == nil {
		t.Fatalf("got %s, %v; want type and data", b, err)
	}
	data := m["data"].(map[string]any)
	switch m["type"] {
	case "observation":
		if len(data) != 3 || reflect.TypeOf(data["observation"]).Kind() != reflect.Map || reflect.TypeOf(data["done"]).Kind() != reflect.Bool {
			t.Errorf("got %s; want observation, reward, done", b)
		}
	case "error":
		if data["message"] == "" || data["code"] == "" {
			t.Errorf("got %s; want message and code", b)
		}
	case "state":
	default:
		t.Errorf("got %s; want a known type", b)
	}
	return string(b)
}

func TestSession(t *testing.T) {
	s := serve(t, func(c *Config, _ *queue.Config, _ *queuetest.Suite) { c.MaxBody = 5000 })
	c := s.dial(t, "?reward=raw")
	good := quoted(label(3))
	for _, m := range []struct{ message, want string }{
		{`{"type":"state"}`, `{"type":"state","data":{"episode_id":null,"step_count":0}}`},
		{`{"type":"step","data":{"response":"<answer>","label":` + good + `}}`, `"reward":3.0,"done":true}}`},
		{`{"type":"state"}`, `"step_count":1}`},
		{`{"type":"reset","data":{"episode_id":"e7","seed":1,"label":` + good + `}}`, `{"type":"observation","data":{"observation":{"status":null,"score":null,"error":null,"result":null},"reward":null,"done":false}}`},
		{`{"type":"state"}`, `{"type":"state","data":{"episode_id":"e7","step_count":0}}`},
		{`{"type":"step","data":{"response":"x","metadata":{}}}`, `"reward":3.0`},
		{`{"type":"step","data":{"response":"x","label":{"suite":"fake","id":"b","test":"sum","views":[2],"task":null}}}`, `"reward":2.0`},
		{`{"type":"step","data":{"response":"x","label":` + quoted(label(-1)) + `}}`, `"error":{"code":"not_native"`},
		{`{"type":"step","data":{"response":"x","label":` + quoted(label(-1)) + `}}`, `"reward":null,"done":true}}`},
		{`{"type":"state"}`, `{"type":"state","data":{"episode_id":"e7","step_count":4}}`},
		{`{"type":"reset"}`, `"done":false`},
		{`{"type":"step","data":{"response":"x"}}`, `"code":"VALIDATION_ERROR"`},
		{`{"type":"step"`, `"code":"INVALID_JSON"`}, {``, `"code":"INVALID_JSON"`}, {`{"type":NaN}`, `"code":"INVALID_JSON"`},
		{`[]`, `"code":"VALIDATION_ERROR"`}, {`{}`, `"code":"UNKNOWN_TYPE"`}, {`{"type":7}`, `"code":"UNKNOWN_TYPE"`}, {`{"type":"mcp","data":{}}`, `"code":"UNKNOWN_TYPE"`},
		{`{"type":"step"}`, `"code":"VALIDATION_ERROR"`}, {`{"type":"step","data":[]}`, `"code":"VALIDATION_ERROR"`}, {`{"type":"reset","data":5}`, `"code":"VALIDATION_ERROR"`},
		{`{"type":"reset","data":{"seed":"x"}}`, `"code":"VALIDATION_ERROR"`}, {`{"type":"reset","data":{"label":7}}`, `"code":"VALIDATION_ERROR"`},
		{`{"type":"step","data":{"response":"x","label":"{}"}}`, `"code":"VALIDATION_ERROR"`},
		{`{"type":"step","data":{"response":"x","label":{"suite":"fake","test":"sum","do":"refuse"}}}`, `"code":"VALIDATION_ERROR"`},
		{`{"type":"step","data":{"response":"x","timeout_s":0,"label":` + good + `}}`, `"code":"VALIDATION_ERROR"`},
		{`{"type":"step","data":{"response":"x","label":` + good + `}}`, `"reward":3.0`}, // nothing of it spoilt the session
	} {
		if got := say(t, c, m.message); !strings.Contains(got, m.want) {
			t.Errorf("%s: got %s; want %s", m.message, got, m.want)
		}
	}
	c.WriteMessage(websocket.BinaryMessage, []byte(`{"type":"state"}`))
	if got := hear(t, c); !strings.Contains(got, `"code":"INVALID_JSON"`) {
		t.Errorf("binary: got %s", got)
	}
	other := s.dial(t, "")
	if got := say(t, other, `{"type":"state"}`); !strings.Contains(got, `"episode_id":null,"step_count":0`) {
		t.Errorf("another session: got %s; want an episode of its own", got)
	}
	c.WriteMessage(websocket.TextMessage, []byte(`{"type":"close"}`))
	if _, _, err := c.ReadMessage(); !websocket.IsCloseError(err, websocket.CloseNormalClosure) {
		t.Errorf("close: got %v", err)
	}
	other.WriteMessage(websocket.TextMessage, []byte(strings.Repeat("x", 6000)))
	if got := hear(t, other); !strings.Contains(got, "--max-body") {
		t.Errorf("a long message: got %s", got)
	}
	if _, _, err := other.ReadMessage(); !websocket.IsCloseError(err, websocket.CloseMessageTooBig) {
		t.Errorf("a long message: got %v; want it closed", err)
	}
}

// What a session cannot do says which of OpenEnv's codes it is.
func TestSessionErrors(t *testing.T) {
	block := make(chan struct{})
	sick := errors.New("the device is lost")
	var health error
	s := serve(t, func(c *Config, q *queue.Config, suite *queuetest.Suite) {
		c.MaxSessions, suite.Block, q.MaxRequests = 2, block, 1
		c.WhyUnready = func() error { return health }
	})
	a := s.dial(t, "")
	stuck := `{"type":"step","data":{"response":"x","timeout_s":0.02,"label":{"suite":"fake","id":"a","test":"sum","do":"block"}}}`
	if got := say(t, a, stuck); !strings.Contains(got, `"code":"EXECUTION_ERROR"`) || !strings.Contains(got, "timeout_s") {
		t.Errorf("got %s; want the time to be over", got)
	}
	done, err := s.queue.Admit()
	if err != nil {
		t.Fatal(err)
	}
	if got := say(t, a, `{"type":"step","data":{"response":"x","label":`+quoted(label(3))+`}}`); !strings.Contains(got, `"code":"EXECUTION_ERROR"`) || !strings.Contains(got, `"retry_after_s":`) {
		t.Errorf("got %s; want busy", got)
	}
	done()
	close(block)
	b := s.dial(t, "")
	say(t, b, `{"type":"state"}`)
	c := s.dial(t, "")
	if got := hear(t, c); !strings.Contains(got, `"code":"CAPACITY_REACHED","active_sessions":2,"max_sessions":2`) {
		t.Errorf("got %s; want no room", got)
	}
	if _, _, err := c.ReadMessage(); !websocket.IsCloseError(err, websocket.CloseTryAgainLater) {
		t.Errorf("got %v; want it closed", err)
	}
	b.Close()
	for s.open() > 1 {
		time.Sleep(time.Millisecond)
	}
	health = sick
	d := s.dial(t, "")
	if got := hear(t, d); !strings.Contains(got, `"code":"FACTORY_ERROR"`) || !strings.Contains(got, sick.Error()) {
		t.Errorf("got %s; want the reason", got)
	}
	health = nil
	for s.open() > 1 {
		time.Sleep(time.Millisecond)
	}
	e := s.dial(t, "")
	say(t, e, `{"type":"state"}`)
	stop, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	go s.Shutdown(stop)
	for _, c := range []*websocket.Conn{a, e} {
		if got := hear(t, c); !strings.Contains(got, `"code":"SESSION_ERROR"`) || !strings.Contains(got, "shutting down") {
			t.Errorf("got %s; want the end", got)
		}
		if _, _, err := c.ReadMessage(); !websocket.IsCloseError(err, websocket.CloseServiceRestart) {
			t.Errorf("got %v; want it closed", err)
		}
	}
}

// open is the number of sessions.
func (s *served) open() int {
	s.sessions.mu.Lock()
	defer s.sessions.mu.Unlock()
	return len(s.sessions.open)
}

func TestSessionIdle(t *testing.T) {
	s := serve(t, func(c *Config, _ *queue.Config, _ *queuetest.Suite) { c.SessionIdle = 50 * time.Millisecond })
	c := s.dial(t, "")
	if got := hear(t, c); !strings.Contains(got, `"code":"SESSION_ERROR"`) || !strings.Contains(got, "--session-idle") {
		t.Errorf("got %s; want the end for silence", got)
	}
	if _, _, err := c.ReadMessage(); !websocket.IsCloseError(err, websocket.CloseNormalClosure) {
		t.Errorf("got %v; want it closed", err)
	}
}

// Sessions of clients that leave end while pings to them are sent, one after the other: none is sent on
// the connection of another client, or on one that has gone, which would end the daemon.
func TestSessionEndsDuringPing(t *testing.T) {
	s := serve(t, func(c *Config, _ *queue.Config, _ *queuetest.Suite) { c.SessionPing = time.Microsecond })
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 25 {
				c, _, err := websocket.DefaultDialer.Dial("ws://"+s.addr+"/ws", nil)
				if err != nil {
					t.Error(err)
					return
				}
				c.Close() // without the message that closes a session, after which nothing is sent
			}
		})
	}
	all.Wait()
	if status, _, body := s.do(t, "POST", "/v1/reward", `{"label":`+quoted(label(3))+`,"response":"x"}`); status != 200 {
		t.Errorf("got %d %s; want an answer", status, body)
	}
}

// Nobody opens a session without the token, or from a page of another host.
func TestSessionDoor(t *testing.T) {
	s := serve(t, func(c *Config, _ *queue.Config, _ *queuetest.Suite) { c.Tokens = oneToken("secret") })
	for _, c := range []struct {
		query, auth, origin string
		want                int
	}{
		{"", "", "", 401}, {"?token=wrong", "", "", 401}, {"?token=secret", "", "", 101}, {"", "Bearer secret", "", 101},
		{"?token=secret", "", "http://evil.example", 403}, {"?token=secret", "", "http://" + s.addr, 101}, {"?token=secret&reward=x", "", "", 400},
	} {
		h := http.Header{}
		for name, v := range map[string]string{"Authorization": c.auth, "Origin": c.origin} {
			if v != "" {
				h.Set(name, v)
			}
		}
		conn, resp, _ := websocket.DefaultDialer.Dial("ws://"+s.addr+"/ws"+c.query, h)
		if resp == nil || resp.StatusCode != c.want {
			t.Errorf("%+v: got %v; want %d", c, resp, c.want)
		}
		if conn != nil {
			conn.Close()
		}
	}
}

// TestStepTimeout: the timeout of a step counts before that of its action, and both must be usable.
func TestStepTimeout(t *testing.T) {
	const action = `{"response":"x","label":{"suite":"fake","id":"a","test":"sum"}`
	for _, c := range []struct {
		inAction, inStep string
		want             time.Duration
		fault            string
	}{
		{``, ``, 0, ""},
		{`,"timeout_s":2`, ``, 2 * time.Second, ""},
		{``, `,"timeout_s":3`, 3 * time.Second, ""},
		{`,"timeout_s":2`, `,"timeout_s":3`, 3 * time.Second, ""},
		{`,"timeout_s":2`, `,"timeout_s":"x"`, 0, "cannot use timeout_s"},
		{`,"timeout_s":0`, `,"timeout_s":3`, 3 * time.Second, "cannot use action.timeout_s"},
	} {
		step := action + c.inAction + `}`
		e := &exchange{}
		fault := e.readStep([]byte(`{"action":`+step+c.inStep+`}`), []byte(step))
		if got := fmt.Sprint(fault); e.timeout != c.want || (fault != nil) != (c.fault != "") || !strings.Contains(got, c.fault) && c.fault != "" {
			t.Errorf("action%s step%s: got %v and %v; want %v and %q", c.inAction, c.inStep, e.timeout, got, c.want, c.fault)
		}
	}
}
