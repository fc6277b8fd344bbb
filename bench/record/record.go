// Package record makes the measurements of plumb bench, and writes and compares its result files. In: an
// engine's configuration and what to measure, or result files. Out: a File as JSON, a table, a page with
// plots, a trace, or a comparison. It refuses files of another format.
package record

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"slices"
	"time"

	"plumb/bench/ceiling"
	"plumb/bench/figure"
	"plumb/bench/items"
	"plumb/bench/rig"
	"plumb/bench/stage"
)

// Format names the files of this package.
const Format = "plumb bench 1"

// File is one result file.
type File struct {
	Format  string      `json:"format"`
	Date    string      `json:"date"` // UTC
	Version string      `json:"version"`
	Commit  string      `json:"commit"`
	Go      string      `json:"go"`
	Flags   []string    `json:"flags"` // as given
	Mode    string      `json:"mode"`  // "quick" or "full"
	Machine rig.Machine `json:"machine"`
	Backend string      `json:"backend"`
	Driver  string      `json:"driver"` // of GL, "" on the CPU
	Raster  string      `json:"raster"`
	Workers int         `json:"workers"`
	Batch   int         `json:"batch"`
	Seed    uint64      `json:"seed"`

	Ceilings ceiling.Ceilings `json:"ceilings"`
	Classes  []Class          `json:"classes"`
	Items    []items.Class    `json:"items"`
	Sweeps   []Sweep          `json:"sweeps"`
	Model    *Model           `json:"model,omitempty"`
	Seconds  float64          `json:"seconds"` // the whole run
}

// Class holds the measurements of one class of scenes. Samples are runs one after another; classes
// take turns.
type Class struct {
	Name     string               `json:"name"`
	Doc      string               `json:"doc"`
	Distinct int                  `json:"distinct_scenes"`
	Digest   string               `json:"digest"`   // of all results: equal where results are equal bit for bit
	Segments float64              `json:"segments"` // pieces of outlines per scene
	EndToEnd []stage.Sample       `json:"end_to_end"`
	Render   []stage.Sample       `json:"render_stage"`
	Profile  stage.Sample         `json:"profile"`
	Device   []stage.DeviceSample `json:"device"`
	Lone     stage.Latency        `json:"lone"`
	Shares   Shares               `json:"shares"`
}

// Shares are the parts of the ceilings that a class reaches, 0 where there is no ceiling.
type Shares struct {
	Operations        float64 `json:"ops_per_scene"`       // of the tile stage, by Operations
	ComputeShare      float64 `json:"compute"`             // of Ceilings.DeviceOps, while shaders run
	UploadShare       float64 `json:"upload_copy"`         // of the ceiling of uploads, while they run
	ReadBackShare     float64 `json:"read_back_copy"`      // of the ceiling of read-backs, while they run
	OperationsPerByte float64 `json:"ops_per_byte"`        // operations per byte moved to and from the device
	HostCopyShare     float64 `json:"host_heap_bandwidth"` // heap allocated per second, of the ceiling of copies
}

// Sweep is a series of measurements in which one input varies.
type Sweep struct {
	Name   string      `json:"name"`
	Unit   string      `json:"unit"`
	Doc    string      `json:"doc"`
	Points []Point     `json:"points"`
	Fit    *figure.Fit `json:"fit,omitempty"` // of core time over FitX
	FitX   string      `json:"fit_x,omitempty"`
}

// Point is one value of a sweep.
type Point struct {
	X        float64        `json:"x"`
	Segments float64        `json:"segments"` // pieces of outlines per scene
	Ink      float64        `json:"ink"`      // points of freehand shapes per scene
	Samples  []stage.Sample `json:"samples"`
}

// ProcessorTime returns the median processor time of a scene, us.
func (p Point) ProcessorTime() float64 { return figure.Median(Values(p.Samples, ProcessorTimeOf)) }

// Rate returns the median of scenes per second.
func (p Point) Rate() float64 { return figure.Median(Values(p.Samples, RateOf)) }

// Cost returns what scenes of the point consist of.
func (p Point) Cost() stage.Cost { return p.Samples[len(p.Samples)-1].Cost }

// Model is the core time of a scene in us as a sum of terms.
type Model struct {
	Names []string   `json:"names"`
	Fit   figure.Fit `json:"fit"`
}

// ProcessorTimeOf returns the processor time of a sample, us.
func ProcessorTimeOf(s stage.Sample) float64 { return s.ProcessorTime }

// RateOf returns the scenes per second of a sample.
func RateOf(s stage.Sample) float64 { return s.Rate }

// Values returns one figure of every sample of a measurement, such as its rate. figure takes it from a sample.
func Values(samples []stage.Sample, figure func(stage.Sample) float64) []float64 {
	values := make([]float64, len(samples))
	for i, sample := range samples {
		values[i] = figure(sample)
	}
	return values
}

// Operations counts what the tile stage must compute for one scene at least, in
// its plain variant: per pixel and item 2 to unpack the coverage and 4 to composite
// it, which the lowest item does not need; per pixel and tile 5 for the sums.
func Operations(c stage.Cost) float64 {
	const pixels = 128 // of a tile
	return pixels * (6*c.Items + (5-4)*c.Tiles)
}

// New returns a File that describes the machine and the program, without measurements.
func New(version, commit string, flags []string) *File {
	return &File{Format: Format, Date: time.Now().UTC().Format(time.RFC3339), Version: version, Commit: commit,
		Go: runtime.Version(), Flags: slices.Clone(flags), Machine: rig.Here(), Classes: []Class{}, Items: []items.Class{}, Sweeps: []Sweep{}}
}

// JSON returns the results of `plumb bench` as the JSON text of a result file, which Load reads.
func (file *File) JSON() ([]byte, error) {
	out, err := json.MarshalIndent(file, "", " ")
	if err != nil {
		return nil, fmt.Errorf("BUG: result file: %w", err)
	}
	return append(out, '\n'), nil
}

// Load reads a result file of `plumb bench`. A file of another format is an error.
func Load(path string) (*File, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read results: %w", err)
	}
	file := new(File)
	if err := json.Unmarshal(data, file); err != nil {
		return nil, fmt.Errorf("cannot read results of %s: %w; want a file of plumb bench", path, err)
	}
	if file.Format != Format {
		return nil, fmt.Errorf("cannot read results of %s: got format %q; want %q", path, file.Format, Format)
	}
	return file, nil
}
