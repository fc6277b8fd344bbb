package documents

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"plumb/daemon/dump"
	"plumb/daemon/records/archive"
	"plumb/daemon/records/input"
	"plumb/daemon/records/record/recordtest"
)

// entry is an entry of a made-up log.
type entry struct {
	name, text string
	method     uint16
}

// frames is a compressor that writes a frame of zstd for each call of Write.
type frames struct{ w io.Writer }

func (f frames) Write(p []byte) (int, error) {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return 0, err
	}
	_, err = f.w.Write(e.EncodeAll(p, nil))
	return len(p), err
}

func (f frames) Close() error { return nil }

// writeLog writes an archive with entries. Entries of method zstd are written in frames of 1000 bytes.
func writeLog(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	w.RegisterCompressor(archive.Zstd, func(w io.Writer) (io.WriteCloser, error) { return frames{w}, nil })
	for _, e := range entries {
		f, err := w.CreateHeader(&zip.FileHeader{Name: e.name, Method: e.method})
		for b := []byte(e.text); len(b) > 0 && err == nil; b = b[min(len(b), 1000):] {
			_, err = f.Write(b[:min(len(b), 1000)])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// header is the header of a made-up log.
var header = entry{name: "header.json", text: `{"version":2,"status":"success","eval":{"model":"m"}}`}

// sample returns an entry with a sample of that id and epoch, whose answer is the content.
func sampleEntry(name, id, content string, epoch int, more string, method uint16) entry {
	return entry{fmt.Sprintf("samples/%s_epoch_%d.json", name, epoch), fmt.Sprintf(
		`{"id":%s,"epoch":%d,"events":[{"x":"]}"},NaN],"output":{"choices":[{"message":{"content":%s},"stop_reason":"stop"}]}%s}`, id, epoch, content, more), method}
}

// summary returns what matters of records, a line each.
func summary(all []recordtest.Got) string {
	var b strings.Builder
	for _, g := range all {
		switch {
		case g.Fault != "":
			fmt.Fprintf(&b, "%s fault\n", g.At)
		case g.Missing != nil:
			fmt.Fprintf(&b, "%s %s %s\n", g.At, g.Missing.Code, g.Missing.Message)
		default:
			fmt.Fprintf(&b, "%s %s %d %q %q %s %s\n", g.At, g.Key, g.Repeat, g.Response, g.Reasoning, g.FinishReason, g.Cut)
		}
	}
	return b.String()
}

// TestMadeUpLogs reads logs that the samples lack. See docs/spec/dumps-files.md#r12.
func TestMadeUpLogs(t *testing.T) {
	long := strings.Repeat("0123456789", 500)
	hash := strings.Repeat("ab", 16)
	for _, c := range []struct {
		name    string
		entries []entry
		options Options
		want    string
	}{
		{"frames, methods and superseded entries", []entry{header,
			sampleEntry("a", `"a"`, `"old"`, 1, "", zip.Deflate),
			sampleEntry("b/c d", `"b/c d"`, `"`+long+`"`, 3, "", archive.Zstd),
			sampleEntry("7", `7`, `"x"`, 1, "", zip.Store),
			sampleEntry("a", `"a"`, `"new"`, 1, "", zip.Deflate),
		}, Options{}, "b/c d#3 b/c d 3 \"" + long + "\" \"\" stop \n7#1 7 1 \"x\" \"\" stop \na#1 a 1 \"new\" \"\" stop \n"},
		{"the id is read inside", []entry{header, sampleEntry("x_y", `"x/y"`, `"A"`, 2, "", 0)}, Options{}, "x/y#2 x/y 2 \"A\" \"\" stop \n"},
		{"errors", []entry{header,
			sampleEntry("a", `"a"`, `"said"`, 1, `,"error":{"message":"broke"}`, 0),
			sampleEntry("b", `"b"`, `"said"`, 1, `,"error":null,"limit":{"type":"token","limit":5},"error_retries":[{"message":"x"}]`, 0),
		}, Options{}, "a#1 no_response broke\nb#1 b 1 \"said\" \"\" stop limit\n"},
		{"errors that are scored", []entry{header, sampleEntry("a", `"a"`, `"said"`, 1, `,"error":{"message":"broke"}`, 0)},
			Options{Errored: true}, "a#1 a 1 \"said\" \"\" stop \n"},
		{"attachments", []entry{header,
			sampleEntry("a", `"a"`, `"attachment://`+hash+`"`, 1, `,"attachments":{"00":"no","`+hash+`":"yes"}`, 0),
			{"samples/b_epoch_1.json", `{"attachments":{"` + hash + `":"before"},"id":"b","epoch":1,"output":{"choices":[{"message":{"content":[{"type":"text","text":"attachment://` + hash + `"},{"type":"reasoning","reasoning":"r"}]}}]}}`, 0},
			sampleEntry("c", `"c"`, `"attachment://`+hash+`"`, 1, `,"attachments":{}`, 0),
			sampleEntry("d", `"d"`, `"attachment://pictures"`, 1, "", 0),
		}, Options{}, "a#1 a 1 \"yes\" \"\" stop \nb#1 b 1 \"before\" \"r\"  \nc#1 fault\nd#1 d 1 \"attachment://pictures\" \"\" stop \n"},
		{"chunks beside whole samples", []entry{header,
			sampleEntry("a", `"a"`, `"A"`, 1, "", 0),
			{"samples/b_epoch_2/sample.json", `{"id":"b","epoch":2,"output":{"choices":[{"message":{"content":"attachment://11"}}]}}`, 0},
			{"samples/b_epoch_2/metadata.json", `{"suite":"s"}`, 0},
			{"samples/b_epoch_2/attachments/0.json", `["no"]`, 0},
			{"samples/b_epoch_2/attachments/10.json", `["ten","eleven"]`, 0},
			{"samples/b_epoch_2/attachments/12.json", `["no"]`, 0},
			{"samples/b_epoch_2/messages/0.json", `[}`, 0},
		}, Options{}, "a#1 a 1 \"A\" \"\" stop \nb#2 b 2 \"eleven\" \"\"  \n"},
		{"faults", []entry{header,
			{"samples/a_epoch_1.json", `{"id":"a","epoch":1,"output":{"choices":[`, 0},
			{"samples/b_epoch_1.json", `{"id":"b"}`, 0},
			{"samples/c_epoch_1.json", `[1]`, 0},
			{"samples/d_epoch_1.json", `{"id":"d","epoch":1} x`, 0},
			{"samples/e_epoch_1.json", `{"id":"e","epoch":1,"output":{"choices":[@]}}`, 0},
			{"samples/f_epoch_1.json", `{"id":"f","epoch":1,"metadata":` + strings.Repeat("[", 400) + strings.Repeat("]", 400) + `}`, 0},
			{"samples/g_epoch_1.json", `{"id":"g","epoch":1,"metadata":"` + strings.Repeat("x", 2<<20) + `"}`, zip.Store},
			{"samples/h_epoch_1.json", `{"id":"h","epoch":1,"output":{"choices":[]}}`, 0},
		}, Options{}, "a#1 fault\nb#1 fault\nc#1 fault\nd#1 fault\ne#1 fault\nf#1 fault\ng#1 fault\nh#1 h 1 \"\" \"\"  \n"},
	} {
		all, err := readFile(t, writeLog(t, c.entries...), input.Limits{Limits: dump.Limits{Line: 1 << 20}}, c.options, Inspect)
		if got := summary(all); err != nil || got != c.want {
			t.Errorf("%s: %v\ngot  %.600s\nwant %.600s", c.name, err, got, c.want)
			for _, g := range all {
				t.Log(g.Fault)
			}
		}
	}
}

// TestRefusedLogs checks archives that are refused, and damage that costs one sample.
func TestRefusedLogs(t *testing.T) {
	good := writeLog(t, header, sampleEntry("a", `"a"`, `"A"`, 1, "", zip.Deflate), sampleEntry("b", `"b"`, `"B"`, 1, "", zip.Deflate))
	edit := func(old, new string, n int) []byte { return []byte(strings.Replace(string(good), old, new, n)) }
	encrypted := bytes.Clone(good)
	central := bytes.Index(good, []byte("PK\x01\x02"))
	second := central + 4 + bytes.Index(good[central+4:], []byte("PK\x01\x02"))
	encrypted[second+8] |= 1
	method := bytes.Clone(good)
	method[second+10] = 12
	many := []entry{header}
	for i := range 50 {
		many = append(many, entry{name: fmt.Sprint("samples/", i, "_epoch_1.json"), text: `{"id":"x","epoch":1}`})
	}
	repetitive := []entry{header}
	for i := range 3 {
		repetitive = append(repetitive, entry{name: fmt.Sprint("samples/", i, "_epoch_1.json"), text: `{"id":"x","epoch":1,"y":"` + strings.Repeat("x", 900<<10) + `"}`, method: zip.Deflate})
	}
	few := input.Limits{Entries: 51}
	fewer := input.Limits{Entries: 50}
	for _, c := range []struct {
		limits input.Limits
		file   []byte
		want   recordtest.Fault
	}{
		{input.Limits{}, encrypted, recordtest.Fault{File: "encrypted", Records: 1, Faults: 1, Words: []string{"samples/a_epoch_1.json: the entry is encrypted"}}},
		{input.Limits{}, method, recordtest.Fault{File: "bzip2", Records: 1, Faults: 1, Words: []string{"compression method 12; want stored, deflate or zstd"}}},
		{input.Limits{}, edit("header.json", "headex.json", -1), recordtest.Fault{File: "no header", Ends: true, Words: []string{"neither header.json nor _journal/start.json"}}},
		{input.Limits{}, good[:len(good)-30], recordtest.Fault{File: "torn", Ends: true, Words: []string{"without a central directory"}}},
		{input.Limits{}, edit("PK\x01\x02", "PK\x01\x03", 1), recordtest.Fault{File: "damaged directory", Ends: true, Words: []string{"central directory of the archive cannot be read"}}},
		{few, writeLog(t, many...), recordtest.Fault{File: "51 entries", Records: 50}},
		{fewer, writeLog(t, many...), recordtest.Fault{File: "51 of 50 entries", Ends: true, Words: []string{"more than 50 entries (--max-entries)"}}},
		{input.Limits{}, writeLog(t, repetitive...), recordtest.Fault{File: "all together", Records: 1, Ends: true, Words: []string{"expand too far together", "--max-ratio"}}},
	} {
		all, err := readFile(t, c.file, c.limits, Options{}, Inspect)
		recordtest.CheckFault(t, c.want, all, err)
	}
}

// TestEntriesCountOnce reads a log whose sample expands to two thirds of what --max-ratio allows. Its attachments
// stand before the texts that refer to them. So the entry is read once for the sample and once more for each
// attachment, which must not add up.
func TestEntriesCountOnce(t *testing.T) {
	hash, other := strings.Repeat("ab", 16), strings.Repeat("cd", 16)
	random, filler := rand.New(rand.NewPCG(1, 2)), make([]byte, 5_000)
	for i := range filler {
		filler[i] = byte('a' + random.IntN(26))
	}
	sample := entry{"samples/a_epoch_1.json", `{"attachments":{"` + hash + `":"first","` + other + `":" second"},"id":"a","epoch":1,"output":{"choices":[{"message":{` +
		`"content":[{"type":"text","text":"attachment://` + hash + `"},{"type":"text","text":"attachment://` + other + `"}]},"stop_reason":"stop"}]},` +
		`"z":"` + strings.Repeat(string(filler), 400) + `"}`, zip.Deflate}
	log := writeLog(t, header, sample)
	limits := input.Limits{Limits: dump.Limits{Ratio: len(sample.text) * 3 / 2 / len(log)}}
	all, err := readFile(t, log, limits, Options{}, Inspect)
	if got, want := summary(all), "a#1 a 1 \"first\\n second\" \"\" stop \n"; err != nil || got != want {
		t.Errorf("ratio %d: got %q, %v; want %q", limits.Ratio, got, err, want)
		for _, g := range all {
			t.Log(g.Fault)
		}
	}
}

// TestMadeUpDocuments reads documents whose members stand in other orders, and torn ones.
func TestMadeUpDocuments(t *testing.T) {
	a := `{"id":"a","epoch":1,"output":{"choices":[{"message":{"content":"A"}}]}}`
	for text, want := range map[string]string{
		`{"version":2,"eval":{"model":"m"},"samples":[` + a + `],"stats":{}}`: "a#1 a 1 \"A\" \"\"  \n",
		`{"samples":[` + a + `,3],"version":2}`:                               "a#1 a 1 \"A\" \"\"  \nsamples[1] fault\n",
		`{"version":2,"samples":null}`:                                        "",
		`{"version":3,"samples":[` + a + `]}`:                                 "log format version 3; this reader knows 1 and 2; want it converted with inspect itself",
		`{"version":2,"samples":[` + a + `,{"id"`:                             "a#1 a 1 \"A\" \"\"  \nsamples: the document breaks off at byte 101 in element 1; the elements before it are delivered",
		`{"version":2,"samples":[` + a + `]`:                                  "a#1 a 1 \"A\" \"\"  \nsamples: the document breaks off at byte 96 in element 0; the elements before it are delivered",
		`{"samples":[` + a + `]}`:                                             "a#1 a 1 \"A\" \"\"  \ncannot read the document behind samples[0]: the log has no version",
		`{"version":2,"samples":[` + a + `] "x":1}`:                           "a#1 a 1 \"A\" \"\"  \ncannot read the document behind samples[0]: byte 97: got '\"'; want ',' or '}'",
		`[]`: "byte 0: got '['; want an object",
	} {
		all, err := readFile(t, []byte(text), input.Limits{}, Options{}, InspectJSON)
		got := summary(all)
		if err != nil {
			got += err.Error()
		}
		if got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", text, got, want)
		}
	}
}

// TestMadeUpStates reads states of HELM that the samples lack. See docs/spec/dumps-files.md#r15.
func TestMadeUpStates(t *testing.T) {
	state := func(more string) string {
		return `{"result":{"completions":[{"tokens":[{"logprob":-Infinity}],"finish_reason":{"reason":"length"},"text":"A"}],"success":true},"instance":{"id":"i"}` + more + `}`
	}
	for text, want := range map[string]string{
		`{"request_states":[` + state("") + `,` + state(`,"request_mode":"calibration","reference_index":0`) + `,` + state(`,"reference_index":1`) + `],"adapter_spec":{}}`: "" +
			"request_states[0] i 0 \"A\" \"\" length answer\nrequest_states[2] no_text the options were weighed one by one (reference_index); there is no text of an answer\n",
		`{"request_states":[3,{}]}`:              "request_states[0] fault\nrequest_states[1] fault\n",
		`{"adapter_spec":{}}`:                    "the document has no request_states; want the file scenario_state.json",
		`{"request_states":[` + state("") + `}`:  "request_states[0] i 0 \"A\" \"\" length answer\ncannot read the document behind request_states[0]: byte 166: got '}'; want ',' or ']'",
		`{"request_states":{},"adapter_spec":1}`: "byte 18: got '{'; want a list",
	} {
		all, err := readFile(t, []byte(text), input.Limits{}, Options{}, HELM)
		got := summary(all)
		if err != nil {
			got += err.Error()
		}
		if got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", text, got, want)
		}
	}
}
