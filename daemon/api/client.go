package api

import (
	"github.com/valyala/fasthttp"

	"plumb/daemon/conns"
)

// client returns the name under which a request uses its share of the memory: that of
// the token, else the network of the address.
func (s *Server) client(ctx *fasthttp.RequestCtx) string {
	if k, _ := ctx.UserValue(heldKey).(*token); k != nil {
		return "token " + k.name
	}
	return conns.Network(ctx.RemoteAddr()).String()
}
