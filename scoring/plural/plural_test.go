package plural

import "testing"

// Only 1 has the form of one, and 0 is many.
func TestOf(t *testing.T) {
	for _, c := range []struct {
		n    int
		many []string
		want string
	}{
		{0, nil, "0 replys"}, {1, nil, "1 reply"}, {2, nil, "2 replys"}, {-1, nil, "-1 replys"}, {101, nil, "101 replys"},
		{0, []string{"replies"}, "0 replies"}, {1, []string{"replies"}, "1 reply"}, {2, []string{"replies"}, "2 replies"},
	} {
		if got := Of(c.n, "reply", c.many...); got != c.want {
			t.Errorf("Of(%d, %q): got %q; want %q", c.n, c.many, got, c.want)
		}
	}
}
