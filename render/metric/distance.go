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
	inColumn  []int32         // per pixel of the box: distance to the nearest covered pixel in its column
	// The lower envelope of one row, from left to right: from x = starts[k] on, the parabola of column
	// lowest[k] is the lowest. See rowPass.
	lowest, starts []int32
}

// rowsPerCheck is how many rows are processed between two checks of ctx.
const rowsPerCheck = 64

// farthest returns the square of the largest distance in px from a covered pixel
// of a to the nearest covered pixel of b, which must have one. The error is that
// of ctx.
func (transform *distanceTransform) farthest(ctx context.Context, a, b Mask) (int64, error) {
	w, h := transform.box.Dx(), transform.box.Dy()
	if cap(transform.inColumn) < w*h {
		transform.inColumn = make([]int32, w*h)
		transform.lowest, transform.starts = make([]int32, w), make([]int32, w)
	}
	transform.inColumn = transform.inColumn[:w*h]
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
		row, distances := b.row(transform.box.Min.Y+y), transform.inColumn[y*w:][:w]
		for x := range distances {
			switch {
			case row[(transform.box.Min.X+x)*b.Step+b.First] >= transform.threshold:
				distances[x] = 0
			case y == 0:
				distances[x] = none
			default:
				distances[x] = min(none, transform.inColumn[(y-1)*w+x]+1)
			}
		}
	}
	for y := h - 2; y >= 0; y-- {
		distances, below := transform.inColumn[y*w:][:w], transform.inColumn[(y+1)*w:][:w]
		for x := range distances {
			distances[x] = min(distances[x], below[x]+1)
		}
	}
}

// rowPass is the second pass, for row y of the box. The first pass found for each column i of the row how far
// the nearest covered pixel in that column is, g(i). So the squared distance of the pixel at x from the nearest
// of all is the least of (x-i)^2 + g(i)^2 over all i, each of which is a parabola over x. rowPass finds which
// parabola is the lowest from where on (lowest and starts, from left to right), and then reads the distance at
// each covered pixel of mask. It returns the largest of these and of farthest.
func (transform *distanceTransform) rowPass(mask Mask, y int, farthest int64) int64 {
	w := transform.box.Dx()
	distances, row := transform.inColumn[y*w:][:w], mask.row(transform.box.Min.Y+y)
	square := func(i int64) int64 { return int64(distances[i]) * int64(distances[i]) }
	height := func(x, i int64) int64 { return (x-i)*(x-i) + square(i) } // at x, of the parabola of column i
	last := 0                                                           // index of the last entry of lowest and starts
	transform.lowest[0], transform.starts[0] = 0, 0
	for column := int64(1); column < int64(w); column++ {
		// Where another parabola starts to be the lowest, this column's may already be below it. Then the
		// other one is nowhere the lowest, and is removed.
		for ; last >= 0; last-- {
			start := int64(transform.starts[last])
			if height(start, int64(transform.lowest[last])) <= height(start, column) {
				break
			}
		}
		if last < 0 {
			last = 0
			transform.lowest[0], transform.starts[0] = int32(column), 0
			continue
		}
		previous := int64(transform.lowest[last])
		// The first x from which this column's parabola is the lower one. The numerator is not negative, as
		// the other parabola is lower where it starts, at x >= 0.
		start := 1 + (column*column-previous*previous+square(column)-square(previous))/(2*(column-previous))
		if start < int64(w) {
			last++
			transform.lowest[last], transform.starts[last] = int32(column), int32(start)
		}
	}
	for x := w - 1; x >= 0; x-- { // backwards, through the entries from the last to the first
		if row[(transform.box.Min.X+x)*mask.Step+mask.First] >= transform.threshold {
			farthest = max(farthest, height(int64(x), int64(transform.lowest[last])))
		}
		if x == int(transform.starts[last]) {
			last--
		}
	}
	return farthest
}
