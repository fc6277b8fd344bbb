package scene

import "strings"

// The names of enumerated values as records write them, in the order of the constants. See
// docs/spec/drawing.md#r4.
var (
	geoNames = [...]string{"rectangle", "ellipse", "triangle", "diamond", "pentagon", "hexagon", "octagon", "star",
		"rhombus", "rhombus-2", "oval", "trapezoid", "arrow-right", "arrow-left", "arrow-up", "arrow-down",
		"x-box", "check-box", "heart", "cloud"}
	sizeNames  = [...]string{"s", "m", "l", "xl"}
	dashNames  = [...]string{"draw", "solid", "dashed", "dotted", "none"}
	fillNames  = [...]string{"none", "semi", "solid", "pattern", "fill", "lined-fill"}
	fontNames  = [...]string{"draw", "sans", "serif", "mono"}
	alignNames = [...]string{"start", "middle", "end"}
	// labelAlignNames are the values of align; the legacy ones behave as end.
	labelAlignNames = []string{"start", "middle", "end", "start-legacy", "middle-legacy", "end-legacy"}
	colorNames      = [...]string{"black", "grey", "light-violet", "violet", "blue", "light-blue", "yellow", "orange",
		"green", "light-green", "light-red", "red", "white"}
	headNames    = [...]string{"none", "arrow", "triangle", "square", "dot", "pipe", "diamond", "inverted", "bar"}
	snapNames    = [...]string{"none", "center", "edge-point", "edge"}
	arrowNames   = []string{"arc", "elbow"}
	splineNames  = []string{"line", "cubic"}
	segmentNames = []string{"free", "straight"}
)

// findName returns the position of a name, such as that of a colour, in the list of an
// enumeration's names. The lists are so short that comparing lengths first beats a map.
func findName[T ~uint8, S ~string | ~[]byte](names []string, s S) (T, bool) {
	for i, n := range names {
		if len(n) == len(s) && n == string(s) {
			return T(i), true
		}
	}
	return 0, false
}

// oneOf lists names for a message.
func oneOf(names []string) string { return "one of " + strings.Join(names, ", ") }

// nameOf returns the name of value i of an enumeration, such as a colour, or other for a value
// beyond the list.
func nameOf(names []string, i uint8, other string) string {
	if int(i) < len(names) {
		return names[i]
	}
	return other
}

// ParseKind returns the kind that a record's type names; false for types that
// stock tldraw does not have.
func ParseKind(s string) (Kind, bool) { return findName[Kind](kindNames[:], s) }

// ParseGeo returns the outline with this name.
func ParseGeo(s string) (GeoKind, bool) { return findName[GeoKind](geoNames[:], s) }

// ParseSize returns the size with this name.
func ParseSize(s string) (Size, bool) { return findName[Size](sizeNames[:], s) }

// ParseDash returns the dash with this name.
func ParseDash(s string) (Dash, bool) { return findName[Dash](dashNames[:], s) }

// ParseFill returns the fill with this name.
func ParseFill(s string) (Fill, bool) { return findName[Fill](fillNames[:], s) }

// ParseFont returns the font with this name.
func ParseFont(s string) (Font, bool) { return findName[Font](fontNames[:], s) }

// ParseColor returns the colour with this name; false for a name outside the stock palette.
func ParseColor(s string) (Color, bool) { return findName[Color](colorNames[:], s) }

// ParseArrowhead returns the arrowhead with this name.
func ParseArrowhead(s string) (Arrowhead, bool) { return findName[Arrowhead](headNames[:], s) }

// ParseAlign returns the alignment start, middle or end.
func ParseAlign(s string) (Align, bool) { return findName[Align](alignNames[:], s) }

// ParseLabelAlign is ParseAlign for the property align of labels, which also
// has the -legacy values; they behave as end.
func ParseLabelAlign(s string) (Align, bool) {
	a, ok := findName[Align](labelAlignNames, s)
	return min(a, AlignEnd), ok
}

// String returns the name as records write it, "other" for Other.
func (k Kind) String() string { return nameOf(kindNames[:], uint8(k), "other") }

// String returns the name as records write it.
func (g GeoKind) String() string { return nameOf(geoNames[:], uint8(g), "?") }

// String returns the name as records write it.
func (s Size) String() string { return nameOf(sizeNames[:], uint8(s), "?") }

// String returns the name as records write it.
func (d Dash) String() string { return nameOf(dashNames[:], uint8(d), "?") }

// String returns the name as records write it.
func (f Fill) String() string { return nameOf(fillNames[:], uint8(f), "?") }

// String returns the name as records write it.
func (f Font) String() string { return nameOf(fontNames[:], uint8(f), "?") }

// String returns the name as records write it.
func (a Align) String() string { return nameOf(alignNames[:], uint8(a), "?") }

// String returns the name as records write it, "custom" for CustomColor.
func (c Color) String() string { return nameOf(colorNames[:], uint8(c), "custom") }

// String returns the name as records write it.
func (a Arrowhead) String() string { return nameOf(headNames[:], uint8(a), "?") }

// String returns the name as records write it.
func (s Snap) String() string { return nameOf(snapNames[:], uint8(s), "?") }
