package api

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"strconv"
	"sync"

	"github.com/valyala/fasthttp"

	"plumb/daemon/dump"
	"plumb/render/outline"
)

// encoders keeps the memory of PNG encoders.
var encoders = png.Encoder{CompressionLevel: png.BestSpeed, BufferPool: new(pngPool)}

type pngPool struct{ pool sync.Pool }

func (p *pngPool) Get() *png.EncoderBuffer {
	b, _ := p.pool.Get().(*png.EncoderBuffer)
	return b
}

func (p *pngPool) Put(b *png.EncoderBuffer) { p.pool.Put(b) }

// render answers POST /v1/render: a scene line in, a picture out.
func (s *Server) render(ctx *fasthttp.RequestCtx) {
	body, ok := s.body(ctx)
	if !ok {
		return
	}
	o := s.cfg.Pictures
	o.Limits = s.cfg.Scenes
	args := ctx.QueryArgs()
	if v := args.Peek("bounds"); v != nil {
		b, err := dump.ParseBounds(string(v))
		if err != nil {
			s.fail(ctx, fasthttp.StatusBadRequest, "bad_options", err.Error())
			return
		}
		o.Bounds = &b
	}
	channels := string(args.Peek("channels"))
	if channels != "" && channels != "rgba" && channels != "alpha" {
		s.fail(ctx, fasthttp.StatusBadRequest, "bad_options", fmt.Sprintf("cannot use channels %.16q: want rgba or alpha", channels))
		return
	}
	done, err := s.cfg.Queue.Admit()
	if err != nil {
		s.failWith(ctx, err)
		return
	}
	defer done()
	life, cancel := context.WithTimeout(s.life, s.cfg.ReadTimeout)
	defer cancel()
	if err := s.drawn(life, ctx, body, o, channels == "alpha"); err != nil {
		s.failWith(ctx, err)
	}
}

// drawn decodes, draws and encodes within the bounds on how many pictures, and
// how many pixels, are held at once.
func (s *Server) drawn(life context.Context, ctx *fasthttp.RequestCtx, body []byte, o dump.PictureOptions, alpha bool) error {
	if err := s.hands.take(life, 1); err != nil {
		return err
	}
	defer s.hands.give(1)
	_, v, err := dump.Picture(body, o)
	if err != nil {
		return err
	}
	pixels := int(v.Bounds.W) * int(v.Bounds.H)
	if v.Content != nil { // only the editor knows; it draws a few at a time
		pixels = s.pixels.all / 4
	}
	if err := s.pixels.take(life, pixels); err != nil {
		return err
	}
	defer s.pixels.give(pixels)
	p, err := s.cfg.Queue.Draw(life, func() (outline.View, error) { return v, nil })
	if err != nil {
		return err
	}
	ctx.Response.Header.Set("X-Backend", p.Origin.Backend)
	if why := p.Origin.Reason; why != "" {
		quoted := strconv.QuoteToASCII(why) // a reason quotes what is in the scene
		ctx.Response.Header.Set("X-Backend-Reason", quoted[1:len(quoted)-1])
	}
	s.picture(ctx, p.Image, alpha)
	return nil
}

// budget is an amount of something that several requests share.
type budget struct {
	mu   sync.Mutex // guards left
	more *sync.Cond
	all  int
	left int
}

func newBudget(n int) *budget {
	b := &budget{all: n, left: n}
	b.more = sync.NewCond(&b.mu)
	return b
}

// take waits until n is left; a request for more than there is takes all. The
// error is that of ctx.
func (b *budget) take(ctx context.Context, n int) error {
	stop := context.AfterFunc(ctx, func() {
		b.mu.Lock()
		b.more.Broadcast()
		b.mu.Unlock()
	})
	defer stop()
	b.mu.Lock()
	defer b.mu.Unlock()
	for n = min(n, b.all); b.left < n && ctx.Err() == nil; {
		b.more.Wait()
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	b.left -= n
	return nil
}

func (b *budget) give(n int) {
	b.mu.Lock()
	b.left += min(n, b.all)
	b.more.Broadcast()
	b.mu.Unlock()
}

// picture writes an image in the form that the client accepts.
func (s *Server) picture(ctx *fasthttp.RequestCtx, img *image.NRGBA, alpha bool) {
	ctx.Response.Header.Set("X-Image-Width", strconv.Itoa(img.Rect.Dx()))
	ctx.Response.Header.Set("X-Image-Height", strconv.Itoa(img.Rect.Dy()))
	var out image.Image = img
	pixels := img.Pix
	if alpha {
		grey := dump.Alpha(img)
		out, pixels = grey, grey.Pix
	}
	if accepts(ctx, "application/octet-stream") {
		ctx.SetContentType("application/octet-stream")
		ctx.SetBody(pixels)
		return
	}
	var b bytes.Buffer
	if err := encoders.Encode(&b, out); err != nil {
		s.failWith(ctx, fmt.Errorf("cannot write PNG: %w", err))
		return
	}
	ctx.SetContentType("image/png")
	ctx.SetBody(b.Bytes())
}
