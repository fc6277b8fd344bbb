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

// Run converts the records of a public data set, of SPATIALAB or SpaCE-Eval, into items that plumb scores.
// It prints for each subcategory how many items there are and how many the benchmark has. See
// docs/spec/vqa.md#r63.
func (cmd *vqaConvertCmd) Run(std streams) error {
	out, err := output(cmd.Output, std, cmd.Input)
	if err != nil {
		return err
	}
	bySubcategory, err := cmd.convertRecords(std, out)
	if err == nil {
		cmd.tellSizes(std.err, bySubcategory)
	}
	return out.finish(err)
}

// idPrefixes are what ids begin with that are made for records without one, by suite.
var idPrefixes = map[string]string{"spatialab": "sl-", "spaceeval": "se-"}

// convertRecords writes an item for each record of the data set, and returns the number of items by
// subcategory. It prints the columns of the data set that no item uses. A record that makes no valid
// item, or has the id of another one, ends the conversion.
func (cmd *vqaConvertCmd) convertRecords(std streams, out io.Writer) (map[string]int, error) {
	const withChoices = true // items with options to choose from: they need answer and options
	// Read the records, and find out which column becomes which member of the items.
	data, err := cmd.readDataSet(std)
	if err != nil {
		return nil, err
	}
	records, err := convert.Read(data, cmd.pictureWriter())
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", inputName(cmd.Input), err)
	}
	mapping, err := convert.Map(records, cmd.Map, withChoices)
	if err != nil {
		return nil, fmt.Errorf("cannot convert %s: %w", cmd.Input, err)
	}
	if len(mapping.Unused) > 0 {
		fmt.Fprintf(std.err, "columns that no member comes from: %s\n", strings.Join(mapping.Unused, ", "))
	}
	// Make and check an item of each record.
	suites := cmd.uncachedSuites()
	decoder := dump.NewDecoder(dump.ItemConfig{Suites: suites, DefaultSuite: cmd.Suite, Limits: cmd.scenes()})
	counts := map[string]int{}
	seen := map[string]bool{}
	for i, record := range records {
		line, err := mapping.Item(record, i+1, idPrefixes[cmd.Suite])
		if err != nil {
			return nil, fmt.Errorf("cannot convert record %d: %w", i+1, err)
		}
		item, fault := decoder.Item(dump.Line{Number: i + 1, Bytes: line}, cmd.Suite)
		if fault != nil {
			return nil, fmt.Errorf("cannot convert record %d: %w", i+1, fault)
		}
		if seen[item.ID] {
			return nil, fmt.Errorf("cannot convert record %d: another one has its id %q; want --map id=COLUMN with ids that occur once", i+1, item.ID)
		}
		seen[item.ID] = true
		// The suite checks the item. A result that it makes, here one without an answer, names the
		// subcategory in the one form that tables use.
		job, err := suites.Find(cmd.Suite).Prepare(item, scoring.Variants{})
		if err != nil {
			return nil, fmt.Errorf("cannot convert record %d (%s): %w", i+1, item.ID, err)
		}
		result := job.Fail(scoring.Error{Code: "no_response", Message: "it has no response"})
		counts[strings.Join(result.Strings("subcategory"), "")]++
		if _, err := out.Write(append(line, '\n')); err != nil {
			return nil, err
		}
	}
	return counts, nil
}

// pictureWriter returns a function that writes a picture of a record into the folder of --images, under its
// SHA-256, and returns its path for the item. It returns nil without --images.
func (cmd *vqaConvertCmd) pictureWriter() func(picture []byte, ext string) (string, error) {
	if cmd.Images == "" {
		return nil
	}
	return func(picture []byte, ext string) (string, error) {
		if err := os.MkdirAll(cmd.Images, 0o755); err != nil {
			return "", fmt.Errorf("cannot make folder: %w", err)
		}
		path := filepath.Join(cmd.Images, hashOf(picture)+"."+ext)
		if err := writeWhole(path, picture); err != nil {
			return "", err
		}
		return cmd.relativeToItems(path), nil
	}
}

// relativeToItems returns the path of a picture relative to the folder of the file of items, because readers of
// items look for pictures from there. It returns the path as it is if the items go to standard output or
// there is no relative path.
func (cmd *vqaConvertCmd) relativeToItems(path string) string {
	if cmd.Output == "-" {
		return path
	}
	folder, err := filepath.Abs(filepath.Dir(cmd.Output))
	if err != nil {
		return path
	}
	picture, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	if rel, err := filepath.Rel(folder, picture); err == nil {
		return filepath.ToSlash(rel)
	}
	return path
}

// readDataSet returns the whole data set, from a file or from standard input, of 1 GiB at most. It is read as a
// whole because a JSON list and Parquet need that.
func (cmd *vqaConvertCmd) readDataSet(std streams) ([]byte, error) {
	const maxBytes = 1 << 30
	var r io.Reader = std.in
	if cmd.Input != "-" {
		file, err := os.Open(cmd.Input)
		if err != nil {
			return nil, fmt.Errorf("cannot read records: %w", err)
		}
		defer file.Close()
		r = file
	}
	data, err := io.ReadAll(io.LimitReader(r, maxBytes+1)) // one byte more shows that there is too much
	if err == nil && len(data) > maxBytes {
		err = errors.New("it has more than 1 GiB; want a smaller file, such as one split of the data set")
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", inputName(cmd.Input), err)
	}
	return data, nil
}

// tellSizes prints for each subcategory of the benchmark how many items were converted and how many the
// benchmark has, and the sums. converted has the numbers by the id of the subcategory.
func (cmd *vqaConvertCmd) tellSizes(w io.Writer, converted map[string]int) {
	convertedSum, publishedSum := 0, 0
	for _, published := range vqa.Sizes(cmd.Suite) {
		fmt.Fprintf(w, "%6d of %4d  %s\n", converted[published.ID], published.Items, published.Name)
		convertedSum += converted[published.ID]
		publishedSum += published.Items
	}
	fmt.Fprintf(w, "%6d of %4d\n", convertedSum, publishedSum)
}
