package shapes

import "errors"

// ErrForeign marks a scene that holds something the native renderer does not
// reproduce. The text names the shape and what of it.
var ErrForeign = errors.New("not drawn natively")

// Opaque is full opacity of an Item.
const Opaque = 1 << 16

// Alpha is an opacity in 1/255, halves up: the browser's opacities are binary32, and
// what it computes of them ends on a tie where the decimal number does, also where
// one in steps of 1/Opaque is a little short of it.
func Alpha(opacity uint32) uint32 { return (opacity*255 + Opaque/2 + 128) / Opaque }

// OpacityOf is an opacity of 0..1 in steps of 1/Opaque.
func OpacityOf(v float64) uint32 { return uint32(float64(v*Opaque) + 0.5) }
