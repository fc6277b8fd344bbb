package api

import (
	"context"
	"fmt"
	"sync"

	"github.com/valyala/fasthttp"
	"github.com/valyala/fastjson"

	"plumb/daemon/dump"
	"plumb/daemon/jsoncut"
	"plumb/daemon/queue"
	"plumb/daemon/shm"
	"plumb/scoring"
)

// laid is what a client is told of a picture that lies in its region.
type laid struct {
	ID       string `json:"id,omitempty"`
	Region   string `json:"region,omitempty"`
	Offset   int64  `json:"offset"`   // from the region's start
	Bytes    int64  `json:"bytes"`    // stride * height
	Width    int    `json:"width"`    // px
	Height   int    `json:"height"`   // px
	Channels string `json:"channels"` // "rgba", not premultiplied, or "alpha"
	Stride   int    `json:"stride"`   // bytes from row to row
	Backend  string `json:"backend"`
	Reason   string `json:"reason,omitempty"` // why the editor drew
}

// failedScene stands in the place of a picture that is not there.
type failedScene struct {
	ID     string `json:"id,omitempty"`
	Error  string `json:"error"`
	Type   string `json:"error_type"`
	Wanted int64  `json:"wanted_bytes,omitempty"`
}

// drawing is how the scenes of one request become pictures.
type drawing struct {
	options dump.PictureOptions
	alpha   bool
	client  string // whose share of the memory it is
	who     asker  // whose regions it may draw into
}

// scenes returns the scenes of a body that has several, and ok.
func scenes(body []byte, most int) (list [][]byte, ok bool, err error) {
	i := 0
	for i < len(body) && (body[i] == ' ' || body[i] == '\t' || body[i] == '\n' || body[i] == '\r') {
		i++
	}
	if i == len(body) || body[i] != '{' {
		return nil, false, nil
	}
	cutErr := jsoncut.Members(body[i:], func(key, value []byte) error {
		if string(key) == "scenes" && len(value) > 0 && value[0] == '[' {
			ok = true
			list, err = jsoncut.Elements(value, most)
		}
		return nil
	})
	if ok && err == nil {
		err = cutErr
	}
	return list, ok, err // what is no list of scenes is the decoder's to judge
}

// given reads the parameters beside a scene.
func given(scene []byte) (t target, err error) {
	i := 0
	for i < len(scene) && scene[i] != '{' {
		i++
	}
	var raw []byte
	if i == len(scene) || jsoncut.Members(scene[i:], func(key, value []byte) error {
		if string(key) == "parameters" {
			raw = value
		}
		return nil
	}) != nil || raw == nil {
		return t, nil // the decoder says what is wrong with a scene
	}
	if len(raw) > maxVerb {
		return t, &scoring.Error{Code: "bad_options", Message: fmt.Sprintf("cannot use parameters: got %d bytes; want at most %d", len(raw), maxVerb)}
	}
	v, err := fastjson.ParseBytes(raw)
	if err != nil {
		return t, &scoring.Error{Code: "bad_options", Message: "cannot use parameters: they are not JSON"}
	}
	return parameters(v, "parameters")
}

// renderMany draws scenes, each into its place, and answers in their order.
func (s *Server) renderMany(ctx *fasthttp.RequestCtx, life context.Context, list [][]byte, d drawing) {
	out := make([]any, len(list))
	next := make(chan int)
	request := string(ctx.Response.Header.Peek("X-Request-Id")) // even looking at a header writes
	var wg sync.WaitGroup
	for range min(len(list), mostDrawn()) {
		wg.Go(func() {
			for i := range next {
				out[i] = s.renderOne(life, list[i], d, request)
			}
		})
	}
	for i := range list {
		next <- i
	}
	close(next)
	wg.Wait()
	s.reply(ctx, map[string]any{"pictures": out})
}

// renderOne draws one scene of several; a panic is that scene's error.
func (s *Server) renderOne(life context.Context, scene []byte, d drawing, request string) (answer any) {
	defer func() {
		if p := recover(); p != nil {
			s.cfg.Log.Error("BUG: panic while a scene is drawn", "request", request, "panic", fmt.Sprint(p))
			answer = failedScene{Error: "cannot answer: internal error; the log has the details", Type: "internal"}
		}
	}()
	t, err := given(scene)
	if err == nil && t.name == "" {
		err = &scoring.Error{Code: "bad_options", Message: fmt.Sprintf("cannot draw scene: want parameters with %s and %s: several pictures fit into no other answer", paramRegion, paramSize)}
	}
	var p laid
	if err == nil {
		p, err = s.renderInto(life, scene, d, t)
	}
	if err != nil {
		_, kind, message := s.explain(err)
		return failedScene{ID: p.ID, Error: message, Type: kind, Wanted: wantedOf(err)}
	}
	return p
}

// renderInto draws one scene into a region. The pin is held all along, so that
// nobody can take the memory away meanwhile.
func (s *Server) renderInto(life context.Context, scene []byte, d drawing, t target) (laid, error) {
	pin, err := s.pin(t, true, d.who)
	if err != nil {
		return laid{}, err
	}
	defer pin.Release()
	out := laid{Region: t.name, Offset: t.offset}
	err = s.drawn(life, scene, d, func(id string, p queue.Picture) error {
		out.ID, out.Backend, out.Reason = id, p.Origin.Backend, p.Origin.Reason
		return lay(pin, p, d.alpha, &out)
	})
	return out, err
}

// lay copies pixels from the renderer's memory into the region: once.
func lay(pin *shm.Pin, p queue.Picture, alpha bool, out *laid) error {
	img := p.Image
	out.Width, out.Height, out.Channels = img.Rect.Dx(), img.Rect.Dy(), "rgba"
	depth := 4
	if alpha {
		out.Channels, depth = "alpha", 1
	}
	out.Stride = depth * out.Width
	out.Bytes = int64(out.Stride) * int64(out.Height)
	if out.Bytes > int64(pin.Size()) {
		return &shm.Error{Code: shm.CodeSmall, Wanted: out.Bytes, Message: fmt.Sprintf("cannot write picture of %d x %d px (%s): it has %d bytes; got %s %d; want at least %d", out.Width, out.Height, out.Channels, out.Bytes, paramSize, pin.Size(), out.Bytes)}
	}
	return pin.Use(func(mem []byte) {
		for y := range out.Height {
			row, to := img.Pix[y*img.Stride:][:4*out.Width], mem[y*out.Stride:][:out.Stride]
			if !alpha {
				copy(to, row)
				continue
			}
			for x := range to {
				to[x] = row[4*x+3]
			}
		}
	})
}
