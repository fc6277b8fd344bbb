package api

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strconv"

	"github.com/valyala/fasthttp"

	"plumb/daemon/dump"
	"plumb/daemon/flatpng"
	"plumb/daemon/jsoncut"
	"plumb/daemon/memory"
	"plumb/daemon/queue"
	"plumb/render/scene"
	"plumb/render/view"
	"plumb/scoring"
)

// render answers POST /v1/render. The body is one scene, whose picture is the answer or goes into a
// region of shared memory, or several scenes, each with a region of its own. See
// docs/spec/http.md#r12.
func (server *Server) render(ctx *fasthttp.RequestCtx) {
	body, ok := server.body(ctx)
	if !ok {
		return
	}
	// Options of the query.
	drawing := drawing{options: server.cfg.Pictures, client: server.client(ctx), who: server.askedBy(ctx)}
	drawing.options.Limits = server.cfg.Scenes
	args := ctx.QueryArgs()
	if v := args.Peek("bounds"); v != nil {
		bounds, err := dump.ParseBounds(string(v))
		if err != nil {
			server.fail(ctx, fasthttp.StatusBadRequest, "bad_options", err.Error())
			return
		}
		drawing.options.Bounds = &bounds
	}
	channels := string(args.Peek("channels"))
	if channels != "" && channels != "rgba" && channels != "alpha" {
		server.fail(ctx, fasthttp.StatusBadRequest, "bad_options", fmt.Sprintf("cannot use channels %.16q: want rgba or alpha", channels))
		return
	}
	drawing.alpha = channels == "alpha"
	// Where the pictures go.
	to, several, err := server.targets(ctx, body)
	if err != nil {
		server.failWith(ctx, err)
		return
	}
	// Take a place in the queue. The drawing ends if the client goes away.
	done, err := server.cfg.Queue.Admit()
	if err != nil {
		server.failWith(ctx, err)
		return
	}
	defer done()
	life, cancel := context.WithTimeout(server.life, server.cfg.ReadTimeout)
	defer cancel()
	life, gone := server.clients.wait(life, ctx.Conn())
	defer gone()
	switch {
	case several != nil:
		server.renderMany(ctx, life, several, drawing)
	case to.name != "":
		var p placedPicture
		p, err = server.renderInto(life, body, drawing, to)
		if err == nil {
			server.reply(ctx, p)
		}
	default:
		err = server.drawScene(life, body, drawing, func(_ string, p queue.Picture) error {
			server.picture(ctx, p, drawing.alpha)
			return nil
		})
	}
	if err != nil {
		server.failWith(ctx, err)
	}
}

// targets returns where the pictures of a render request go. For one scene, to is the region of shared
// memory that the query or the scene names; without a name the picture goes to the client. For several
// scenes, several holds them, and each names its own region.
func (server *Server) targets(ctx *fasthttp.RequestCtx, body []byte) (to target, several [][]byte, err error) {
	fault := func(text string) error { return &scoring.Error{Code: "bad_options", Message: text} }
	if to, err = queryTarget(ctx); err != nil {
		return to, nil, err
	}
	list, many, err := scenes(body, server.cfg.ItemsMax)
	switch {
	case errors.Is(err, jsoncut.ErrTooMany):
		return to, nil, &scoring.Error{Code: "too_large",
			Message: fmt.Sprintf("cannot draw scenes: there are more than %d (--max-items)", server.cfg.ItemsMax)}
	case err != nil:
		return to, nil, &scoring.Error{Code: "bad_line", Message: "cannot read scenes: " + err.Error()}
	case many && to.name != "":
		return to, nil, fault("cannot use query: got " + paramRegion + " with scenes; want parameters in each scene")
	case many:
		return to, append([][]byte{}, list...), nil // not nil, even for an empty list
	}
	own, err := regionParameters(body)
	if err == nil && own.name != "" && to.name != "" {
		err = fault("cannot use parameters: got a region in the query and one in the body; want one")
	}
	if own.name != "" {
		to = own
	}
	return to, nil, err
}

// drawScene decodes and draws a scene and calls use with its id and picture. It waits for memory, and
// until the bounds on pictures and pixels that are held at once leave room. life ends the waits.
func (server *Server) drawScene(life context.Context, body []byte, drawing drawing, use func(id string, p queue.Picture) error) error {
	// Memory comes before a place among the pictures, so that a scene that waits for it blocks no small ones.
	held, free, err := server.holdWork(life, drawing.client, body)
	if err != nil {
		return err
	}
	defer free()
	if err := server.drawing.Acquire(life, 1); err != nil {
		return err
	}
	defer server.drawing.Release(1)
	id, wanted, err := dump.Picture(body, drawing.options)
	if err != nil {
		return err
	}
	pixels := int(wanted.Bounds.W) * int(wanted.Bounds.H)
	// Only the editor can tell the size of such a scene, so a quarter of what all may have is taken for it.
	if wanted.Content != nil {
		pixels = server.mostPixels() / 4
	}
	give, err := server.takePixels(life, pixels)
	if err != nil {
		return err
	}
	defer give()
	wanted.Unmeasured = true // the answer has no sums
	picture, err := server.cfg.Queue.Draw(life, held, func() (view.View, error) { return wanted, nil })
	if err != nil {
		return err
	}
	return use(id, picture)
}

// mostDrawn is how many pictures are drawn at once.
func mostDrawn() int { return 2 * runtime.GOMAXPROCS(0) }

// mostPixels is how many pixels all pictures that are drawn at once have. A pixel takes
// about 16 bytes until it is sent.
func (server *Server) mostPixels() int {
	return max(server.cfg.Scenes.Pixels, scene.DefaultLimits().Pixels)
}

// takePixels waits until n more pixels may be held at once, and returns a function that releases them.
// A picture with more than mostPixels waits until there are no others. The error is that of ctx.
func (server *Server) takePixels(ctx context.Context, n int) (give func(), err error) {
	n = min(n, server.mostPixels())
	return func() { server.pixels.Release(int64(n)) }, server.pixels.Acquire(ctx, int64(n))
}

// holdWork waits for the memory that a large body needs while it is parsed and drawn; a small one needs
// none. free releases it, and lets the queue look for tasks that wait for memory. After an error free
// has been called.
func (server *Server) holdWork(life context.Context, client string, body []byte) (held *memory.Hold, free func(), err error) {
	n := queue.Weight(body)
	held = server.cfg.Work.Hold(client)
	free = func() {
		held.Close()
		if n > 0 {
			server.cfg.Queue.Freed()
		}
	}
	if err = held.Grow(life, n); err != nil {
		free()
	}
	return held, free, err
}

// parsing waits for the memory that parsing a body needs and calls f, which parses it. f is not called
// if the error is not nil.
func (server *Server) parsing(life context.Context, client string, body []byte, f func()) error {
	_, free, err := server.holdWork(life, client, body)
	if err != nil {
		return err
	}
	defer free()
	f()
	return nil
}

// picture answers a render request with an image, of its alpha alone if alpha is true: as raw bytes if
// the client accepts them, else as a PNG. Headers have its size, who drew it, and why.
func (server *Server) picture(ctx *fasthttp.RequestCtx, p queue.Picture, alpha bool) {
	img := p.Image
	ctx.Response.Header.Set("X-Backend", p.Origin.Backend)
	if why := p.Origin.Reason; why != "" {
		quoted := strconv.QuoteToASCII(why) // a reason quotes what is in the scene
		ctx.Response.Header.Set("X-Backend-Reason", quoted[1:len(quoted)-1])
	}
	ctx.Response.Header.Set("X-Image-Width", strconv.Itoa(img.Rect.Dx()))
	ctx.Response.Header.Set("X-Image-Height", strconv.Itoa(img.Rect.Dy()))
	if accepts(ctx, "application/octet-stream") {
		pixels := img.Pix
		if alpha {
			pixels = flatpng.Grey(img).Pix
		}
		ctx.SetContentType("application/octet-stream")
		ctx.Response.SetBodyRaw(pixels)
		return
	}
	encode := flatpng.RGBA
	if alpha {
		encode = flatpng.Alpha
	}
	ctx.SetContentType("image/png")
	ctx.Response.SetBodyRaw(encode(img))
}
