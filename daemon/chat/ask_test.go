package chat_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"plumb/daemon/chat"
	"plumb/daemon/chat/budget"
	"plumb/daemon/chat/chattest"
)

const secret = "sk-test-0123456789"

// pair is a client of a mock endpoint in memory, to be used in a bubble of synctest.
func pair(t *testing.T, m chattest.Config, change ...func(*chat.Config)) (*chat.Client, *chattest.Endpoint) {
	t.Helper()
	m.Key = secret
	if m.Answer == nil {
		m.Answer = func(c *chattest.Call) string { return "the answer to " + c.Prompt }
	}
	e := chattest.Handler(m)
	transport, stop := chattest.Pipe(e)
	t.Cleanup(stop)
	cfg := chat.Config{URL: "http://mock/v1", Key: secret, KeyHeader: m.KeyHeader, Hints: true, Transport: transport}
	for _, f := range change {
		f(&cfg)
	}
	c, err := chat.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c, e
}

func ask(i int) *chat.Request {
	return &chat.Request{Model: "mock", Messages: []chat.Message{chat.User(chat.Text(fmt.Sprintf("question %d", i)))},
		Settings: chat.Settings{MaxTokens: new(int64(100))}}
}

// firstNonNull returns the member a of a streamed reply, or b where a is null.
func firstNonNull(list ...chattest.Fault) func(string, int) chattest.Fault {
	return func(_ string, n int) chattest.Fault {
		if n < len(list) {
			return list[n]
		}
		return chattest.None
	}
}

func always(f chattest.Fault) func(string, int) chattest.Fault {
	return func(string, int) chattest.Fault { return f }
}

// What one question meets, and what becomes of it, whole and as a stream.
func TestOutcomes(t *testing.T) {
	const whole = "the answer to question 1"
	six := func(f chattest.Fault) []chattest.Fault { return slices.Repeat([]chattest.Fault{f}, 6) }
	for _, c := range []struct {
		name   string
		meets  []chattest.Fault
		kind   chat.Kind
		tries  int
		lost   int
		text   string
		finish string
		err    string // part of the message
	}{
		{"nothing", nil, chat.Answer, 1, 0, whole, "stop", ""},
		{"429 ten times", slices.Repeat([]chattest.Fault{chattest.TooMany}, 10), chat.Answer, 11, 0, whole, "stop", ""},
		{"429-wait", six(chattest.TooManyWait), chat.Answer, 7, 0, whole, "stop", ""},
		{"429-date", []chattest.Fault{chattest.TooManyDate}, chat.Answer, 2, 0, whole, "stop", ""},
		{"503-wait", []chattest.Fault{chattest.Unavailable}, chat.Answer, 2, 0, whole, "stop", ""},
		{"500 five times", six(chattest.Broken)[1:], chat.Answer, 6, 0, whole, "stop", ""},
		{"500 for ever", six(chattest.Broken), chat.Refused, 6, 0, "", "", "6 tries failed; the last one: the endpoint answered 500 Internal Server Error"},
		{"529", []chattest.Fault{chattest.Overloaded}, chat.Answer, 2, 0, whole, "stop", ""},
		{"reset", []chattest.Fault{chattest.Reset}, chat.Answer, 2, 1, whole, "stop", ""},
		{"lost", []chattest.Fault{chattest.Lost}, chat.Answer, 2, 1, whole, "stop", ""},
		{"half", []chattest.Fault{chattest.Half}, chat.Answer, 2, 1, whole, "stop", ""},
		{"cut stream", []chattest.Fault{chattest.CutStream}, chat.Answer, 2, 1, whole, "stop", ""},
		{"garbage", []chattest.Fault{chattest.Garbage, chattest.WrongJSON, chattest.EmptyChoices}, chat.Answer, 4, 3, whole, "stop", ""},
		{"hang", []chattest.Fault{chattest.Hang}, chat.Answer, 2, 1, whole, "stop", ""},
		{"error in 200", []chattest.Fault{chattest.Error200}, chat.Answer, 2, 0, whole, "stop", ""},
		{"error in a choice", []chattest.Fault{chattest.FinishError}, chat.Answer, 2, 1, whole, "stop", ""},
		{"length", []chattest.Fault{chattest.Length}, chat.Answer, 1, 0, whole[:len(whole)/2], "length", ""},
		{"length before text", []chattest.Fault{chattest.LengthNull}, chat.Answer, 1, 0, "", "length", ""},
		{"filter", []chattest.Fault{chattest.Filter}, chat.Filtered, 1, 0, "", "content_filter", "withheld"},
		{"Gemini's filter", []chattest.Fault{chattest.GeminiFilter}, chat.Filtered, 1, 0, "", "content_filter", "withheld"},
		{"refusal", []chattest.Fault{chattest.Refusal}, chat.Answer, 1, 0, "I can't help with that.", "stop", ""},
		{"no usage", []chattest.Fault{chattest.NoUsage}, chat.Answer, 1, 0, whole, "stop", ""},
		{"gap", []chattest.Fault{chattest.Gap}, chat.Answer, 1, 0, whole, "stop", ""},
		{"context", []chattest.Fault{chattest.Context}, chat.Refused, 1, 0, "", "", "maximum context length"},
	} {
		for _, stream := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/stream=%v", c.name, stream), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					client, server := pair(t, chattest.Config{Next: firstNonNull(c.meets...), RetryAfter: "2", Reasoning: "reasoning"},
						func(cfg *chat.Config) { cfg.Stream = stream })
					kept := 0
					r := ask(1)
					r.Hooks.Keep = func(*chat.Outcome) error { kept++; return nil }
					o := client.Ask(t.Context(), r)
					if o.Kind != c.kind || o.Tries != c.tries || o.Lost != c.lost || o.Text != c.text || o.Finish != c.finish || kept != 1 {
						t.Errorf("got %+v, kept %d times; want %+v", o, kept, c)
					}
					if c.err != "" && (o.Error == nil || !strings.Contains(o.Error.Message, c.err)) || c.err == "" && o.Error != nil {
						t.Errorf("got the error %v; want %q", o.Error, c.err)
					}
					if u := o.Usage; c.kind == chat.Answer && (u == nil || u.Counted == (c.name == "no usage") || u.Completion == 0 && c.name != "length before text") {
						t.Errorf("got the usage %+v", u)
					}
					if got := server.Counts().Calls; got != c.tries {
						t.Errorf("got %d calls; want %d", got, c.tries)
					}
					if s := client.Spent(); s.Calls != int64(c.tries) || s.Lost != int64(c.lost) {
						t.Errorf("got %+v", s)
					}
				})
			})
		}
	}
}

// Thoughts and usage stand apart from the answer. See docs/spec/runs.md#r9 and
// docs/spec/runs.md#r10.
func TestReasoning(t *testing.T) {
	for _, name := range []string{"reasoning", "reasoning_content"} {
		for _, stream := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				client, _ := pair(t, chattest.Config{Reasoning: name, Parts: true, Cost: 0.25}, func(c *chat.Config) { c.Stream = stream })
				o := client.Ask(t.Context(), ask(1))
				if o.Reasoning == "" || strings.Contains(o.Text, o.Reasoning) || o.Model != "mock-served" || o.ID == "" || o.HTTP != 200 {
					t.Errorf("%s, stream %v: got %+v", name, stream, o)
				}
				if u := o.Usage; u == nil || u.Reasoning == nil || *u.Reasoning == 0 || u.Completion <= *u.Reasoning || len(u.Raw) == 0 {
					t.Errorf("%s, stream %v: got the usage %+v", name, stream, u)
				}
				if o.Cost == nil || *o.Cost != 0.25 || o.Priced {
					t.Errorf("%s, stream %v: got the cost %v", name, stream, o.Cost)
				}
			})
		}
	}
}

// A storm of 429 holds all calls for as long as it asks, halves the window once, and the
// window recovers. See docs/spec/runs.md#r11 and docs/spec/runs.md#r13.
func TestStorm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var storms, within int
		var until time.Time
		begin := time.Now()
		client, server := pair(t, chattest.Config{RetryAfter: "3", Delay: 100 * time.Millisecond, Next: func(string, int) chattest.Fault {
			mu.Lock()
			defer mu.Unlock()
			now := time.Now()
			if at := now.Sub(begin); at < 10*time.Second || at > 15*time.Second {
				return chattest.None
			}
			sent := now.Add(-100 * time.Millisecond)
			if storms > 0 && sent.Before(until) && sent.After(until.Add(-2900*time.Millisecond)) {
				within++
			}
			storms++
			if sent.After(until) {
				until = now.Add(3 * time.Second)
			}
			return chattest.TooManyWait
		}})
		var wg sync.WaitGroup
		low := 1 << 20
		for i := range 6000 {
			wg.Go(func() {
				if o := client.Ask(t.Context(), ask(i)); o.Kind != chat.Answer {
					t.Errorf("got %+v", o)
				}
				if time.Since(begin) > 12*time.Second {
					mu.Lock()
					low = min(low, client.Status().Width)
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		c := server.Counts()
		if storms < 32 || within > 0 || low > 16 || client.Status().Width != 32 || c.Most != 32 || c.Twice != 0 {
			t.Errorf("got %d refusals, %d of them within a wait, the lowest width %d and %+v, %+v", storms, within, low, client.Status(), c)
		}
	})
}

// The window begins with four calls and grows by one in each round.
func TestWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, server := pair(t, chattest.Config{Delay: time.Second}, func(c *chat.Config) { c.Concurrency = 6 })
		var wg sync.WaitGroup
		begin := time.Now()
		for i := range 4 + 5 + 6 + 6 {
			wg.Go(func() { client.Ask(t.Context(), ask(i)) })
		}
		wg.Wait()
		if d := time.Since(begin); d != 4*time.Second || server.Counts().Most != 6 {
			t.Errorf("got %v and %d at once; want rounds of 4, 5, 6 and 6", d, server.Counts().Most)
		}
	})
}

// A timeout halves the window, once for the calls that were under way together.
func TestTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, _ := pair(t, chattest.Config{Next: always(chattest.Hang)}, func(c *chat.Config) { c.Tries = 1 })
		var wg sync.WaitGroup
		for i := range 4 {
			wg.Go(func() {
				if o := client.Ask(t.Context(), ask(i)); o.Kind == chat.Answer || o.Lost != 1 || o.Seconds != 600 {
					t.Errorf("got %+v", o)
				}
			})
		}
		wg.Wait()
		if w := client.Status().Width; w != 2 {
			t.Errorf("got the width %d; want 2", w)
		}
	})
}

// Calls and tokens are spread over the minute. See docs/spec/runs.md#r14.
func TestPace(t *testing.T) {
	for _, c := range []struct {
		name     string
		rpm, tpm int64
		want     time.Duration
	}{
		{"none", 0, 0, 0},
		{"calls", 60, 0, 19 * time.Second},
		{"tokens", 0, 6000, 0}, // some 10 tokens each, after 104 for the first
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client, _ := pair(t, chattest.Config{}, func(cfg *chat.Config) { cfg.RPM, cfg.TPM = c.rpm, c.tpm })
				begin := time.Now()
				var used int64
				for i := range 20 {
					o := client.Ask(t.Context(), ask(i))
					used += o.Usage.Prompt + o.Usage.Completion
				}
				took, want := time.Since(begin), c.want
				if c.tpm > 0 { // all but the last call's tokens have had their time
					want = time.Duration(used-20) * time.Minute / time.Duration(c.tpm)
					if took < want || took > want+2*time.Second {
						t.Errorf("got %v for %d tokens; want about %v", took, used, want)
					}
				} else if took != want {
					t.Errorf("got %v; want %v", took, want)
				}
			})
		})
	}
}

// What will fail for all ends after one window of calls, and names the flag that helps.
// See docs/spec/runs.md#r17.
func TestFatal(t *testing.T) {
	for f, want := range map[chattest.Fault]string{
		chattest.Refused: "--model-key-env", chattest.Quoted: "wrong key: [key]", chattest.Quota: "credit", chattest.Credit: "credit",
		chattest.Missing: "--model", chattest.Parameter: "--tokens-field max_completion_tokens", chattest.Context: "the first 3 calls were all refused",
	} {
		t.Run(string(f), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ends := 0
				client, server := pair(t, chattest.Config{Next: always(f), Delay: time.Second}, func(c *chat.Config) { c.OnEnd = func(error) { ends++ } })
				var wg sync.WaitGroup
				var mu sync.Mutex
				kinds := map[chat.Kind]int{}
				for i := range 100 {
					wg.Go(func() {
						o := client.Ask(t.Context(), ask(i))
						mu.Lock()
						defer mu.Unlock()
						kinds[o.Kind]++
					})
				}
				wg.Wait()
				err := client.Halted()
				most := 4
				if f == chattest.Context {
					most = 6 // two ended before the third
				}
				if n := server.Counts().Calls; n > most || err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), secret) || ends != 1 || kinds[chat.Fatal] < 100-most {
					t.Errorf("got %d calls, %v, %v; want %d at most and %q", n, err, kinds, most, want)
				}
			})
		})
	}
}

// An endpoint that is gone is left alone after some calls, and ends all when it stays
// away. One that comes back is found. See docs/spec/runs.md#r18.
func TestDown(t *testing.T) {
	for _, back := range []time.Duration{5 * time.Minute, 5 * time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			begin, dials := time.Now(), 0
			var mu sync.Mutex
			e := chattest.Handler(chattest.Config{Key: secret})
			transport, stop := chattest.Pipe(e)
			t.Cleanup(stop)
			there := transport.DialContext
			transport.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
				if time.Since(begin) >= back {
					return there(ctx, network, addr)
				}
				mu.Lock()
				defer mu.Unlock()
				dials++
				return nil, &net.OpError{Op: "dial", Err: errors.New("connection refused")}
			}
			client, err := chat.New(chat.Config{URL: "http://mock/v1", Key: secret, Transport: transport, Tries: 1000})
			if err != nil {
				t.Fatal(err)
			}
			var wg sync.WaitGroup
			answers := 0
			for i := range 500 {
				wg.Go(func() {
					o := client.Ask(t.Context(), ask(i))
					mu.Lock()
					defer mu.Unlock()
					if o.Kind == chat.Answer {
						answers++
					} else if o.Kind != chat.Fatal || o.Lost > 0 || !strings.Contains(o.Error.Message, "connection refused") {
						t.Errorf("got %+v; want the end and its reason", o)
					}
				})
			}
			wg.Wait()
			if dials > 200 || answers != map[bool]int{true: 500}[back < 10*time.Minute] {
				t.Errorf("away for %v: got %d answers after %d failed calls", back, answers, dials)
			}
		})
	}
}

// A question ends at its deadline, and at once where a pause is longer. See
// docs/spec/runs.md#r15.
func TestDeadline(t *testing.T) {
	for _, c := range []struct {
		after, code string
		kind        chat.Kind
		want        time.Duration
	}{
		{"11", "deadline", chat.Refused, 1793 * time.Second},
		{"1000", "deadline", chat.Refused, 1000 * time.Second},
		{"7200", "pause", chat.Fatal, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			client, _ := pair(t, chattest.Config{Next: always(chattest.TooManyWait), RetryAfter: c.after})
			begin := time.Now()
			o := client.Ask(t.Context(), ask(1))
			if took := time.Since(begin); o.Kind != c.kind || o.Error.Code != c.code || took != c.want || (client.Halted() != nil) != (c.kind == chat.Fatal) {
				t.Errorf("%s: got %+v after %v; want %+v", c.after, o, took, c)
			}
		})
	}
}

// The deadline of a question does not run while others go before it, and a later try
// does not wait behind all others.
func TestQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, _ := pair(t, chattest.Config{Delay: 9 * time.Minute, Next: firstNonNull(chattest.Broken)}, func(c *chat.Config) { c.Concurrency = 1 })
		var wg sync.WaitGroup
		begin := time.Now()
		for i := range 100 {
			wg.Go(func() {
				if o := client.Ask(t.Context(), ask(i)); o.Kind != chat.Answer || o.Tries != 2 {
					t.Errorf("got %+v", o)
				}
			})
		}
		wg.Wait()
		if took := time.Since(begin); took < 30*time.Hour {
			t.Errorf("got all answers after %v; want 200 calls in a row", took)
		}
	})
}

// Stop ends what waits and lets requests under way come to their end.
func TestStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, server := pair(t, chattest.Config{Delay: time.Minute})
		var wg sync.WaitGroup
		var mu sync.Mutex
		kinds := map[chat.Kind]int{}
		for i := range 20 {
			wg.Go(func() {
				o := client.Ask(t.Context(), ask(i))
				mu.Lock()
				defer mu.Unlock()
				kinds[o.Kind]++
			})
		}
		synctest.Wait()
		client.Stop()
		wg.Wait()
		if kinds[chat.Answer] != 4 || kinds[chat.Stopped] != 16 || server.Counts().Calls != 4 {
			t.Errorf("got %v; want four answers and no further call", kinds)
		}
	})
}

// The outcome is kept before another call begins in its place, and a log that fails ends
// all calls.
func TestHooks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, server := pair(t, chattest.Config{Next: firstNonNull(chattest.Broken)}, func(c *chat.Config) { c.Concurrency = 1 })
		var mu sync.Mutex
		busy, begun, kept := 0, 0, 0
		var wg sync.WaitGroup
		for i := range 10 {
			r := ask(i)
			r.Hooks = chat.Hooks{
				Begin: func(try int, most *budget.Hold) error {
					mu.Lock()
					defer mu.Unlock()
					begun++
					if busy++; busy > 1 || most.Tokens < 100 || try < 1 || try > 2 {
						t.Errorf("got a call while another is kept, or %d tokens in try %d", most.Tokens, try)
					}
					return nil
				},
				End: func() {
					mu.Lock()
					defer mu.Unlock()
					busy--
				},
				Keep: func(o *chat.Outcome) error {
					mu.Lock()
					busy++
					mu.Unlock()
					time.Sleep(time.Second)
					mu.Lock()
					defer mu.Unlock()
					busy--
					if kept++; kept == 5 {
						return errors.New("the disk is full")
					}
					return nil
				}}
			wg.Go(func() { client.Ask(t.Context(), r) })
		}
		wg.Wait()
		if err := client.Halted(); kept != 10 || begun == 20 || err == nil || !strings.Contains(err.Error(), "disk is full") || begun != server.Counts().Calls {
			t.Errorf("got %d outcomes kept, %d begun, %v", kept, begun, err)
		}
	})
}

// A limit of cost is never passed, whatever runs at once, and what is lost counts.
func TestBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := budget.New(budget.Limits{Cost: 0.1}, &budget.Price{Prompt: 1, Completion: 20}, budget.Spent{}, nil)
		client, server := pair(t, chattest.Config{Delay: time.Second, Seed: 1, Faults: map[chattest.Fault]float64{chattest.Lost: 0.2, chattest.Broken: 0.1}},
			func(c *chat.Config) { c.Meter = m })
		var wg sync.WaitGroup
		for i := range 500 {
			wg.Go(func() { client.Ask(t.Context(), ask(i)) })
		}
		wg.Wait()
		s := m.Spent()
		if s.Cost+s.LostCost > 0.1 || s.Cost+s.LostCost < 0.09 || s.Lost == 0 || int(s.Calls) != server.Counts().Calls {
			t.Errorf("got %+v", s)
		}
		if err := client.Halted(); err == nil || !strings.Contains(err.Error(), "--max-cost") {
			t.Errorf("got %v; want the limit named", err)
		}
	})
}

// A request with pictures reaches the endpoint as it is hashed, with the key in the
// header that is named and nowhere else.
func TestPictures(t *testing.T) {
	for _, header := range []string{"", "X-Api-Key"} {
		synctest.Test(t, func(t *testing.T) {
			var seen []*chattest.Call
			client, server := pair(t, chattest.Config{KeyHeader: header, Answer: func(c *chattest.Call) string {
				seen = append(seen, c)
				return "the key is " + secret + "!"
			}})
			r := &chat.Request{Model: "mock", Settings: chat.Settings{Temperature: new(0.0), TopP: new(0.5), Seed: new(int64(7)), MaxTokens: new(int64(9)), TokensField: "max_completion_tokens"},
				Extra: []byte(`{"reasoning_effort":"none"}`),
				Messages: []chat.Message{{Role: "system", Parts: []chat.Part{chat.Text("be brief")}},
					chat.User(chat.Picture(&chat.Image{Data: []byte{1, 2, 3}, Type: "image/png", Detail: "low"}), chat.Text("What is \u2028 \"this\"?"))}}
			o := client.Ask(t.Context(), r)
			h, err := r.Hash()
			if err != nil || len(seen) != 1 || seen[0].Hash != h || string(seen[0].Images[0]) != "\x01\x02\x03" || o.Text != "the key is [key]!" {
				t.Errorf("got %+v, %v, %v", o, seen, err)
			}
			bodies, headers := server.Requests()
			if strings.Contains(bodies[0], secret) || !strings.Contains(fmt.Sprint(headers[0]), secret) {
				t.Errorf("got %s", bodies[0])
			}
			for name, want := range map[string]string{"temperature": "0", "top_p": "0.5", "seed": "7", "max_completion_tokens": "9", "reasoning_effort": `"none"`} {
				if !strings.Contains(bodies[0], `"`+name+`":`+want) {
					t.Errorf("got %s; want %s %s", bodies[0], name, want)
				}
			}
		})
	}
}

// Other routes of the endpoint are reached with the key, and errors tell no address.
func TestDo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, _ := pair(t, chattest.Config{}, func(c *chat.Config) { c.URL += "?api-version=1" })
		resp, err := client.Do(t.Context(), http.MethodGet, "batches?limit=1", "", nil)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		b, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != 200 || !strings.Contains(string(b), `"has_more":false`) || resp.Request.URL.RawQuery != "limit=1&api-version=1" {
			t.Errorf("got %d %s, %v", resp.StatusCode, b, err)
		}
	})
	client, err := chat.New(chat.Config{URL: "http://127.0.0.1:1/v1"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.Do(t.Context(), http.MethodGet, "batches", "", nil); err == nil || strings.Contains(err.Error(), "127.0.0.1") || !strings.Contains(err.Error(), "cannot be reached") {
		t.Errorf("got %v", err)
	}
}

// A redirect is not followed, and a reply without end is given up.
func TestStrangers(t *testing.T) {
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		want    string
	}{
		"redirect": {func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/v1/chat/completions" {
				t.Error("the redirect was followed")
			}
			http.Redirect(w, r, "/elsewhere", http.StatusFound)
		}, "302"},
		"long": {func(w http.ResponseWriter, _ *http.Request) {
			for range 17 {
				w.Write(make([]byte, 1<<20))
			}
		}, "longer than 16777216 bytes"},
		"long stream": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			io.WriteString(w, "data: ")
			for range 17 {
				w.Write(make([]byte, 1<<20))
			}
		}, "longer than 16777216 bytes"},
		"a login page as a stream": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			io.WriteString(w, "<html>")
		}, "not a stream"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				transport, stop := chattest.Pipe(c.handler)
				t.Cleanup(stop)
				client, err := chat.New(chat.Config{URL: "http://mock/v1", Key: secret, Transport: transport, Tries: 2})
				if err != nil {
					t.Fatal(err)
				}
				o := client.Ask(t.Context(), ask(1))
				if o.Error == nil || !strings.Contains(o.Error.Message, c.want) || strings.Contains(o.Error.Message, "mock") {
					t.Errorf("got %+v; want %q without the address", o, c.want)
				}
			})
		})
	}
}

// What cannot be used is refused without the key or the address.
func TestConfig(t *testing.T) {
	for _, c := range []struct{ url, key, want string }{
		{"localhost:1/v1", "", "--model-url"}, {"", "", "--model-url"}, {"https://user:pass@host/v1", "", "--model-key-env"},
		{"https://host/v1#x", "", "fragment"}, {"https://host/v1", "sk-\nx: y", "the key"},
	} {
		_, err := chat.New(chat.Config{URL: c.url, Key: c.key})
		if !errors.Is(err, chat.ErrConfig) || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "pass@") || strings.Contains(err.Error(), "sk-") {
			t.Errorf("%+v: got %v; want %q", c, err, c.want)
		}
	}
	for _, extra := range []string{`[]`, `{"stream":true}`, `{"messages":[]}`, `null`, `{`} {
		r := ask(1)
		if r.Extra = []byte(extra); r.Check() == nil {
			t.Errorf("got no error for the members %s", extra)
		}
	}
	t.Setenv("PLUMB_TEST_KEY", " "+secret+"\n")
	if key, set := chat.TakeKey("PLUMB_TEST_KEY"); key != secret || !set {
		t.Errorf("got %q, %v", key, set)
	}
	if _, set := chat.TakeKey("PLUMB_TEST_KEY"); set {
		t.Error("the key is still in the environment")
	}
}
