package api

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plumb/daemon/dump"
	"plumb/daemon/queue"
	"plumb/daemon/queue/queuetest"
	"plumb/render/scene"
	"plumb/scoring"
)

// taskFile loads tasks, one per line.
func taskFile(t *testing.T, lines ...string) *dump.Tasks {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tasks.jsonl")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	tasks, err := dump.LoadTasks(path, scoring.TaskFile{}, dump.Limits{}, scene.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return tasks
}

// Tasks are named by split and index as in Python, and their labels are scored.
func TestTaskRoutes(t *testing.T) {
	s := serve(t, func(c *Config, _ *queue.Config, suite *queuetest.Suite) {
		suite.Unit = 100
		c.Items.Tasks = map[string]*dump.Tasks{
			"fake":        taskFile(t, `{"id":"a","test":"sum","views":[1],"level":"easy","task":{"target":7}}`, `{"id":"b","test":"sum","views":[2]}`, `{"id":"c","test":"sum","views":[3]}`),
			"fake:train":  taskFile(t, `{"id":"a","test":"sum","views":[50]}`),
			"fake:extra9": taskFile(t, `{"id":"z","test":"sum","views":[60]}`),
		}
	})
	a := `{"id":"a","index":0,"label":"{\"suite\":\"fake\",\"id\":\"a\"}","level":"easy","split":"test","suite":"fake","test":"sum"}`
	b := `{"id":"b","index":1,"label":"{\"suite\":\"fake\",\"id\":\"b\"}","split":"test","suite":"fake","test":"sum"}`
	c := `{"id":"c","index":2,"label":"{\"suite\":\"fake\",\"id\":\"c\"}","split":"test","suite":"fake","test":"sum"}`
	train := `{"id":"a","index":0,"label":"{\"suite\":\"fake\",\"split\":\"train\",\"id\":\"a\"}","split":"train","suite":"fake","test":"sum"}`
	many := func(list ...string) string { return `{"env_name":"fake","tasks":[` + strings.Join(list, ",") + `]}` }
	for _, r := range []struct {
		method, path, body string
		status             int
		want               string
	}{
		{"GET", "/list_environments", "", 200, `["fake"]`},
		{"GET", "/fake/splits", "", 200, `[{"name":"test","type":"test"},{"name":"extra9","type":"validation"},{"name":"train","type":"train"}]`},
		{"GET", "/chess/splits", "", 404, `want one of [fake]`},
		{"POST", "/fake/tasks", `{}`, 200, many(a, b, c)},
		{"POST", "/fake/tasks", `{"split":"train"}`, 200, many(train)},
		{"POST", "/fake/tasks", `{"split":"dev"}`, 400, `"error_type":"bad_split"`},
		{"POST", "/fake/num_tasks", `{"split":"test"}`, 200, `{"num_tasks":3}`},
		{"POST", "/fake/task", `{"split":"test","index":1}`, 200, `{"env_name":"fake","task":` + b + `}`},
		{"POST", "/fake/task", `{"index":-1}`, 200, c}, {"POST", "/fake/task", `{"index":-3}`, 200, a},
		{"POST", "/fake/task", `{"index":3}`, 400, `"error_type":"bad_index"`}, {"POST", "/fake/task", `{"index":-4}`, 400, `it has 3`},
		{"POST", "/fake/task", `{}`, 422, `cannot use index`}, {"POST", "/fake/task", `{"index":true}`, 422, `cannot use index`},
		{"POST", "/fake/num_tasks", `{"splits":"train"}`, 422, `cannot use body: got \"splits\"; want split, index, start, stop`},
		{"POST", "/fake/task_range", `{}`, 200, many(a, b, c)}, {"POST", "/fake/task_range", `{"start":1}`, 200, many(b, c)},
		{"POST", "/fake/task_range", `{"start":-2,"stop":-1}`, 200, many(b)}, {"POST", "/fake/task_range", `{"start":-9,"stop":9}`, 200, many(a, b, c)},
		{"POST", "/fake/task_range", `{"start":2,"stop":1}`, 200, many()}, {"POST", "/fake/task_range", `{"stop":0}`, 200, many()},
		{"POST", "/v1/reward", `{"label":"{\"suite\":\"fake\",\"split\":\"train\",\"id\":\"a\"}","response":"x"}`, 200, `"score":0.5,`},
		{"POST", "/v1/reward", `{"label":"{\"suite\":\"fake\",\"split\":\"test\",\"id\":\"a\"}","response":"x"}`, 200, `"score":0.01,`},
		{"POST", "/v1/reward", `{"label":"{\"suite\":\"fake\",\"split\":\"dev\",\"id\":\"a\"}","response":"x"}`, 422, `cannot use label.split`},
	} {
		status, _, body := s.do(t, r.method, r.path, r.body)
		if status != r.status || !strings.Contains(body, r.want) {
			t.Errorf("%s %s %s: got %d %s; want %d with %s", r.method, r.path, r.body, status, body, r.status, r.want)
		}
	}
	if _, _, body := s.do(t, "POST", "/fake/tasks", `{}`); strings.Contains(body, "target") {
		t.Errorf("a task shows its criteria: %s", body)
	}
}

// POST /mcp answers as JSON-RPC 2.0 and nothing else.
func TestMCP(t *testing.T) {
	s := serve(t, nil)
	for _, c := range []struct{ body, want string }{
		{``, `"code":-32700`}, {`{`, `"code":-32700`}, {`{}`, `"code":-32600`}, {`[]`, `"code":-32600`}, {`{"jsonrpc":"1.0","method":"x","id":1}`, `"code":-32600`},
		{`{"jsonrpc":"2.0","method":"tools/list","id":7}`, `"code":-32601`}, {`{"jsonrpc":"2.0","method":"x","id":"a"}`, `"id":"a"}`}, {`{"jsonrpc":"2.0","method":"x"}`, `"id":null}`},
	} {
		status, _, body := s.do(t, "POST", "/mcp", c.body)
		if status != 200 || !strings.HasPrefix(body, `{"jsonrpc":"2.0","error":{`) || !strings.Contains(body, c.want) {
			t.Errorf("%s: got %d %s; want 200 with %s", c.body, status, body, c.want)
		}
	}
}

// NeMo Gym: sessions are echoed, closing is always possible, and masked rows are no measurements.
func TestGymSessions(t *testing.T) {
	s := serve(t, nil)
	for _, c := range []struct{ path, body, want string }{
		{"/seed_session", `{"resources_session_id":"s-1","episode_id":"e","task_id":"t","task_data":{}}`, `{"resources_session_id":"s-1"}`},
		{"/close_session", `{"resources_session_id":"s-1","episode_id":"e"}`, `{"resources_session_id":"s-1"}`},
		{"/close_session", `{"resources_session_id":"s-1","episode_id":"e"}`, `{"resources_session_id":"s-1"}`},
		{"/close_session", `{"resources_session_id":"never","episode_id":"e"}`, `{"resources_session_id":"never"}`},
		{"/seed_session", `{}`, `{}`}, {"/seed_session", ``, `{}`},
	} {
		if status, _, body := s.do(t, "POST", c.path, c.body); status != 200 || body != c.want {
			t.Errorf("%s %s: got %d %s; want %s", c.path, c.body, status, body, c.want)
		}
	}
	_, _, body := s.do(t, "POST", "/verify", `{"response":`+spokenBy("x")+`,"label":`+quoted(label(-1))+`}`)
	for _, want := range []string{`"mask_sample":true`, `"failure_kind":"plumb:not_native"`, `"_ng_failure_class":"not_native"`} {
		if !strings.Contains(body, want) {
			t.Errorf("verify: got %s; want %s", body, want)
		}
	}
	_, _, body = s.do(t, "POST", "/aggregate_metrics", `{"verify_responses":[{"reward":1.0,"mask_sample":false,"_ng_task_index":0},{"reward":0.0,"mask_sample":true,"_ng_task_index":1}]}`)
	for _, want := range []string{`"key_metrics":{"mean/reward":1.0}`, `"coverage/measured_rollouts":1,"coverage/masked_rollouts":1,"coverage/measured_tasks":1,"coverage/fully_masked_tasks":1`} {
		if !strings.Contains(body, want) {
			t.Errorf("aggregate: got %s; want %s", body, want)
		}
	}
}
