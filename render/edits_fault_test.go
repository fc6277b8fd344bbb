//go:build fault

package render

import (
	"testing"

	"plumb/render/delta"
)

// TestBrokenRulesAreFound: the comparison of TestMadeUpEdits notices each rule that is broken.
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
}
