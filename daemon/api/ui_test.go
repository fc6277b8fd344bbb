package api

import (
	"net/http"
	"testing"

	"github.com/valyala/fasthttp"

	"plumb/daemon/queue"
	"plumb/daemon/queue/queuetest"
)

// A browser gets in with its token once, keeps it in a cookie, and the cookie opens nothing else.
func TestExplorerToken(t *testing.T) {
	s := serve(t, func(c *Config, _ *queue.Config, _ *queuetest.Suite) {
		c.Tokens = oneToken("secret")
		c.UI = func(ctx *fasthttp.RequestCtx) { ctx.SetBodyString("page " + string(ctx.Path())) }
	})
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for _, c := range []struct {
		path, cookie string
		want         int
		location     string
	}{
		{"/ui/", "", 401, ""}, {"/ui/?token=wrong", "", 401, ""}, {"/ui/?page=items&token=secret", "", 302, "/ui/?page=items"}, {"/ui/?token=secret", "", 302, "/ui/"},
		{"/ui/", "secret", 200, ""}, {"/ui/api/rows", "secret", 200, ""}, {"/ui/", "wrong", 401, ""}, {"/v1/info", "secret", 401, ""},
	} {
		req, _ := http.NewRequest("GET", s.url(c.path), nil)
		if c.cookie != "" {
			req.AddCookie(&http.Cookie{Name: uiCookie, Value: c.cookie})
		}
		r, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		r.Body.Close()
		if r.StatusCode != c.want || r.Header.Get("Location") != c.location {
			t.Errorf("%s with the cookie %q: got status %d, %q; want %d, %q", c.path, c.cookie, r.StatusCode, r.Header.Get("Location"), c.want, c.location)
		}
		if c.want == 302 {
			if k := r.Cookies(); len(k) != 1 || k[0].Value != "secret" || !k[0].HttpOnly || k[0].SameSite != http.SameSiteStrictMode || k[0].Path != uiPath {
				t.Errorf("%s: got the cookies %v", c.path, k)
			}
		}
	}
}
