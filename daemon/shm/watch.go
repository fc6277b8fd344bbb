package shm

import "time"

// tick is the interval at which the creators of segments are checked.
const tick = time.Second

// watch removes the regions of dead or idle clients once every tick, until the registry is closed.
func (registry *Registry) watch() {
	t := time.NewTicker(tick)
	defer t.Stop()
	for {
		select {
		case <-registry.done:
			return
		case <-t.C:
			registry.expire(time.Now())
			registry.ledger.retryUnremoved()
		}
	}
}

// expire removes the regions whose client is dead, and those of clients that cannot be seen
// if they were not used for Config.Idle. A region with pins stays mapped until the last one
// is released.
func (registry *Registry) expire(now time.Time) {
	registry.mu.Lock()
	all := make([]*region, 0, len(registry.regions))
	for _, r := range registry.regions {
		all = append(all, r)
	}
	registry.mu.Unlock()
	// Look at the clients without the lock, because that reads files.
	over := map[*region]bool{} // regions to remove
	for _, r := range all {
		switch r.memory.alive() {
		case dead:
			over[r] = true
			registry.cfg.Log.Info("let go of a region: its client is dead", "region", r.name)
		case unseen:
			if now.Sub(time.Unix(0, r.lastUse.Load())) > registry.cfg.Idle {
				over[r] = true
				registry.cfg.Log.Info("removed a region that was not used for --shm-idle", "region", r.name)
			}
		}
	}
	if len(over) > 0 {
		registry.unregister(func(r *region) bool { return over[r] }) // logs what fails
	}
}
