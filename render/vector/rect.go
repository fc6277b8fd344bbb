package vector

// Rect appends a rectangle unless it is empty.
func Rect(to *Path, x0, y0, x1, y1 float64) {
	if x0 >= x1 || y0 >= y1 {
		return
	}
	at := func(x, y float64) Point { return Point{X: float32(x), Y: float32(y)} }
	to.MoveTo(at(x0, y0))
	to.LineTo(at(x1, y0))
	to.LineTo(at(x1, y1))
	to.LineTo(at(x0, y1))
	to.Close()
}

// RoundRect appends a rectangle with round corners as the browser does, as lines and conics.
// See docs/spec/raster.md#r2.
func RoundRect(to *Path, x, y, w, h, r float32) {
	const weight = 0.70710678 // cos 45 degrees
	at := func(dx, dy float32) Point { return Point{X: x + dx, Y: y + dy} }
	to.MoveTo(at(r, 0))
	to.LineTo(at(w-r, 0))
	to.ConicTo(at(w, 0), at(w, r), weight)
	to.LineTo(at(w, h-r))
	to.ConicTo(at(w, h), at(w-r, h), weight)
	to.LineTo(at(r, h))
	to.ConicTo(at(0, h), at(0, h-r), weight)
	to.LineTo(at(0, r))
	to.ConicTo(at(0, 0), at(r, 0), weight)
	to.Close()
}
