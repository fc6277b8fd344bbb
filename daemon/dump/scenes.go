package dump

import (
	"bytes"
	"cmp"
	"io"
	"slices"

	"github.com/valyala/fastjson"

	"plumb/render/scene"
)

// Scenes calls give for each scene of a file: one per line, or the whole file where that is
// JSON and its first line is not (a .tldr file with line breaks). Blank lines are left out. give may
// keep the bytes of the lines.
func Scenes(r *Reader, limits Limits, give func(Line)) error {
	document := func(doc Line) (bool, error) {
		give(doc)
		return true, nil
	}
	return linesOrDocument(r.NextOrBlank, limits, 1, document, func(l Line) error {
		if len(bytes.TrimSpace(l.Bytes)) > 0 || l.Fault != "" {
			l.Bytes = slices.Clone(l.Bytes)
			give(l)
		}
		return nil
	})
}

// linesOrDocument reads a file that either has a JSON value on each line or is one JSON document,
// maybe over several lines. It calls line for each line, or document once for the whole file. If
// document returns false, it calls line for each line after all.
//
// The file has lines if its first line alone is valid JSON. That is decided when `decideAt` lines were
// read: 1, or 2 if a file of a single line shall be offered to document first. Lines that are read
// before the decision are held, at most limits.Line bytes; a longer file has lines. document may keep
// the bytes of its argument, line may not.
func linesOrDocument(next func() (Line, error), limits Limits, decideAt int, document func(Line) (bool, error), line func(Line) error) error {
	var held []Line
	size, mayBeDocument := 0, true // size: bytes of the held lines with their ends
	flush := func() (err error) {  // gives the held lines to line
		for i := 0; i < len(held) && err == nil; i++ {
			err = line(held[i])
		}
		held = held[:0]
		return err
	}
	for {
		l, err := next()
		// The end of the file: what is held may be a document.
		if err != nil {
			if err == io.EOF {
				err = nil
			}
			if !mayBeDocument {
				return err
			}
			if doc := asDocument(held, size); doc != nil {
				done, fault := document(Line{Number: held[0].Number, Bytes: doc})
				if done || fault != nil {
					return cmp.Or(fault, err)
				}
			}
			return cmp.Or(flush(), err)
		}
		// The file is known to be lines.
		if !mayBeDocument {
			if err := line(l); err != nil {
				return err
			}
			continue
		}
		// Hold the line until it is known.
		l.Bytes = slices.Clone(l.Bytes)
		held = append(held, l)
		size += len(l.Bytes) + 1
		hasLines := len(held) == decideAt && scene.Check(held[0].Bytes, fastjson.MaxDepth) == nil
		if mayBeDocument = !hasLines && l.Fault == "" && size <= limits.WithDefaults().Line; !mayBeDocument {
			if err := flush(); err != nil {
				return err
			}
		}
	}
}

// asDocument returns the lines, put together again, if they are one valid JSON document, else nil.
// size is the length in bytes of all lines with their ends.
func asDocument(lines []Line, size int) []byte {
	doc := make([]byte, 0, size)
	for _, l := range lines {
		doc = append(append(doc, l.Bytes...), '\n')
	}
	if len(lines) == 0 || scene.Check(doc, fastjson.MaxDepth) != nil {
		return nil
	}
	return doc
}
