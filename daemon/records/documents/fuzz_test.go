package documents

import (
	"bytes"
	"testing"

	"plumb/daemon/records/input"
	"plumb/daemon/records/record"
)

// FuzzDocuments checks that no document panics or yields records for ever.
func FuzzDocuments(f *testing.F) {
	for _, s := range []string{
		`{"version":2,"status":"started","eval":{"model":"m"},"samples":[{"id":1,"epoch":1,"error":{"message":"x"},"limit":{"type":"time"},"output":{"usage":{"input_tokens":1},"choices":[{"message":{"content":[{"type":"text","text":"a"},{"type":"reasoning","redacted":true,"summary":"s"}]},"stop_reason":"stop"}]},"attachments":{}}]}`,
		`{"version":1,"samples":[{"id":"a","epoch":2,"output":{"choices":[{"message":{"content":"attachment://00000000000000000000000000000000"}}]},"attachments":{"00000000000000000000000000000000":"t"}}]}`,
		`{"request_states":[{"instance":{"id":"i","extra_data":{"label":"x"}},"request":{"model":"m"},"result":{"success":true,"completions":[{"text":"A","thinking":{"text":"t"},"finish_reason":{"reason":"stop"}}]}},{"instance":{},"reference_index":1}]}`,
		`{"samples":[1,null,[],"x"],"version":2}`, `{"request_states":[null,{"result":[]},{"instance":1,"result":3}]}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, read := range []func(*input.Input, Options) (record.Source, error){InspectJSON, HELM} {
			in, err := input.Open("-", bytes.NewReader(b), input.Limits{})
			if err != nil {
				return
			}
			if src, err := read(in, Options{Errored: len(b)%2 == 0}); err == nil {
				for n := 0; ; n++ {
					r, err := src.Next()
					if err != nil {
						break
					}
					if n > len(b) || r.Fault == "" && r.At == "" {
						t.Fatalf("record %d of %d bytes: %+v", n, len(b), r)
					}
				}
			}
			in.Close()
		}
	})
}
