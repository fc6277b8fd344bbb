package api

import (
	"strings"

	"github.com/valyala/fasthttp"
)

// uiPath is the path under which the explorer answers, where the daemon has one.
const uiPath = "/ui/"

// uiRoute is the name of its route in metrics. A browser keeps its token in a cookie.
const uiRoute = "ui"

// uiCookie is the cookie that holds the token of a browser. It is sent below uiPath alone.
const uiCookie = "plumb_token"

// ui passes a request to the explorer. A token in the query becomes a cookie first, and the browser is
// sent to the address without it, so that the token stands in no history. See docs/spec/http.md#r46.
func (server *Server) ui(ctx *fasthttp.RequestCtx) {
	if server.cfg.UI == nil {
		server.fail(ctx, fasthttp.StatusNotFound, "not_found", "cannot show results: the daemon has no folder of them (--ui DIR)")
		return
	}
	if token := ctx.QueryArgs().Peek("token"); len(token) > 0 && server.cfg.Tokens.Len() > 0 {
		c := fasthttp.AcquireCookie()
		defer fasthttp.ReleaseCookie(c)
		c.SetKey(uiCookie)
		c.SetValueBytes(token)
		c.SetPath(uiPath)
		c.SetHTTPOnly(true)
		c.SetSecure(ctx.IsTLS())
		c.SetSameSite(fasthttp.CookieSameSiteStrictMode)
		ctx.Response.Header.SetCookie(c)
		ctx.QueryArgs().Del("token")
		address := strings.TrimSuffix(string(ctx.Path())+"?"+ctx.QueryArgs().String(), "?")
		ctx.Response.Header.Set("Location", address)
		ctx.SetStatusCode(fasthttp.StatusFound)
		return
	}
	server.cfg.UI(ctx)
}

// uiSecret returns the token in the cookie that a browser sends to the explorer, "" for other paths.
func (server *Server) uiSecret(ctx *fasthttp.RequestCtx) string {
	if !strings.HasPrefix(string(ctx.Path()), uiPath) {
		return ""
	}
	return string(ctx.Request.Header.Cookie(uiCookie))
}
