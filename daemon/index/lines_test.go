package index

import (
	"context"
	"slices"
	"strings"
	"testing"
)

// lineSeen is what eachLine tells of a line.
type lineSeen struct {
	n     int
	at    int64
	text  string
	fault bool
}

// Lines come with their numbers and places; one that is too long comes with its beginning and a fault,
// whatever of it fits into the reader's buffer.
func TestEachLine(t *testing.T) {
	const mib = 1 << 20
	for _, limit := range []int{10, mib - 1, mib, mib + 1, 2*mib + 300_000} {
		repeated := func(s string, n int) string { return strings.Repeat(s, n) }
		lines := []string{"\xef\xbb\xbfa", "", " b\r", repeated("c", limit), repeated("d", limit+1), repeated("e", limit+mib+5), "f", repeated("g", limit)}
		text := strings.Join(lines, "\n")
		var want, got []lineSeen
		at := int64(0)
		for i, line := range lines {
			seen := lineSeen{n: i + 1, at: at, text: strings.TrimRight(line[:min(len(line), limit)], "\r"), fault: len(line) > limit}
			if i == 0 {
				seen.at, seen.text = 3, "a"
			}
			if seen.text != "" {
				want = append(want, seen)
			}
			at += int64(len(line)) + 1
		}
		err := eachLine(context.Background(), strings.NewReader(text), int64(len(text)), limit, nil, func(line []byte, n int, at int64, fault string) error {
			got = append(got, lineSeen{n, at, string(line), fault != ""})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, want) {
			for i := range min(len(got), len(want)) {
				if g, w := got[i], want[i]; g != w {
					t.Errorf("limit %d: line %d at %d has %d bytes, fault %v; want line %d at %d with %d bytes, fault %v", limit, g.n, g.at, len(g.text), g.fault, w.n, w.at, len(w.text), w.fault)
				}
			}
			t.Errorf("limit %d: got %d lines; want %d", limit, len(got), len(want))
		}
	}
}
