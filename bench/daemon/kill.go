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
)

// kill ends the daemon with kill -9 under load, again and again. Replies that clients got must be
// right, and requests without a reply are sent once more, as trainers do. The next daemon must
// answer them, and nothing of the killed ones may be left behind.
func kill(cfg config) error {
	items, err := makeItems(cfg.distinct, cfg.tests...)
	if err != nil {
		return err
	}
	if _, err := cfg.score(items); err != nil {
		return err
	}
	n := nest{}
	if n.dir, err = os.MkdirTemp("", "plumb-nest-"); err != nil {
		return err
	}
	defer os.RemoveAll(n.dir)
	env := []string{"TMPDIR=" + n.dir}
	process, err := cfg.serve("127.0.0.1:0", env)
	if err != nil {
		return err
	}
	defer func() { process.kill() }()
	addr, tally := process.addr, newTally()
	cfg.say("# kill: %d requests of %d clients, %d times kill -9 and a new daemon on the same port", cfg.n, cfg.clients, cfg.runs)
	var next, acked atomic.Int64
	var all sync.WaitGroup
	for range cfg.clients {
		all.Go(func() {
			client := newClient(addr, time.Minute)
			for {
				k := int(next.Add(1)) - 1
				if k >= cfg.n {
					return
				}
				client.insist(&items[order(k, len(items))], tally, &acked)
			}
		})
	}
	kills := 0
	for kills < cfg.runs {
		for target := int64(cfg.n * (kills + 1) / (cfg.runs + 1)); acked.Load() < target; {
			time.Sleep(time.Millisecond)
		}
		n.pids = append(n.pids, strconv.Itoa(process.cmd.Process.Pid))
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
	time.Sleep(2 * time.Second) // orphans notice that their parent is gone
	left, err := n.left()
	if err != nil {
		return err
	}
	cfg.say("replies             %d, wrong %d, never answered %d", tally.n, tally.nWrong, tally.nLost)
	cfg.say("tries that failed   %v", tally.tries)
	cfg.say("left behind         %q (shared memory, processes, temporary files)", left)
	if len(left) > 0 {
		return fmt.Errorf("left behind: %q", left)
	}
	return tally.verdict()
}

// insist sends one item to the daemon until it is answered, for at most a minute, because the daemon
// is killed and started again in between. It counts tries that failed, compares the answer with the
// one that is wanted, and counts the item as lost if the minute ends without an answer. acked counts
// the answers of all clients.
func (client *client) insist(item *item, tally *tally, acked *atomic.Int64) {
	for start := time.Now(); time.Since(start) < time.Minute; time.Sleep(20 * time.Millisecond) {
		data, err := client.post("/v1/score", item.line)
		if err != nil {
			tally.failed(err)
			continue
		}
		acked.Add(1)
		tally.answered(time.Since(start))
		if !bytes.Equal(bytes.TrimSpace(data), item.want) {
			tally.err(fmt.Sprintf("got %.300s; want %.300s", data, item.want))
		}
		return
	}
	tally.lose(string(clipped(item.line)))
}

// nest is the folder and the environment of the daemons of one run, by which their leftovers are
// told from those of other programs.
type nest struct {
	dir  string // their folder of temporary files, which stands in the command lines of browsers too
	pids []string
}

// left lists what the daemons left behind: temporary files, processes, and segments of shared
// memory.
func (n *nest) left() (list []string, err error) {
	entries, err := os.ReadDir(n.dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		list = append(list, "file "+e.Name())
	}
	if b, err := os.ReadFile("/proc/sysvipc/shm"); err == nil {
		for i, l := range strings.Split(strings.TrimSpace(string(b)), "\n") {
			if f := strings.Fields(l); i > 0 && len(f) > 5 && slices.Contains(n.pids, f[4]) { // key shmid perms size cpid
				list = append(list, "segment "+f[1])
			}
		}
	}
	pids, _ := filepath.Glob("/proc/[0-9]*")
	for _, p := range pids {
		args, _ := os.ReadFile(filepath.Join(p, "cmdline"))
		env, _ := os.ReadFile(filepath.Join(p, "environ"))
		if bytes.Contains(args, []byte(n.dir)) || bytes.Contains(env, []byte("TMPDIR="+n.dir)) {
			list = append(list, fmt.Sprintf("process %s: %.60s", filepath.Base(p), bytes.ReplaceAll(args, []byte{0}, []byte{' '})))
		}
	}
	return list, nil
}
