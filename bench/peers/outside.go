package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"plumb/render/vector"
)

// outside returns a renderer in a process of its own: it reads the scenes once, and draws them all
// for each line that it is given.
func outside(name, input string, cmd *exec.Cmd) (*row, error) {
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
	return &row{name: name, input: input, close: func() { in.Close(); cmd.Wait() }, run: func() (f figures, err error) {
		if _, err := io.WriteString(in, "go\n"); err != nil {
			return f, fmt.Errorf("cannot run %s: %w", name, err)
		}
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return f, fmt.Errorf("cannot run %s: %w", name, err)
		}
		return f, json.Unmarshal(line, &f)
	}}, nil
}

// files are the inputs of the renderers in other processes.
type files struct{ lines, binary, polygons string }

// write writes the scenes into three files in the folder dir, one for each form that the other
// renderers read: JSON lines with SVG and path texts, path operations in binary, and polygons.
func write(dir string, list []work) (f files, err error) {
	f = files{filepath.Join(dir, "scenes.jsonl"), filepath.Join(dir, "scenes.bin"), filepath.Join(dir, "polygons.jsonl")}
	var lines, bin, polygons bytes.Buffer
	put := func(v int) { binary.Write(&bin, binary.LittleEndian, int32(v)) }
	put(len(list))
	for i := range list {
		work := &list[i]
		put(work.w)
		put(work.h)
		put(len(work.fills))
		type one struct {
			D   string `json:"d"`
			RGB string `json:"rgb"`
		}
		scene := struct {
			W     int    `json:"w"`
			H     int    `json:"h"`
			SVG   string `json:"svg"`
			Fills []one  `json:"fills"`
		}{W: work.w, H: work.h, SVG: string(work.svg())}
		flat := struct {
			W        int           `json:"w"`
			H        int           `json:"h"`
			Polygons [][][]float32 `json:"polygons"`
		}{W: work.w, H: work.h}
		for k := range work.fills {
			fill := &work.fills[k]
			scene.Fills = append(scene.Fills, one{string(appendSVG(nil, &fill.path)), strings.Trim(strings.ReplaceAll(fmt.Sprint(fill.rgb), " ", ","), "[]")})
			bin.Write(append(fill.rgb[:], 0))
			ops := operations(&fill.path)
			put(len(ops) / 28)
			bin.Write(ops)
			flat.Polygons = append(flat.Polygons, rings(&fill.path))
		}
		for to, v := range map[*bytes.Buffer]any{&lines: scene, &polygons: flat} {
			out, err := json.Marshal(v)
			if err != nil {
				return f, err
			}
			to.Write(append(out, '\n'))
		}
	}
	for name, b := range map[string]*bytes.Buffer{f.lines: &lines, f.binary: &bin, f.polygons: &polygons} {
		if err := os.WriteFile(name, b.Bytes(), 0o644); err != nil {
			return f, err
		}
	}
	return f, nil
}

// operations appends a path in the form that scenes.c reads, 28 bytes for each verb. Quadratics
// are written as cubics.
func operations(path *vector.Path) []byte {
	var out []byte
	op := func(kind byte, v ...float32) {
		out = append(out, kind, 0, 0, 0)
		for i := range 6 {
			x := float32(0)
			if i < len(v) {
				x = v[i]
			}
			out = binary.LittleEndian.AppendUint32(out, math.Float32bits(x))
		}
	}
	each(path, func(kind byte, at vector.Point, points []vector.Point) {
		switch kind {
		case 'M':
			op(0, points[0].X, points[0].Y)
		case 'L':
			op(1, points[0].X, points[0].Y)
		case 'Q':
			third := func(a, b float32) float32 { return a + (b-a)*2/3 }
			op(2, third(at.X, points[0].X), third(at.Y, points[0].Y), third(points[1].X, points[0].X), third(points[1].Y, points[0].Y), points[1].X, points[1].Y)
		case 'C':
			op(2, points[0].X, points[0].Y, points[1].X, points[1].Y, points[2].X, points[2].Y)
		case 'Z':
			op(3)
		}
	})
	return out
}

// rings returns each subpath of a path as a polygon, a list of x and y in turn, for renderers that
// know only polygons. A curve becomes eight straight pieces.
func rings(p *vector.Path) [][]float32 {
	var out [][]float32
	add := func(x, y float32) { out[len(out)-1] = append(out[len(out)-1], x, y) }
	each(p, func(kind byte, at vector.Point, points []vector.Point) {
		switch kind {
		case 'M':
			out = append(out, nil)
			add(points[0].X, points[0].Y)
		case 'L':
			add(points[0].X, points[0].Y)
		case 'Q', 'C':
			for i := 1; i <= 8; i++ {
				t := float32(i) / 8
				x, y := bezier(at, points, t)
				add(x, y)
			}
		}
	})
	return out
}

// bezier returns the point at t of a Bézier curve from at with the control points q.
func bezier(at vector.Point, q []vector.Point, t float32) (x, y float32) {
	pts := append([]vector.Point{at}, q...)
	for n := len(pts) - 1; n > 0; n-- {
		for i := range n {
			pts[i].X += (pts[i+1].X - pts[i].X) * t
			pts[i].Y += (pts[i+1].Y - pts[i].Y) * t
		}
	}
	return pts[0].X, pts[0].Y
}

// pointsOf is the number of points of each verb.
var pointsOf = [...]int{vector.Move: 1, vector.Line: 1, vector.Quad: 2, vector.Cubic: 3, vector.Conic: 2, vector.Close: 0}

// each calls f for each verb of a path. Conics are given as quadratics, as fine as the browser's.
func each(p *vector.Path, f func(kind byte, at vector.Point, q []vector.Point)) {
	pts, weights := p.Points, p.Weights
	var at vector.Point
	for _, verb := range p.Verbs {
		n := pointsOf[verb]
		switch verb {
		case vector.Conic:
			for q := vector.ConicQuads(nil, at, pts[0], pts[1], weights[0], 0.05); len(q) > 0; q = q[2:] {
				f('Q', at, q[:2])
				at = q[1]
			}
			weights = weights[1:]
		default:
			f("MLQC?Z"[verb], at, pts[:n])
		}
		if n > 0 {
			at, pts = pts[n-1], pts[n:]
		}
	}
}
