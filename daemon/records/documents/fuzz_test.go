package documents

import (
	"archive/zip"
	"bytes"
	"testing"

	"plumb/daemon/records/archive"
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

// FuzzInspect checks that no damage to an archive panics, or yields more samples than it has.
func FuzzInspect(f *testing.F) {
	log := writeLog(f, header, sampleEntry("a", `"a"`, `"A"`, 1, "", zip.Deflate), sampleEntry("b", `"b"`, `"B"`, 1, "", archive.Zstd),
		entry{"samples/c_epoch_1/sample.json", `{"id":"c","epoch":1,"output":{"choices":[{"message":{"content":"attachment://1"}}]}}`, zip.Store},
		entry{"samples/c_epoch_1/attachments/0.json", `["x","y"]`, zip.Store})
	f.Add(40, byte(0), 100, byte(255))
	f.Fuzz(func(t *testing.T, i int, a byte, j int, b byte) {
		damaged := bytes.Clone(log)
		damaged[uint(i)%uint(len(log))] = a
		damaged[uint(j)%uint(len(log))] = b
		in, err := input.Open("-", bytes.NewReader(damaged), input.Limits{})
		if err != nil {
			return
		}
		defer in.Close()
		src, err := Inspect(in, Options{})
		for n := 0; err == nil; n++ {
			if _, err = src.Next(); n > 3 {
				t.Fatal("more samples than the archive has")
			}
		}
	})
}
