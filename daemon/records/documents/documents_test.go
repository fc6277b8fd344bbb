package documents

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plumb/daemon/records/input"
	"plumb/daemon/records/record"
	"plumb/daemon/records/record/recordtest"
)

// plain returns an opener with default limits.
func plain(read func(*input.Input, Options) (record.Source, error)) recordtest.Opener {
	return recordtest.Via(input.Limits{}, func(in *input.Input) (record.Source, error) { return read(in, Options{}) })
}

func TestSamples(t *testing.T) {
	recordtest.Good(t, "formats/inspect", func(file string) bool { return strings.HasSuffix(file, ".eval") }, plain(Inspect))
	recordtest.Good(t, "formats/inspect", func(file string) bool { return strings.Contains(file, ".json") }, plain(InspectJSON))
	recordtest.Good(t, "formats/helm", func(string) bool { return true }, plain(HELM))
}

func TestBadSamples(t *testing.T) {
	recordtest.Bad(t, "formats/inspect/bad", plain(Inspect),
		recordtest.Fault{File: "truncated.eval", Ends: true, Words: []string{"it is a zip archive without a central directory at its end (a copy that broke off?); nothing of it is read"}},
		recordtest.Fault{File: "bomb.eval", Records: 2, Faults: 1, Words: []string{"samples/bomb_epoch_1.json: ", "want at most 200 times (--max-ratio)", "the other samples are read"}},
		recordtest.Fault{File: "version.eval", Ends: true, Words: []string{"_journal/start.json: log format version 99; this reader knows 1 and 2; want it converted with inspect itself"}},
		recordtest.Fault{File: "crc.eval", Records: 1, Faults: 1, Words: []string{"samples/line-dev-01_epoch_1.json: the checksum does not match", "the other samples are read"}})
}

func TestBadStates(t *testing.T) {
	recordtest.Bad(t, "formats/helm/bad", plain(HELM),
		recordtest.Fault{File: "torn.json", Records: 1, Ends: true, Words: []string{"request_states: the document breaks off at byte 4278 in element 1; the elements before it are delivered"}},
		recordtest.Fault{File: "unrun.json", Records: 1, Words: []string{"request_states[0] no_response no result (a dry run)"}})
}

// readFile reads a made-up file.
func readFile(t *testing.T, b []byte, limits input.Limits, o Options, read func(*input.Input, Options) (record.Source, error)) ([]recordtest.Got, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "made-up")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	src, done, err := recordtest.Via(limits, func(in *input.Input) (record.Source, error) { return read(in, o) })(path, nil)
	defer done()
	if err != nil {
		return nil, err
	}
	defer src.Close()
	return recordtest.All(src)
}
