package api

import (
	"net"

	"github.com/valyala/fasthttp"
)

// client returns the name under which a request uses its share of the memory: that of
// the token, else the address. IPv6 addresses are cut to 64 bits, because one client
// may have any number of addresses in such a network.
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
