package ask

import (
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"math"
	"runtime"
	"slices"
	"sync"

	"github.com/valyala/fastjson"
	"golang.org/x/sync/singleflight"

	"plumb/daemon/chat"
	"plumb/daemon/flatpng"
	"plumb/render"
	"plumb/render/scene"
	"plumb/render/sheet"
	"plumb/render/view"
)

// ground is the editor's background.
var ground = color.NRGBA{R: 249, G: 250, B: 251, A: 255}

// frame is the part of the page that a picture shows, in page units, one pixel each. See
// docs/spec/runs.md#r31.
var frame = view.Box{W: 1400, H: 800}

// pagePad is the room about the shapes of an overlap, whose scenes reach beyond the frame.
const pagePad = 32

// Boards draws whiteboards as models get them. It is safe for concurrent use.
type Boards struct {
	// Kept returns the bytes of a picture that Picture returned earlier, by their SHA-256 in hexadecimal
	// digits, nil where they are not there any more. It may be nil. Reading takes a hundredth of the
	// time of drawing.
	Kept func(sum string) []byte

	limits        scene.Limits
	engine        *render.Engine
	workers       sync.Pool          // of *render.Worker
	sheets        sync.Pool          // of *sheet.Sheet
	sharedDrawing singleflight.Group // callers at the same time share one drawing
	drawingSlots  chan struct{}      // holds a token for each picture that is being drawn, because one takes some 20 MB

	mu          sync.Mutex
	pen         *pen // of scaffolds; nil until one is drawn
	drawn       map[pictureKey]*chat.Image
	drawnOrder  []pictureKey           // the oldest first
	drawnBytes  int                    // of the pictures in drawn
	hashes      map[pictureKey]string  // of pictures that were drawn, with those that are not in drawn
	blankBySize map[[2]int]*chat.Image // nil where pictures are drawn
}

// maxDrawn bounds the memory of pictures that are kept for further arms and repeats.
const maxDrawn = 16 << 20

// NewBoards opens the renderer in plain Go, because its pictures are the same on every machine. cache is
// how many bytes of memory the renderer's caches may take. It keeps the last whiteboards there, so that
// one that differs little from them is drawn as an edit.
func NewBoards(limits scene.Limits, cache int) (*Boards, error) {
	engine, err := render.Open(render.Config{Backend: render.BackendCPU, TallyCache: cache,
		MaxPixels: limits.Pixels, MaxSide: limits.Side, MaxPoints: limits.Points})
	if err != nil {
		return nil, err
	}
	b := &Boards{limits: limits, engine: engine, drawingSlots: make(chan struct{}, runtime.GOMAXPROCS(0)),
		drawn: map[pictureKey]*chat.Image{}, hashes: map[pictureKey]string{}}
	b.workers.New = func() any { return engine.Worker() }
	return b, nil
}

// Images returns how many whiteboards were drawn as edits of another one and in full, and the
// memory of those that are kept.
func (boards *Boards) Images() (edits, full int64, bytes int) {
	s := boards.engine.TallyStats()
	return s.ImageEdits, s.ImagesFull, s.ImageBytes
}

// Close ends the renderer.
func (boards *Boards) Close() error { return boards.engine.Close() }

// pictureKey names a picture.
type pictureKey struct {
	task     string
	scaffold bool
}

// Picture returns the picture of a task as a PNG without alpha; scaffold adds a plot, a grid or labels.
// It is drawn once for all arms and repeats: recent pictures are kept in memory, older ones come from
// Kept, and callers at the same time share one drawing. After a call of Blank it has the right size but
// shows nothing.
func (boards *Boards) Picture(task *Task, scaffold bool) (*chat.Image, error) {
	key := pictureKey{task.ID, scaffold}
	boards.mu.Lock()
	img := boards.drawn[key]
	boards.mu.Unlock()
	if img != nil {
		return img, nil
	}
	if boards.blankBySize != nil {
		return boards.blankOf(task)
	}
	value, err, _ := boards.sharedDrawing.Do(fmt.Sprint(scaffold, task.ID), func() (any, error) { return boards.picture(task, key) })
	if err != nil {
		return nil, err
	}
	return value.(*chat.Image), nil
}

// picture returns a picture from memory or from where it was kept, or draws it and remembers it. A kept
// picture whose bytes have another hash is drawn again.
func (boards *Boards) picture(task *Task, key pictureKey) (*chat.Image, error) {
	boards.mu.Lock()
	img, sum := boards.drawn[key], boards.hashes[key]
	boards.mu.Unlock()
	if img != nil {
		return img, nil
	}
	if sum != "" && boards.Kept != nil {
		img = &chat.Image{Data: boards.Kept(sum), Type: "image/png"}
		if img.SHA256() == sum {
			return img, nil // not remembered: Kept gives it again
		}
	}
	png, err := boards.Draw(task.Line, task.Test, key.scaffold)
	if err != nil {
		return nil, err
	}
	img = &chat.Image{Data: png, Type: "image/png"}
	boards.remember(key, img)
	return img, nil
}

// remember keeps the picture of a whiteboard in memory for other arms and repeats, and its hash for good.
// It drops the oldest pictures beyond maxDrawn bytes, but never the new one.
func (boards *Boards) remember(key pictureKey, img *chat.Image) {
	sum := img.SHA256()
	boards.mu.Lock()
	defer boards.mu.Unlock()
	boards.hashes[key] = sum
	boards.drawn[key] = img
	boards.drawnOrder = append(boards.drawnOrder, key)
	boards.drawnBytes += len(img.Data)
	for boards.drawnBytes > maxDrawn && len(boards.drawnOrder) > 1 {
		oldest := boards.drawnOrder[0]
		boards.drawnOrder = boards.drawnOrder[1:]
		if old := boards.drawn[oldest]; old != nil {
			boards.drawnBytes -= len(old.Data)
			delete(boards.drawn, oldest)
		}
	}
}

// Blank makes all pictures empty ones of the right sizes, for plans that need no more.
func (boards *Boards) Blank() { boards.blankBySize = map[[2]int]*chat.Image{} }

// blankOf returns an empty picture of the size that the task's picture has. Tasks of one size share it.
func (boards *Boards) blankOf(task *Task) (*chat.Image, error) {
	view, err := boards.view(task.Line, task.Test)
	if err != nil {
		return nil, err
	}
	size := [2]int{int(view.Bounds.W), int(view.Bounds.H)}
	boards.mu.Lock()
	defer boards.mu.Unlock()
	if boards.blankBySize[size] == nil {
		empty := image.NewNRGBA(image.Rect(0, 0, size[0], size[1]))
		boards.blankBySize[size] = &chat.Image{Data: flatpng.Over(empty, ground), Type: "image/png"}
	}
	return boards.blankBySize[size], nil
}

// Draw draws the whiteboard of an ASPIRE task, given by its dump line, as the model sees it: the
// background, the part of a scaffold that lies behind the shapes, the shapes, the part of a
// scaffold above them. It returns a PNG without alpha.
func (boards *Boards) Draw(line []byte, test string, scaffold bool) ([]byte, error) {
	view, err := boards.view(line, test)
	if err != nil {
		return nil, err
	}
	if !scaffold {
		return boards.DrawView(view)
	}
	boards.drawingSlots <- struct{}{}
	defer func() { <-boards.drawingSlots }()
	// Draw the parts.
	shapes, reuse, err := boards.shapes(view)
	if err != nil {
		return nil, err
	}
	defer reuse()
	layers, err := boards.scaffold(line, test)
	if err != nil {
		return nil, err
	}
	// Put them on each other: ground, lower scaffold, shapes, upper scaffold.
	sheet := boards.sheet(int(view.Bounds.W), int(view.Bounds.H))
	defer boards.sheets.Put(sheet)
	if err := boards.paint(sheet, layers.below); err != nil {
		return nil, err
	}
	over(sheet.NRGBA, shapes)
	if err := boards.paint(sheet, layers.above); err != nil {
		return nil, err
	}
	return flatpng.Over(sheet.NRGBA, ground), nil
}

// sheet returns an empty picture to draw a prompt's whiteboard on, in the memory of an earlier one
// where there is one of its size.
func (boards *Boards) sheet(w, h int) *sheet.Sheet {
	if s, ok := boards.sheets.Get().(*sheet.Sheet); ok && s.Rect == image.Rect(0, 0, w, h) {
		s.Clear(ground)
		return s
	}
	return sheet.New(w, h, ground)
}

// paint draws one layer of a scaffold on sheet; a nil layer has nothing to draw. It holds the lock,
// because all layers write their texts with the same pen, which is not safe for concurrent use.
func (boards *Boards) paint(sheet *sheet.Sheet, layer func(*sheet.Sheet) error) error {
	if layer == nil {
		return nil
	}
	boards.mu.Lock()
	defer boards.mu.Unlock()
	return layer(sheet)
}

// shapes draws the shapes of a prompt's whiteboard on a transparent ground. The picture is valid until
// reuse is called, which gives its memory to the next one.
func (boards *Boards) shapes(view view.View) (img *image.NRGBA, reuse func(), err error) {
	worker := boards.workers.Get().(*render.Worker)
	defer boards.workers.Put(worker)
	view.Unmeasured = true // nobody asks for the sums of a prompt's picture
	// Only a picture shows the lines of a hatched fill; for sums alone the fill has its mean colour.
	hatched := func(s scene.Shape) bool { return s.Fill == scene.FillPattern }
	view.Details = slices.ContainsFunc(view.Scene.Shapes, hatched)
	prepared, err := worker.Prepare(view)
	if err != nil {
		return nil, nil, err
	}
	defer prepared.Release()
	drawn, err := boards.engine.Pictures([]*render.Prepared{prepared})
	if err != nil {
		return nil, nil, err
	}
	return drawn[0], func() { boards.engine.Reuse(drawn[0]) }, nil
}

// view reads the shapes of an ASPIRE task, and returns them with the part of the page that the picture
// shows: a fixed frame, but in the test overlap the bounds of all shapes, which reach beyond that. A
// picture beyond the limits is an error.
func (boards *Boards) view(line []byte, test string) (view view.View, err error) {
	err = scene.Parse(line, boards.limits, func(doc *fastjson.Value) error {
		if view.Scene, err = scene.DecodeValue(doc, boards.limits); err != nil {
			return err
		}
		view.Bounds = frame
		if test == "overlap" {
			view.Bounds, err = padded(view.Scene)
		}
		return err
	})
	if err == nil {
		err = boards.limits.CheckCanvas(view.Bounds.W, view.Bounds.H)
	}
	return view, err
}

// padded returns the union of the page bounds of all shapes with pagePad units of room about it, rounded
// outwards to whole units. Without shapes it is the fixed frame.
func padded(s *scene.Scene) (view.Box, error) {
	box, ok, err := view.ContentBounds(s, nil)
	if err != nil || !ok {
		return frame, err
	}
	x0, y0 := math.Floor(box.X-pagePad), math.Floor(box.Y-pagePad)
	return view.Box{X: x0, Y: y0, W: math.Ceil(box.X+box.W+pagePad) - x0, H: math.Ceil(box.Y+box.H+pagePad) - y0}, nil
}

// over blends the picture of the shapes, src, whose alpha is not premultiplied, over the opaque
// picture dst of the same size. Two pixels of src without alpha are skipped at once, because most
// pixels are empty.
func over(dst, src *image.NRGBA) {
	const alphas = 0xff000000ff000000 // the alpha bytes of two pixels, each red, green, blue, alpha
	for i := 0; i+3 < len(dst.Pix) && i+3 < len(src.Pix); i += 4 {
		if i+7 < len(src.Pix) && binary.LittleEndian.Uint64(src.Pix[i:])&alphas == 0 {
			i += 4
			continue
		}
		for k := range 3 {
			dst.Pix[i+k] = flatpng.Overlay(src.Pix[i+k], dst.Pix[i+k], uint32(src.Pix[i+3]))
		}
	}
}
