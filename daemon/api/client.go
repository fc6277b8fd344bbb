package api

import (
	"net"

	"github.com/valyala/fasthttp"
)

// client names who sent a request, for the share of memory that each has: the name
// of the token, else the address. An IPv6 address stands for the 64 bits of its
// network, in which one client may have any number of them.
func (s *Server) client(ctx *fasthttp.RequestCtx) string {
	if k, _ := ctx.UserValue(heldKey).(*token); k != nil {
		return "token " + k.name
	}
	a, ok := ctx.RemoteAddr().(*net.TCPAddr)
	if !ok {
		return "socket"
	}
	if a.IP.To4() == nil {
		return a.IP.Mask(net.CIDRMask(64, 128)).String()
	}
	return a.IP.String()
}
