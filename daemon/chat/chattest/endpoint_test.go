package chattest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"
	"testing"

	"plumb/daemon/chat/chattest"
	"plumb/scoring/aspire/scenario"
)

// request sends one request to an endpoint and decodes the answer.
func request(t *testing.T, method, url, kind string, body io.Reader, v any) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, body)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", kind)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if s, ok := v.(*string); ok {
		*s = string(b)
	} else if err := json.Unmarshal(b, v); err != nil {
		t.Fatalf("%s %s: %s: %v", method, url, b, err)
	}
	return resp.StatusCode
}

// batch is what a test looks at of a batch.
type batch struct {
	ID       string            `json:"id"`
	Status   string            `json:"status"`
	Output   *string           `json:"output_file_id"`
	Errors   *string           `json:"error_file_id"`
	Metadata map[string]string `json:"metadata"`
	Counts   map[string]int    `json:"request_counts"`
}

// begin uploads n requests and creates a batch of them.
func begin(t *testing.T, e *chattest.Endpoint, n int) (b batch) {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	form.WriteField("purpose", "batch")
	f, err := form.CreateFormFile("file", "part.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		fmt.Fprintf(f, `{"custom_id":"k%d","method":"POST","url":"/v1/chat/completions","body":{"model":"m","messages":[{"role":"user","content":"question %d"}]}}`+"\n", i, i)
	}
	form.Close()
	var file struct{ ID string }
	request(t, "POST", e.Base()+"/files", form.FormDataContentType(), &body, &file)
	request(t, "POST", e.Base()+"/batches", "application/json", strings.NewReader(fmt.Sprintf(
		`{"input_file_id":%q,"endpoint":"/v1/chat/completions","completion_window":"24h","metadata":{"plumb_part":"0"}}`, file.ID)), &b)
	return b
}

// results returns the ids and outcomes of a batch's files in their order.
func results(t *testing.T, e *chattest.Endpoint, b batch) (list []string) {
	t.Helper()
	for _, id := range []*string{b.Output, b.Errors} {
		if id == nil {
			continue
		}
		var text string
		request(t, "GET", e.Base()+"/files/"+*id+"/content", "", nil, &text)
		for line := range strings.Lines(text) {
			var r struct {
				ID       string `json:"custom_id"`
				Response *struct {
					Status int `json:"status_code"`
					Body   struct{ Choices []any }
				}
				Error *struct{ Code string }
			}
			if err := json.Unmarshal([]byte(line), &r); err != nil {
				t.Fatal(err)
			}
			switch {
			case r.Error != nil:
				list = append(list, r.ID+" "+r.Error.Code)
			case r.Response.Status == 200 && len(r.Response.Body.Choices) == 1:
				list = append(list, r.ID)
			}
		}
	}
	return list
}

// Batches go from file to results, and meet the faults that are asked for.
func TestBatches(t *testing.T) {
	for _, c := range []struct {
		name   string
		faults []chattest.Fault
		status string
		want   string
	}{
		{"plain", nil, "completed", "k0 k1 k2 k3 k4"},
		{"expired", []chattest.Fault{chattest.Expired}, "expired", "k0 k1 k2 k3 batch_expired k4 batch_expired"},
		{"twice", []chattest.Fault{chattest.Twice}, "completed", "k0 k1 k2 k3 k4 k0 k1 k2"},
		{"shuffled", []chattest.Fault{chattest.Shuffled}, "completed", "k3 k2 k1 k0 k4"},
		{"failed", []chattest.Fault{chattest.Failed}, "failed", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := chattest.Config{BatchPolls: 2, Faults: map[chattest.Fault]float64{}}
			for _, f := range c.faults {
				cfg.Faults[f] = 1
			}
			e := chattest.New(cfg)
			defer e.Close()
			b := begin(t, e, 5)
			for range 2 {
				if request(t, "GET", e.Base()+"/batches/"+b.ID, "", nil, &b); b.Status != "in_progress" && c.status != "failed" {
					t.Errorf("got %+v; want it in progress", b)
				}
			}
			request(t, "GET", e.Base()+"/batches/"+b.ID, "", nil, &b)
			if got := strings.Join(results(t, e, b), " "); b.Status != c.status || got != c.want || b.Metadata["plumb_part"] != "0" {
				t.Errorf("got %+v with %q; want %q with %q", b, got, c.status, c.want)
			}
			if n := e.Counts(); n.Twice != 0 || n.Calls != 0 || c.status == "completed" && n.Billed != 5 {
				t.Errorf("got %+v", n)
			}
		})
	}
}

// A cancelled batch keeps what was answered, and a list has the newest batches first.
func TestCancelAndList(t *testing.T) {
	e := chattest.New(chattest.Config{BatchPolls: 1000})
	defer e.Close()
	var ids []string
	for range 5 {
		ids = append(ids, begin(t, e, 4).ID)
	}
	var b batch
	request(t, "POST", e.Base()+"/batches/"+ids[0]+"/cancel", "", nil, &b)
	request(t, "GET", e.Base()+"/batches/"+ids[0], "", nil, &b)
	if got := strings.Join(results(t, e, b), " "); b.Status != "cancelled" || got != "k0 k1 k2 batch_cancelled k3 batch_cancelled" {
		t.Errorf("got %+v with %q", b, got)
	}
	var got []string
	after := ""
	for {
		var page struct {
			Data []batch
			Last string `json:"last_id"`
			More bool   `json:"has_more"`
		}
		request(t, "GET", e.Base()+"/batches?limit=2&after="+after, "", nil, &page)
		for _, b := range page.Data {
			got = append(got, b.ID)
		}
		if after = page.Last; !page.More {
			break
		}
	}
	slices.Reverse(ids)
	if !slices.Equal(got, ids) {
		t.Errorf("got %v; want %v", got, ids)
	}
	var failed struct{ Error any }
	if code := request(t, "GET", e.Base()+"/batches/none", "", nil, &failed); code != 404 {
		t.Errorf("got %d; want 404", code)
	}
}

// The same seed gives the same faults, whatever order the calls come in, and about as
// many as their shares say. See docs/spec/runs.md#r28.
func TestShares(t *testing.T) {
	met := func(seed uint64, order func(int) int) string {
		e := chattest.New(chattest.Config{Seed: seed, Faults: map[chattest.Fault]float64{chattest.Broken: 0.2, chattest.Filter: 0.1}})
		defer e.Close()
		out := make([]string, 200)
		for i := range out {
			var text string
			j := order(i)
			code := request(t, "POST", e.Base()+"/chat/completions", "application/json",
				strings.NewReader(fmt.Sprintf(`{"model":"m","messages":[{"role":"user","content":"question %d"}]}`, j)), &text)
			out[j] = fmt.Sprint(code, strings.Contains(text, "content_filter"))
		}
		var counts chattest.Counts
		request(t, "GET", e.URL+"/counts", "", nil, &counts)
		if n := counts.Met[chattest.Broken]; counts.Calls != 200 || n < 20 || n > 60 || counts.Billed != 200-n {
			t.Errorf("got %+v", counts)
		}
		return strings.Join(out, " ")
	}
	forward := func(i int) int { return i }
	a, b := met(1, forward), met(1, func(i int) int { return 199 - i })
	if a != b {
		t.Errorf("got\n%s\nand\n%s with the same seed", a, b)
	}
	if met(2, forward) == a {
		t.Error("got the same faults with another seed")
	}
}

// The endpoint answers tasks of ASPIRE by their text.
func TestExact(t *testing.T) {
	s, err := scenario.Make(7, "graph", 3)
	if err != nil {
		t.Fatal(err)
	}
	tasks, err := s.AppendTask(nil, 7)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := chattest.Exact(tasks)
	if err != nil {
		t.Fatal(err)
	}
	shapes, err := json.MarshalIndent(s.Shapes, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	prompt := "Initial whiteboard state (TLDraw JSON):\n```json\n" + string(shapes) + "\n```\n\nTask:\n" + s.Prompt + "\n\nOutput actions to update the whiteboard scene.\n"
	if got := answer(&chattest.Call{Prompt: prompt}); !strings.Contains(got, "shape:node-") {
		t.Errorf("got %q; want nodes to recolour", got)
	}
	if got := answer(&chattest.Call{Prompt: "something else"}); strings.Contains(got, "node") {
		t.Errorf("got %q; want an answer that changes nothing", got)
	}
}
