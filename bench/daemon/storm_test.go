//go:build fault

package main

import (
	"bytes"
	"strings"
	"testing"
)

// The storm in short: trainers' retry loops, one overlapping restart, a lost
// context in each daemon. Nothing is lost, no reward is another.
func TestStorm(t *testing.T) {
	var out bytes.Buffer
	c := small(built(t, "egl fault"), &out)
	c.requests, c.distinctItems, c.clients = 5000, 1000, 64
	if err := storm(c); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	if !strings.Contains(out.String(), "contexts lost       1 and 1\n") {
		t.Errorf("want one lost context in each daemon:\n%s", out.String())
	}
}
