package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"time"

	"plumb/bench/inturn"
	"plumb/bench/spawn"
)

// overHTTP starts `plumb serve`, sends it the lines of a dump in requests, and stops it. The sample
// has the answers per second, the daemon's processor time per answer and its peak memory, and a hash
// of the results, which must be that of other programs.
func overHTTP(program string, dump *dump) (sample inturn.Sample, err error) {
	daemon, err := spawn.Start(program, serveFlags...)
	if err != nil {
		return sample, err
	}
	defer func() { err = errors.Join(err, daemon.Close()) }()
	spent, err := daemon.CoreTime()
	if err != nil {
		return sample, err
	}
	begin := time.Now()
	answers, err := daemon.Score(dump.lines)
	if err != nil {
		return sample, err
	}
	took := time.Since(begin)
	total, err := daemon.CoreTime()
	if err != nil {
		return sample, err
	}
	n := len(dump.lines)
	sample.Rate, sample.Core = float64(n)/took.Seconds(), (total-spent)/time.Duration(n)
	sample.RSS = daemon.Memory().Peak
	sample.Sum = sha256.Sum256(bytes.Join(answers, []byte("\n")))
	return sample, nil
}

// serveFlags are the flags of the daemon.
var serveFlags = []string{"--suite", "aspire", "--fidelity", "native"}
