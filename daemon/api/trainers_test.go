package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"plumb/daemon/dump"
	"plumb/daemon/queue"
	"plumb/daemon/queue/queuetest"
	"plumb/daemon/reward"
	"plumb/render/scene"
	"plumb/scoring"
)

// tasked returns a server that has a task for each of the requests below, by the name of
// its suite; each answer scores 0.93.
func tasked(t *testing.T, change func(*Config, *queue.Config, *queuetest.Suite)) *served {
	t.Helper()
	return serve(t, func(c *Config, q *queue.Config, s *queuetest.Suite) {
		c.Items.Tasks = map[string]*dump.Tasks{}
		for suite, id := range map[string]string{"aspire": "maze-dev-00", "tangram": "kg-page1-0", "drawingbench": "basic_003#2", "spatialab": "sl-0001"} {
			path := filepath.Join(t.TempDir(), suite)
			line := fmt.Sprintf(`{"id":%q,"test":"sum","views":[93],"prompt":"draw"}`, id)
			if err := os.WriteFile(path, []byte(line+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			tasks, err := dump.LoadTasks(path, scoring.TaskFile{}, dump.Limits{}, scene.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			c.Items.Tasks[suite] = tasks
		}
		s.Unit = 100
		if change != nil {
			change(c, q, s)
		}
	})
}

// One request of each trainer's contract, with its label.
func TestContractTable(t *testing.T) {
	s := tasked(t, nil)
	for _, c := range []struct{ path, body, want string }{
		{"/get_reward", `{"query":["...<answer><|im_end|>"],"prompts":["..."],"labels":["{\"suite\":\"aspire\",\"id\":\"maze-dev-00\"}"]}`,
			`{"rewards":[0.93],"scores":[0.93],"extra_logs":{"score":[0.93],"failed":[0.0]}}`},
		{"/reward/slime", `{"prompt":"...","response":"<answer>","label":"{\"suite\":\"tangram\",\"id\":\"kg-page1-0\"}"}`, `0.93`},
		{"/reward/slime?format=object", `{"prompt":"...","response":"<answer>","label":"{\"suite\":\"tangram\",\"id\":\"kg-page1-0\"}"}`,
			`{"id":"kg-page1-0","suite":"tangram","test":"sum","score":0.93,"reward":0.93,"metrics":{},"notes":[],"backend":"fake","scorer":"plumb test"}`},
		{"/verify", `{"responses_create_params":{"input":[]},"response":{"output":[]},"label":"{\"suite\":\"drawingbench\",\"id\":\"basic_003#2\"}"}`,
			`{"responses_create_params":{"input":[]},"response":{"output":[]},"label":"{\"suite\":\"drawingbench\",\"id\":\"basic_003#2\"}","reward":0.93,"reward_components":{"score":0.93,"failed":0.0},"score":0.93,"failed":0.0,` +
				`"plumb_result":{"id":"basic_003#2","suite":"drawingbench","test":"sum","score":0.93,"reward":0.93,"metrics":{},"notes":[],"backend":"fake","scorer":"plumb test"}}`},
		{"/step", `{"action":{"response":"<answer>","label":"{\"suite\":\"spatialab\",\"id\":\"sl-0001\"}"}}`,
			`{"observation":{"status":null,"score":0.93,"error":null,"result":{"id":"sl-0001","suite":"spatialab","test":"sum","score":0.93,"reward":0.93,"metrics":{},"notes":[],"backend":"fake","scorer":"plumb test"}},"reward":0.93,"done":true}`},
		{"/v1/reward", `{"label":"{\"suite\":\"spatialab\",\"id\":\"sl-0001\"}","response":"x"}`,
			`{"id":"sl-0001","suite":"spatialab","test":"sum","score":0.93,"reward":0.93,"metrics":{},"notes":[],"backend":"fake","scorer":"plumb test"}` + "\n"},
	} {
		if status, _, got := s.do(t, "POST", c.path, c.body); status != 200 || got != c.want {
			t.Errorf("%s: got %d %s; want %s", c.path, status, got, c.want)
		}
	}
}

// quoted makes a label a string, as trainers have it.
func quoted(label string) string { return strconv.Quote(label) }

func TestGetReward(t *testing.T) {
	s := serve(t, func(c *Config, _ *queue.Config, suite *queuetest.Suite) { c.MaxItems, suite.Heard = 4, true })
	l := quoted(label(3))
	heard := func(text string) string {
		return quoted(`{"suite":"fake","test":"sum","expect":` + strconv.Quote(text) + `,"views":[3]}`)
	}
	for _, c := range []struct {
		name, query, body string
		status            int
		want              string
	}{
		{"nothing", "", `{"query":[],"prompts":[],"labels":[]}`, 200, `{"rewards":[],"scores":[],"extra_logs":{}}`},
		{"nothing but query", "", `{"query":[],"labels":null}`, 200, `{"rewards":[],"scores":[],"extra_logs":{}}`},
		{"three", "?reward=raw", `{"query":["a","b","c"],"prompts":["a","",null],"labels":[` + l + `,` + quoted(label(0)) + `,` + quoted(label(1, 4)) + `]}`, 200,
			`{"rewards":[3.0,0.0,5.0],"scores":[1.0,0.0,1.0],"extra_logs":{"score":[3.0,0.0,5.0],"failed":[0.0,0.0,0.0]}}`},
		{"an object among labels", "", `{"query":["a"],"prompts":["a"],"labels":[{"suite":"fake","test":"sum","views":[1],"task":null}]}`, 200, `{"rewards":[1.0]`},
		{"failed scorers are zero and marked", "", `{"query":["a","b"],"prompts":["a","b"],"labels":[` + l + `,` + quoted(label(-1)) + `]}`, 200,
			`{"rewards":[1.0,0.0],"scores":[1.0,0.0],"extra_logs":{"score":[3.0,0.0],"failed":[0.0,1.0]}}`},
		{"the answer follows the prompt", "", `{"query":["Q?A!<|im_end|>\n"],"prompts":["Q?"],"labels":[` + heard("A!") + `]}`, 200, `"score":[3.0]`},
		{"the answer follows a marker", "", `{"query":["<s>[INST] Q [/INST]A!</s>"],"prompts":["other"],"labels":[` + heard("A!") + `]}`, 200, `"score":[3.0]`},
		{"escapes are read", "", `{"query":["Q\u003f\ud83d\ude00\n\"A\""],"prompts":["Q?😀"],"labels":[` + heard("\n\"A\"") + `]}`, 200, `"score":[3.0]`},
		{"tokens stay where told", "?prepare=none", `{"query":["QA</s>"],"prompts":["Q"],"labels":[` + heard("A</s>") + `]}`, 200, `"score":[3.0]`},
		{"thoughts go where told", "?prepare=special,think", `{"query":["Q<think>x</think>A</s>"],"prompts":["Q"],"labels":[` + heard("A") + `]}`, 200, `"score":[3.0]`},
		{"a thought without end is an empty answer", "?prepare=think", `{"query":["Q <think>\nx"],"prompts":["Q <think>\n"],"labels":[` + heard("") + `]}`, 200, `"score":[3.0]`},
		{"another prompt", "", `{"query":["A"],"prompts":["x"],"labels":[` + heard("B") + `]}`, 200, `"score":[0.0]`},
		{"no query", "", `{"prompts":[],"labels":[]}`, 422, `cannot use query: got nothing`},
		{"query of another kind", "", `{"query":"a","labels":[]}`, 422, `cannot use query: got a string; want a list`},
		{"text of another kind", "", `{"query":["a",5],"labels":[` + l + `,` + l + `]}`, 422, `query[1]: got a number`},
		{"prompts of another length", "", `{"query":["a"],"prompts":[],"labels":[` + l + `]}`, 422, `prompts: got 0`},
		{"labels of another length", "", `{"query":["a"],"labels":[]}`, 422, `"error_type":"bad_label"`},
		{"no labels", "", `{"query":["a"]}`, 422, `"error_type":"bad_label"`},
		{"bad label", "", `{"query":["a","b"],"labels":[` + l + `,"{\"suite\":\"chess\",\"id\":\"b\"}"]}`, 422, `cannot use labels[1].suite`},
		{"null label", "", `{"query":["a"],"labels":[null]}`, 422, `labels[0]: got null`},
		{"too many", "", `{"query":["a","a","a","a","a"],"labels":[]}`, 413, `--max-items`},
		{"bad step", "?prepare=wash", `{"query":[],"labels":[]}`, 400, `bad_options`},
		{"unknown name in the query", "?rewards=raw", `{"query":[],"labels":[]}`, 400, `cannot use query: got \"rewards\"; want suite, reward, variant, `},
		{"bad reward", "?reward=wash", `{"query":[],"labels":[]}`, 400, `bad_options`},
		{"no JSON", "", `query`, 400, `bad_json`},
	} {
		status, _, body := s.do(t, "POST", "/get_reward"+c.query, c.body)
		if status != c.status || !strings.Contains(body, c.want) {
			t.Errorf("%s: got %d %s; want %d with %s", c.name, status, body, c.status, c.want)
		}
	}
}

func TestSlime(t *testing.T) {
	s := serve(t, func(_ *Config, _ *queue.Config, suite *queuetest.Suite) { suite.Heard = true })
	for _, c := range []struct {
		name, query, body string
		status            int
		want              string
	}{
		{"number", "", `{"prompt":"p","response":"x","label":` + quoted(label(3)) + `}`, 200, `1.0`},
		{"zero", "?reward=raw", `{"prompt":"p","response":"x","label":` + quoted(label()) + `}`, 200, `0.0`},
		{"messages", "?reward=raw", `{"prompt":[{"role":"user","content":"p"}],"response":"x","label":` + label(3) + `}`, 200, `3.0`},
		{"failed", "", `{"prompt":"p","response":"x","label":` + quoted(label(-1)) + `}`, 200, `0.0`},
		{"tokens go", "", `{"prompt":"p","response":"A<|im_end|>","label":{"suite":"fake","test":"sum","expect":"A","views":[1]}}`, 200, `1.0`},
		{"failed object", "?format=object", `{"prompt":"p","response":"x","label":` + label(-1) + `}`, 200,
			`{"id":"a","suite":"fake","test":"sum","score":null,"reward":0.0,"metrics":{},"notes":[],"error":{"code":"not_native","message":"cannot draw shape 0: not drawn natively: a cube"},"backend":"fake","scorer":"plumb test"}`},
		{"bad label", "", `{"prompt":"p","response":"x","label":7}`, 422, `{"error":"cannot use label: got a number; want the item, or a reference to one, as a string of JSON","error_type":"bad_label"}`},
	} {
		status, _, body := s.do(t, "POST", "/reward/slime"+c.query, c.body)
		if status != c.status || body != c.want {
			t.Errorf("%s: got %d %s; want %d %s", c.name, status, body, c.status, c.want)
		}
	}
	status, _, body := s.do(t, "POST", "/reward/slime?format=object", `{"response":"A</s>","label":`+label(1)+`}`)
	if status != 200 || !strings.Contains(body, `"code":"prepared"`) || !strings.Contains(body, "special") {
		t.Errorf("got %d %s; want a note of what was done to the text", status, body)
	}
	if status, _, _ := s.do(t, "POST", "/reward/slime?format=xml", `{"response":"x","label":`+label(1)+`}`); status != 400 {
		t.Errorf("got %d; want 400", status)
	}
}

// message is a Responses object that says the texts.
func spokenBy(texts ...string) string {
	var parts []string
	for _, s := range texts {
		parts = append(parts, `{"type":"output_text","text":`+strconv.Quote(s)+`,"annotations":[]}`)
	}
	return `{"id":"r","output":[{"type":"reasoning","summary":[]},{"type":"message","role":"assistant","content":[` + strings.Join(parts, ",") + `]}]}`
}

func TestVerify(t *testing.T) {
	s := serve(t, func(_ *Config, _ *queue.Config, suite *queuetest.Suite) { suite.Heard = true })
	heard := `"label":` + quoted(`{"suite":"fake","id":"a","test":"sum","expect":"one two","views":[1]}`)
	for _, c := range []struct{ name, body, want string }{
		{"texts are joined", `{"response":` + spokenBy("one", " two") + `,` + heard + `}`, `"reward":1.0,"reward_components":{"score":1.0,"failed":0.0},"score":1.0,"failed":0.0`},
		{"messages are joined", `{"response":{"output":[{"type":"message","content":"one "},{"type":"function_call"},{"type":"message","content":[{"type":"refusal","refusal":"no"},{"type":"output_text","text":"two"}]}]},` + heard + `}`, `"reward":1.0`},
		{"nothing said is an empty answer", `{"response":{"output":[]},` + heard + `}`, `"reward":0.0,"reward_components":{"score":0.0,"failed":0.0}`},
		{"the call failed", `{"response":{"output":[],"error":{"code":"server_error"}},` + heard + `}`, `"reward":0.0,"reward_components":{"score":0.0,"failed":1.0},"score":0.0,"failed":1.0`},
		{"the class", `{"response":null,` + heard + `}`, `"_ng_failure_class":"no_response","failure_reason":"cannot score answer: there is no response","mask_sample":true,"failure_kind":"plumb:no_response"}`},
		{"the scorer failed", `{"response":` + spokenBy("x") + `,"label":` + quoted(label(-1)) + `}`, `"_ng_failure_class":"not_native","failure_reason":`},
		{"bad label", `{"response":` + spokenBy("x") + `,"label":"{\"id\":\"a\",\"suite\":\"fake\"}"}`, `"reward":0.0,"reward_components":{"score":0.0,"failed":1.0},"score":0.0,"failed":1.0,"_ng_failure_class":"bad_label","_ng_failure_terminal":true,"failure_reason":"cannot use label.id:`},
		{"bad item", `{"response":` + spokenBy("x") + `,"label":{"suite":"fake","test":"sum","do":"refuse"}}`, `"_ng_failure_class":"bad_label","_ng_failure_terminal":true`},
		{"no label", `{"response":` + spokenBy("x") + `}`, `"_ng_failure_class":"bad_label"`},
	} {
		status, _, body := s.do(t, "POST", "/verify", c.body)
		if status != 200 || !strings.Contains(body, c.want) || !json.Valid([]byte(body)) {
			t.Errorf("%s: got %d %s; want 200 with %s", c.name, status, body, c.want)
		}
	}
	for body, want := range map[string]int{`[]`: 422, `{`: 400, `{"response":"x",` + heard + `}`: 422, `{"response":{"output":7},` + heard + `}`: 422} {
		if status, _, got := s.do(t, "POST", "/verify", body); status != want {
			t.Errorf("%s: got %d %s; want %d", body, status, got, want)
		}
	}
}

// Every field of the request comes back as it was, byte for byte, but for those
// that an earlier verify wrote.
func TestVerifyEchoes(t *testing.T) {
	s := serve(t, nil)
	fields := `"responses_create_params":{"input":"\u00e9 é","big":12345678901234567890,"x":1e3},"_ng_task_index":3,"n":null,"score":"the row's own","z":[ 1 , 2 ],"response":` + spokenBy("x")
	labelled := `,"label":` + quoted(label(1))
	_, _, first := s.do(t, "POST", "/verify", `{`+fields+labelled+`}`)
	want := `{` + fields + labelled + `,"reward":1.0,"reward_components":{"score":1.0,"failed":0.0},"failed":0.0,"plumb_result":{`
	if !strings.HasPrefix(first, want) {
		t.Errorf("got %s; want it to begin with %s", first, want)
	}
	row := `{"a":1` + labelled + `,"response":` + spokenBy("x") + `}`
	_, _, once := s.do(t, "POST", "/verify", row)
	_, _, twice := s.do(t, "POST", "/verify", once)
	if once != twice {
		t.Errorf("verified again: got %s; want %s", twice, once)
	}
	failed := strings.Replace(once, `"reward":1.0`, `"reward":0.0,"_ng_failure_class":"deadline","failure_reason":"x"`, 1)
	if _, _, again := s.do(t, "POST", "/verify", failed); again != once {
		t.Errorf("a failed row verified again: got %s; want %s", again, once)
	}
}

func TestNeMoGymCompanions(t *testing.T) {
	s := serve(t, func(c *Config, _ *queue.Config, _ *queuetest.Suite) { c.MaxItems = 2 })
	for _, c := range []struct {
		method, path, body string
		status             int
		want               string
	}{
		{"POST", "/seed_session", `{"label":"x","n":[1]}`, 200, `{}`}, {"POST", "/seed_session", ``, 200, `{}`}, {"POST", "/seed_session", `{`, 400, `bad_json`},
		{"GET", "/reverify_mode", ``, 200, `"stateless"`},
		{"POST", "/aggregate_metrics", `{"verify_responses":[{"reward":1.0,"response":{}},{"reward":0.0,"_ng_failure_class":"deadline"}]}`, 200, `"key_metrics":{"mean/reward":1.0},"n":2,"failed":1}`},
		{"POST", "/aggregate_metrics", `{"verify_responses":[]}`, 200, `"n":0,"failed":0}`},
		{"POST", "/aggregate_metrics", `{}`, 422, `cannot use verify_responses: got nothing`},
		{"POST", "/aggregate_metrics", `{"verify_responses":{}}`, 422, `want a list`},
		{"POST", "/aggregate_metrics", `{"verify_responses":[1]}`, 422, `verify_responses[0]: got a number`},
		{"POST", "/aggregate_metrics", `{"verify_responses":[{},{},{}]}`, 413, `--max-items`},
	} {
		if status, _, body := s.do(t, c.method, c.path, c.body); status != c.status || !strings.Contains(body, c.want) {
			t.Errorf("%s %s: got %d %s; want %d with %s", c.path, c.body, status, body, c.status, c.want)
		}
	}
}

// Each adapter's policies for a scorer that failed.
func TestUnscorable(t *testing.T) {
	bad := quoted(label(-1))
	requests := map[string][2]string{
		"openrlhf": {"/get_reward", `{"query":["x","y"],"labels":[` + bad + `,` + quoted(label(3)) + `]}`},
		"slime":    {"/reward/slime", `{"response":"x","label":` + bad + `}`},
		"nemo-gym": {"/verify", `{"response":` + spokenBy("x") + `,"label":` + bad + `}`},
		"openenv":  {"/step", `{"action":{"response":"x","label":` + bad + `}}`},
	}
	for policy, want := range map[string]string{
		"openrlhf=zero": `{"rewards":[0.0,1.0],"scores":[0.0,1.0],"extra_logs":{"score":[0.0,3.0],"failed":[1.0,0.0]}}`,
		"openrlhf=drop": `{"rewards":[1.0],"scores":[1.0],"extra_logs":{"score":[3.0],"failed":[0.0]}}`, "openrlhf=error": `"error_type":"not_native"`,
		"slime=zero": `0.0`, "slime=null": `null`, "slime=error": `"error_type":"not_native"`,
		"nemo-gym=zero": `"_ng_failure_class":"not_native","failure_reason"`, "nemo-gym=drop": `"_ng_failure_class":"not_native","_ng_failure_terminal":true`,
		"nemo-gym=error": `"error_type":"not_native"`,
		"openenv=null":   `"reward":null,"done":true}`, "openenv=zero": `"reward":0.0,"done":true}`, "openenv=error": `"error_type":"not_native"`,
	} {
		policies, err := ParsePolicies([]string{policy})
		if err != nil {
			t.Fatal(err)
		}
		s := serve(t, func(c *Config, _ *queue.Config, _ *queuetest.Suite) { c.Policies = policies })
		adapter, name, _ := strings.Cut(policy, "=")
		code := 200
		if name == "error" {
			code = 422
		}
		if status, _, body := s.do(t, "POST", requests[adapter][0], requests[adapter][1]); status != code || !strings.Contains(body, want) {
			t.Errorf("%s: got %d %s; want %d with %s", policy, status, body, code, want)
		}
	}
}

// What goes wrong in the engine and in time reaches each trainer as it can read it.
func TestTrainersAndFaults(t *testing.T) {
	block := make(chan struct{})
	s := serve(t, func(_ *Config, q *queue.Config, suite *queuetest.Suite) {
		q.Deadline, suite.Block = 8*time.Second, block // a worker has to have taken each by then
		q.Engine.(*queuetest.Engine).Fail = func([]float64) error { return errors.New("device lost") }
	})
	defer close(block)
	stuck := quoted(`{"suite":"fake","id":"a","test":"sum","do":"block"}`)
	var all sync.WaitGroup
	for _, c := range []struct{ path, body, want string }{
		{"/get_reward", `{"query":["x"],"labels":[` + stuck + `]}`, `"failed":[1.0]`},
		{"/get_reward", `{"query":["x"],"labels":[` + quoted(label(3)) + `]}`, `"failed":[1.0]`},
		{"/reward/slime?format=object", `{"response":"x","label":` + stuck + `}`, `"code":"deadline"`},
		{"/verify", `{"response":` + spokenBy("x") + `,"label":` + stuck + `}`, `"_ng_failure_class":"deadline"`},
		{"/step", `{"action":{"response":"x","label":` + stuck + `}}`, `"reward":null`},
		{"/v1/reward", `{"response":"x","label":` + stuck + `}`, `"code":"deadline"`},
	} {
		all.Go(func() { // all wait at once
			if status, _, body := s.do(t, "POST", c.path, c.body); status != 200 || !strings.Contains(body, c.want) {
				t.Errorf("%s: got %d %s; want %s", c.path, status, body, c.want)
			}
		})
	}
	all.Wait()
	if status, _, body := s.do(t, "POST", "/step", `{"action":{"response":"x","label":`+stuck+`},"timeout_s":0.001}`); status != 504 || !strings.Contains(body, "timeout_s") {
		t.Errorf("got %d %s; want 504", status, body)
	}
}

// What --unscorable and --prepare take, and the defaults.
func TestPolicies(t *testing.T) {
	all, err := ParsePolicies([]string{"slime=null", "openrlhf=error", "slime=error"})
	if err != nil || all["slime"] != reward.Error || all["openrlhf"] != reward.Error || all["nemo-gym"] != reward.Zero || all["openenv"] != reward.Null {
		t.Errorf("got %v, %v", all, err)
	}
	for arg, want := range map[string]string{
		"trl=zero": "want ADAPTER=POLICY, with ADAPTER one of nemo-gym, openenv, openrlhf, slime", "openrlhf=null": "want one of zero, drop, error",
		"slime": "want one of zero, null, error", "slime=nan": "want one of", "": "want ADAPTER=POLICY",
	} {
		if _, err := ParsePolicies([]string{arg}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v; want %s", arg, err, want)
		}
	}
	steps, err := ParsePrepare([]string{"slime=none", "native=think,special"})
	if err != nil || steps["slime"] != 0 || steps["openrlhf"] != reward.StepSpecial || steps["native"] != reward.StepThink|reward.StepSpecial || steps["nemo-gym"] != 0 {
		t.Errorf("got %v, %v", steps, err)
	}
	for _, arg := range []string{"slime=nope", "trl=think", "slime=think;special"} {
		if _, err := ParsePrepare([]string{arg}); err == nil {
			t.Errorf("%q: got no error", arg)
		}
	}
}

// The guide names the policies of every adapter, the default among them, and the default
// steps of text preparation.
func TestGuideNamesPolicies(t *testing.T) {
	guide, err := os.ReadFile("../../docs/trainers.md")
	if err != nil {
		t.Fatal(err)
	}
	all := []reward.Policy{reward.Zero, reward.Null, reward.Drop, reward.Error}
	for _, r := range trainers() {
		if !strings.Contains(string(guide), "`"+r.name+"`") || !strings.Contains(string(guide), r.path) {
			t.Errorf("the guide lacks adapter %s at %s", r.name, r.path)
		}
		if r.policies == nil {
			continue
		}
		_, row, _ := strings.Cut(string(guide), "\n| `"+r.name+"` | ")
		row, _, _ = strings.Cut(row, "\n")
		cells := strings.Split(row, " | ")
		if len(cells) != len(all) {
			t.Errorf("%s: got a row of %d cells; want one for each policy: %q", r.name, len(cells), row)
			continue
		}
		for i, p := range all {
			refused, standard := strings.HasPrefix(cells[i], "refused"), strings.HasPrefix(cells[i], "default")
			if refused == slices.Contains(r.policies, p) || standard != (p == r.policies[0]) {
				t.Errorf("%s=%s: the guide says %q; want what the table has: %v", r.name, p, cells[i], r.policies)
			}
		}
		for _, step := range []reward.Steps{reward.StepSpecial, reward.StepThink, reward.StepTags, reward.StepFenced, reward.StepBoxed} {
			_, row, _ := strings.Cut(string(guide), "\n| `"+step.String()+"` | ")
			row, _, _ = strings.Cut(row, "\n")
			last := row[strings.LastIndex(strings.TrimSuffix(row, " |"), " | ")+1:]
			if strings.Contains(last, r.name) != (r.preparation&step != 0) {
				t.Errorf("%s: the guide says of step %s %q; want default: %v", r.name, step, last, r.preparation&step != 0)
			}
		}
	}
}
