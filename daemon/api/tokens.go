package api

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"

	"plumb/daemon/conns"
	"plumb/scoring/plural"
)

// maxTokens is how many tokens a daemon may have, because each request is compared with all of them.
const maxTokens = 1000

// Tokens are the secrets of clients with their limits. They can be replaced while requests
// are under way. See docs/spec/http.md#r8.
type Tokens struct {
	list atomic.Pointer[[]*token]
	mu   sync.Mutex // one Replace at a time
}

// token authenticates and limits one client. Only the hash of its secret is kept.
type token struct {
	name string // for logs
	sum  [sha256.Size]byte
	now  func() time.Time

	mu         sync.Mutex // guards what follows
	rate       float64    // requests per second, 0 for no limit
	limit      int        // requests under way at most, 0 for no limit
	inFlight   int
	credit     float64 // requests that may come at once
	creditTime time.Time
}

// NewTokens reads tokens, one per line:
//
//	TOKEN
//	NAME:TOKEN[:RATE[:CONCURRENCY]]
//
// NAME is for logs, RATE is in requests per second (bursts of one second's requests are
// allowed), CONCURRENCY bounds requests under way; 0 or nothing is no limit. Blank lines
// and lines that begin with # are skipped. Errors name the line and never quote it.
func NewTokens(r io.Reader) (*Tokens, error) {
	t := new(Tokens)
	return t, t.Replace(r)
}

// Replace replaces all tokens by those of r, in the form of NewTokens. A token that stays keeps its
// counts. Two tokens with one name or one secret, more than maxTokens, or none at all are errors; after
// an error the old tokens remain.
func (tokens *Tokens) Replace(r io.Reader) error {
	tokens.mu.Lock()
	defer tokens.mu.Unlock()
	// Read all lines before any token is replaced.
	var next []*token
	names, sums := map[string]int{}, map[[sha256.Size]byte]int{}
	lines := bufio.NewScanner(io.LimitReader(r, 1<<20))
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		tok, err := parseToken(line, n)
		if err == nil && names[tok.name] > 0 {
			err = fmt.Errorf("name is that of line %d", names[tok.name])
		}
		if err == nil && sums[tok.sum] > 0 {
			err = fmt.Errorf("token is that of line %d", sums[tok.sum])
		}
		if err == nil && len(next) == maxTokens {
			err = fmt.Errorf("got more than %d tokens", maxTokens)
		}
		if err != nil {
			return fmt.Errorf("cannot read tokens: line %d: %w", n, err)
		}
		names[tok.name], sums[tok.sum] = n, n
		next = append(next, tok)
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("cannot read tokens: %w", err)
	}
	if len(next) == 0 {
		return errors.New("cannot read tokens: there are none; want lines of NAME:TOKEN[:RATE[:CONCURRENCY]]")
	}
	// From here on the new tokens hold.
	tokens.carryOver(next)
	tokens.list.Store(&next)
	return nil
}

// carryOver replaces in next each token that the old list has too, by name and secret, by the old one
// with the new limits. So a reload does not reset the counts of requests.
func (tokens *Tokens) carryOver(next []*token) {
	oldList := tokens.list.Load()
	if oldList == nil {
		return
	}
	for i, fresh := range next {
		for _, old := range *oldList {
			if old.name == fresh.name && old.sum == fresh.sum {
				old.mu.Lock()
				old.rate, old.limit = fresh.rate, fresh.limit
				old.mu.Unlock()
				next[i] = old
			}
		}
	}
}

// parseToken reads TOKEN or NAME:TOKEN[:RATE[:CONCURRENCY]]. A token without a name is called "line
// NUMBER" in logs, after its place in the file. Errors do not quote the line, which holds a secret.
func parseToken(line string, number int) (*token, error) {
	f := strings.Split(line, ":")
	tok := &token{name: "line " + strconv.Itoa(number), now: time.Now}
	secret := f[0]
	if len(f) > 1 {
		tok.name, secret = f[0], f[1]
	}
	switch {
	case len(f) > 4:
		return nil, fmt.Errorf("got %s; want NAME:TOKEN[:RATE[:CONCURRENCY]], no colon in any", plural.Of(len(f), "field"))
	case tok.name == "" || len(tok.name) > 64 || strings.IndexFunc(tok.name, unprintable) >= 0:
		return nil, errors.New("want a name of 1 to 64 printable ASCII characters")
	case secret == "" || len(secret) > 4096 || strings.IndexFunc(secret, unprintable) >= 0 || strings.Contains(secret, " "):
		return nil, errors.New("want a token of 1 to 4096 printable ASCII characters without spaces")
	}
	tok.sum = sha256.Sum256([]byte(secret))
	// The limits of the client, both optional.
	if len(f) > 2 && f[2] != "" {
		value, err := strconv.ParseFloat(f[2], 64)
		if err != nil || !(value >= 0 && value <= 1e6) {
			return nil, errors.New("want a rate of 0 to 1000000 requests per second in the third field")
		}
		tok.rate = value
	}
	if len(f) > 3 && f[3] != "" {
		v, err := strconv.Atoi(f[3])
		if err != nil || v < 0 || v > 1e6 {
			return nil, errors.New("want 0 to 1000000 requests at once in the fourth field")
		}
		tok.limit = v
	}
	return tok, nil
}

// unprintable reports whether a character is no printable ASCII character.
func unprintable(r rune) bool { return r < ' ' || r > '~' }

// Len returns the number of tokens that clients may use, 0 for a server without tokens.
func (tokens *Tokens) Len() int {
	if tokens == nil || tokens.list.Load() == nil {
		return 0
	}
	return len(*tokens.list.Load())
}

// find returns the token with the given secret, nil for none. It compares all tokens, in the same time for
// every secret, so that the time tells nothing about them.
func (tokens *Tokens) find(given string) (found *token) {
	sum := sha256.Sum256([]byte(given))
	for _, tok := range *tokens.list.Load() {
		if subtle.ConstantTimeCompare(sum[:], tok.sum[:]) == 1 {
			found = tok
		}
	}
	return found
}

// burst returns how many requests may come at once: those of one second.
func (tok *token) burst() float64 { return math.Max(1, tok.rate) }

// beginRequest counts a request of an authenticated client as under way, and takes it from the credit of the
// token's rate (a token bucket: rate requests are added per second, up to burst). If a limit of the token
// refuses the request, limit describes it, wait is how long until there may be room, and nothing is counted.
func (tok *token) beginRequest() (wait time.Duration, limit string) {
	tok.mu.Lock()
	defer tok.mu.Unlock()
	if tok.limit > 0 && tok.inFlight >= tok.limit {
		return time.Second, fmt.Sprintf("%d requests are under way with it; want at most %d", tok.inFlight, tok.limit)
	}
	if tok.rate > 0 {
		now := tok.now()
		if tok.creditTime.IsZero() {
			tok.credit = tok.burst()
		} else {
			tok.credit = math.Min(tok.burst(), tok.credit+tok.rate*now.Sub(tok.creditTime).Seconds())
		}
		tok.creditTime = now
		if tok.credit < 1 {
			return time.Duration((1 - tok.credit) / tok.rate * float64(time.Second)),
				fmt.Sprintf("got more than %g requests per second with it", tok.rate)
		}
		tok.credit--
	}
	tok.inFlight++
	return 0, ""
}

// endRequest counts a request that beginRequest has counted as finished.
func (tok *token) endRequest() {
	tok.mu.Lock()
	tok.inFlight--
	tok.mu.Unlock()
}

// refund gives the credit that a request took back to its token, for a request that comes again with its
// body and is then counted again.
func (server *Server) refund(ctx *fasthttp.RequestCtx) {
	if tok, _ := ctx.UserValue(tokenKey).(*token); tok != nil {
		tok.mu.Lock()
		tok.credit++
		tok.mu.Unlock()
	}
}

// authorize finds the token of a request and counts the request as under way. The caller must call
// clientToken.endRequest when the request is over; clientToken is nil if the daemon needs no token. Without a
// valid token, or beyond a limit of it, ok is false, and it has answered the request itself.
func (server *Server) authorize(ctx *fasthttp.RequestCtx) (clientToken *token, ok bool) {
	if server.cfg.Tokens.Len() == 0 {
		return nil, true
	}
	secret := secretOf(string(ctx.Request.Header.Peek("Authorization")), string(ctx.QueryArgs().Peek("token")))
	tok := server.cfg.Tokens.find(cmp.Or(secret, server.uiSecret(ctx)))
	if tok == nil {
		ctx.Response.Header.Set("WWW-Authenticate", `Bearer realm="plumb"`)
		server.fail(ctx, fasthttp.StatusUnauthorized, "unauthorized", "cannot take request: want a token (Authorization: Bearer)")
		return nil, false
	}
	if wait, limit := tok.beginRequest(); limit != "" {
		server.setRetryAfter(ctx, wait)
		server.fail(ctx, fasthttp.StatusTooManyRequests, "busy", "cannot take request: the token is at its limit: "+limit)
		return nil, false
	}
	return tok, true
}

// secretOf returns the secret that a request carries: as Bearer, as the password of
// Basic, or as ?token= for trainers that know only a URL.
func secretOf(authorization, query string) string {
	kind, rest, _ := strings.Cut(authorization, " ")
	switch strings.ToLower(kind) {
	case "bearer":
		return strings.TrimSpace(rest)
	case "basic":
		b, _ := base64.StdEncoding.DecodeString(strings.TrimSpace(rest))
		_, password, _ := strings.Cut(string(b), ":")
		return password
	}
	return query
}

// tokenKey is the user value under which a request holds its token while it counts as under way.
const tokenKey = "token"

// detachToken takes the token from a request and returns a function that counts the request as
// finished, at its first call. A request that outlives its handler, such as a stream, calls it when
// it ends: releaseRequest runs after the handler, finds no token under tokenKey any more, and so the
// request goes on to count against the limits of its client.
func (server *Server) detachToken(ctx *fasthttp.RequestCtx) (endTokenRequest func()) {
	tok, _ := ctx.UserValue(tokenKey).(*token)
	if tok == nil {
		return func() {}
	}
	ctx.RemoveUserValue(tokenKey) // so that releaseRequest does not count the request as finished
	return sync.OnceFunc(tok.endRequest)
}

// Guard returns a handler that refuses requests without a valid token and passes the others to h. It
// passes all if the daemon has no tokens, and those for /metrics with --metrics-no-token.
func (server *Server) Guard(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		secret := secretOf(r.Header.Get("Authorization"), r.URL.Query().Get("token"))
		open := server.cfg.OpenMetrics && r.URL.Path == "/metrics"
		if !open && server.cfg.Tokens.Len() > 0 && server.cfg.Tokens.find(secret) == nil {
			const refusal = `{"error":"cannot take request: want a token (Authorization: Bearer)","error_type":"unauthorized"}`
			w.Header().Set("WWW-Authenticate", `Bearer realm="plumb"`)
			http.Error(w, refusal, http.StatusUnauthorized)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// client returns the name of the client whose share of the memory a request uses: that of
// its token, else the network of its address.
func (server *Server) client(ctx *fasthttp.RequestCtx) string {
	if tok, _ := ctx.UserValue(tokenKey).(*token); tok != nil {
		return "token " + tok.name
	}
	return conns.Network(ctx.RemoteAddr()).String()
}
