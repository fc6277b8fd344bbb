package main

import (
	"bytes"

	"plumb/bench/inturn"
	"plumb/bench/spawn"
)

// overHTTP starts a daemon, has it score the lines of a dump in requests of many, and stops it. The sample
// has the rate, the processor time and the memory of the daemon, and a hash of each result, by which the results
// of two builds are compared.
func overHTTP(program string, dump *dump) (sample inturn.Sample, err error) {
	var results [][]byte
	sample, err = inturn.OverHTTP(program, serveFlags, len(dump.lines), func(daemon *spawn.Daemon) error {
		var scoreErr error
		results, scoreErr = daemon.Score(dump.lines)
		return scoreErr
	})
	if err != nil {
		return sample, err
	}
	// A reply is one line with the results of a request; a line for each result is what hashes wants.
	lines := bytes.ReplaceAll(bytes.Join(results, []byte("\n")), []byte(`},{"id":`), []byte("},\n{\"id\":"))
	sample.Results = hashes(lines)
	return sample, nil
}

// serveFlags are the flags of the daemon.
var serveFlags = []string{"--suite", "aspire", "--fidelity", "native"}
