package chat_test

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"plumb/daemon/canonical"
	"plumb/daemon/chat"
	"plumb/testdata"
)

// reply is a case of runs/replies.jsonl.
type reply struct {
	ID       string            `json:"id"`
	Status   int               `json:"status"`
	Headers  map[string]string `json:"headers"`
	Body     string            `json:"body"`
	Expected map[string]any    `json:"expected"`
}

// request is one with the settings that replies refer to.
func request() *chat.Request {
	return &chat.Request{Model: "m", Messages: []chat.Message{chat.User(chat.Text("Which box is nearer?"))},
		Settings: chat.Settings{Temperature: new(0.7), MaxTokens: new(int64(4000))}}
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// got is a reading with the names of the cases.
func got(r *chat.Reading) map[string]any {
	m := map[string]any{"outcome": string(r.Kind), "text": r.Text, "reasoning": orNull(r.Reasoning), "finish": orNull(r.Finish), "lost": r.Paid,
		"message": r.Message, "wait_seconds": nil, "cost": r.Cost, "provider": r.Provider, "hint": ""}
	if r.Kind == chat.Filtered {
		m["text"] = nil
	}
	if r.After != nil {
		m["wait_seconds"] = r.After.Seconds()
	}
	if r.Usage != nil {
		m["usage"] = map[string]any{"prompt": r.Usage.Prompt, "completion": r.Usage.Completion, "reasoning": r.Usage.Reasoning,
			"cached": r.Usage.Cached, "counted": r.Usage.Counted}
	}
	if r.Error != nil {
		m["hint"] = r.Error.Hint
	}
	return m
}

// Replies that real endpoints send are read as expected. See docs/spec/runs.md#r5,
// docs/spec/runs.md#r6, docs/spec/runs.md#r7, docs/spec/runs.md#r8,
// docs/spec/runs.md#r9, docs/spec/runs.md#r10 and docs/spec/runs.md#r12.
func TestReplies(t *testing.T) {
	n := 0
	testdata.Each(t, "runs/replies.jsonl", func(c *reply) {
		n++
		t.Run(c.ID, func(t *testing.T) {
			h := http.Header{}
			for name, value := range c.Headers {
				h.Set(name, value)
			}
			reader := &chat.Reader{Key: "sk-secret", Request: request(), Now: time.Now()}
			r := reader.Read(c.Status, h, []byte(c.Body))
			have := got(&r)
			for name, want := range c.Expected {
				if name == "usage" {
					if u := want.(map[string]any); u["prompt"] == "estimate" {
						if r.Usage == nil || r.Usage.Prompt <= 0 {
							t.Errorf("got the usage %+v; want an estimate", r.Usage)
						}
						u["prompt"] = r.Usage.Prompt
					}
				}
				if g, w := canon(t, have[name]), canon(t, want); g != w {
					t.Errorf("%s: got %s; want %s", name, g, w)
				}
			}
		})
	})
	if n < 66 {
		t.Errorf("got %d cases; want 66 or more", n)
	}
}

// Members of unexpected types are left out, and never end the program or take an answer
// for missing.
func TestOddReplies(t *testing.T) {
	for body, want := range map[string]chat.Outcome{
		`{"id":7,"model":null,"provider":{},"choices":[{"message":{"content":"B","reasoning_details":{"a":1},"reasoning":[1]},"finish_reason":7}],"usage":"none"}`: {Kind: chat.Answer, Text: "B"},
		`{"choices":[{"message":null}],"usage":null,"error":null}`:                                                             {Kind: chat.Answer},
		`{"choices":[{"message":{"content":{"a":1},"refusal":false}}]}`:                                                        {Kind: chat.Answer},
		`{"choices":[{"message":{"content":[{"type":"thinking","text":"hm"},{"type":"text","text":"B"}]}}]}`:                   {Kind: chat.Answer, Text: "B"},
		`{"choices":[{"message":{"content":"B"}}],"usage":{"prompt_tokens":-5,"completion_tokens":1e300,"total_tokens":null}}`: {Kind: chat.Answer, Text: "B"},
		`{"choices":null}`:                        {Kind: chat.Retry},
		`{"choices":{"a":1}}`:                     {Kind: chat.Retry},
		`[]`:                                      {Kind: chat.Retry},
		`{"error":"overloaded"}`:                  {Kind: chat.Retry},
		`{"error":{"code":"429","message":[]}}`:   {Kind: chat.Wait},
		`{"error":{"code":"insufficient_quota"}}`: {Kind: chat.Fatal},
		`{"error":{"code":400,"metadata":"x"}}`:   {Kind: chat.Refused},
		`{"error":{"type":"invalid_request_error","message":"m"}}`:             {Kind: chat.Refused},
		`{"choices":[{"finish_reason":"error","message":{"content":"half"}}]}`: {Kind: chat.Retry},
	} {
		reader := &chat.Reader{Request: request()}
		r := reader.Read(200, http.Header{}, []byte(body))
		if r.Kind != want.Kind || r.Text != want.Text {
			t.Errorf("%s: got %s %q; want %s %q", body, r.Kind, r.Text, want.Kind, want.Text)
		}
	}
	for body, want := range map[string]string{
		`{"error":"no such model"}`: "no such model", `[{"error":{"code":400,"message":"first"}}]`: "first", `{"detail":"Not Found"}`: "Not Found",
		`{"object":"error","message":"old","code":400}`: "old", `{"error":{"message":"m","metadata":{"raw":"{\"error\":1}"}}}`: `{"error":1}`,
		`{"error":{"message":"m","metadata":{"raw":{"error":{"message":"inner"}}}}}`: "inner", `<html>`: "", ``: "",
	} {
		reader := &chat.Reader{Request: request()}
		if r := reader.Read(400, http.Header{}, []byte(body)); r.Message != want || r.Kind != chat.Refused {
			t.Errorf("%s: got %s %q; want %q", body, r.Kind, r.Message, want)
		}
	}
}

// No reply ends the program.
func FuzzRead(f *testing.F) {
	for _, s := range []string{`{"choices":[{"message":{"content":"B"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1}}`, `{"error":{"code":502}}`} {
		f.Add(200, []byte(s))
	}
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		reader := &chat.Reader{Key: "sk-secret", Request: request()}
		r := reader.Read(status, http.Header{}, body)
		if r.Kind == "" || r.Kind == chat.Answer && (r.Usage == nil || r.Usage.Completion < 0) {
			t.Errorf("got %+v", r)
		}
	})
}

func canon(t *testing.T, v any) string {
	t.Helper()
	b, err := canonical.Of(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// A request has the key that the reference data give it: of settings and texts, with
// pictures by their hashes. See docs/spec/runs.md#r2.
func TestKeys(t *testing.T) {
	var data struct {
		Keys struct {
			Image     string `json:"image_bytes_utf8"`
			Canonical string `json:"request_canonical"`
			SHA256    string `json:"request_sha256"`
			Identity  json.RawMessage
			Identical string `json:"identity_canonical"`
			Key       string
			Request   struct {
				Messages []struct {
					Content []struct{ Text string }
				}
			}
		}
	}
	testdata.JSON(t, "runs/vectors.json", &data)
	k := data.Keys
	r := &chat.Request{Model: "m-1", Settings: chat.Settings{Temperature: new(0.7), MaxTokens: new(int64(4000))},
		Messages: []chat.Message{chat.User(chat.Picture(&chat.Image{Data: []byte(k.Image), Type: "image/png"}), chat.Text(k.Request.Messages[0].Content[1].Text))}}
	if b, err := r.Canonical(); err != nil || string(b) != k.Canonical {
		t.Errorf("got %s, %v; want %s", b, err, k.Canonical)
	}
	if h, err := r.Hash(); err != nil || h != k.SHA256 {
		t.Errorf("got %s, %v; want %s", h, err, k.SHA256)
	}
	if b, err := canonical.JSON(k.Identity); err != nil || string(b) != k.Identical {
		t.Errorf("got %s, %v; want %s", b, err, k.Identical)
	}
	if key, err := canonical.Key(k.Identity); err != nil || key != k.Key {
		t.Errorf("got %s, %v; want %s", key, err, k.Key)
	}
	r.Extra = json.RawMessage(`{"temperature":1.0,"reasoning":{"enabled":true,"a":1e3}}`)
	want := `{"model":"m-1","messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,bm90IHJlYWxseSBhIHBuZw=="}},` +
		`{"type":"text","text":"Frage: wo ist der grüne Kreis?"}]}],"temperature":1,"max_tokens":4000,"reasoning":{"a":1000,"enabled":true}}`
	if b, err := r.Body(); err != nil || string(b) != want {
		t.Errorf("got %s, %v; want %s", b, err, want)
	}
}
