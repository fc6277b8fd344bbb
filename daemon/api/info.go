package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/prometheus/common/expfmt"
	"github.com/valyala/fasthttp"

	"plumb/scoring"
)

// metrics answers GET /metrics in the text format of Prometheus.
func (server *Server) metrics(ctx *fasthttp.RequestCtx) {
	families, err := server.cfg.Metrics.registry.Gather()
	if err != nil {
		server.failWith(ctx, fmt.Errorf("cannot gather metrics: %w", err))
		return
	}
	var buffer bytes.Buffer
	format := expfmt.NewFormat(expfmt.TypeTextPlain)
	enc := expfmt.NewEncoder(&buffer, format)
	for _, f := range families {
		if err := enc.Encode(f); err != nil {
			server.failWith(ctx, fmt.Errorf("cannot write metrics: %w", err))
			return
		}
	}
	ctx.SetContentType(string(format))
	ctx.SetBody(buffer.Bytes())
}

// EditorInfo describes to clients the editor that draws scenes which are not native.
type EditorInfo struct {
	Fidelity   string `json:"fidelity"`  // native, auto or tldraw
	Tldraw     string `json:"tldraw"`    // whose pictures are made
	Available  bool   `json:"available"` // whether it draws here
	Reason     string `json:"reason,omitempty"`
	Use        string `json:"use,omitempty"` // development or production
	LicenseKey bool   `json:"license_key"`
	Sandbox    *bool  `json:"sandbox,omitempty"` // whether Chromium runs in its sandbox
	NoSandbox  string `json:"no_sandbox,omitempty"`
}

// info answers GET /v1/info: the build, the reward mode and the editor.
func (server *Server) info(ctx *fasthttp.RequestCtx) {
	server.reply(ctx, map[string]any{"version": server.cfg.Version, "reward": server.cfg.RewardMode.String(), "editor": server.cfg.Editor})
}

// suiteInfo is one entry of GET /v1/suites.
type suiteInfo struct {
	Name     string        `json:"name"`
	Tests    []string      `json:"tests"`
	Variants []variantInfo `json:"variants"`
	Tasks    int           `json:"tasks"` // loaded with --tasks
}

// variantInfo is a variant of a suite's rules in GET /v1/suites.
type variantInfo struct {
	Name    string `json:"name"`
	Value   string `json:"value"` // "" for an on/off variant
	Source  string `json:"source"`
	Doc     string `json:"doc"`
	Default bool   `json:"chosen"` // by the daemon's flags
}

// suites answers GET /v1/suites: the suites with their tests, variants and number of loaded tasks, the
// version and the reward mode.
func (server *Server) suites(ctx *fasthttp.RequestCtx) {
	list := []suiteInfo{}
	for _, suite := range server.cfg.Items.Suites {
		info := suiteInfo{Name: suite.Name, Tests: suite.Tests, Variants: []variantInfo{}, Tasks: server.cfg.Items.Tasks[suite.Name].Len()}
		for _, v := range suite.Variants {
			chosen := server.cfg.Variants.On(v.Name)
			info.Variants = append(info.Variants, variantInfo{Name: v.Name, Value: v.Value, Source: v.Source, Doc: v.Doc, Default: chosen})
		}
		list = append(list, info)
	}
	server.reply(ctx, map[string]any{"suites": list, "version": server.cfg.Version, "reward": server.cfg.RewardMode.String()})
}

// describe answers GET /v2 with the server metadata of the KServe v2 protocol, and with how shared
// memory can be used if it is on.
func (server *Server) describe(ctx *fasthttp.RequestCtx) {
	m := map[string]any{"name": "plumb", "version": server.cfg.Version.Version, "extensions": []string{}}
	if shared := server.sharedInfo(); shared != nil {
		m["extensions"], m["system_shared_memory"] = []string{"system_shared_memory"}, shared
	}
	server.reply(ctx, m)
}

// reply answers an HTTP request with JSON that is not a result line.
func (server *Server) reply(ctx *fasthttp.RequestCtx, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("BUG: reply of %T: %v", v, err))
	}
	ctx.SetContentType("application/json")
	ctx.SetBody(data)
}

// knownVariants lists the variants that a request may choose.
func (server *Server) knownVariants() []scoring.Variant {
	return append(slices.Clone(server.cfg.KnownVariants), server.cfg.Items.Suites.Variants()...)
}

// accepts reports whether the HTTP client asks for a media type by name.
func accepts(ctx *fasthttp.RequestCtx, mime string) bool {
	for _, part := range strings.Split(string(ctx.Request.Header.Peek("Accept")), ",") {
		if kind, _, _ := strings.Cut(part, ";"); strings.EqualFold(strings.TrimSpace(kind), mime) {
			return true
		}
	}
	return false
}
