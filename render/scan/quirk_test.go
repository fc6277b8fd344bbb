package scan

import (
	"bytes"
	"strings"
	"testing"

	"plumb/render/rastertest"
)

// Without any one of the reference's quirks some vectors are no longer the
// browser's, and fewer scenes are.
func TestQuirks(t *testing.T) {
	exports, pictures := scenes(t, "balance")
	vectors := rastertest.Vectors(t)
	whole := held(t, new(Scanner), exports, pictures)
	for _, c := range []struct {
		name string
		q    quirk
	}{{"end snapping", endSnap}, {"walked x", walkedX}, {"convex walker", convexRule}, {"small mask", smallMask}, {"smooth jump", smoothJump}} {
		s := &Scanner{without: c.q}
		var apart []string
		for i := range vectors {
			if v := &vectors[i]; !bytes.Equal(render(t, v, s).a, v.Alpha) {
				apart = append(apart, v.ID)
			}
		}
		all := held(t, s, exports, pictures)
		t.Logf("without %-13s  %2d of %d scenes equal (%d with it), %6d pixels differ, by at most %3d; %2d vectors: %s",
			c.name, all.equal, all.scenes, whole.equal, all.wrong, all.worst, len(apart), strings.Join(apart, " "))
		if len(apart) == 0 && all.wrong <= whole.wrong {
			t.Errorf("nothing shows whether %s is there", c.name)
		}
	}
}
