package metric

import (
	"context"
	"image"
)

// distanceTransform finds for pixels of one mask the distance to the nearest covered pixel of
// another: an exact Euclidean distance transform in two passes, along columns and along rows, in
// integers (the method of Meijster, Roerdink and Hesselink). Only the largest distance is kept, so
// rows of the second pass are not stored.
type distanceTransform struct {
	threshold uint8
	box       image.Rectangle // outside of it nothing is covered
	column    []int32         // distance to the nearest covered pixel in the column
	// Of one row, from left to right: from column at[k] on, the parabola of column from[k] is the lowest.
	from, at []int32
}

// rowsPerCheck is how many rows are processed between two checks of ctx.
const rowsPerCheck = 64

// farthest returns the square of the largest distance in px from a covered pixel
// of a to the nearest covered pixel of b, which must have one. The error is that
// of ctx.
func (transform *distanceTransform) farthest(ctx context.Context, a, b Mask) (int64, error) {
	w, h := transform.box.Dx(), transform.box.Dy()
	if cap(transform.column) < w*h {
		transform.column = make([]int32, w*h)
		transform.from, transform.at = make([]int32, w), make([]int32, w)
	}
	transform.column = transform.column[:w*h]
	transform.columnPass(b)
	var far int64
	for y := range h {
		if y%rowsPerCheck == 0 && ctx.Err() != nil {
			return 0, ctx.Err()
		}
		far = transform.rowPass(a, y, far)
	}
	return far, nil
}

// columnPass is the first pass: for each pixel of the box, the distance to the nearest covered
// pixel of b in its column. A column without a covered pixel gets a distance larger than any in the
// box.
func (transform *distanceTransform) columnPass(b Mask) {
	w, h := transform.box.Dx(), transform.box.Dy()
	none := int32(w + h)
	for y := range h {
		row, distances := b.row(transform.box.Min.Y+y), transform.column[y*w:][:w]
		for x := range distances {
			switch {
			case row[(transform.box.Min.X+x)*b.Step+b.First] >= transform.threshold:
				distances[x] = 0
			case y == 0:
				distances[x] = none
			default:
				distances[x] = min(none, transform.column[(y-1)*w+x]+1)
			}
		}
	}
	for y := h - 2; y >= 0; y-- {
		distances, below := transform.column[y*w:][:w], transform.column[(y+1)*w:][:w]
		for x := range distances {
			distances[x] = min(distances[x], below[x]+1)
		}
	}
}

// rowPass is the second pass for row y: of the parabolas (x-i)^2 + g(i)^2, where g(i) is what the
// first pass found for column i, it finds the lowest at
// each covered pixel of a, which is its squared distance to b. It returns the larger of farthest and the
// largest squared distance.
func (transform *distanceTransform) rowPass(mask Mask, y int, farthest int64) int64 {
	w := transform.box.Dx()
	g, row := transform.column[y*w:][:w], mask.row(transform.box.Min.Y+y)
	value := func(x, i int64) int64 { return (x-i)*(x-i) + int64(g[i])*int64(g[i]) }
	q := 0 // last entry of from and at
	transform.from[0], transform.at[0] = 0, 0
	for u := int64(1); u < int64(w); u++ {
		// Remove the parabolas that u's is below of from their start on.
		for q >= 0 && value(int64(transform.at[q]), int64(transform.from[q])) > value(int64(transform.at[q]), u) {
			q--
		}
		if q < 0 {
			q = 0
			transform.from[0], transform.at[0] = int32(u), 0
			continue
		}
		i := int64(transform.from[q])
		// The first x from which u's parabola is the lower one; the numerator is
		// not negative here, as i's is lower at at[q] >= 0.
		x := 1 + (u*u-i*i+int64(g[u])*int64(g[u])-int64(g[i])*int64(g[i]))/(2*(u-i))
		if x < int64(w) {
			q++
			transform.from[q], transform.at[q] = int32(u), int32(x)
		}
	}
	for x := w - 1; x >= 0; x-- { // backwards, so that q goes back through the entries
		if row[(transform.box.Min.X+x)*mask.Step+mask.First] >= transform.threshold {
			farthest = max(farthest, value(int64(x), int64(transform.from[q])))
		}
		if x == int(transform.at[q]) {
			q--
		}
	}
	return farthest
}
