package annotate

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"plumb/daemon/jsoncut"
	"plumb/daemon/records/archive"
	"plumb/daemon/records/input"
	"plumb/daemon/records/jsonwalk"
	"plumb/daemon/records/sheets"
)

// Copy writes a copy of a dump with its scores to w, uncompressed. format is the name of the dump's format.
// Some formats are kept as Parquet, spreadsheets, lists or lines, which the first bytes tell apart. A log of
// inspect_ai is refused with ErrInspect. If the dump breaks off, the copy ends there with an error.
func Copy(in *input.Input, format string, w io.Writer, r *Results) error {
	head := in.Head()
	text := bytes.TrimLeft(head, " \t\r\n")
	switch {
	case format == "inspect":
		return ErrInspect
	case bytes.HasPrefix(head, []byte("PK")):
		if kind, err := archive.Kind(in); err != nil || kind != archive.XLSX {
			return errors.Join(ErrInspect, err)
		}
		return sheets.AnnotateXLSX(in, w, r)
	case bytes.HasPrefix(head, []byte("PAR1")):
		return sheets.AnnotateParquet(in, w, r)
	}
	out := bufio.NewWriterSize(w, 1<<20)
	err := copyText(in, format, text, out, r)
	return errors.Join(err, out.Flush())
}

// copyText copies a dump that is text and adds the scores of its records. text is the beginning of the
// dump without blanks before it. With the format it says whether the dump is a document of HELM, a JSON
// list, JSON lines or a table of separated values.
func copyText(in *input.Input, format string, text []byte, out *bufio.Writer, r *Results) error {
	switch {
	case format == "helm":
		return copyDocument(in, out, r)
	case bytes.HasPrefix(text, []byte("[")):
		return copyList(in, out, r)
	case bytes.HasPrefix(text, []byte("{")) || format != "table" && format != "vlmevalkit":
		return copyLines(in, out, r)
	}
	return sheets.AnnotateCSV(in, out, r)
}

// copyLines copies a dump with a JSON object per line, and adds the member plumb to each object that has
// results. A line above the limit has none, because the reader refused it; it is copied unchanged, in pieces.
func copyLines(in *input.Input, out *bufio.Writer, r *Results) error {
	src := in.Stream()
	var line []byte
	for n := 1; ; n++ { // the number of the line
		line = line[:0]
		isTooLong := false // part of the line is written already
		for {
			part, err := src.ReadSlice('\n')
			if line = append(line, part...); lengthOf(line) > in.Limits.Line {
				isTooLong = true
				out.Write(line)
				line = line[:0]
			}
			if err == bufio.ErrBufferFull { // the line goes on
				continue
			}
			if err != nil && err != io.EOF {
				return err
			}
			if !isTooLong { // annotate returns err again, which may be io.EOF
				if line, err = r.annotate(line, fmt.Sprintf("line %d", n), err); err != nil && err != io.EOF {
					return err
				}
			}
			if _, werr := out.Write(line); werr != nil {
				return werr
			}
			if err == io.EOF {
				return nil
			}
			break
		}
	}
}

// annotate returns a JSON object of the dump with the results of the place at as its last member,
// plumb. A member plumb that an earlier copy added is removed. A text that is not a whole object, or
// that has no results, is returned as it is. ended is the error with which reading the object ended,
// such as io.EOF. It is returned too, so that callers can write the object before they stop.
func (r *Results) annotate(object []byte, at string, ended error) ([]byte, error) {
	end := bytes.LastIndexByte(object, '}')
	text := bytes.TrimLeft(object, " \t\r\n")
	isWhole := end >= 0 && len(text) > 0 && text[0] == '{' && len(bytes.TrimSpace(object[end+1:])) == 0
	if !isWhole {
		return object, ended
	}
	value, err := r.appendValue(nil, at)
	if err != nil || len(value) == 0 {
		return object, errors.Join(err, ended)
	}
	tail := append([]byte{}, object[end:]...)
	object = withoutPlumb(object[:end+1])
	object = object[:len(object)-1] // without its bracket, which is in tail
	if members := bytes.TrimRight(object, " \t\r\n"); members[len(members)-1] != '{' {
		object = append(members, ',')
	}
	object = append(append(object, `"plumb":`...), value...)
	return append(object, tail...), ended
}

// withoutPlumb returns an object of a dump without its member plumb, which an earlier copy added.
// An object without it is returned as it is.
func withoutPlumb(object []byte) []byte {
	if !bytes.Contains(object, []byte(`"plumb"`)) { // the usual case, without a walk over the members
		return object
	}
	out, hasPlumb := []byte{'{'}, false
	err := jsoncut.Members(bytes.TrimLeft(object, " \t\r\n"), func(key, value []byte) error {
		if jsoncut.Name(key) == "plumb" {
			hasPlumb = true
			return nil
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(append(append(out, '"'), key...), '"', ':'), value...)
		return nil
	})
	if err != nil || !hasPlumb {
		return object
	}
	return append(out, '}')
}

// copyList copies a dump that is a JSON list, one element a line, with the member plumb in each
// that has results.
func copyList(in *input.Input, out *bufio.Writer, r *Results) error {
	list := jsonwalk.NewList(in.Stream(), in.Limits.Line)
	out.WriteString("[")
	for separator := "\n"; ; separator = ",\n" {
		b, i, err := list.Next()
		if err == io.EOF {
			_, err := out.WriteString("\n]\n")
			return err
		}
		if err == nil {
			b, err = r.annotate(bytes.Clone(b), fmt.Sprintf("element %d", i), nil)
		}
		if err != nil {
			return err
		}
		out.WriteString(separator)
		if _, err := out.Write(b); err != nil {
			return err
		}
	}
}

// copyDocument copies a document of HELM, a JSON object, with one member a line. In its list
// request_states each state gets the member plumb with its score; other members are copied unchanged.
func copyDocument(in *input.Input, out *bufio.Writer, r *Results) error {
	walker := jsonwalk.New(in.Stream())
	if err := walker.Object(); err != nil {
		return err
	}
	var buf []byte
	for separator := "{\n"; ; separator = ",\n" { // what is written before the next member
		b, ok, err := walker.Member()
		if err != nil {
			return err
		}
		if !ok {
			if separator == "{\n" { // the object has no member
				out.WriteString("{")
			}
			out.WriteString("\n}\n")
			return walker.End()
		}
		name := string(b)
		fmt.Fprintf(out, "%s\"%s\": ", separator, name)
		if name == "request_states" {
			if err := copyStates(walker, in.Limits.Line, out, r); err != nil {
				return err
			}
			continue
		}
		if buf, err = walker.Append(buf[:0], nil, in.Limits.Line); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if _, err := out.Write(buf); err != nil {
			return err
		}
	}
}

// copyStates copies the list request_states of a document of HELM, one element a line, and adds its
// score to each. limit bounds the bytes of an element.
func copyStates(walker *jsonwalk.Walker, limit int, out *bufio.Writer, r *Results) error {
	if err := walker.List(); err != nil {
		return err
	}
	var buf []byte
	out.WriteString("[")
	for i, separator := 0, "\n"; ; i, separator = i+1, ",\n" {
		ok, err := walker.Element()
		if err != nil {
			return err
		}
		if !ok {
			_, err := out.WriteString("\n]")
			return err
		}
		if buf, err = walker.Append(buf[:0], nil, limit); err == nil {
			buf, err = r.annotate(buf, fmt.Sprintf("request_states[%d]", i), nil)
		}
		if err != nil {
			return fmt.Errorf("request_states[%d]: %w", i, err)
		}
		out.WriteString(separator)
		if _, err := out.Write(buf); err != nil {
			return err
		}
	}
}
