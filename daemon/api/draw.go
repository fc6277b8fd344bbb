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

// render answers POST /v1/render. The body is one scene, whose picture is the answer or goes into a region of
// shared memory, or several scenes, each with a region of its own. See docs/spec/http.md#r12.
func (server *Server) render(ctx *fasthttp.RequestCtx) {
	body, ok := server.readBody(ctx)
	if !ok {
		return
	}
	// Options of the query.
	drawing := drawing{options: server.cfg.Pictures, client: server.client(ctx), askPeer: server.peerFuncOf(ctx)}
	drawing.options.Limits = server.cfg.SceneLimits
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
	region, sceneList, err := server.pictureRegions(ctx, body)
	if err != nil {
		server.failWith(ctx, err)
		return
	}
	// Take a place in the queue. The drawing ends if the client goes away.
	leaveQueue, err := server.cfg.Queue.Admit()
	if err != nil {
		server.failWith(ctx, err)
		return
	}
	defer leaveQueue()
	life, cancel := context.WithTimeout(server.life, server.cfg.ReadTimeout)
	defer cancel()
	life, gone := server.clients.wait(life, ctx.Conn())
	defer gone()
	switch {
	case sceneList != nil:
		server.renderMany(ctx, life, sceneList, drawing)
	case region.name != "":
		var p placedPicture
		p, err = server.renderInto(life, body, drawing, region)
		if err == nil {
			server.reply(ctx, p)
		}
	default:
		err = server.drawScene(life, body, drawing, func(_ string, p queue.Picture) error {
			server.replyPicture(ctx, p, drawing.alpha)
			return nil
		})
	}
	if err != nil {
		server.failWith(ctx, err)
	}
}

// pictureRegions returns where the pictures of a render request go. For one scene, region is the part of shared
// memory that the query or the scene names; without a name the picture goes to the client. For several
// scenes, sceneList holds them, and each names its own region.
func (server *Server) pictureRegions(ctx *fasthttp.RequestCtx, body []byte) (region regionRange, sceneList [][]byte, err error) {
	fault := func(text string) error { return &scoring.Error{Code: "bad_options", Message: text} }
	if region, err = queryRegion(ctx); err != nil {
		return region, nil, err
	}
	list, isList, err := scenes(body, server.cfg.MaxItems)
	switch {
	case errors.Is(err, jsoncut.ErrTooMany):
		return region, nil, &scoring.Error{Code: "too_large",
			Message: fmt.Sprintf("cannot draw scenes: there are more than %d (--max-items)", server.cfg.MaxItems)}
	case err != nil:
		return region, nil, &scoring.Error{Code: "bad_line", Message: "cannot read scenes: " + err.Error()}
	case isList && region.name != "":
		return region, nil, fault("cannot use query: got " + paramRegion + " with scenes; want parameters in each scene")
	case isList:
		return region, append([][]byte{}, list...), nil // not nil, even for an empty list
	}
	bodyRegion, err := regionParameters(body)
	if err == nil && bodyRegion.name != "" && region.name != "" {
		err = fault("cannot use parameters: got a region in the query and one in the body; want one")
	}
	if bodyRegion.name != "" {
		region = bodyRegion
	}
	return region, nil, err
}

// drawScene decodes and draws a scene and calls use with its id and picture. It waits for memory, and
// until the bounds on pictures and pixels that are held at once leave room. life ends the waits.
func (server *Server) drawScene(life context.Context, body []byte, drawing drawing, use func(id string, p queue.Picture) error) error {
	// Memory comes before a place among the pictures, so that a scene that waits for it blocks no small ones.
	held, releaseMemory, err := server.holdWork(life, drawing.client, body)
	if err != nil {
		return err
	}
	defer releaseMemory()
	if err := server.drawingSlots.Acquire(life, 1); err != nil {
		return err
	}
	defer server.drawingSlots.Release(1)
	id, wanted, err := dump.Picture(body, drawing.options)
	if err != nil {
		return err
	}
	pixels := int(wanted.Bounds.W) * int(wanted.Bounds.H)
	// Only the editor can tell the size of a scene with Content, so a quarter of what all may have is taken for it.
	if wanted.Content != nil {
		pixels = server.maxPixels() / 4
	}
	releasePixels, err := server.takePixels(life, pixels)
	if err != nil {
		return err
	}
	defer releasePixels()
	wanted.Unmeasured = true // the answer is the image alone, so its pixels need not be summed
	picture, err := server.cfg.Queue.Draw(life, held, func() (view.View, error) { return wanted, nil })
	if err != nil {
		return err
	}
	return use(id, picture)
}

// maxDrawings is how many pictures are drawn at once.
func maxDrawings() int { return 2 * runtime.GOMAXPROCS(0) }

// maxPixels is how many pixels all pictures that are drawn at once have. A pixel takes
// about 16 bytes until it is sent.
func (server *Server) maxPixels() int {
	return max(server.cfg.SceneLimits.Pixels, scene.DefaultLimits().Pixels)
}

// takePixels waits until n more pixels may be held at once, and returns a function that releases them.
// A picture with more than maxPixels waits until there are no others. The error is that of ctx.
func (server *Server) takePixels(ctx context.Context, n int) (release func(), err error) {
	n = min(n, server.maxPixels())
	return func() { server.pixelSlots.Release(int64(n)) }, server.pixelSlots.Acquire(ctx, int64(n))
}

// holdWork waits for the memory that a large body needs while it is parsed and drawn; a small one needs
// none. release gives it back, and lets the queue look for tasks that wait for memory. After an error
// release has been called.
func (server *Server) holdWork(life context.Context, client string, body []byte) (held *memory.Hold, release func(), err error) {
	needed := queue.MemoryNeeded(body)
	held = server.cfg.SceneMemory.Hold(client)
	release = func() {
		held.Close()
		if needed > 0 {
			server.cfg.Queue.MemoryFreed()
		}
	}
	if err = held.Grow(life, needed); err != nil {
		release()
	}
	return held, release, err
}

// parseWithinMemory waits for the memory that parsing a body needs and calls f, which parses it. f is not called
// if the error is not nil.
func (server *Server) parseWithinMemory(life context.Context, client string, body []byte, f func()) error {
	_, free, err := server.holdWork(life, client, body)
	if err != nil {
		return err
	}
	defer free()
	f()
	return nil
}

// replyPicture answers a render request with an image, of its alpha alone if alpha is true: as raw bytes if
// the client accepts them, else as a PNG. Headers have its size, who drew it, and why.
func (server *Server) replyPicture(ctx *fasthttp.RequestCtx, p queue.Picture, alpha bool) {
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
