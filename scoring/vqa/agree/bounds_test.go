package agree

import "testing"

// TestAt: past the end of an annotator's list there is no label.
func TestAt(t *testing.T) {
	for i, want := range map[int]string{0: "a", 1: "b", 2: "", 3: ""} {
		if got := labelAt([]string{"a", "b"}, i); got != want {
			t.Errorf("item %d: got %q; want %q", i, got, want)
		}
	}
}
