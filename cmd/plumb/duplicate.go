package main

import (
	"bytes"
	"slices"

	"plumb/daemon/jsoncut"
	"plumb/scoring"
)

// addDuplicateNote adds the note duplicate_id to a result line whose answer an earlier dump
// already has. It returns a copy, or the line itself if it has the note. A daemon detects
// only the duplicates within one dump.
func addDuplicateNote(line []byte, r *scoring.Result) []byte {
	if slices.ContainsFunc(r.Notes, func(n scoring.Note) bool { return n.Code == scoring.Duplicate.Code }) {
		return line
	}
	out := bytes.Clone(line)
	jsoncut.Members(line, func(key, value []byte) error {
		if string(key) != "notes" {
			return nil
		}
		end := cap(line) - cap(value) + len(value) - 1 // the closing bracket: both end with the same array
		var note []byte
		if line[end-1] != '[' {
			note = append(note, ',')
		}
		out = slices.Insert(out, end, scoring.Duplicate.AppendJSON(note)...)
		return nil
	})
	return out
}

// noteDuplicate returns a result with the note that addDuplicateNote adds to its line; nil for nil.
func noteDuplicate(r *scoring.Result) *scoring.Result {
	if r == nil || slices.ContainsFunc(r.Notes, func(n scoring.Note) bool { return n.Code == scoring.Duplicate.Code }) {
		return r
	}
	noted := *r
	noted.Notes = append(slices.Clip(noted.Notes), scoring.Duplicate)
	return &noted
}
