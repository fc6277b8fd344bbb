package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"plumb/daemon/dump"
	"plumb/scoring"
	"plumb/scoring/vqa"
	"plumb/scoring/vqa/convert"
)

// vqaCmd is `plumb vqa`.
type vqaCmd struct {
	Convert vqaConvertCmd `cmd:"" help:"Make items of SPATIALAB or SpaCE-Eval from a public data set."`
}

// vqaConvertCmd is `plumb vqa convert`.
type vqaConvertCmd struct {
	Input  string            `arg:"" help:"Records: a JSON list, JSON lines, CSV with a header, or Parquet; - is standard input."`
	Images string            `placeholder:"DIR" help:"Folder for the pictures that records of Parquet hold, named by their SHA-256. The items then name them."`
	Suite  string            `enum:"spatialab,spaceeval" required:"" help:"Suite of the items: spatialab or spaceeval."`
	Map    map[string]string `placeholder:"FIELD=COLUMN" help:"Column from which a member of the items comes (id, image, question, options, answer, open_answer, category, subcategory, prompt), where its name does not say; may be repeated."`
	Output string            `short:"o" default:"-" placeholder:"FILE" help:"File for the items, one JSON line each; - is standard output."`
	limitFlags
}

// Run converts the records of a data set into items, and prints how many items each subcategory has
// and should have. See docs/spec/vqa.md#r63.
func (c *vqaConvertCmd) Run(std streams) error {
	out, err := output(c.Output, std, c.Input)
	if err != nil {
		return err
	}
	n, err := c.convert(std, out)
	if err == nil {
		c.tellSizes(std.err, n)
	}
	return out.finish(err)
}

// idPrefixes are what ids begin with that are made for records without one, by suite.
var idPrefixes = map[string]string{"spatialab": "sl-", "spaceeval": "se-"}

// convert writes the items and returns their number by subcategory. It prints the columns that no item
// uses. A record that makes no valid item, or has the id of another one, ends the conversion.
func (c *vqaConvertCmd) convert(std streams, out io.Writer) (map[string]int, error) {
	b, err := c.read(std)
	if err != nil {
		return nil, err
	}
	records, err := convert.Read(b, c.keeper())
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", c.Input, err)
	}
	m, err := convert.Map(records, c.Map, true)
	if err != nil {
		return nil, fmt.Errorf("cannot convert %s: %w", c.Input, err)
	}
	if len(m.Unused) > 0 {
		fmt.Fprintf(std.err, "columns that no member comes from: %s\n", strings.Join(m.Unused, ", "))
	}
	suites := c.suites(0, 0)
	d := dump.NewDecoder(dump.ItemConfig{Suites: suites, Suite: c.Suite, Limits: c.scenes()})
	counts := map[string]int{}
	seen := map[string]bool{}
	for i, r := range records {
		line, err := m.Item(r, i+1, idPrefixes[c.Suite])
		if err != nil {
			return nil, fmt.Errorf("cannot convert record %d: %w", i+1, err)
		}
		it, fault := d.Item(dump.Line{N: i + 1, Bytes: line}, c.Suite)
		if fault != nil {
			return nil, fmt.Errorf("cannot convert record %d: %w", i+1, fault)
		}
		if seen[it.ID] {
			return nil, fmt.Errorf("cannot convert record %d: another one has its id %q; want --map id=COLUMN with ids that occur once", i+1, it.ID)
		}
		seen[it.ID] = true
		// The suite checks the item, and its result without an answer has the subcategory in its one form.
		job, err := suites.Find(c.Suite).Prepare(it, scoring.Variants{})
		if err != nil {
			return nil, fmt.Errorf("cannot convert record %d (%s): %w", i+1, it.ID, err)
		}
		result := job.Fail(scoring.Error{Code: "no_response", Message: "it has no response"})
		counts[strings.Join(result.Strings("subcategory"), "")]++
		if _, err := out.Write(append(line, '\n')); err != nil {
			return nil, err
		}
	}
	return counts, nil
}

// keeper returns a function that writes a picture of a record into the folder of --images, under its
// SHA-256, and returns its path for the item. It returns nil without --images.
func (c *vqaConvertCmd) keeper() func(picture []byte, ext string) (string, error) {
	if c.Images == "" {
		return nil
	}
	return func(picture []byte, ext string) (string, error) {
		if err := os.MkdirAll(c.Images, 0o755); err != nil {
			return "", fmt.Errorf("cannot make folder: %w", err)
		}
		path := filepath.Join(c.Images, hashOf(picture)+"."+ext)
		if err := writeWhole(path, picture); err != nil {
			return "", err
		}
		return c.fromItems(path), nil
	}
}

// fromItems returns the path of a picture relative to the file of items, as readers of items expect
// it. It returns the path itself if the items go to standard output or there is no relative path.
func (c *vqaConvertCmd) fromItems(path string) string {
	if c.Output == "-" {
		return path
	}
	file, err := filepath.Abs(filepath.Dir(c.Output))
	if err != nil {
		return path
	}
	picture, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	if rel, err := filepath.Rel(file, picture); err == nil {
		return filepath.ToSlash(rel)
	}
	return path
}

// read returns the whole data set, from a file or from standard input, of 1 GiB at most. It is read as a
// whole because a JSON list and Parquet need that.
func (c *vqaConvertCmd) read(std streams) ([]byte, error) {
	const maxBytes = 1 << 30
	var r io.Reader = std.in
	if c.Input != "-" {
		f, err := os.Open(c.Input)
		if err != nil {
			return nil, fmt.Errorf("cannot read records: %w", err)
		}
		defer f.Close()
		r = f
	}
	b, err := io.ReadAll(io.LimitReader(r, maxBytes+1))
	if err == nil && len(b) > maxBytes {
		err = errors.New("it has more than 1 GiB; want a smaller file, such as one split of the data set")
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", c.Input, err)
	}
	return b, nil
}

// tellSizes prints how many items each subcategory has beside how many the benchmark has, and the sums.
func (c *vqaConvertCmd) tellSizes(w io.Writer, n map[string]int) {
	total, all := 0, 0
	for _, s := range vqa.Sizes(c.Suite) {
		fmt.Fprintf(w, "%6d of %4d  %s\n", n[s.ID], s.Items, s.Name)
		total, all = total+n[s.ID], all+s.Items
	}
	fmt.Fprintf(w, "%6d of %4d\n", total, all)
}
