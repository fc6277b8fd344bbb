package queue

import "time"

// Part is one phase of a sample's time in the queue.
type Part uint8

// The parts, in the order in which a sample passes them.
const (
	PartQueue   Part = iota // from arrival until a worker took the sample
	PartDecode              // JSON, the answer in it, the task's rules
	PartOutline             // outlines, coverage and tiles of its pictures
	PartJudge               // waiting for a language model's verdict; 0 where none is needed
	PartExport              // waiting for pictures that the editor draws; 0 for native ones
	PartPack                // prepared, waiting for its batch
	PartGPU                 // its batch on the device: layout, upload, dispatch, read-back
	PartScore               // from there until its score, the wait for a worker included
	PartEncode              // the result line
	PartReply               // until its reader took the answer; in a stream, the wait for earlier lines
	Parts                   // how many there are
)

// String names a part as reports and traces do.
func (p Part) String() string {
	return [Parts]string{"queue", "decode", "outline", "judge", "export", "pack", "gpu", "score", "encode", "reply"}[p]
}

// Timing holds the duration of each Part of a sample, 0 for parts that it did not pass.
// They add up to Total exactly. After a missed deadline only the time in the queue is
// known, and the rest counts as PartReply.
type Timing [Parts]time.Duration

// Total is the time from arrival until the reader took the answer.
func (t Timing) Total() (sum time.Duration) {
	for _, d := range t {
		sum += d
	}
	return sum
}

// partEnds holds when each part of a task ended, on the queue's clock; 0 for parts that it
// did not pass. The goroutine that owns the task sets them.
type partEnds [Parts]time.Duration

// parts splits the time from arrived until now at the ends of its parts.
func (ends *partEnds) parts(arrived, now time.Duration) (timing Timing) {
	partBegin := arrived
	for p, end := range ends {
		if end > partBegin { // else the sample did not pass the part
			timing[p] = end - partBegin
			partBegin = end
		}
	}
	timing[PartReply] += max(0, now-partBegin) // what is left
	return timing
}

// now reads the queue's clock, which only runs forward and is never 0.
func (queue *Queue) now() time.Duration { return time.Since(queue.epoch) }

// endPart records that a part of a task ends now.
func (queue *Queue) endPart(t *task, p Part) { t.partEnds[p] = queue.now() }
