package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"time"

	"plumb/bench/spawn"
)

// overHTTP starts `plumb serve`, sends a dump in requests, and stops it.
func overHTTP(program string, d *dump) (s sample, err error) {
	daemon, err := spawn.Start(program, serveFlags...)
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, daemon.Close()) }()
	spent, err := daemon.CoreTime()
	if err != nil {
		return s, err
	}
	begin := time.Now()
	answers, err := daemon.Score(d.lines)
	if err != nil {
		return s, err
	}
	took := time.Since(begin)
	total, err := daemon.CoreTime()
	if err != nil {
		return s, err
	}
	n := len(d.lines)
	s.rate, s.core = float64(n)/took.Seconds(), (total-spent)/time.Duration(n)
	s.rss = daemon.Memory().Peak
	s.sum = sha256.Sum256(bytes.Join(answers, []byte("\n")))
	return s, nil
}

// serveFlags are the flags of the daemon.
var serveFlags = []string{"--suite", "aspire", "--fidelity", "native"}
