package api

import (
	"context"
	"strings"
	"testing"

	"plumb/daemon/queue"
	"plumb/daemon/queue/queuetest"
)

// A picture says who drew it, and why where that is not the engine itself.
func TestRenderNamesBackend(t *testing.T) {
	s := serve(t, nil)
	const scene = `{"shapes":[]}`
	code, h, body := s.do(t, "POST", "/v1/render?bounds=0,0,20,1", scene)
	if code != 200 || h.Get("X-Backend") != "fake" || h.Get("X-Backend-Reason") != "" {
		t.Errorf("got %d, %v, %.200s; want the engine's name", code, h, body)
	}
	// The fake engine leaves what lies above the page to others.
	s = serve(t, func(_ *Config, q *queue.Config, _ *queuetest.Suite) {
		e := q.Engine.(*queuetest.Engine)
		e.Late, e.Draws = 1, func(context.Context, float64) error { return nil }
	})
	code, h, body = s.do(t, "POST", "/v1/render?bounds=0,-1,20,1", scene)
	if code != 200 || h.Get("X-Backend") != "away" || !strings.Contains(h.Get("X-Backend-Reason"), "above the page") {
		t.Errorf("got %d, %v, %.200s; want who drew and why", code, h, body)
	}
	code, _, body = s.do(t, "POST", "/v1/score", `{"id":"a","test":"sum","late":[3]}`)
	if code != 200 || !strings.Contains(body, `"backend":"away"`) || !strings.Contains(body, `"code":"rendered_by_away"`) {
		t.Errorf("got %d, %s; want a note of who drew", code, body)
	}
}

// TestInfo: what runs, and how the editor does.
func TestInfo(t *testing.T) {
	s := serve(t, nil)
	no := false
	s.cfg.Editor = EditorInfo{Fidelity: "auto", Tldraw: "4.2", Available: true, Use: "development", Sandbox: &no, NoSandbox: "as root"}
	code, _, body := s.do(t, "GET", "/v1/info", "")
	want := `"editor":{"fidelity":"auto","tldraw":"4.2","available":true,"use":"development","license_key":false,"sandbox":false,"no_sandbox":"as root"}`
	if code != 200 || !strings.Contains(body, want) {
		t.Errorf("got %d, %s; want %s", code, body, want)
	}
}

func TestEditorMetrics(t *testing.T) {
	s := serve(t, nil)
	s.cfg.Metrics.RegisterEditor(func() EditorCounts {
		return EditorCounts{Exports: 5, Retries: 4, Lost: 3, Blocked: 2, Unproved: 1, Blank: 6}
	})
	_, _, body := s.do(t, "GET", "/metrics", "")
	for _, want := range []string{"plumb_editor_exports_total 5", "plumb_editor_retries_total 4", "plumb_editor_lost_total 3", "plumb_editor_blocked_requests_total 2",
		"plumb_editor_unproved_pictures_total 1", "plumb_editor_blank_pictures_total 6"} {
		if !strings.Contains(body, want+"\n") {
			t.Errorf("no %s", want)
		}
	}
}
