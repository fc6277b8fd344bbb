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

// A client tries several times to connect, because the daemon may be restarting. See docs/spec/cli.md#r8.
const (
	connectTries      = 5
	pauseBetweenTries = time.Second
)

// remote is a client of a daemon that scores.
type remote struct {
	http  *http.Client
	base  string
	token string
	about api.Version
}

// dial returns a client of the daemon at the address of --server, http://HOST:PORT, https://HOST or unix:PATH, once the
// daemon has answered. It tries several times, because the daemon may be starting. A refusal that will not
// change, such as that of a wrong token, ends it at once. A text that is no such address is a usageError.
func dial(ctx context.Context, address, token string) (*remote, error) {
	client := &remote{base: strings.TrimRight(address, "/"), token: token, http: &http.Client{Transport: &http.Transport{}}}
	if path, ok := strings.CutPrefix(address, "unix:"); ok {
		path = strings.TrimPrefix(path, "//")
		client.base = "http://plumb" // the name of the host does not matter
		client.http.Transport = &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", path)
		}}
	}
	if u, err := url.Parse(client.base); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, usage("cannot use server %q: want http://HOST:PORT, https://HOST or unix:PATH", address)
	}
	for try := 1; ; try++ {
		err := client.readVersion(ctx)
		var refused *refusal
		if err == nil {
			return client, nil
		}
		refusedForGood := errors.As(err, &refused) && !refused.mayPassLater()
		if try == connectTries || ctx.Err() != nil || refusedForGood {
			return nil, fmt.Errorf("cannot use server %s: %w", address, err)
		}
		select {
		case <-time.After(pauseBetweenTries):
		case <-ctx.Done():
		}
	}
}

// refusal is an HTTP answer with a status other than 200.
type refusal struct {
	code int
	text string
}

func (refusal *refusal) Error() string {
	return fmt.Sprintf("got status %d: %s", refusal.code, refusal.text)
}

// mayPassLater reports whether the same request may succeed later.
func (refusal *refusal) mayPassLater() bool {
	return refusal.code == 408 || refusal.code == 429 || refusal.code >= 500
}

// refused returns the error for a reply of the daemon whose HTTP status is not 200. Its text is the member
// error of the reply's JSON body, or the whole body where there is none.
func refused(resp *http.Response) error {
	const maxBody = 64 << 10
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxBody)) // what can be read of it is the message
	text := strings.TrimSpace(string(body))
	if value, err := fastjson.ParseBytes(body); err == nil && value.Exists("error") {
		text = string(value.GetStringBytes("error"))
	}
	return &refusal{resp.StatusCode, text}
}

// request makes a request to the daemon at a path below its address, with the access token if there is one.
func (remote *remote) request(ctx context.Context, method, path string, body io.Reader) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, remote.base+path, body)
	if err == nil && remote.token != "" {
		req.Header.Set("Authorization", "Bearer "+remote.token)
	}
	return req, err
}

// versionTimeout is how long the daemon may take to tell its version.
const versionTimeout = 30 * time.Second

// readVersion asks the daemon for its version and backend and keeps them, because results that this
// process writes itself must carry them.
func (remote *remote) readVersion(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, versionTimeout)
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
