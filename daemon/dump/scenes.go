package dump

import (
	"bytes"
	"io"

	"github.com/valyala/fastjson"

	"plumb/render/scene"
)

// Scenes calls give for each scene of a file: one per line, or the whole file where that is
// JSON and its first line is not (a .tldr file with line breaks). give may keep the bytes
// of the lines.
func Scenes(r *Reader, limits Limits, give func(Line)) error {
	var held []Line
	size, whole := 0, true
	release := func() {
		for _, l := range held {
			if len(bytes.TrimSpace(l.Bytes)) > 0 || l.Fault != "" {
				give(l)
			}
		}
		held, whole = nil, false
	}
	for {
		l, err := r.NextRaw()
		if err != nil {
			if doc := joined(held, size); whole && doc != nil {
				give(Line{N: held[0].N, Bytes: doc})
			} else {
				release()
			}
			if err == io.EOF {
				return nil
			}
			return err
		}
		l.Bytes = bytes.Clone(l.Bytes)
		held = append(held, l)
		size += len(l.Bytes) + 1
		first := len(held) == 1 && len(bytes.TrimSpace(l.Bytes)) > 0 && scene.Check(l.Bytes, fastjson.MaxDepth) == nil
		if !whole || first || l.Fault != "" || size > limits.Filled().Line {
			release()
		}
	}
}

// joined returns lines as one JSON document, nil where they are not one. size is the
// length of the lines in bytes, with their ends.
func joined(lines []Line, size int) []byte {
	doc := make([]byte, 0, size)
	for _, l := range lines {
		doc = append(append(doc, l.Bytes...), '\n')
	}
	if len(lines) == 0 || scene.Check(doc, fastjson.MaxDepth) != nil {
		return nil
	}
	return doc
}
