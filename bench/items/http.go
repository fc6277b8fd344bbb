package items

import (
	"errors"
	"fmt"
	"time"

	"github.com/valyala/fastjson"

	"plumb/bench/spawn"
	"plumb/daemon/queue"
)

// mostSentAlone is how many items of a set come alone over HTTP.
const mostSentAlone = 100

// overHTTP measures the scoring of a set of items by a daemon that it starts. It sends all items in requests
// of many, and adds the rate by the clock and the daemon's processor time per item to class. Then it sends the
// first items one by one, and adds the time until the reply to the rounds of each (see oneOverHTTP).
func overHTTP(cfg *Config, set *Set, class *Class, items []timed) (err error) {
	if cfg.Serve == nil {
		return errors.New("there is no daemon to start")
	}
	daemon, err := cfg.Serve()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, daemon.Close()) }()
	took, core, err := daemon.Measure(func() error {
		_, err := daemon.Score(set.Lines)
		return err
	})
	if err != nil {
		return err
	}
	count := float64(len(set.Lines))
	class.Rate = append(class.Rate, count/took.Seconds())
	class.Core = append(class.Core, micros(core)/count)
	for i, line := range set.Lines[:min(mostSentAlone, len(set.Lines))] {
		if err := oneOverHTTP(daemon, line, &items[i]); err != nil {
			return fmt.Errorf("item %d: %w", i+1, err)
		}
	}
	return nil
}

// oneOverHTTP sends one line to a daemon and adds the time until its reply as one more round to the
// item's times. A round has a time for each part of the work. From outside only the sum is known, which
// counts as the last part, PartReply. An item that cannot be scored keeps the error's code in timed.fault.
func oneOverHTTP(daemon *spawn.Daemon, line []byte, timed *timed) error {
	start := time.Now()
	body, err := daemon.Post(line)
	if err != nil {
		return err
	}
	var round queue.Timing
	round[queue.PartReply] = time.Since(start)
	timed.id = fastjson.GetString(line, "id")
	timed.rounds = append(timed.rounds, round)
	if code := fastjson.GetString(body, "error", "code"); code != "" {
		timed.fault = code
	}
	return nil
}
