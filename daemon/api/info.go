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
func (s *Server) metrics(ctx *fasthttp.RequestCtx) {
	families, err := s.cfg.Metrics.registry.Gather()
	if err != nil {
		s.failWith(ctx, fmt.Errorf("cannot gather metrics: %w", err))
		return
	}
	var b bytes.Buffer
	format := expfmt.NewFormat(expfmt.TypeTextPlain)
	enc := expfmt.NewEncoder(&b, format)
	for _, f := range families {
		if err := enc.Encode(f); err != nil {
			s.failWith(ctx, fmt.Errorf("cannot write metrics: %w", err))
			return
		}
	}
	ctx.SetContentType(string(format))
	ctx.SetBody(b.Bytes())
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
func (s *Server) info(ctx *fasthttp.RequestCtx) {
	s.reply(ctx, map[string]any{"version": s.cfg.Version, "reward": s.cfg.Reward.String(), "editor": s.cfg.Editor})
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
func (s *Server) suites(ctx *fasthttp.RequestCtx) {
	list := []suiteInfo{}
	for _, suite := range s.cfg.Items.Suites {
		e := suiteInfo{Name: suite.Name, Tests: suite.Tests, Variants: []variantInfo{}, Tasks: s.cfg.Items.Tasks[suite.Name].Len()}
		for _, v := range suite.Variants {
			chosen := s.cfg.Variants.On(v.Name)
			e.Variants = append(e.Variants, variantInfo{Name: v.Name, Value: v.Value, Source: v.Source, Doc: v.Doc, Default: chosen})
		}
		list = append(list, e)
	}
	s.reply(ctx, map[string]any{"suites": list, "version": s.cfg.Version, "reward": s.cfg.Reward.String()})
}

// describe answers GET /v2 with the server metadata of the KServe v2 protocol, and with how shared
// memory can be used if it is on.
func (s *Server) describe(ctx *fasthttp.RequestCtx) {
	m := map[string]any{"name": "plumb", "version": s.cfg.Version.Version, "extensions": []string{}}
	if shared := s.sharedInfo(); shared != nil {
		m["extensions"], m["system_shared_memory"] = []string{"system_shared_memory"}, shared
	}
	s.reply(ctx, m)
}

// reply answers an HTTP request with JSON that is not a result line.
func (s *Server) reply(ctx *fasthttp.RequestCtx, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("BUG: reply of %T: %v", v, err))
	}
	ctx.SetContentType("application/json")
	ctx.SetBody(b)
}

// known lists the variants that a request may choose.
func (s *Server) known() []scoring.Variant {
	return append(slices.Clone(s.cfg.Known), s.cfg.Items.Suites.Variants()...)
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
