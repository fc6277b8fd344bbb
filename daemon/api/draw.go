package api

import (
	"bytes"
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
	o := dump.PictureOptions{Limits: s.cfg.Scenes}
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
	p, err := s.cfg.Queue.Draw(s.life, func() (outline.View, error) {
		_, v, err := dump.Picture(body, o)
		return v, err
	})
	if err != nil {
		s.failWith(ctx, err)
		return
	}
	s.picture(ctx, p.Image, channels == "alpha")
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
