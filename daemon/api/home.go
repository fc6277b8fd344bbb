package api

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io/fs"
	"strings"

	"github.com/valyala/fasthttp"

	"plumb/docs"
)

//go:embed home.html
var homePage string

var homeTemplate = template.Must(template.New("home").Parse(homePage))

// guidePath is the path under which the guides are served by their file names.
const guidePath = "/docs/"

// home answers GET / with the start page for browsers: the daemon's health, its suites and links. It
// shows nothing that needs a token.
func (server *Server) home(ctx *fasthttp.RequestCtx) {
	page := struct {
		Health, Reason, Locked, Host string
		Suites, Guides               []string
		OpenMetrics                  bool
	}{OpenMetrics: server.cfg.OpenMetrics, Health: "healthy", Host: string(ctx.Host()), Suites: server.cfg.Items.Suites.Names()}
	if err := server.whyUnready(); err != nil {
		page.Health, page.Reason = "unhealthy", Pathless(err.Error())
	}
	if server.cfg.Tokens.Len() > 0 {
		page.Locked = "; wants a token" // what the page says beside such routes
	}
	page.Guides, _ = fs.Glob(docs.Files, "*.md")
	var buffer bytes.Buffer
	if err := homeTemplate.Execute(&buffer, page); err != nil {
		server.failWith(ctx, fmt.Errorf("cannot write page: %w", err))
		return
	}
	ctx.Response.Header.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
	ctx.SetContentType("text/html; charset=utf-8")
	ctx.SetBody(buffer.Bytes())
}

// guide answers GET /docs/NAME with a page of the documentation as Markdown text.
func (server *Server) guide(ctx *fasthttp.RequestCtx) {
	data, err := docs.Files.ReadFile(strings.TrimPrefix(string(ctx.Path()), guidePath))
	if err != nil {
		server.fail(ctx, fasthttp.StatusNotFound, "not_found", "cannot find this guide: GET / lists those that there are")
		return
	}
	ctx.Response.Header.Set("X-Content-Type-Options", "nosniff")
	ctx.SetContentType("text/plain; charset=utf-8")
	ctx.SetBody(data)
}
