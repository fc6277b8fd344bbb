package main

import (
	"bytes"
	"slices"

	"plumb/daemon/jsoncut"
	"plumb/scoring"
)

// addDuplicateNote adds the note duplicate_id to a result line whose answer an earlier dump already
// has. The scorer cannot add it, because it compares only the answers of one dump. result is what the
// line holds. It returns a changed copy of the line, or the line itself if it has the note.
func addDuplicateNote(line []byte, result *scoring.Result) []byte {
	if slices.ContainsFunc(result.Notes, func(n scoring.Note) bool { return n.Code == scoring.Duplicate.Code }) {
		return line
	}
	out := bytes.Clone(line)
	jsoncut.Named(line, func(key, value []byte) error {
		if string(key) != "notes" {
			return nil
		}
		// value is a part of line, so the capacities of both end at the same byte and their difference is
		// where value begins. end is the index of its closing bracket.
		end := cap(line) - cap(value) + len(value) - 1
		var note []byte
		if line[end-1] != '[' { // the list holds other notes
			note = append(note, ',')
		}
		out = slices.Insert(out, end, scoring.Duplicate.AppendJSON(note)...)
		return nil
	})
	return out
}

// noteDuplicate returns a copy of a result with the note that addDuplicateNote adds to its line, or
// the result itself if it has the note. It returns nil for nil.
func noteDuplicate(result *scoring.Result) *scoring.Result {
	if result == nil || slices.ContainsFunc(result.Notes, func(n scoring.Note) bool { return n.Code == scoring.Duplicate.Code }) {
		return result
	}
	noted := *result
	noted.Notes = append(slices.Clip(noted.Notes), scoring.Duplicate)
	return &noted
}
