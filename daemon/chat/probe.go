package chat

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"
)

// checkReachable returns why no connection to the endpoint can be opened, if Config.Probe asks for the check.
// The first call of a client probes, others wait for it; a failure ends all calls. See docs/spec/runs.md#r57.
func (client *Client) checkReachable(ctx context.Context) error {
	if !client.cfg.Probe {
		return nil
	}
	client.probeOnce.Do(func() {
		if err := client.probe(ctx); err != nil {
			client.unreachable = &ending{Fatal, &Error{Code: "down", Message: err.Error(),
				Hint: "--model-url with the address of a server that runs"}}
			client.halt(Fatal, client.unreachable.err)
		}
	})
	if client.unreachable != nil {
		return client.unreachable
	}
	return nil
}

// probe returns an error if no connection to the endpoint can be opened in three tries, a
// second apart. It sends no request. It returns nil if a proxy is in between, if the address
// is wrong, or if ctx ends; the first call then says what is wrong.
func (client *Client) probe(ctx context.Context) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, client.cfg.URL, nil)
	if err != nil {
		return nil // the first call says what is wrong
	}
	if proxy, err := http.ProxyFromEnvironment(request); proxy != nil || err != nil {
		return nil
	}
	port := request.URL.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[request.URL.Scheme]
	}
	dialer := net.Dialer{Timeout: 10 * time.Second}
	const tries = 3
	for try := range tries {
		if try > 0 {
			select {
			case <-time.After(time.Second):
			case <-ctx.Done():
				return nil
			}
		}
		var conn net.Conn
		if conn, err = dialer.DialContext(ctx, "tcp", net.JoinHostPort(request.URL.Hostname(), port)); err == nil {
			return conn.Close()
		}
	}
	if ctx.Err() != nil {
		return nil
	}
	reading, e := client.readingOfFault(ctx, ctx, err)
	if e != nil {
		return nil
	}
	return fmt.Errorf("%s%s; nothing was asked", client.cfg.Name, reading.whatHappened)
}
