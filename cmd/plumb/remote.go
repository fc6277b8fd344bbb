package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/valyala/fastjson"

	"plumb/daemon/api"
)

// tries and pause let a client connect to a daemon that restarts. See docs/spec/cli.md#r8.
const (
	tries = 5
	pause = time.Second
)

// remote is a client of a daemon that scores.
type remote struct {
	http  *http.Client
	base  string
	token string
	about api.Version
}

// dial returns a client of the daemon at the address of --server once the daemon has answered. It
// tries several times, because the daemon may be starting; a refusal that will not change ends it at
// once. An address that is none is a usageError.
func dial(ctx context.Context, address, token string) (*remote, error) {
	r := &remote{base: strings.TrimRight(address, "/"), token: token, http: &http.Client{Transport: &http.Transport{}}}
	if path, ok := strings.CutPrefix(address, "unix:"); ok {
		path = strings.TrimPrefix(path, "//")
		r.base = "http://plumb"
		r.http.Transport = &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", path)
		}}
	}
	if u, err := url.Parse(r.base); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, usage("cannot use server %q: want http://HOST:PORT or unix:PATH", address)
	}
	for i := 1; ; i++ {
		err := r.readVersion(ctx)
		var refused *refusal
		if err == nil {
			return r, nil
		}
		if i == tries || ctx.Err() != nil || errors.As(err, &refused) && !refused.again() {
			return nil, fmt.Errorf("cannot use server %s: %w", address, err)
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
		}
	}
}

// refusal is an HTTP answer with a status other than 200.
type refusal struct {
	code int
	text string
}

func (r *refusal) Error() string { return fmt.Sprintf("got status %d: %s", r.code, r.text) }

// again reports whether the same request may succeed later.
func (r *refusal) again() bool { return r.code == 408 || r.code == 429 || r.code >= 500 }

// refused returns the error of an HTTP answer of the daemon that is not 200. It reads the body, whose
// member error, or else the whole text, is the message.
func refused(resp *http.Response) error {
	b, _ := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	text := strings.TrimSpace(string(b))
	if v, err := fastjson.ParseBytes(b); err == nil && v.Exists("error") {
		text = string(v.GetStringBytes("error"))
	}
	return &refusal{resp.StatusCode, text}
}

// request makes a request to the daemon, with the token if there is one.
func (remote *remote) request(ctx context.Context, method, path string, body io.Reader) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, remote.base+path, body)
	if err == nil && remote.token != "" {
		req.Header.Set("Authorization", "Bearer "+remote.token)
	}
	return req, err
}

// readVersion asks the daemon for its version and backend and keeps them, because results that this
// process writes itself must carry them.
func (remote *remote) readVersion(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	req, err := remote.request(ctx, "GET", "/v1/suites", nil)
	if err != nil {
		return err
	}
	resp, err := remote.http.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return refused(resp)
	}
	var got struct{ Version api.Version }
	if err := json.NewDecoder(resp.Body).Decode(&got); err != nil {
		return fmt.Errorf("cannot read /v1/suites: %w", err)
	}
	remote.about = got.Version
	return nil
}
