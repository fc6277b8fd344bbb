package api

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"plumb/daemon/queue"
	"plumb/daemon/queue/queuetest"
)

// label is an item whose answer scores the sum of the widths.
func label(widths ...int) string {
	return fmt.Sprintf(`{"suite":"fake","id":"a","test":"sum","views":%s}`, strings.ReplaceAll(fmt.Sprint(widths), " ", ","))
}

func TestNativeReward(t *testing.T) {
	s := serve(t, func(c *Config, _ *queue.Config, _ *queuetest.Suite) { c.MaxItems = 3 })
	good := strconv.Quote(label(3))
	for _, c := range []struct {
		name, query, body string
		status            int
		want              string
	}{
		{"string", "", `{"label":` + good + `,"response":"x"}`, 200, `"score":3.0,"reward":1.0`},
		{"raw", "?reward=raw&variant=twice", `{"label":` + good + `,"response":"x","prompt":"p"}`, 200, `"score":6.0,"reward":6.0`},
		{"object with nulls", "", `{"label":{"suite":"fake","test":"sum","late":null,"views":[2],"task":{"a":null}},"response":""}`, 200, `"score":2.0`},
		{"no score", "", `{"label":"{\"suite\":\"fake\",\"test\":\"sum\",\"views\":[-1]}","response":"x"}`, 200, `"score":null,"reward":null,"metrics":{},"notes":[],"error":{"code":"not_native"`},
		{"list", "", `{"samples":[{"label":` + good + `,"response":"x"},{"label":{"suite":"fake","test":"sum","views":[-1]},"response":"x"}]}`, 200, `{"results":[{"id":"a","suite":"fake","test":"sum","score":3.0,"reward":1.0,`},
		{"empty list", "", `{"samples":[]}`, 200, `{"results":[]}`},
		{"list of one", "", `{"samples":[{"label":` + good + `,"response":"x"}]}`, 200, `{"results":[{"id":"a",`},
		{"panic", "", `{"label":{"suite":"fake","test":"sum","views":[1],"do":"panic"},"response":"x"}`, 200, `"code":"internal"`},
		{"no label", "", `{"response":"x"}`, 422, `"bad_label"`},
		{"bad label in a list", "", `{"samples":[{"label":` + good + `,"response":"x"},{"label":"{","response":"x"}]}`, 422, `samples[1].label`},
		{"item that cannot be used", "", `{"samples":[{"label":` + good + `,"response":"x"},{"label":{"suite":"fake","test":"sum","do":"refuse"},"response":"x"},{"label":` + good + `,"response":"x"}]}`, 422, `cannot use samples[1].label: cannot use shapes","error_type":"bad_label"`},
		{"unknown suite", "", `{"label":"{\"suite\":\"chess\",\"views\":[]}","response":"x"}`, 422, `"bad_label"`},
		{"reference without tasks", "", `{"label":"{\"suite\":\"fake\",\"id\":\"b\"}","response":"x"}`, 422, `--tasks fake=FILE`},
		{"number as answer", "", `{"label":` + good + `,"response":5}`, 422, `cannot read response: got a number; want a string`},
		{"samples of another kind", "", `{"samples":{}}`, 422, `want a list`},
		{"sample of another kind", "", `{"samples":[7]}`, 422, `samples[0]: got a number`},
		{"too many", "", `{"samples":[1,2,3,4]}`, 413, `--max-items`},
		{"list as body", "", `[]`, 422, `want an object`},
		{"no JSON", "", `{"label":NaN}`, 400, `bad_json`},
		{"nothing", "", ``, 400, `bad_json`},
		{"unknown name in the query", "?rewards=raw", `{}`, 400, `bad_options`},
		{"bad option", "?reward=much", `{}`, 400, `bad_options`},
	} {
		status, _, body := s.do(t, "POST", "/v1/reward"+c.query, c.body)
		if status != c.status || !strings.Contains(body, c.want) {
			t.Errorf("%s: got %d %s; want %d with %s", c.name, status, body, c.status, c.want)
		}
	}
}

// A sample whose turn did not come in time is asked for again; one that was being
// worked on is not, as that might never end.
func TestOverran(t *testing.T) {
	block := make(chan struct{})
	defer close(block)
	var blocked atomic.Int64
	const workers, spares = 1, 2
	s := serve(t, func(_ *Config, q *queue.Config, suite *queuetest.Suite) {
		q.Workers, q.MaxSpares, q.Deadline = workers, spares, 5*time.Second // a worker has to have taken the first by then
		suite.Block, suite.Blocked = block, &blocked
	})
	if status, _, body := s.do(t, "POST", "/get_reward", `{"query":["x"],"labels":[{"suite":"fake","id":"0","test":"sum","do":"block"}]}`); status != 200 || !strings.Contains(body, `"failed":[1.0]`) {
		t.Errorf("got %d %s; want a zero: a worker had it", status, body)
	}
	var all sync.WaitGroup
	for i := 1; blocked.Load() < workers+spares; i++ { // until every worker is stuck
		s.do(t, "POST", "/v1/score", fmt.Sprintf(`{"suite":"fake","id":"%d","test":"sum","do":"block"}`, i), "X-Deadline-Ms", "300")
	}
	for path, body := range map[string]string{
		"/get_reward":   `{"query":["x"],"labels":[{"suite":"fake","id":"a","test":"sum","views":[3]}]}`,
		"/reward/slime": `{"label":{"suite":"fake","id":"a","test":"sum","views":[3]},"response":"x"}`,
	} {
		all.Go(func() {
			status, h, got := s.do(t, "POST", path, body)
			if status != 504 || h.Get("Retry-After") == "" || !strings.Contains(got, `"deadline"`) {
				t.Errorf("%s: got %d %v %s; want 504: its turn did not come", path, status, h, got)
			}
		})
	}
	all.Wait()
}
