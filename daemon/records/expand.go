package records

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"plumb/daemon/records/address"
	"plumb/daemon/records/input"
)

// Expand returns the dumps that arguments name: files, "-", globs with **, and folders, which are
// walked in the order of the bytes of names. skipped lists files of folders that have no known
// format. Hidden files and files that only belong to dumps are left out. It opens only the files
// in folders; Check opens the others. See docs/spec/dumps.md#r23.
func Expand(args []string, format string, limits input.Limits) (paths, skipped []string, err error) {
	for _, arg := range args {
		if arg == "-" {
			paths = append(paths, arg)
			continue
		}
		if address.Is(arg) {
			found, err := addresses(arg, limits.Remote)
			if err != nil {
				return nil, nil, err
			}
			paths = append(paths, found...)
			continue
		}
		info, err := os.Stat(arg)
		switch {
		case err == nil && info.IsDir():
			found, left, err := folder(arg, format, limits)
			if err != nil {
				return nil, nil, err
			}
			paths, skipped = append(paths, found...), append(skipped, left...)
		case err != nil && strings.ContainsAny(arg, "*?[{"):
			found, e := doublestar.FilepathGlob(arg, doublestar.WithFilesOnly())
			if e != nil {
				return nil, nil, fmt.Errorf("cannot use glob %q: %w", arg, e)
			}
			if len(found) == 0 {
				return nil, nil, fmt.Errorf("cannot open dump: no file matches %q", arg)
			}
			slices.Sort(found)
			paths = append(paths, found...)
		default:
			paths = append(paths, arg) // opening it says what is wrong
		}
	}
	return paths, skipped, nil
}

// addresses returns the names of the objects that the address of a dump names, which are looked up.
func addresses(arg string, o *address.Options) (names []string, err error) {
	if o == nil {
		return nil, fmt.Errorf("cannot open %s: want a file", address.Name(arg))
	}
	found, err := o.Expand(context.Background(), arg)
	for _, one := range found {
		at, e := o.Find(context.Background(), one)
		if e != nil {
			return nil, e
		}
		names = append(names, at.Name)
	}
	return names, err
}

// Check returns an error for the first dump that cannot be opened or has no known format, so that a
// run ends before it scores anything. Pipes are not opened, because that would take their bytes.
func Check(paths []string, format string, limits input.Limits) error {
	for _, path := range paths {
		if info, err := os.Stat(path); path == "-" || err == nil && !info.Mode().IsRegular() {
			continue
		}
		if err := known(path, format, limits); err != nil {
			return err
		}
	}
	return nil
}

// known returns an error for a file that cannot be read as a dump, which says why.
func known(path, format string, limits input.Limits) error {
	in, err := input.Open(path, nil, limits)
	if err != nil {
		return err
	}
	defer in.Close()
	if format != "" {
		return nil
	}
	if _, err := detect(in); err != nil {
		return fmt.Errorf("cannot read %s: %w", path, err)
	}
	return nil
}

// folder returns the dumps in a folder, and its files that have no known format.
func folder(root, format string, limits input.Limits) (paths, skipped []string, err error) {
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return fmt.Errorf("cannot read folder: %w", err)
		}
		name := d.Name()
		switch {
		case path != root && strings.HasPrefix(name, "."), strings.HasSuffix(name, "_materialized_inputs.jsonl"):
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		case d.IsDir():
			if name == "configs" && path != root || besideEval(path) {
				return filepath.SkipDir
			}
			return nil
		case !d.Type().IsRegular():
			return nil
		}
		switch err := known(path, format, limits); {
		case err == nil:
			paths = append(paths, path)
		case !errors.Is(err, ErrAside):
			skipped = append(skipped, err.Error())
		}
		return nil
	})
	if err == nil && len(paths) == 0 {
		err = fmt.Errorf("cannot read folder %s: it has no file of a known format", root)
	}
	return paths, skipped, err
}

// besideEval reports whether a folder holds the shards of an inspect log that stands beside it
// whole; reading both would count answers twice.
func besideEval(path string) bool {
	name, ok := strings.CutSuffix(path, ".shards")
	if !ok {
		return false
	}
	_, err := os.Stat(name + ".eval")
	return err == nil
}
