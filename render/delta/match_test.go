package delta

import (
	"math/rand/v2"
	"slices"
	"testing"

	"plumb/render/paint"
)

// lists returns layers with stamps of these numbers.
func lists(old, layers []int) ([]Layer, []paint.Layer) {
	a, b := make([]Layer, len(old)), make([]paint.Layer, len(layers))
	for i, n := range old {
		a[i].Stamp = paint.Stamp{uint64(n)}
	}
	for i, n := range layers {
		b[i].Stamp = paint.Stamp{uint64(n)}
	}
	return a, b
}

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		old, layers []int
		want        []int32
	}{
		{nil, nil, nil},
		{[]int{1, 2}, nil, nil},
		{nil, []int{1}, []int32{-1}},
		{[]int{1, 2, 3}, []int{1, 2, 3}, []int32{0, 1, 2}},
		{[]int{1, 2, 3}, []int{1, 2, 3, 4}, []int32{0, 1, 2, -1}},
		{[]int{1, 2, 3}, []int{1, 3}, []int32{0, 2}},
		{[]int{1, 2, 3}, []int{1, 9, 3}, []int32{0, -1, 2}},
		{[]int{1, 2, 3, 4}, []int{4, 1, 2, 3}, []int32{-1, 0, 1, 2}},
		{[]int{1, 2, 3, 4}, []int{2, 3, 4, 1}, []int32{1, 2, 3, -1}},
		{[]int{5, 5}, []int{5, 5, 5}, []int32{0, 1, -1}},
		{[]int{7, 5, 5}, []int{5, 5}, []int32{-1, 2}},
	} {
		old, layers := lists(c.old, c.layers)
		if got := new(matcher).pairUp(nil, layers, old); !slices.Equal(got, c.want) {
			t.Errorf("old %v, new %v: got %v; want %v", c.old, c.layers, got, c.want)
		}
	}
}

// TestMatchIsLongest compares with all subsequences, and checks that pairs are equal and in order.
func TestMatchIsLongest(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	var m matcher
	for range 2000 {
		a, b := r.Perm(9)[:r.IntN(8)], r.Perm(9)[:r.IntN(8)]
		old, layers := lists(a, b)
		got := m.pairUp(nil, layers, old)
		n, last := 0, int32(-1)
		for i, at := range got {
			if at < 0 {
				continue
			}
			if at <= last || a[at] != b[i] {
				t.Fatalf("old %v, new %v: got %v", a, b, got)
			}
			n, last = n+1, at
		}
		if want := longest(a, b); n != want {
			t.Fatalf("old %v, new %v: %d pairs in %v; want %d", a, b, n, got, want)
		}
	}
}

// longest returns the length of the longest common subsequence.
func longest(a, b []int) int {
	switch {
	case len(a) == 0 || len(b) == 0:
		return 0
	case a[0] == b[0]:
		return 1 + longest(a[1:], b[1:])
	}
	return max(longest(a[1:], b), longest(a, b[1:]))
}
