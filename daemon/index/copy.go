package index

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Copy writes the lines of a file whose own lines have no places, because it is compressed or in
// another format, one after another with line ends. read is called with the bytes of the file that
// were read so far; it may not be nil.
type Copy func(ctx context.Context, w io.Writer, read func(bytes int64)) error

// source is what an index is made of and lines are read from: a file, or a copy of its lines.
type source struct {
	*os.File
	stamp      stamp
	indexBase  string      // the path beside which the index stands
	copyFolder string      // that was made for a copy of the file and its index; "" where the file itself is read
	original   os.FileInfo // of the file at the path that was asked for, nil for an address
}

// openSource opens the file that an index is about. If options.Copies can make a copy of its lines, because
// the file is compressed or in another format, it opens that copy. Otherwise the file must be plain lines:
// in a compressed one, no line could be read by its place.
func openSource(ctx context.Context, path string, options *Options) (*source, error) {
	if !littleEndian() {
		return nil, errors.New("this machine is big endian, and indexes are not")
	}
	// A copy, if one is needed.
	if options.Copies != nil {
		c, err := options.Copies(path)
		if err != nil {
			return nil, err
		}
		if c != nil {
			return copyLines(ctx, path, c, options)
		}
	}
	// Else the file itself.
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	s := &source{File: file, indexBase: path}
	if s.stamp, err = stampOf(file); err == nil {
		err = checkPlain(file)
	}
	if err == nil {
		s.original, err = file.Stat()
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return s, nil
}

// copyLines copies the lines of a file to a temporary file, by calling c to write them. The name of the
// temporary file is removed at once, so that nothing is left of it when this process ends.
func copyLines(ctx context.Context, path string, c Copy, opts *Options) (s *source, err error) {
	s = &source{}
	s.original, _ = os.Stat(path) // an address has none
	root := opts.cache()
	if root != "" && os.MkdirAll(root, 0o755) != nil {
		root = ""
	}
	if s.copyFolder, err = os.MkdirTemp(root, "copy-"); err != nil {
		return nil, fmt.Errorf("cannot copy its lines: %w", err)
	}
	s.indexBase = filepath.Join(s.copyFolder, "lines")
	defer func() {
		if err != nil {
			s.discard()
		}
	}()
	if s.File, err = os.OpenFile(s.indexBase, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600); err != nil {
		return nil, fmt.Errorf("cannot copy its lines: %w", err)
	}
	os.Remove(s.indexBase) // the open file stays readable
	total := int64(0)
	if s.original != nil {
		total = s.original.Size()
	}
	out := bufio.NewWriterSize(s.File, 1<<20)
	err = c(ctx, out, func(n int64) {
		if opts.Progress != nil {
			opts.Progress(n, total)
		}
	})
	if err = errors.Join(err, out.Flush()); err != nil {
		return nil, fmt.Errorf("cannot copy its lines: %w", err)
	}
	s.stamp, err = stampOf(s.File)
	return s, err
}

// removeFolder removes the folder that was made for a copy of the lines, and with it the name of the index,
// so that nothing is left when this process ends. index is mapped into memory and stays readable; it notes
// that its file was removed on purpose. A file that is read itself has no such folder.
func (source *source) removeFolder(index *mapped) {
	if source.copyFolder != "" {
		index.isRemoved = true
		os.RemoveAll(source.copyFolder)
	}
}

// discard closes the file, or the copy of its lines, and removes the folder of the copy, if one was made.
func (source *source) discard() {
	if source.File != nil {
		source.File.Close()
	}
	if source.copyFolder != "" {
		os.RemoveAll(source.copyFolder)
	}
}

// changed reports whether the file is no longer the one that was opened.
func (source *source) changed(path string) bool {
	if source.original == nil {
		return false
	}
	info, err := os.Stat(path)
	return err != nil || info.Size() != source.original.Size() || !info.ModTime().Equal(source.original.ModTime())
}
