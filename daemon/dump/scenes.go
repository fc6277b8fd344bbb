package dump

import (
	"bytes"
	"io"

	"github.com/valyala/fastjson"

	"plumb/render/scene"
)

// Scenes gives the scenes of a file: one per line, or the whole of it where its
// first line is no JSON by itself but the file is (a .tldr file with line
// breaks). The lines' bytes are the receiver's to keep.
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

// joined returns lines as one document, nil where they are none.
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
