package chat

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"strings"
	"time"
)

// maxBody is the longest body of a reply in bytes.
const maxBody = 16 << 20

// call sends a request once and reads its reply, in one piece or as a stream. A fault of the
// connection becomes a Reading. The error is that of ctx.
func (client *Client) call(ctx context.Context, request *Request) (Reading, error) {
	tryCtx, cancel := context.WithTimeout(ctx, client.cfg.Timeout)
	defer cancel()
	body, err := request.body(client.cfg.Stream)
	if err != nil {
		return newReading(Refused, 0, ": "+err.Error()), nil
	}
	req, err := http.NewRequestWithContext(tryCtx, http.MethodPost, client.endpoint, bytes.NewReader(body))
	if err != nil {
		return newReading(Refused, 0, "'s address cannot be used"), nil
	}
	req.Header.Set("Content-Type", "application/json")
	client.authorize(req.Header)
	resp, err := client.http.Do(req)
	if err != nil {
		return client.readingOfFault(ctx, tryCtx, err)
	}
	defer resp.Body.Close()
	reader := &Reader{Key: client.cfg.Key, Request: request, Now: time.Now()}
	if kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); resp.StatusCode/100 == 2 &&
		kind == "text/event-stream" {
		reading, err := reader.stream(resp.StatusCode, resp.Header, resp.Body)
		return client.finishReading(ctx, tryCtx, reading, err)
	}
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	switch {
	case resp.StatusCode/100 != 2: // what its body says matters less
		return reader.Read(resp.StatusCode, resp.Header, text), nil
	case err == nil && len(text) > maxBody:
		err = errLong
	}
	if err != nil {
		return client.finishReading(ctx, tryCtx, Reading{}, err)
	}
	return reader.Read(resp.StatusCode, resp.Header, text), nil
}

// finishReading returns the reading of a reply, or what err, the error of receiving it, means.
func (client *Client) finishReading(ctx, tryCtx context.Context, reading Reading, err error) (Reading, error) {
	switch {
	case errors.Is(err, errLong):
		return brokenReply(http.StatusOK, fmt.Sprintf("'s reply is longer than %d bytes", maxBody)), nil
	case err != nil:
		return client.readingOfFault(ctx, tryCtx, err)
	}
	return reading, nil
}

// Do sends a request to another route of the endpoint, such as "files" or "batches/ID",
// once, with the key and the query of the endpoint's address. kind is the content type of
// the body, "" for none. The caller closes the body of the response, and passes texts of it
// through Hide before it shows or keeps them. Errors tell neither address nor key.
func (client *Client) Do(ctx context.Context, method, route, kind string, body io.Reader) (*http.Response, error) {
	// The route takes the place of the address's last part, and the query stays.
	base, query, _ := strings.Cut(client.endpoint, "?")
	address := strings.TrimSuffix(base, "chat/completions") + route
	if query != "" {
		sep := "?"
		if strings.Contains(address, "?") {
			sep = "&"
		}
		address += sep + query
	}
	req, err := http.NewRequestWithContext(ctx, method, address, body)
	if err != nil {
		return nil, errors.New(client.cfg.Name + "'s address cannot be used")
	}
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	client.authorize(req.Header)
	resp, err := client.http.Do(req)
	if err != nil {
		reading, err := client.readingOfFault(ctx, ctx, err)
		if err == nil {
			err = errors.New(client.cfg.Name + reading.whatHappened)
		}
		return nil, err
	}
	return resp, nil
}

// Hide takes the key out of a text that the endpoint sent.
func (client *Client) Hide(s string) string { return hide(s, client.cfg.Key) }

// authorize adds the endpoint's key to the headers of a request: as a bearer token, or as it is in the
// header that the configuration names.
func (client *Client) authorize(h http.Header) {
	switch {
	case client.cfg.Key == "":
	case client.cfg.KeyHeader == "" || strings.EqualFold(client.cfg.KeyHeader, "Authorization"):
		h.Set("Authorization", "Bearer "+client.cfg.Key)
	default:
		h.Set(client.cfg.KeyHeader, client.cfg.Key)
	}
}

// readingOfFault returns the reading of a call that brought no complete reply, with the cause in words without
// the address. Paid is false only if the request cannot have arrived. The error is that of ctx.
func (client *Client) readingOfFault(ctx, tryCtx context.Context, err error) (Reading, error) {
	if ctx.Err() != nil {
		return Reading{}, ctx.Err()
	}
	reading := brokenReply(0, "'s reply broke off")
	var network *net.OpError
	var dns *net.DNSError
	switch {
	case tryCtx.Err() != nil:
		reading.whatHappened, reading.timedOut = fmt.Sprintf(" did not answer within %v", client.cfg.Timeout), true
	case errors.As(err, &dns):
		reading.whatHappened, reading.Paid = "'s host was not found", false
	case errors.As(err, &network) && network.Op == "dial":
		reading.whatHappened, reading.Paid = " cannot be reached: "+network.Err.Error(), false // without the address
	case strings.Contains(err.Error(), "x509") || strings.Contains(err.Error(), "tls:"):
		reading.whatHappened, reading.Paid = "'s TLS certificate or connection was refused", false
	}
	return reading, nil
}
