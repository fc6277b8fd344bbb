package rig

import (
	"os"
	"testing"
)

func TestMemoryOf(t *testing.T) {
	m := MemoryOf(os.Getpid())
	if m.Own <= 0 || m.Resident < m.Own || m.Peak < m.Own {
		t.Errorf("got %+v; want own memory above 0, and resident and peak of at least that", m)
	}
	if m := MemoryOf(1 << 30); m != (Memory{}) {
		t.Errorf("a process that is not there: got %+v; want zeros", m)
	}
}
