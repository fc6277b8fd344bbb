package main

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"

	"plumb/render/vector"
)

// programRow returns the row of a renderer that is a program of its own, and starts it. Such a program reads
// the scenes from a file once. For each line on its standard input it draws all scenes, and then writes its
// figures as one line of JSON.
func programRow(name, input string, cmd *exec.Cmd) (*row, error) {
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("cannot start %s: %w", name, err)
	}
	lines := bufio.NewReaderSize(out, 1<<20)
	end := func() { in.Close(); cmd.Wait() } // the program ends with its input
	return &row{name: name, input: input, close: end, run: func() (measured figures, err error) {
		if _, err := io.WriteString(in, "go\n"); err != nil { // any line will do
			return measured, fmt.Errorf("cannot run %s: %w", name, err)
		}
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return measured, fmt.Errorf("cannot run %s: %w", name, err)
		}
		return measured, json.Unmarshal(line, &measured)
	}}, nil
}

// files are the paths of the files that renderers in other processes read.
type files struct {
	lines    string // JSON lines: each scene as an SVG document, and as paths in SVG's notation
	binary   string // all scenes in binary, as others/scenes.c reads them
	polygons string // JSON lines: each scene as polygons
}

// writeScenes writes the scenes into files in the folder dir, one for each form that other renderers read.
func writeScenes(dir string, list []work) (files, error) {
	out := files{filepath.Join(dir, "scenes.jsonl"), filepath.Join(dir, "scenes.bin"), filepath.Join(dir, "polygons.jsonl")}
	lines, err := svgLines(list)
	if err != nil {
		return out, err
	}
	polygons, err := polygonLines(list)
	if err != nil {
		return out, err
	}
	for name, data := range map[string][]byte{out.lines: lines, out.binary: binaryScenes(list), out.polygons: polygons} {
		if err := os.WriteFile(name, data, 0o644); err != nil {
			return out, err
		}
	}
	return out, nil
}

// svgLines returns the scenes as JSON lines, each with the scene as an SVG document and as a list of paths in
// SVG's notation, for renderers in Node.
func svgLines(list []work) ([]byte, error) {
	type svgFill struct {
		D   string `json:"d"`   // the path
		RGB string `json:"rgb"` // such as "255,0,0"
	}
	var lines []byte
	for i := range list {
		work := &list[i]
		scene := struct {
			W     int       `json:"w"`
			H     int       `json:"h"`
			SVG   string    `json:"svg"`
			Fills []svgFill `json:"fills"`
		}{W: work.w, H: work.h, SVG: string(work.svg())}
		for k := range work.fills {
			fill := &work.fills[k]
			rgb := fmt.Sprintf("%d,%d,%d", fill.rgb[0], fill.rgb[1], fill.rgb[2])
			scene.Fills = append(scene.Fills, svgFill{string(appendSVG(nil, &fill.path)), rgb})
		}
		line, err := json.Marshal(scene)
		if err != nil {
			return nil, err
		}
		lines = append(append(lines, line...), '\n')
	}
	return lines, nil
}

// polygonLines returns the scenes as JSON lines, each with the rings of each path, for renderers that know only
// polygons.
func polygonLines(list []work) ([]byte, error) {
	var lines []byte
	for i := range list {
		work := &list[i]
		scene := struct {
			W        int           `json:"w"`
			H        int           `json:"h"`
			Polygons [][][]float32 `json:"polygons"`
		}{W: work.w, H: work.h}
		for k := range work.fills {
			scene.Polygons = append(scene.Polygons, rings(&work.fills[k].path))
		}
		line, err := json.Marshal(scene)
		if err != nil {
			return nil, err
		}
		lines = append(append(lines, line...), '\n')
	}
	return lines, nil
}

// binaryScenes returns the scenes as others/scenes.c reads them. Numbers are int32, little-endian: how many
// scenes; of each scene its width, its height and how many fills; of each fill the colour in three bytes and a
// zero, how many operations its path has, and the operations.
func binaryScenes(list []work) []byte {
	var out []byte
	put := func(n int) { out = binary.LittleEndian.AppendUint32(out, uint32(n)) }
	put(len(list))
	for i := range list {
		work := &list[i]
		put(work.w)
		put(work.h)
		put(len(work.fills))
		for k := range work.fills {
			fill := &work.fills[k]
			out = append(out, fill.rgb[0], fill.rgb[1], fill.rgb[2], 0)
			ops := operations(&fill.path)
			put(len(ops) / operationSize)
			out = append(out, ops...)
		}
	}
	return out
}

// operationSize is the size in bytes of one operation of a path in binary: its kind in 4 bytes, and 6
// coordinates of 4 bytes.
const operationSize = 28

// operations returns a path in the form that scenes.c reads for renderers in C and C++: one operation for
// each verb. The kinds are 0 for a move, 1 for a line, 2 for a cubic curve and 3 for the end of an outline.
// Quadratic curves are written as cubic ones.
func operations(path *vector.Path) []byte {
	var out []byte
	operation := func(kind byte, coordinates ...float32) {
		out = append(out, kind, 0, 0, 0)
		for i := range 6 {
			x := float32(0)
			if i < len(coordinates) {
				x = coordinates[i]
			}
			out = binary.LittleEndian.AppendUint32(out, math.Float32bits(x))
		}
	}
	const move, line, cubic, end = 0, 1, 2, 3
	eachVerb(path, func(command byte, start vector.Point, points []vector.Point) {
		switch command {
		case 'M':
			operation(move, points[0].X, points[0].Y)
		case 'L':
			operation(line, points[0].X, points[0].Y)
		case 'Q': // the control points of the cubic lie two thirds of the way to that of the quadratic
			twoThirds := func(from, to float32) float32 { return from + (to-from)*2/3 }
			operation(cubic, twoThirds(start.X, points[0].X), twoThirds(start.Y, points[0].Y),
				twoThirds(points[1].X, points[0].X), twoThirds(points[1].Y, points[0].Y), points[1].X, points[1].Y)
		case 'C':
			operation(cubic, points[0].X, points[0].Y, points[1].X, points[1].Y, points[2].X, points[2].Y)
		case 'Z':
			operation(end)
		}
	})
	return out
}

// rings returns each subpath of a path as a polygon, a list of x and y in turn, for renderers that
// know only polygons. A curve becomes eight straight pieces.
func rings(path *vector.Path) [][]float32 {
	const pieces = 8
	var out [][]float32
	add := func(x, y float32) { out[len(out)-1] = append(out[len(out)-1], x, y) }
	eachVerb(path, func(command byte, start vector.Point, points []vector.Point) {
		switch command {
		case 'M':
			out = append(out, nil)
			add(points[0].X, points[0].Y)
		case 'L':
			add(points[0].X, points[0].Y)
		case 'Q', 'C':
			for i := 1; i <= pieces; i++ {
				x, y := bezier(start, points, float32(i)/pieces)
				add(x, y)
			}
		}
	})
	return out
}

// bezier returns a point of a Bézier curve by de Casteljau's algorithm. The curve begins at start, and its
// other points are the control points and the end. t is from 0, the start, to 1, the end.
func bezier(start vector.Point, others []vector.Point, t float32) (x, y float32) {
	points := append([]vector.Point{start}, others...)
	for n := len(points) - 1; n > 0; n-- {
		for i := range n {
			points[i].X += (points[i+1].X - points[i].X) * t
			points[i].Y += (points[i+1].Y - points[i].Y) * t
		}
	}
	return points[0].X, points[0].Y
}

// pointCounts is the number of points of each verb.
var pointCounts = [...]int{vector.Move: 1, vector.Line: 1, vector.Quad: 2, vector.Cubic: 3, vector.Conic: 2, vector.Close: 0}

// eachVerb calls f for each verb of a path with the verb's letter in SVG (M, L, Q, C or Z), the point at which
// it begins, and its further points. SVG has no conic curves: each is given as several quadratic ones, as
// close to the curve as the browser's.
func eachVerb(path *vector.Path, f func(command byte, start vector.Point, points []vector.Point)) {
	const conicTolerance = 0.05 // px
	points, weights := path.Points, path.Weights
	var at vector.Point // where the path is
	for _, verb := range path.Verbs {
		n := pointCounts[verb]
		switch verb {
		case vector.Conic:
			quads := vector.ConicQuads(nil, at, points[0], points[1], weights[0], conicTolerance)
			for ; len(quads) > 0; quads = quads[2:] {
				f('Q', at, quads[:2])
				at = quads[1]
			}
			weights = weights[1:]
		default:
			const letters = "MLQC?Z" // by verb; ? stands for Conic, which has its own case
			f(letters[verb], at, points[:n])
		}
		if n > 0 {
			at, points = points[n-1], points[n:]
		}
	}
}
