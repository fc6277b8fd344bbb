package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"plumb/scoring/plural"
)

// kill ends the daemon with kill -9 under load and starts another one on the same port, cfg.runs times.
// Replies that clients got must be right. Requests without a reply are sent again, as trainers do, and the
// next daemon must answer them. Nothing of the killed daemons may be left behind: no processes, temporary
// files or shared memory. Otherwise it returns an error.
func kill(cfg config) error {
	items, err := makeItems(cfg.distinctItems, cfg.tests...)
	if err != nil {
		return err
	}
	if _, err := cfg.runPlumbScore(items); err != nil {
		return err
	}
	killed := killedDaemons{}
	if killed.dir, err = os.MkdirTemp("", "plumb-nest-"); err != nil {
		return err
	}
	defer os.RemoveAll(killed.dir)
	env := []string{"TMPDIR=" + killed.dir}
	process, err := cfg.serve("127.0.0.1:0", env)
	if err != nil {
		return err
	}
	defer func() { process.kill() }()
	addr, tally := process.addr, newTally()
	cfg.say("# kill: %d requests of %s, %s kill -9 and a new daemon on the same port", cfg.requests, plural.Of(cfg.clients, "client"), plural.Of(cfg.runs, "time"))
	// Clients send requests.
	var next, answered atomic.Int64
	var all sync.WaitGroup
	for range cfg.clients {
		all.Go(func() {
			client := newClient(addr, time.Minute)
			for {
				k := int(next.Add(1)) - 1
				if k >= cfg.requests {
					return
				}
				client.askUntilAnswered(&items[itemOfRequest(k, len(items))], tally, &answered)
			}
		})
	}
	// Kill the daemon each time the next equal share of the requests is answered.
	kills := 0
	for kills < cfg.runs {
		if err := waitForAnswers(process, tally, &answered, int64(cfg.requests*(kills+1)/(cfg.runs+1))); err != nil {
			next.Store(int64(cfg.requests)) // the clients send no further requests
			all.Wait()
			return err
		}
		killed.pids = append(killed.pids, strconv.Itoa(process.cmd.Process.Pid))
		process.kill()
		kills++
		if process, err = cfg.serve(addr, env); err != nil {
			return err
		}
	}
	all.Wait()
	if err := process.stop(); err != nil {
		return err
	}
	// Look for what is left, after browsers and others have noticed that their parent is gone.
	time.Sleep(2 * time.Second)
	left, err := killed.leftBehind()
	if err != nil {
		return err
	}
	cfg.say("replies             %d, wrong %d, never answered %d", tally.answers, tally.differing, tally.lost)
	cfg.say("tries that failed   %v", tally.tries)
	cfg.say("left behind         %q (shared memory, processes, temporary files)", left)
	if len(left) > 0 {
		return fmt.Errorf("left behind: %q", left)
	}
	return tally.verdict()
}

// waitForAnswers waits until the clients have wanted answers together. It returns an error if the daemon ends
// before that or a request is lost, because then the number may never be reached, and the run has failed.
func waitForAnswers(process *process, tally *tally, answered *atomic.Int64, wanted int64) error {
	for answered.Load() < wanted {
		if tally.hasLost() {
			return fmt.Errorf("a request got no answer within a minute; tries that failed: %s", tally.triesText())
		}
		select {
		case <-process.done:
			return fmt.Errorf("the daemon ended by itself: %v: %.2000s", process.err, process.log)
		case <-time.After(time.Millisecond):
		}
	}
	return nil
}

// askUntilAnswered sends one item to the daemon again and again until it is answered, because the daemon is killed and
// started again in between. After a minute without an answer it counts the item as lost. It counts tries
// that failed in tally, and an answer that is not the wanted one. answered counts the answers of all clients.
func (client *client) askUntilAnswered(item *item, tally *tally, answered *atomic.Int64) {
	for start := time.Now(); time.Since(start) < time.Minute; time.Sleep(20 * time.Millisecond) {
		data, err := client.post("/v1/score", item.line)
		if err != nil {
			tally.failed(err)
			continue
		}
		answered.Add(1)
		tally.answered(time.Since(start))
		if !bytes.Equal(bytes.TrimSpace(data), item.want) {
			tally.differed(fmt.Sprintf("got %.300s; want %.300s", data, item.want))
		}
		return
	}
	tally.lose(string(clipped(item.line)))
}

// killedDaemons holds the temporary folder and the process ids of the daemons of one run, by which their
// leftovers are told from those of other programs. The folder stands in their environments too, as TMPDIR.
type killedDaemons struct {
	dir  string // their folder of temporary files, which stands in the command lines of browsers too
	pids []string
}

// leftBehind lists what the killed daemons have left behind: temporary files in their folder, segments of System V
// shared memory that they created, and processes that have the folder in their command lines or
// environments.
func (killed *killedDaemons) leftBehind() (list []string, err error) {
	entries, err := os.ReadDir(killed.dir)
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		list = append(list, "file "+entry.Name())
	}
	if table, err := os.ReadFile("/proc/sysvipc/shm"); err == nil {
		for i, line := range strings.Split(strings.TrimSpace(string(table)), "\n") {
			fields := strings.Fields(line) // key shmid perms size cpid ...; cpid is the creator
			if i > 0 && len(fields) > 5 && slices.Contains(killed.pids, fields[4]) {
				list = append(list, "segment "+fields[1])
			}
		}
	}
	processes, _ := filepath.Glob("/proc/[0-9]*")
	for _, process := range processes {
		args, _ := os.ReadFile(filepath.Join(process, "cmdline"))
		env, _ := os.ReadFile(filepath.Join(process, "environ"))
		if bytes.Contains(args, []byte(killed.dir)) || bytes.Contains(env, []byte("TMPDIR="+killed.dir)) {
			list = append(list, fmt.Sprintf("process %s: %.60s", filepath.Base(process), bytes.ReplaceAll(args, []byte{0}, []byte{' '})))
		}
	}
	return list, nil
}
