package scan_test

import (
	"slices"
	"testing"

	"plumb/render/chord"
	"plumb/render/scan"
)

// A rectangle in a single row is 1/256 px less high; in several rows the parts are as they are.
func TestSharpRectRows(t *testing.T) {
	for _, c := range []struct {
		top, bottom float32
		want        []byte // alpha of the first column, by rows from 1 on
	}{
		{1.25, 1.5, []byte{63}},
		{1.75, 2, []byte{63}},
		{1.75, 2.25, []byte{64, 64}},
		{1, 2, []byte{255}},
		{1.5, 1.5, []byte{0}},
		{1.5, 1.50390625, []byte{0}},
	} {
		var to scan.Coverage
		scan.SharpRect(&to, [4]float32{3, c.top, 4, c.bottom}, chord.Rect{X1: 9, Y1: 9})
		var got []byte
		for _, s := range to.Spans {
			a := byte(255)
			if s.FirstByte != scan.Full {
				a = to.Bytes[s.FirstByte]
			}
			got = append(got, a)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("rows from %g to %g: got %d; want %d", c.top, c.bottom, got, c.want)
		}
	}
}
