package api

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"plumb/daemon/queue"
	"plumb/daemon/queue/queuetest"
)

// The page tells whether the daemon is healthy, needs no token, and every link on
// it is answered.
func TestHome(t *testing.T) {
	var ill error
	s := serve(t, func(c *Config, _ *queue.Config, _ *queuetest.Suite) {
		c.Tokens, c.WhyUnready = oneToken("secret"), func() error { return ill }
	})
	status, h, page := s.do(t, "GET", "/", "")
	if status != 200 || h.Get("Content-Type") != "text/html; charset=utf-8" || !strings.Contains(page, "<title>plumb: healthy</title>") || !strings.Contains(page, "wants a token") {
		t.Fatalf("got %d %v %s", status, h, page)
	}
	if strings.Contains(page, "secret") {
		t.Error("the page holds a token")
	}
	links := regexp.MustCompile(`href="([^"]+)"`).FindAllStringSubmatch(page, -1)
	if len(links) < 10 {
		t.Errorf("got %d links; want those to health, metrics, the description and the guides", len(links))
	}
	for _, l := range links {
		if status, _, _ := s.do(t, "GET", l[1], "", "Authorization", "Bearer secret"); status != 200 {
			t.Errorf("GET %s: got %d; want 200", l[1], status)
		}
	}
	ill = errors.New("the device <is> away in /tmp/x")
	_, _, page = s.do(t, "GET", "/", "")
	if !strings.Contains(page, `class="unhealthy"`) || !strings.Contains(page, "the device &lt;is&gt; away in (a path)") {
		t.Errorf("got %s; want the reason", page)
	}
}
