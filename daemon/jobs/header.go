package jobs

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/cespare/xxhash/v2"
)

// Describe returns an input dump of a job with its present size and time.
func Describe(path string) (in Input, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return in, fmt.Errorf("cannot open dump: %w", err)
	}
	full, err := filepath.Abs(path)
	return Input{Path: full, Name: path, Size: info.Size(), Modified: info.ModTime().UTC()}, err
}

// HashFile returns the xxhash64 of a file's content in 16 hexadecimal digits, which tells that it changed.
func HashFile(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("cannot open: %w", err)
	}
	defer file.Close()
	hash := xxhash.New()
	onlyReader := struct{ io.Reader }{file} // hides that a file can write itself, which would leave the buffer unused
	if _, err := io.CopyBuffer(hash, onlyReader, make([]byte, 256<<10)); err != nil {
		return "", fmt.Errorf("cannot read %s: %w", path, err)
	}
	return fmt.Sprintf("%016x", hash.Sum64()), nil
}

// ID returns a name of the job: a hash of its version of plumb, its settings and its inputs, in 16
// hexadecimal digits. So all processes that share the job compute the same name.
func (header *Header) ID() string {
	data, _ := json.Marshal(struct { // texts, numbers and times always have a JSON form
		Plumb    string
		Settings map[string]string
		Inputs   []Input
	}{header.Plumb, header.Settings, header.Inputs})
	return fmt.Sprintf("%016x", xxhash.Sum64(data))
}

// Differs compares this job, which was planned before, with header, the job of the present command. It
// returns the first difference in words: the version of plumb, an input or a setting. It returns "" if
// results would be the same. Args and Folder are not compared, because results do not depend on them.
func (planned *Header) Differs(header *Header) string {
	if planned.Plumb != header.Plumb {
		return fmt.Sprintf("it was begun by plumb %s, and this is %s", planned.Plumb, header.Plumb)
	}
	// The inputs.
	for i, input := range planned.Inputs {
		if i >= len(header.Inputs) || header.Inputs[i].Path != input.Path {
			return fmt.Sprintf("it has the input %s, which this command does not have at that place", input.Name)
		}
		switch now := header.Inputs[i]; {
		case now.Size != input.Size:
			return fmt.Sprintf("%s had %d bytes and has %d now", input.Name, input.Size, now.Size)
		case now.Tag != input.Tag:
			return fmt.Sprintf("%s had the version %s and has %s now", input.Name, input.Tag, now.Tag)
		case !now.Modified.Equal(input.Modified):
			return fmt.Sprintf("%s was modified at %s, since %s", input.Name, now.Modified.Format(time.RFC3339Nano),
				input.Modified.Format(time.RFC3339Nano))
		}
	}
	if len(header.Inputs) > len(planned.Inputs) {
		return fmt.Sprintf("it does not have the input %s", header.Inputs[len(planned.Inputs)].Name)
	}
	// The settings of both.
	var names []string
	for name := range planned.Settings {
		names = append(names, name)
	}
	for name := range header.Settings {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if had, has := planned.Settings[name], header.Settings[name]; had != has {
			return fmt.Sprintf("%s was %q and is %q now", name, had, has)
		}
	}
	return ""
}
