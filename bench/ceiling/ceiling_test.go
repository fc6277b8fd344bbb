package ceiling

import (
	"testing"
	"time"
)

func TestMeasure(t *testing.T) {
	c, err := Measure("", false, time.Millisecond)
	if err != nil || c.HostCopy1 <= 0 || c.HostCopy <= 0 || c.DeviceOps != 0 || c.Device != "" {
		t.Errorf("host alone: got %+v, %v", c, err)
	}
	c, err = Measure("", true, time.Millisecond)
	if err != nil || c.Device == "" || c.DeviceOps <= 0 || c.DeviceCopy <= 0 || c.UploadRate <= 0 || c.ReadBackRate <= 0 || c.Dispatch <= 0 {
		t.Errorf("got %+v, %v; want every figure above 0", c, err)
	}
	t.Logf("%+v", c)
}

func TestUnknownDevice(t *testing.T) {
	if _, err := Measure("no-such-device", true, time.Millisecond); err == nil {
		t.Error("an unknown device was measured")
	}
}
