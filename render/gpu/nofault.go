//go:build !fault

package gpu

// fault is what tests inject; without the build tag nothing ever is.
type fault uint8

const (
	faultNone fault = iota
	faultLoss
	faultHang
)

func loadFaults() error { return nil }

func nextFault() fault { return faultNone }
