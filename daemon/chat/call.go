package chat

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// maxBody is the longest body of a reply in bytes.
const maxBody = 4 << 20

// body is the body of a request; nothing else of the item is sent. See
// docs/spec/vqa.md#r38.
type body struct {
	Model       string    `json:"model"`
	Messages    []message `json:"messages"`
	Temperature float64   `json:"temperature"`
	MaxTokens   int       `json:"max_tokens"`
}

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// completion is what is read of a reply.
type completion struct {
	Choices []struct {
		Message struct {
			Content json.RawMessage `json:"content"`
		} `json:"message"`
		FinishReason string `json:"finish_reason"`
	} `json:"choices"`
	Usage *struct {
		Prompt     int64    `json:"prompt_tokens"`
		Completion int64    `json:"completion_tokens"`
		Cost       *float64 `json:"cost"` // USD, where the endpoint tells it
	} `json:"usage"`
	Error *struct {
		Message string `json:"message"`
	} `json:"error"`
}

// Reply is a completion that arrived whole.
type Reply struct {
	Text       string
	Cut        bool // the model had no tokens left
	Counted    bool // tokens are the endpoint's count, not an estimate
	Prompt     int64
	Completion int64
	Cost       *float64 // USD; nil where it is unknown
	told       *float64 // the cost that the endpoint tells
	free       func()
}

// Free gives the slot of the call back. Until then no other call begins in its place.
func (r *Reply) Free() { r.free() }

// failure is a try without a reply.
type failure struct {
	why    string
	status int           // of HTTP, 0 for none
	after  time.Duration // how long the endpoint asks to wait, 0 for not said
	lost   bool          // the endpoint may have answered, and be paid for it
}

func (f *failure) Error() string { return f.why }

// again reports whether another try may help. A request that is refused for what it
// holds is not tried again. See docs/spec/vqa.md#r39.
func (f *failure) again() bool {
	switch f.status {
	case 0, http.StatusRequestTimeout, http.StatusConflict, http.StatusTooEarly, http.StatusTooManyRequests:
		return true
	}
	return f.status >= 500
}

// call makes one try. Errors are a *failure, or that of ctx.
func (c *Client) call(ctx context.Context, prompt string) (*Reply, error) {
	try, cancel := context.WithTimeout(ctx, c.cfg.Timeout)
	defer cancel()
	data := compact(body{c.cfg.Model, []message{{"user", prompt}}, c.cfg.Temperature, c.cfg.MaxTokens})
	req, err := http.NewRequestWithContext(try, http.MethodPost, c.endpoint, bytes.NewReader(data))
	if err != nil {
		return nil, &failure{why: "the judge's address cannot be used", status: http.StatusBadRequest}
	}
	req.Header.Set("Content-Type", "application/json")
	if c.cfg.Key != "" {
		req.Header.Set("Authorization", "Bearer "+c.cfg.Key)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, c.broken(ctx, try, err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	switch {
	case resp.StatusCode/100 != 2: // what its body says matters less
		return nil, c.refused(resp, text)
	case err != nil:
		return nil, c.broken(ctx, try, err)
	case len(text) > maxBody:
		return nil, &failure{why: fmt.Sprintf("the judge's reply is longer than %d bytes", maxBody), lost: true}
	}
	return c.read(prompt, text)
}

// broken is the failure of a try that brought no whole reply. It tells the cause
// without the address.
func (c *Client) broken(ctx, try context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case try.Err() != nil:
		return &failure{why: fmt.Sprintf("the judge did not answer within %v", c.cfg.Timeout), lost: true}
	}
	f := &failure{why: "the judge's reply broke off", lost: true}
	var op *net.OpError
	var dns *net.DNSError
	switch {
	case errors.As(err, &dns):
		f.why, f.lost = "the judge's host was not found", false
	case errors.As(err, &op) && op.Op == "dial":
		f.why, f.lost = "the judge cannot be reached: "+op.Err.Error(), false // without the address
	case strings.Contains(err.Error(), "x509") || strings.Contains(err.Error(), "tls:"):
		f.why, f.lost = "the judge's TLS certificate or connection was refused", false
	}
	return f
}

// refused is the failure of a reply that is not 2xx.
func (c *Client) refused(resp *http.Response, body []byte) error {
	f := &failure{status: resp.StatusCode, after: retryAfter(resp.Header.Get("Retry-After"), time.Now()),
		why: fmt.Sprintf("the judge answered %d %s", resp.StatusCode, http.StatusText(resp.StatusCode))}
	var said completion
	if json.Unmarshal(body, &said) == nil && said.Error != nil && said.Error.Message != "" {
		f.why += ": " + Brief(c.hide(said.Error.Message), 200)
	}
	return f
}

// retryAfter reads a Retry-After header: seconds or a date.
func retryAfter(s string, now time.Time) time.Duration {
	if n, err := strconv.ParseFloat(s, 64); err == nil && n >= 0 {
		return time.Duration(min(n, 1e6) * float64(time.Second))
	}
	if at, err := http.ParseTime(s); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}

// read takes the text out of a reply. What is no completion is a failure like a broken
// connection: there is a proxy in the way, or a server in trouble.
func (c *Client) read(prompt string, body []byte) (*Reply, error) {
	var got completion
	if err := json.Unmarshal(body, &got); err != nil {
		return nil, &failure{why: "the judge's reply is not a chat completion in JSON", lost: true}
	}
	if len(got.Choices) == 0 {
		f := &failure{why: "the judge's reply has no choices", lost: true}
		if got.Error != nil {
			f.why, f.lost = "the judge answered with an error: "+Brief(c.hide(got.Error.Message), 200), false
		}
		return nil, f
	}
	text, ok := content(got.Choices[0].Message.Content)
	if !ok {
		return nil, &failure{why: "the judge's reply has a content that is no text", lost: true}
	}
	r := &Reply{Text: c.hide(text), Cut: got.Choices[0].FinishReason == "length"}
	if u := got.Usage; u != nil {
		r.Prompt, r.Completion, r.told, r.Counted = max(0, u.Prompt), max(0, u.Completion), u.Cost, true
	} else {
		r.Prompt, r.Completion = Estimate(prompt), Estimate(text)
	}
	return r, nil
}

// content is a string, or a list of parts whose texts are joined; null is empty.
func content(raw json.RawMessage) (string, bool) {
	var s string
	if len(raw) == 0 || json.Unmarshal(raw, &s) == nil {
		return s, true
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(raw, &parts) != nil {
		return "", false
	}
	for _, p := range parts {
		s += p.Text
	}
	return s, true
}

// hide takes the key out of a text that an endpoint sent.
func (c *Client) hide(s string) string {
	if c.cfg.Key == "" {
		return s
	}
	return strings.ReplaceAll(s, c.cfg.Key, "[key]")
}

// Brief cuts a text to n bytes on one line.
func Brief(s string, n int) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "..."
}

// compact writes JSON without spaces and without escapes that JSON does not ask for.
func compact(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic("BUG: JSON of a request: " + err.Error())
	}
	return b.Bytes()
}

// Estimate is how many tokens a text is taken for: characters / 4, plus 1.
func Estimate(text string) int64 { return int64(len([]rune(text))/4) + 1 }
