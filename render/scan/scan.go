// Package scan fills paths as the reference browser does, byte for byte
// (reference-raster.md 1 and 4 to 10). In: a path in device px, the clip, the
// fill rule. Out: the 8-bit coverage of every pixel that the path touches, as
// spans. It knows no colours and refuses nothing: a path with a point that is
// not finite, or farther than 1e15 px away, covers nothing.
package scan

// Rule says how a path is filled. The zero value is the non-zero rule and an
// opaque colour that is not black.
type Rule struct {
	EvenOdd bool
	// Plain turns off the two-pixel rule of reference-raster.md 8.3: for black
	// and for translucent colours.
	Plain bool
	// Clip fills as antialiased clips and what they clip are filled
	// (reference-raster.md 11): every pixel summed up in the row, ends snapped.
	Clip bool
}
