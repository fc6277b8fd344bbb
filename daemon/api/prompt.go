package api

import (
	"context"
	"errors"
	"fmt"

	"github.com/valyala/fasthttp"

	"plumb/daemon/ask"
	"plumb/daemon/dump"
	"plumb/daemon/jsoncut"
	"plumb/scoring"
)

// errPrompts is the error of a server without prompts.
var errPrompts = errors.New("cannot write prompts: this daemon has none")

// prompt answers POST /v1/prompt with what a model is asked about an item: the text, with the bytes of `plumb
// prompt`, and the pictures. The body is the item itself or has the member label. See docs/spec/episodes.md#r2.
func (server *Server) prompt(ctx *fasthttp.RequestCtx) {
	body, ok := server.readObject(ctx)
	if !ok {
		return
	}
	arm, pictures, fault := promptOptions(ctx.QueryArgs())
	if fault != nil {
		server.fail(ctx, statusOfField(fault), fault.Code, fault.Message)
		return
	}
	var asked *ask.Asked
	// Make the prompt. Pictures are drawn within the budget of memory.
	err := server.askWithinLimits(server.life, server.client(ctx), body, func() (err error) {
		label, at := body, "item"
		jsoncut.Named(body, func(key, v []byte) error {
			if string(key) == "label" {
				label, at = v, "label"
			}
			return nil
		})
		asked, err = server.promptForLabel(label, at, arm, pictures)
		return err
	})
	if err != nil {
		server.failWith(ctx, err)
		return
	}
	b := scoring.AppendString([]byte(`{"prompt":`), asked.Text)
	b = appendPictures(append(b, `,"images":`...), asked.Images)
	ctx.SetContentType("application/json")
	ctx.SetBody(append(b, '}'))
}

// promptOptions reads from a query the way in which a model is asked (the arm), and whether the answer has
// pictures.
func promptOptions(args *fasthttp.Args) (arm ask.Arm, pictures bool, fault *scoring.Error) {
	text := func(name string) string { return string(args.Peek(name)) }
	arm = ask.Arm{Mode: text("mode"), Input: text("input"), Setting: text("setting"),
		Format: text("format"), Method: text("method")}
	switch value := text("images"); value {
	case "", "all":
		return arm, true, nil
	case "none":
		return arm, false, nil
	default:
		return arm, false, &scoring.Error{Code: "bad_options", Message: fmt.Sprintf("cannot use images %.40q: want all or none", value)}
	}
}

// askWithinLimits calls f, which draws for a client, once there is room for it: a place in the queue, one among
// the pictures that are drawn at once, and memory for parsing body. It returns the error of f, or why
// there is no room.
func (server *Server) askWithinLimits(life context.Context, client string, body []byte, f func() error) error {
	leaveQueue, err := server.cfg.Queue.Admit()
	if err != nil {
		return err
	}
	defer leaveQueue()
	life, cancel := context.WithTimeout(life, server.cfg.ReadTimeout)
	defer cancel()
	if err := server.drawingSlots.Acquire(life, 1); err != nil {
		return err
	}
	defer server.drawingSlots.Release(1)
	var fault error
	if err := server.parseWithinMemory(life, client, body, func() { fault = f() }); err != nil {
		return err
	}
	return fault
}

// promptForLabel returns what a model is asked about the item of a label: the text, and its pictures if they are
// wanted. at names the label in messages.
func (server *Server) promptForLabel(label []byte, at string, arm ask.Arm, pictures bool) (*ask.Asked, error) {
	if server.cfg.Prompts == nil {
		return nil, errPrompts
	}
	line, fault := server.labelReader().AppendDumpLine(nil, label, nil, at)
	if fault != nil {
		return nil, fault
	}
	item, fault := dump.NewDecoder(server.cfg.Items).Item(dump.Line{Number: 1, Bytes: line}, "")
	if fault != nil {
		return nil, fault
	}
	return server.cfg.Prompts.Ask(item, arm, pictures)
}

// appendPictures appends pictures as a JSON list of objects with their bytes as data URLs.
func appendPictures(dst []byte, all []ask.Picture) []byte {
	dst = append(dst, '[')
	for i := range all {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = all[i].AppendJSON(dst, nil)
	}
	return append(dst, ']')
}
