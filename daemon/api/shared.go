package api

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"

	"github.com/valyala/fasthttp"
	"github.com/valyala/fastjson"

	"plumb/daemon/names"
	"plumb/daemon/shm"
	"plumb/scoring"
)

// The paths of the shared-memory routes, as in Triton. See docs/spec/http.md#r27.
const (
	sharedPath = "/v2/systemsharedmemory"
	regionPath = sharedPath + "/region/"
	nameInPath = "{name}"
)

// maxSmallBody is the longest body of a shared-memory route, object of options, or object of parameters,
// in bytes.
const maxSmallBody = 64 << 10

// findRoute returns the route of an HTTP path. Paths with a name in them, of a region, a guide, a page of the
// explorer or an environment, are listed once, with {name} or {env} in place of the name. For an unknown path ok
// is false, and the route has otherRoute as its name and path, and no handler.
func (server *Server) findRoute(path string) (r route, ok bool) {
	if rest, ok := strings.CutPrefix(path, regionPath); ok {
		if lastSlash := strings.LastIndexByte(rest, '/'); lastSlash > 0 {
			path = regionPath + nameInPath + rest[lastSlash:]
		}
	}
	if name, ok := strings.CutPrefix(path, guidePath); ok {
		inFolder := strings.Contains(strings.TrimPrefix(name, "spec/"), "/") // spec is the only folder of guides
		if name != "" && !inFolder {
			path = guidePath + nameInPath
		}
	}
	if strings.HasPrefix(path, uiPath) {
		path = uiPath + nameInPath
	}
	// /ENVIRONMENT/ROUTE, with one of the routes that each environment has.
	if lastSlash := strings.LastIndexByte(path, '/'); lastSlash > 0 && strings.Count(path, "/") == 2 {
		if _, ok := taskRoutes[path[lastSlash:]]; ok {
			path = "/" + envInPath + path[lastSlash:]
		}
	}
	if r, ok = server.routes[path]; !ok {
		return route{name: otherRoute, path: otherRoute}, false
	}
	return r, true
}

// regionName returns the name of the region in the path of a request, "" for none.
func regionName(ctx *fasthttp.RequestCtx) string {
	path, ok := strings.CutPrefix(string(ctx.Path()), regionPath)
	if !ok {
		return ""
	}
	return path[:max(0, strings.LastIndexByte(path, '/'))] // without the slash and the action behind it
}

// shared returns the registry of regions of shared memory. If shared memory is off, ok is false, and it
// has answered the request with an error.
func (server *Server) shared(ctx *fasthttp.RequestCtx) (g *shm.Registry, ok bool) {
	if server.cfg.SharedMemory == nil {
		server.failWith(ctx, errShared)
		return nil, false
	}
	return server.cfg.SharedMemory, true
}

// errShared is the error for a request that names a region where shared memory is off.
var errShared = &shm.Error{Code: "shm_off", Message: "cannot use shared memory: it is off; want a daemon with --allow-client-shm"}

// sharedStatus answers GET .../status with the region of shared memory that the path names or, without
// a name, with all regions of the client.
func (server *Server) sharedStatus(ctx *fasthttp.RequestCtx) {
	registry, ok := server.shared(ctx)
	if !ok {
		return
	}
	peer, err := server.peerOf(ctx)
	var list []shm.Info
	if err == nil {
		list, err = registry.Status(regionName(ctx), peer)
	}
	if err != nil {
		server.failWith(ctx, err)
		return
	}
	server.reply(ctx, list)
}

// sharedRegister answers POST .../register: it registers a region of shared memory under the name in
// the path, for the client that asks. The body names the segment, the offset and the size.
func (server *Server) sharedRegister(ctx *fasthttp.RequestCtx) {
	registry, ok := server.shared(ctx)
	if !ok {
		return
	}
	body, ok := server.readBody(ctx)
	if !ok {
		return
	}
	peer, err := server.peerOf(ctx)
	if err == nil {
		var key string
		var offset, size int64
		key, offset, size, err = registration(body)
		if err == nil {
			err = registry.Register(regionName(ctx), key, offset, size, peer)
		}
	}
	if err != nil {
		server.failWith(ctx, err)
	}
}

// sharedUnregister answers POST .../unregister: it removes the region that the path names or, without
// a name, all regions of the client.
func (server *Server) sharedUnregister(ctx *fasthttp.RequestCtx) {
	registry, ok := server.shared(ctx)
	if !ok {
		return
	}
	peer, err := server.peerOf(ctx)
	if name := regionName(ctx); err == nil && name == "" {
		err = registry.UnregisterAll(peer)
	} else if err == nil {
		err = registry.Unregister(name, peer)
	}
	if err != nil {
		server.failWith(ctx, err)
	}
}

// peerOf returns the process that sent a request, whose memory the request may use. The
// kernel tells it only for Unix sockets. With --shm-trust-loopback every process that
// connects over TCP from this host counts as the daemon's own user.
func (server *Server) peerOf(ctx *fasthttp.RequestCtx) (shm.Peer, error) {
	refused := func(why string) (shm.Peer, error) {
		return shm.Peer{}, &shm.Error{Code: "bad_client", Message: "cannot use shared memory" + why}
	}
	if c, ok := unwrapped(ctx).(*net.UnixConn); ok {
		peer, err := shm.Credentials(c)
		if err != nil {
			return refused(": the client's user cannot be told")
		}
		return peer, nil
	}
	a, ok := ctx.RemoteAddr().(*net.TCPAddr)
	switch {
	case !ok || !a.IP.IsLoopback():
		return refused(": the client is not on this host; want the daemon's Unix socket (--socket)")
	case !server.cfg.TrustLoopback:
		return refused(" over TCP: the kernel does not tell whose process asks; " +
			"want the daemon's Unix socket (--socket), or a daemon with --shm-trust-loopback")
	}
	return shm.Self(), nil
}

// peerFunc returns the process that sent a request, as peerOf does. It is called only for requests that use
// shared memory.
type peerFunc func() (shm.Peer, error)

// peerFuncOf returns the peerFunc of a request, which must not be called after its handler.
func (server *Server) peerFuncOf(ctx *fasthttp.RequestCtx) peerFunc {
	return func() (shm.Peer, error) { return server.peerOf(ctx) }
}

// registration reads the body of a request to register a region: the key of the memory, and the range of
// it in bytes, whose offset is 0 if it is left out.
func registration(body []byte) (key string, offset, size int64, err error) {
	fault := func(format string, args ...any) error {
		return &shm.Error{Code: "bad_body", Message: "cannot register region: " + fmt.Sprintf(format, args...)}
	}
	if len(body) > maxSmallBody {
		return "", 0, 0, fault("the body has %d bytes; want at most %d", len(body), maxSmallBody)
	}
	v, e := fastjson.ParseBytes(body)
	if e != nil || v.Type() != fastjson.TypeObject {
		return "", 0, 0, fault(`want {"key","offset","byte_size"}`)
	}
	fields := v.GetObject()
	if message := names.UnknownMember("body", fields, []string{"key", "offset", "byte_size"}); message != "" {
		return "", 0, 0, &shm.Error{Code: "bad_body", Message: message}
	}
	// The key, then the range.
	k := fields.Get("key")
	if k == nil || k.Type() != fastjson.TypeString {
		return "", 0, 0, fault("want key, a text: sysv:<segment id>")
	}
	if offset, _, err = wholeMember(v, "offset"); err != nil {
		return "", 0, 0, fault("%v", err)
	}
	size, given, err := wholeMember(v, "byte_size")
	if err != nil {
		return "", 0, 0, fault("%v", err)
	}
	if !given {
		return "", 0, 0, fault("want byte_size, in bytes")
	}
	return string(k.GetStringBytes()), offset, size, nil
}

// wholeMember reads a member of a shared-memory request that is an integer; null counts as absent.
func wholeMember(v *fastjson.Value, field string) (n int64, given bool, err error) {
	value := v.Get(field)
	if value == nil || value.Type() == fastjson.TypeNull {
		return 0, false, nil
	}
	if n, err = value.Int64(); err != nil {
		return 0, false, fmt.Errorf("%s is %.40q; want a whole number", field, value.String())
	}
	return n, true, nil
}

// regionRange is the range within a region of shared memory that a request names, by the parameters
// shared_memory_region, _byte_size and _offset.
type regionRange struct {
	name         string // of the region, "" for none
	offset, size int64  // bytes
}

const (
	paramRegion = "shared_memory_region"
	paramSize   = "shared_memory_byte_size"
	paramOffset = "shared_memory_offset"
)

// parameters reads the range within a region of shared memory from the value of a member
// "parameters", nil for none. at names that member in messages. Members of other names are
// refused, because a misspelt one would otherwise be ignored.
func parameters(value *fastjson.Value, at string) (target regionRange, err error) {
	if value == nil || value.Type() == fastjson.TypeNull {
		return target, nil
	}
	fault := func(format string, args ...any) error {
		return &scoring.Error{Code: "bad_options", Message: "cannot use " + at + ": " + fmt.Sprintf(format, args...)}
	}
	object, e := value.Object()
	if e != nil {
		return target, fault("want an object with %s, %s and %s", paramRegion, paramSize, paramOffset)
	}
	if message := names.UnknownMember(at, object, []string{paramRegion, paramSize, paramOffset}); message != "" {
		return target, &scoring.Error{Code: "bad_options", Message: message}
	}
	// The region, then the range in it.
	name := object.Get(paramRegion)
	if name != nil && name.Type() != fastjson.TypeNull {
		if name.Type() != fastjson.TypeString || len(name.GetStringBytes()) == 0 {
			return target, fault("%s is %.40q; want the name of a region", paramRegion, name.String())
		}
		target.name = string(name.GetStringBytes())
	}
	var hasSize, hasOffset bool
	if target.size, hasSize, err = wholeMember(value, paramSize); err != nil {
		return target, fault("%v", err)
	}
	if target.offset, hasOffset, err = wholeMember(value, paramOffset); err != nil {
		return target, fault("%v", err)
	}
	// A range without a region, or the reverse, is an error.
	if err = target.checkTogether(hasSize, hasOffset); err != nil {
		return target, fault("%v", err)
	}
	return target, nil
}

// queryRegion reads the range within a region of shared memory from the query of a request. It returns a
// regionRange without a name if the query names none.
func queryRegion(ctx *fasthttp.RequestCtx) (target regionRange, err error) {
	fault := func(format string, args ...any) error {
		return &scoring.Error{Code: "bad_options", Message: "cannot use query: " + fmt.Sprintf(format, args...)}
	}
	args := ctx.QueryArgs()
	number := func(field string) (n int64, given bool) {
		if !args.Has(field) {
			return 0, false
		}
		n, e := strconv.ParseInt(string(args.Peek(field)), 10, 64)
		if e != nil && err == nil {
			err = fault("%s is %.40q; want a whole number", field, args.Peek(field))
		}
		return n, true
	}
	target.name = string(args.Peek(paramRegion))
	size, hasSize := number(paramSize)
	offset, hasOffset := number(paramOffset)
	target.size, target.offset = size, offset
	if err != nil {
		return target, err
	}
	if args.Has(paramRegion) && target.name == "" {
		return target, fault("%s is empty; want the name of a region", paramRegion)
	}
	// A range without a region, or the reverse, is an error.
	if e := target.checkTogether(hasSize, hasOffset); e != nil {
		return target, fault("%v", e)
	}
	return target, nil
}

// checkTogether returns an error unless the region and the size are both given or both absent. The
// offset may be absent in either case, which means 0, but is refused without a region.
func (target *regionRange) checkTogether(hasSize, hasOffset bool) error {
	switch {
	case target.name == "" && (hasSize || hasOffset):
		return fmt.Errorf("got %s or %s without %s; want all or none (%s may be left out: 0)", paramSize, paramOffset, paramRegion, paramOffset)
	case target.name != "" && !hasSize:
		return fmt.Errorf("got %s without %s; want both", paramRegion, paramSize)
	}
	return nil
}

// What a pinned range of shared memory is for.
const (
	forReading = false
	forWriting = true
)

// pin keeps the range of shared memory that a request names mapped until the pin is released. askPeer returns
// the process whose memory it must be. The range is mapped for reading, or for writing too.
func (server *Server) pin(target regionRange, write bool, askPeer peerFunc) (*shm.Pin, error) {
	if server.cfg.SharedMemory == nil {
		return nil, errShared
	}
	peer, err := askPeer()
	if err != nil {
		return nil, err
	}
	return server.cfg.SharedMemory.Pin(target.name, target.offset, target.size, write, peer)
}

// sharedInfo describes shared memory for GET /v2, nil where it is off.
func (server *Server) sharedInfo() map[string]any {
	if server.cfg.SharedMemory == nil {
		return nil
	}
	keys := []string{"sysv:<segment id>"}
	if server.cfg.SharedSocket {
		keys = append(keys, shm.MemfdKey)
	}
	return map[string]any{
		"keys": keys,
		"note": "System V segments by id, mode 0600; " +
			"memfds with F_SEAL_SHRINK and F_SEAL_GROW come over the socket of --shm-socket; " +
			"requests about memory come over the daemon's Unix socket, or over TCP from this host with --shm-trust-loopback; " +
			"POSIX names are refused, as such objects can be truncated while they are mapped",
	}
}

// wantedOf returns the size in bytes that a region of shared memory would need, 0 for other errors.
func wantedOf(err error) int64 {
	var e *shm.Error
	if errors.As(err, &e) {
		return e.Wanted
	}
	return 0
}
