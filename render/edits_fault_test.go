//go:build fault

package render

import (
	"testing"

	"plumb/render/delta"
)

// TestBrokenRulesAreFound: the comparisons of TestMadeUpEdits notice each rule that is broken, of tallies and of
// images.
func TestBrokenRulesAreFound(t *testing.T) {
	defer delta.Break(delta.None)
	all := make([]edit, 150)
	for i := range all {
		all[i] = makeEdit(uint64(i))
	}
	want := measureEdits(t, open(t, BackendCPU), all, true)
	for r := delta.None; r <= delta.ForgetOverlap; r++ {
		delta.Break(r)
		n := differences(t, openCached(t, BackendCPU, 64<<20), all, want, true, r == delta.None)
		t.Logf("rule %d: %d of %d views differ", r, n, len(want))
		if (n > 0) != (r != delta.None) {
			t.Errorf("rule %d is broken: %d of %d views differ", r, n, len(want))
		}
	}
	delta.Break(delta.None)
	images := drawEdits(t, open(t, BackendCPU), all)
	for r := delta.None; r <= delta.ForgetOverlap; r++ {
		delta.Break(r)
		n := drawnDifferences(t, openCached(t, BackendCPU, 64<<20), all, images, r == delta.None)
		t.Logf("rule %d: %d of %d images differ", r, n, len(images))
		if (n > 0) != (r != delta.None && r != delta.ForgetUnits) { // images have no units
			t.Errorf("rule %d is broken: %d of %d images differ", r, n, len(images))
		}
	}
}
