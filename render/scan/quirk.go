package scan

// quirk is a rule of the reference that does not follow from geometry. Tests leave one out at
// a time to show that it is needed.
type quirk uint8

const (
	endSnap    quirk = 1 << iota // docs/spec/raster.md#r21: alphas near 0 and 255 of a row's sums are snapped
	walkedX                      // docs/spec/raster.md#r16: a curve's next chord begins at the walked x
	convexRule                   // docs/spec/raster.md#r4: convex paths have a walker of their own
	smallMask                    // docs/spec/raster.md#r20: small paths are added up in a mask
	smoothJump                   // docs/spec/raster.md#r18: the convex walker passes the end of an edge by part of a row
)

// testOmits reports whether a test leaves the rule out. Outside of tests it is always false.
func (scanner *Scanner) testOmits(q quirk) bool { return scanner.without&q != 0 }
