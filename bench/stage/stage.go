// Package stage runs scenes through the renderer and says where the time went.
// In: scene lines and an engine. Out: one Sample per run, with wall time and core
// time of each stage, the overlap of processor and device, allocations and bytes
// moved. It refuses scenes that cannot be read, and results that differ between
// two passes over the same scene.
package stage

import (
	"time"
)

// Stage is one step on a scene's way from JSON to the result.
type Stage int

// The stages, in the order of the way. Tile and Pack are what the specification
// calls pack: tiles of one scene, and tiles of many laid out as one batch.
const (
	Decode   Stage = iota // JSON to a scene
	Outline               // scene to paths and, by the reference raster, coverage
	Tile                  // drawing to tiles
	Pack                  // tiles of many scenes to one batch
	Upload                // the batch to where shaders read it
	Device                // the tile stage
	ReadBack              // its sums to where the host reads them
	Sum                   // sums of rows to tallies
	Score                 // tallies to a result
	Encode                // result to JSON
	Wait                  // of a batch: for a slot, another batch, a thread
	Stages                // how many there are
)

var names = [Stages]string{"decode", "outline", "tile", "pack", "upload", "device", "read-back", "sum", "score", "encode", "wait"}

// String names the stage as tables do.
func (s Stage) String() string { return names[s] }

// Host reports whether the processor works for the stage.
func (s Stage) Host() bool { return s != Device && s != Wait }

// Span is one piece of work. Times are since the start of the run.
type Span struct {
	Stage      Stage
	Row        int // of a worker, or of a caller, whose rows follow the workers'
	Start, End time.Duration
	Scene      int // position of the scene, -1 for batches
	Scenes     int // scenes of the batch, 1 otherwise
}

// Sample holds the measurements of one run. Times are means per scene.
type Sample struct {
	Scenes        int     `json:"scenes"`          // that went through
	Rate          float64 `json:"scenes_per_s"`    //
	WallTime      float64 `json:"wall_us"`         // of the run / scenes
	ProcessorTime float64 `json:"core_us"`         // processor time of the process, driver included / scenes
	Failed        int     `json:"failed"`          // scenes that could not be drawn
	Allocations   float64 `json:"allocs"`          // heap objects / scene
	HeapBytes     float64 `json:"heap_bytes"`      // allocated / scene
	GCShare       float64 `json:"gc_share"`        // of the process's core time that the garbage collector took, estimated by the runtime
	JSONBytes     float64 `json:"scene_bytes"`     // JSON of a scene
	BytesUp       float64 `json:"up_bytes"`        // to the device / scene
	BytesDown     float64 `json:"down_bytes"`      // from the device / scene
	Batch         float64 `json:"batch"`           // scenes / batch, mean
	Cost          Cost    `json:"cost"`            // what scenes consist of
	Parts         *Parts  `json:"parts,omitempty"` // of a profiled run
}

// Cost is what a scene of the run consists of, means per scene.
type Cost struct {
	Shapes  float64 `json:"shapes"`
	Pixels  float64 `json:"pixels"`
	Records float64 `json:"records"` // rows of coverage masks; this and the counts below are those of render.Parts
	Items   float64 `json:"items"`
	Tiles   float64 `json:"boundary_tiles"`
	Runs    float64 `json:"runs"`
	Solids  float64 `json:"solids"`
}

// Parts says where the time of a run went. Maps have a key per stage.
type Parts struct {
	WallTimes      map[string]float64 `json:"wall_us"` // per scene, summed over threads
	ProcessorTimes map[string]float64 `json:"core_us"` // per scene; "device" is what no thread of ours spent: driver and runtime
	// Shares of the run's wall time in which the processor worked for us, the
	// device did, and both did.
	HostBusy   float64 `json:"host_busy"`
	DeviceBusy float64 `json:"device_busy"`
	BothBusy   float64 `json:"both_busy"`
	// Overlap is the share of the device's time in which the processor worked too.
	Overlap float64 `json:"overlap"`

	Spans []Span `json:"-"`
}
