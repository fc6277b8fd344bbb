package api

import (
	"strings"
	"testing"

	"plumb/daemon/queue"
	"plumb/daemon/queue/queuetest"
)

// Every route but the explorer's refuses a name in the query that it does not read, and names those
// that it reads.
func TestUnknownQuery(t *testing.T) {
	s := serve(t, func(*Config, *queue.Config, *queuetest.Suite) {})
	known := map[string]bool{uiRoute: true}
	for path, route := range routes() {
		known[route.name] = true
		if route.name == uiRoute {
			continue
		}
		path = strings.NewReplacer(nameInPath, "x", envInPath, "fake").Replace(path)
		for _, query := range []string{"mistyped=1", "token=x&mistyped"} {
			status, _, body := s.do(t, route.method, path+"?"+query, "{}")
			if status != 400 || !strings.Contains(body, `cannot use query: got \"mistyped\"; want `) || !strings.Contains(body, "bad_options") {
				t.Errorf("%s %s?%s: %d %s", route.method, path, query, status, body)
			}
		}
	}
	// A row for a route that does not exist allows nothing.
	for name := range queries {
		if !known[name] {
			t.Errorf("queries has %q, which is no route", name)
		}
	}
	for _, c := range []struct{ path, want string }{
		{"/v1/render?bound=0,0,1,1", "want bounds, channels, shared_memory_region, "},
		{"/v1/metrics?treshold=3", "want width, height, channels, threshold, hausdorff, "},
		{"/v1/prompt?modes=x", "want mode, input, setting, format, method, images, token"},
		{"/v1/score?prepare=none", "want suite, reward, variant, timings, token"},
		{"/get_reward?format=object", "want suite, reward, variant, timings, prepare, token"},
	} {
		if status, _, body := s.do(t, "POST", c.path, "{}"); status != 400 || !strings.Contains(body, c.want) {
			t.Errorf("%s: %d %s; want 400 with %q", c.path, status, body, c.want)
		}
	}
}
