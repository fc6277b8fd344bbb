package api

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/valyala/fasthttp"

	"plumb/daemon/jsoncut"
	"plumb/scoring"
)

// The errors of JSON-RPC 2.0 that POST /mcp answers with.
const (
	rpcParse   = -32700
	rpcRequest = -32600
	rpcMethod  = -32601
)

// mcp answers POST /mcp, which OpenEnv's validation asks for. The daemon has no tools, so every request gets an
// error of JSON-RPC 2.0, with status 200 as that protocol has it. See docs/spec/episodes.md#r3.
func (server *Server) mcp(ctx *fasthttp.RequestCtx) {
	body, ok := server.readBody(ctx)
	if !ok {
		return
	}
	body = bytes.TrimSpace(body)
	id := []byte("null") // of a request that has none
	code, message := rpcRequest, `cannot read request: want an object with "jsonrpc":"2.0" and a method`
	method, version := "", ""
	if err := server.cfg.Items.Limits.Check(body); len(body) == 0 || err != nil {
		code, message = rpcParse, "cannot read request: it is no JSON"
	} else if body[0] == '{' {
		jsoncut.Named(body, func(key, v []byte) error {
			switch {
			case string(key) == "method" && v[0] == '"':
				method = string(jsoncut.Text(v))
			case string(key) == "jsonrpc" && v[0] == '"':
				version = string(jsoncut.Text(v))
			case string(key) == "id" && v[0] != '{' && v[0] != '[': // an id is a text, a number or null
				id = v
			}
			return nil
		})
		if version == "2.0" && method != "" {
			code, message = rpcMethod, fmt.Sprintf("cannot answer %.64q: this environment has no tools; its sessions are at /ws", method)
		}
	}
	b := strconv.AppendInt([]byte(`{"jsonrpc":"2.0","error":{"code":`), int64(code), 10)
	b = scoring.AppendString(append(b, `,"message":`...), message)
	b = append(b, `},"id":`...)
	b = append(b, id...)
	b = append(b, '}')
	ctx.SetContentType("application/json")
	ctx.SetBody(b)
}
