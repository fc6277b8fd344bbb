package shm

import "time"

// tick is the interval at which the creators of segments are checked.
const tick = time.Second

// watch removes the regions of dead clients until the registry is closed.
func (g *Registry) watch() {
	t := time.NewTicker(tick)
	defer t.Stop()
	for {
		select {
		case <-g.done:
			return
		case <-t.C:
			g.expire(time.Now())
			g.file.sweep()
		}
	}
}

// expire removes the regions whose client is dead, and those of clients that cannot be seen
// if they were not used for Config.Idle. A region with pins stays mapped until the last one
// is released.
func (g *Registry) expire(now time.Time) {
	g.mu.Lock()
	all := make([]*region, 0, len(g.regions))
	for _, r := range g.regions {
		all = append(all, r)
	}
	g.mu.Unlock()
	over := map[*region]bool{}
	for _, r := range all { // without the lock: this reads files
		switch r.mem.alive() {
		case dead:
			over[r] = true
			g.cfg.Log.Info("let go of a region: its client is dead", "region", r.name)
		case unseen:
			if now.Sub(time.Unix(0, r.used.Load())) > g.cfg.Idle {
				over[r] = true
				g.cfg.Log.Info("removed a region that was not used for --shm-idle", "region", r.name)
			}
		}
	}
	if len(over) > 0 {
		g.unregister(func(r *region) bool { return over[r] }) // logs what fails
	}
}
