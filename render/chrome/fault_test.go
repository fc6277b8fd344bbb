//go:build fault

package chrome

import "testing"

// TestFault: PLUMB_FAULT kills browsers under exports, which costs a retry each
// and no request.
func TestFault(t *testing.T) {
	t.Setenv("PLUMB_FAULT", "hang@1,chrome_kill@2,chrome_kill@4,chrome_kill@5")
	faults.n = 0
	p := open(t, Config{})
	var want []byte
	for range 5 {
		want = same(t, p, want)
	}
	s := p.Stats()
	if s.Exports != 5 || s.Retries < 1 || s.Browsers < 3 {
		t.Errorf("got %+v; want 5 exports, retries, and a new browser after each kill", s)
	}
}
