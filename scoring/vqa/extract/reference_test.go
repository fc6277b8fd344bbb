package extract

import (
	"testing"

	"plumb/testdata"
)

// TestReference reads every answer of the reference as the reference does.
func TestReference(t *testing.T) {
	type example struct {
		ID, Labels, Response string
		Options              []string
		Expected             *int `json:"expected_index"`
		Literal              bool
		Reason               *string
	}
	n, r := 0, new(Reader)
	testdata.Each(t, "vqa/extraction-dev.jsonl", func(c *example) {
		n++
		want := -1
		if c.Expected != nil {
			want = *c.Expected
		}
		got := ask(r, c.Labels, c.Options, c.Response)
		reason := ""
		if c.Reason != nil {
			reason = *c.Reason
		}
		if got.Option != want || got.Literal != c.Literal || string(got.Reason) != reason {
			t.Errorf("%s: %q with %q: got %+v; want option %d, literal %v, %s", c.ID, c.Response, c.Options, got, want, c.Literal, reason)
		}
	})
	if n < 100 {
		t.Fatalf("got %d cases; want more", n)
	}
}

func ask(r *Reader, labels string, options []string, response string) Reading {
	style := Letters
	if labels == "numbers" {
		style = Numbers
	}
	var texts [][]byte
	for _, o := range options {
		texts = append(texts, []byte(o))
	}
	r.SetOptions(style, texts)
	return r.Read([]byte(response), false)
}
