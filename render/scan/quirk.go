package scan

// quirk is a rule of the reference that no geometry explains. Tests leave one out
// at a time, to see that it is needed and what it brings.
type quirk uint8

const (
	endSnap    quirk = 1 << iota // reference-raster.md 8.3: alphas near 0 and 255 of a row's sums go there
	walkedX                      // 6: a curve's next chord begins where the last was walked to
	convexRule                   // 7: convex paths have a walker of their own
	smallMask                    // 8.2: small paths are added up in a mask
	smoothJump                   // 7: the convex walker passes the end of an edge by part of a row
)

// lacks reports whether a rule is left out.
func (s *Scanner) lacks(q quirk) bool { return s.without&q != 0 }
