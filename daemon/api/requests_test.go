package api

import (
	"encoding/json"
	"strings"
	"testing"

	"plumb/daemon/jsoncut"
	"plumb/daemon/queue/queuetest"
	"plumb/daemon/reward"
	"plumb/render/scene"
	"plumb/scoring"

	"github.com/valyala/fasthttp"
)

// FuzzRequests: whatever JSON comes on a trainer's route is read without a
// panic, and what is read of it are samples that become lines of JSON, or an
// error that names a field. The verify reply is JSON and holds the request.
func FuzzRequests(f *testing.F) {
	for _, s := range []string{
		`{"label":"{\"suite\":\"fake\",\"views\":[1]}","response":"x","prompt":"<think>"}`,
		`{"samples":[{"label":{"suite":"fake","views":null,"test":"sum"},"response":{"a":[]}}]}`,
		`{"query":["Qa</s>"],"prompts":["Q"],"labels":["{}"]}`, `{"query":[],"prompts":[],"labels":[]}`,
		`{"response":{"output":[{"type":"message","content":[{"type":"output_text","text":"x"}]}],"usage":{"n":1}},"label":{"views":[1]},"reward":1,"reward_components":{"score":1},"score":2}`,
		`{"verify_responses":[{"_ng_task_index":"x","reward":1,"_ng_failure_class":null}]}`, `{"action":{"response":"x","label":"y","timeout_s":1e300},"timeout_s":-1}`,
		`{"seed":1,"episode_id":"e","label":"{\"suite\":\"fake\",\"views\":[]}"}`, `{"type":"step","data":{"response":null}}`, `{"\u006cabel":1}`,
	} {
		f.Add([]byte(s))
	}
	q := queuetest.Config(&queuetest.Engine{}, queuetest.Suite{})
	s := New(Config{Items: q.Items, MaxItems: 50})
	all := reward.StepSpecial | reward.StepThink | reward.StepTags | reward.StepFenced | reward.StepBoxed
	limits := scene.DefaultLimits()
	f.Fuzz(func(t *testing.T, body []byte) {
		if limits.Check(body) != nil {
			return
		}
		if body = []byte(strings.TrimSpace(string(body))); body[0] != '{' {
			return
		}
		line := func(one sample, fault *scoring.Error) {
			if fault == nil {
				var b []byte
				b, fault = s.labelReader().AppendDumpLine(nil, one.label, one.answer, one.labelPath)
				if err := limits.Check(b); fault == nil && err != nil {
					t.Fatalf("%s: the line %s: %v", body, b, err)
				}
			}
			if fault != nil && (fault.Code == "" || !strings.HasPrefix(fault.Message, "cannot ")) {
				t.Fatalf("%s: got %+v", body, fault)
			}
		}
		for _, r := range trainers() {
			x := &exchange{body: body, query: new(fasthttp.Args), preparation: all}
			fault := r.decode(s, x)
			line(sample{}, fault)
			for _, one := range x.samples {
				line(one, fault)
			}
			if x.timeout < 0 {
				t.Fatalf("%s: %s: got a timeout of %v", r.name, body, x.timeout)
			}
		}
		x := &exchange{preparation: all}
		line(sample{}, x.readAction(body, "data."))
		_, fault := s.newEpisode(body)
		line(sample{}, fault)
		var sums reward.Aggregate
		sums.Add(body)
		if b := sums.AppendJSON(nil); limits.Check(b) != nil {
			t.Fatalf("%s: aggregated: %s", body, b)
		}
		echo(t, body)
	})
}

// echo holds a verify reply against its request.
func echo(t *testing.T, body []byte) {
	v := verified{outcome: reward.Outcome{Reward: 0.5, Score: 0.5}, resultLine: []byte(`{}`)}
	b := v.append(nil, body)
	if !json.Valid(b) || scene.Check(b, 400) != nil {
		t.Fatalf("%s: got %s", body, b)
	}
	earlier := earlierComponents(body)
	got := map[string]string{}
	jsoncut.Members(b, func(k, v []byte) error { got[jsoncut.Name(k)] = string(v); return nil })
	jsoncut.Members(body, func(k, v []byte) error {
		if name := jsoncut.Name(k); !verifyKeys[name] && !earlier[name] && got[name] != string(v) {
			t.Fatalf("%s: field %q: got %s", body, name, got[name])
		}
		return nil
	})
	if got["reward"] != "0.5" {
		t.Fatalf("%s: got the reward %s", body, got["reward"])
	}
}
