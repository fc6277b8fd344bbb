package record

import "testing"

// A page or a trace that cannot be written is an error.
func TestFullDisk(t *testing.T) {
	f := New("1", "commit", nil)
	if err := f.Page("/dev/full", nil); err == nil {
		t.Error("a page on a full device is no error")
	}
	if err := f.Trace("/dev/full", nil); err == nil {
		t.Error("a trace on a full device is no error")
	}
}
