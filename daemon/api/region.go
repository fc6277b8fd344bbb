package api

import (
	"bytes"
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

// placedPicture is the answer for a picture that was written into a client's region.
type placedPicture struct {
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

// failedScene is the answer for a scene that could not be drawn.
type failedScene struct {
	ID          string `json:"id,omitempty"`
	Error       string `json:"error"`
	Type        string `json:"error_type"`
	WantedBytes int64  `json:"wanted_bytes,omitempty"`
}

// drawing holds the options with which the scenes of one request are drawn.
type drawing struct {
	options dump.PictureOptions
	alpha   bool
	client  string   // whose share of the memory counts
	askPeer peerFunc // whose regions may be written
}

// scenes returns the scenes of the body {"scenes":[...]} of a render request, without parsing them, so
// that a bad one does not affect the others. isList is false for other bodies. More than limit scenes are
// jsoncut.ErrTooMany.
func scenes(body []byte, limit int) (list [][]byte, isList bool, err error) {
	body = bytes.TrimLeft(body, " \t\r\n")
	if len(body) == 0 || body[0] != '{' {
		return nil, false, nil
	}
	cutErr := jsoncut.Named(body, func(key, value []byte) error {
		if string(key) == "scenes" && len(value) > 0 && value[0] == '[' {
			isList = true
			list, err = jsoncut.Elements(value, limit)
		}
		return nil
	})
	if isList && err == nil {
		err = cutErr
	}
	return list, isList, err
}

// regionParameters returns the region that the member parameters of a scene names, or a regionRange without a
// name if there is none. A scene that is no JSON has none: the decoder of scenes reports it later.
func regionParameters(scene []byte) (target regionRange, err error) {
	begin := bytes.IndexByte(scene, '{') // after white space
	if begin < 0 {
		return target, nil
	}
	var raw []byte
	cutErr := jsoncut.Named(scene[begin:], func(key, value []byte) error {
		if string(key) == "parameters" {
			raw = value
		}
		return nil
	})
	if cutErr != nil || raw == nil {
		return target, nil
	}
	if len(raw) > maxSmallBody {
		return target, &scoring.Error{Code: "bad_options",
			Message: fmt.Sprintf("cannot use parameters: got %d bytes; want at most %d", len(raw), maxSmallBody)}
	}
	v, err := fastjson.ParseBytes(raw)
	if err != nil {
		return target, &scoring.Error{Code: "bad_options", Message: "cannot use parameters: they are not JSON"}
	}
	return parameters(v, "parameters")
}

// renderMany draws the scenes of a list at the same time, each into its region, and answers with a
// place or an error for each, in their order.
func (server *Server) renderMany(ctx *fasthttp.RequestCtx, life context.Context, list [][]byte, drawing drawing) {
	out := make([]any, len(list))
	next := make(chan int)
	request := string(ctx.Response.Header.Peek("X-Request-Id")) // Peek is not safe for concurrent use
	var wg sync.WaitGroup
	for range min(len(list), maxDrawings()) {
		wg.Go(func() {
			for i := range next {
				out[i] = server.renderOne(life, list[i], drawing, request)
			}
		})
	}
	for i := range list {
		next <- i
	}
	close(next)
	wg.Wait()
	server.reply(ctx, map[string]any{"pictures": out})
}

// renderOne draws one of the scenes of a request and writes the pixels into the region of shared memory
// that the scene's parameters name. It returns a placedPicture, or a failedScene with the reason. A
// panic is an error of this scene alone, and is logged with the id of the request.
func (server *Server) renderOne(life context.Context, scene []byte, drawing drawing, request string) (answer any) {
	defer func() {
		if p := recover(); p != nil {
			server.cfg.Log.Error("BUG: panic while a scene is drawn", "request", request, "panic", fmt.Sprint(p))
			answer = failedScene{Error: "cannot answer: internal error; the log has the details", Type: "internal"}
		}
	}()
	target, err := regionParameters(scene)
	if err == nil && target.name == "" {
		err = &scoring.Error{Code: "bad_options", Message: fmt.Sprintf("cannot draw scene: want parameters with %s and %s: "+
			"several pictures fit into no other answer", paramRegion, paramSize)}
	}
	var picture placedPicture
	if err == nil {
		picture, err = server.renderInto(life, scene, drawing, target)
	}
	if err != nil {
		_, kind, message := server.explain(err)
		return failedScene{ID: picture.ID, Error: message, Type: kind, WantedBytes: wantedOf(err)}
	}
	return picture
}

// renderInto draws one scene into a region, which it pins meanwhile so that the memory stays mapped.
func (server *Server) renderInto(life context.Context, scene []byte, drawing drawing, target regionRange) (placedPicture, error) {
	pin, err := server.pin(target, forWriting, drawing.askPeer)
	if err != nil {
		return placedPicture{}, err
	}
	defer pin.Release()
	out := placedPicture{Region: target.name, Offset: target.offset}
	err = server.drawScene(life, scene, drawing, func(id string, p queue.Picture) error {
		out.ID, out.Backend, out.Reason = id, p.Origin.Backend, p.Origin.Reason
		return copyToRegion(pin, p, drawing.alpha, &out)
	})
	return out, err
}

// copyToRegion writes the pixels of a picture, of all channels or of its alpha, into a region, and its
// size and layout into out. The error for a region that is too small holds the bytes wanted.
func copyToRegion(pin *shm.Pin, picture queue.Picture, alpha bool, out *placedPicture) error {
	img := picture.Image
	out.Width = img.Rect.Dx()
	out.Height = img.Rect.Dy()
	out.Channels = "rgba"
	depth := 4
	if alpha {
		out.Channels, depth = "alpha", 1
	}
	out.Stride = depth * out.Width
	out.Bytes = int64(out.Stride) * int64(out.Height)
	if out.Bytes > int64(pin.Size()) {
		message := fmt.Sprintf("cannot write picture of %d x %d px (%s): it has %d bytes; got %s %d; want at least %d",
			out.Width, out.Height, out.Channels, out.Bytes, paramSize, pin.Size(), out.Bytes)
		return &shm.Error{Code: shm.CodeSmall, Wanted: out.Bytes, Message: message}
	}
	return pin.Use(func(mem []byte) {
		for y := range out.Height {
			row, to := img.Pix[y*img.Stride:][:4*out.Width], mem[y*out.Stride:][:out.Stride]
			if !alpha {
				copy(to, row)
				continue
			}
			for x := range to {
				to[x] = row[4*x+3] // alpha is the last of the four channels
			}
		}
	})
}
