package records

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"plumb/daemon/records/address"
	"plumb/daemon/records/documents"
	"plumb/daemon/records/input"
)

// Found are the dumps that arguments name.
type Found struct {
	Paths   []string
	Skipped []string // files of folders that have no known format, and why
	Damaged []error  // why dumps of folders cannot be read
}

// Expand returns the dumps that arguments name: files, "-", globs with **, folders, which are
// walked in the order of the bytes of names, and addresses. Hidden files are left out, and so are
// files that only belong to dumps. It opens only the files in folders; Check opens the others. Of o
// it uses the format, the column of answers and the limits. See docs/spec/dumps.md#r23.
func Expand(args []string, o *Options) (*Found, error) {
	f := &Found{}
	for _, arg := range args {
		if err := f.addArgument(arg, o); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// addArgument adds the dumps that one argument names: standard input for "-", the objects at an address,
// the files of a folder, the files that match a pattern, or one file.
func (f *Found) addArgument(arg string, o *Options) error {
	if arg == "-" {
		f.Paths = append(f.Paths, arg)
		return nil
	}
	if address.Is(arg) {
		return f.addAddresses(arg, o)
	}
	info, err := os.Stat(arg)
	switch {
	case err == nil && info.IsDir():
		return f.addFolder(arg, o)
	case err != nil && strings.ContainsAny(arg, "*?[{"): // a pattern, unless a file has that name
		found, e := doublestar.FilepathGlob(arg, doublestar.WithFilesOnly())
		if e != nil {
			return fmt.Errorf("cannot use glob %q: %w", arg, e)
		}
		if len(found) == 0 {
			return fmt.Errorf("cannot open dump: no file matches %q", arg)
		}
		slices.Sort(found)
		f.Paths = append(f.Paths, found...)
	default:
		f.Paths = append(f.Paths, arg) // opening it says what is wrong
	}
	return nil
}

// addAddresses adds the objects that the address of a dump names, after it has looked them up. A
// prefix that ends in / is a folder.
func (f *Found) addAddresses(arg string, o *Options) error {
	if o.Limits.Remote == nil {
		return fmt.Errorf("cannot open %s: want a file", address.Name(arg))
	}
	list, err := o.Limits.Remote.Expand(context.Background(), arg)
	if err != nil {
		return err
	}
	// Objects that the address names, itself or by a pattern, are taken whatever they hold.
	inBucket := strings.HasPrefix(arg, "s3://") || strings.HasPrefix(arg, "gs://")
	if !inBucket || !strings.HasSuffix(arg, "/") {
		for _, one := range list {
			at, err := o.Limits.Remote.Find(context.Background(), one)
			if err != nil {
				return err
			}
			f.Paths = append(f.Paths, at.Name)
		}
		return nil
	}
	// Of a folder, those that hold no answers are left out.
	before := f.count()
	for _, one := range list {
		folders, name := path.Split(strings.TrimPrefix(one, arg))
		if isAside(name) || slices.ContainsFunc(strings.Split(folders, "/"), isAsideFolder) {
			continue
		}
		at, err := o.Limits.Remote.Find(context.Background(), one)
		if err != nil {
			return err
		}
		f.takeFromFolder(at.Name, o)
	}
	return f.requireSome(before, address.Name(arg))
}

// Check returns an error for the first dump that cannot be opened or has no known format, so that a
// run ends before it scores anything. Pipes are not opened, because that would take their bytes.
func Check(paths []string, o *Options) error {
	for _, path := range paths {
		if info, err := os.Stat(path); path == "-" || err == nil && !info.Mode().IsRegular() {
			continue
		}
		if err := checkReadable(path, o); err != nil {
			return err
		}
	}
	return nil
}

// checkReadable returns an error that says why a file cannot be read as a dump, or nil. If a format
// is given, it only checks that the file can be opened.
func checkReadable(path string, o *Options) error {
	in, err := input.Open(path, nil, o.Limits)
	if err != nil {
		return err
	}
	defer in.Close()
	if o.Format != "" {
		return nil
	}
	if _, err := detect(in, o.AnswerColumn); err != nil {
		return fmt.Errorf("cannot read %s: %w", path, err)
	}
	return nil
}

// addFolder adds the dumps below a folder. It leaves out hidden files and folders, inputs, HELM's
// configs, and the shards of a log that is also there as a whole.
func (f *Found) addFolder(root string, o *Options) error {
	before := f.count()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return fmt.Errorf("cannot read folder: %w", err)
		case d.IsDir() && path != root && (isAsideFolder(d.Name()) || isBesideLog(path, o)):
			return filepath.SkipDir
		case d.Type().IsRegular() && !isAside(d.Name()):
			f.takeFromFolder(path, o)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return f.requireSome(before, root)
}

// takeFromFolder opens a file of a folder and adds it to Paths. If it is no dump in a known format, it is added to
// Skipped instead, and if it cannot be read, to Damaged. A file that only belongs to a dump and holds no
// answers is left out.
func (f *Found) takeFromFolder(path string, o *Options) {
	err := checkReadable(path, o)
	switch {
	case err == nil:
		f.Paths = append(f.Paths, path)
	case errors.Is(err, ErrAside): // left out
	case errors.As(err, new(*input.FormError)):
		f.Skipped = append(f.Skipped, err.Error())
	default:
		f.Damaged = append(f.Damaged, err)
	}
}

// count returns how many dumps were found so far, damaged ones included.
func (f *Found) count() int { return len(f.Paths) + len(f.Damaged) }

// requireSome returns an error if the folder root has no dump. before is what count returned before the
// folder was read.
func (f *Found) requireSome(before int, root string) error {
	if f.count() > before {
		return nil
	}
	return fmt.Errorf("cannot read folder %s: it has no file of a known format", root)
}

// isAside reports whether a file of a folder is left out for its name: it is hidden, or holds inputs.
func isAside(name string) bool {
	return strings.HasPrefix(name, ".") || strings.HasSuffix(name, "_materialized_inputs.jsonl")
}

// isAsideFolder reports whether a folder within another one is left out for its name.
func isAsideFolder(name string) bool { return strings.HasPrefix(name, ".") || name == "configs" }

// isBesideLog reports whether the folder at path holds the shards of an inspect_ai log that also stands
// beside the folder as a whole: NAME.shards beside NAME.eval. Then the folder is left out, because reading
// both would count answers twice. A log whose run did not succeed may lack samples, so it does not count.
func isBesideLog(path string, o *Options) bool {
	name, ok := strings.CutSuffix(path, ".shards")
	if !ok {
		return false
	}
	in, err := input.Open(name+".eval", nil, o.Limits)
	if err != nil {
		return false
	}
	defer in.Close()
	return isZip(in.Head()) && documents.Succeeded(in)
}
