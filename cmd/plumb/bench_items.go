package main

import (
	"context"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"plumb/bench/items"
	"plumb/bench/record"
	"plumb/bench/scenes"
	"plumb/bench/spawn"
	"plumb/daemon"
	"plumb/daemon/queue"
	"plumb/render"
	"plumb/scoring"
)

// The number of generated items of each class, and of rounds over them.
const (
	quickItems, quickRounds = 24, 3
	fullItems, fullRounds   = 96, 7
)

// sets returns the items to measure: those of --items, else generated ones of the classes that
// --class names by suite or test, or of all. With files of scenes there are none. It returns a usage
// error for a class that neither scenes nor items have, and for flags that exclude each other.
func (c *benchCmd) sets(cc daemon.CoreConfig) (sets []items.Set, err error) {
	if len(c.Items)+len(c.Files) > 0 && len(c.Class) > 0 {
		return nil, usage("cannot use --class with files: want one or the other")
	}
	if len(c.Items) == 0 && (c.Suite != "" || len(c.Tasks) > 0) {
		return nil, usage("cannot use --suite or --tasks without --items DUMP: made-up items carry both")
	}
	if len(c.Items) > 0 {
		return c.readSets(cc)
	}
	if len(c.Files) > 0 {
		return nil, nil
	}
	n := fullItems
	if c.Quick {
		n = quickItems
	}
	all, err := items.Made(n, c.Seed)
	if err != nil {
		return nil, err
	}
	known := map[string]bool{}
	for _, class := range scenes.Classes() {
		known[class.Name] = true
	}
	for _, s := range all {
		suite, _, _ := strings.Cut(s.Name, "/")
		known[s.Name], known[suite] = true, true
		if len(c.Class) == 0 || slices.Contains(c.Class, s.Name) || slices.Contains(c.Class, suite) {
			sets = append(sets, s)
		}
	}
	for _, name := range c.Class {
		if !known[name] {
			names := slices.Sorted(maps.Keys(known))
			return nil, usage("cannot measure class %q: want some of %s", name, strings.Join(names, ", "))
		}
	}
	return sets, nil
}

// readSets reads the dumps of --items. Items of the same test in several dumps are one
// set.
func (c *benchCmd) readSets(cc daemon.CoreConfig) (sets []items.Set, err error) {
	cfg, err := daemon.Items(cc)
	if err != nil {
		return nil, err
	}
	for _, path := range c.Items {
		read, err := items.Read(path, cc.Lines, cfg)
		if err != nil {
			return nil, err
		}
		for _, s := range read {
			i := slices.IndexFunc(sets, func(t items.Set) bool { return t.Name == s.Name })
			if i < 0 {
				sets = append(sets, s)
				continue
			}
			sets[i].Lines = append(sets[i].Lines, s.Lines...)
		}
	}
	if len(sets) == 0 {
		return nil, usage("cannot measure %s: got no items; want at least one", strings.Join(c.Items, ", "))
	}
	return sets, nil
}

// measureItems measures the sets in this process, through a queue of its own, and over HTTP, through
// a daemon that it starts. Both run without Chromium.
func (c *benchCmd) measureItems(sets []items.Set, cc daemon.CoreConfig, plan *record.Plan) ([]items.Class, error) {
	cc.Engine.Fidelity = render.FidelityNative
	core, err := daemon.Open(cc)
	if err != nil {
		return nil, err
	}
	defer core.Close()
	reward, err := scoring.ParseReward("clamp01")
	if err != nil {
		return nil, err
	}
	cfg := items.Config{Queue: core.Queue, Options: &queue.Options{Suite: c.Suite, Reward: reward}, Rounds: fullRounds,
		Forget: core.Engine.ForgetTallies, Serve: c.serve}
	if c.Quick {
		cfg.Rounds = quickRounds
	}
	if plan.Report != nil {
		cfg.Report = func(what string, round, rounds int) { plan.Report(what, round, rounds) }
	}
	return items.Measure(context.Background(), cfg, sets)
}

// serve starts a daemon of this program with the same engine, without Chromium.
func (c *benchCmd) serve() (*spawn.Daemon, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	flags := []string{"--fidelity", render.FidelityNative, "--backend", c.Backend, "--raster", c.Raster, "--device", c.Device,
		"--workers", strconv.Itoa(c.Workers), "--batch", strconv.Itoa(int(c.Batch)), "--tally-cache", strconv.Itoa(int(c.Tallies))}
	if c.FontsDir != "" {
		flags = append(flags, "--fonts-dir", c.FontsDir)
	}
	return spawn.Start(self, flags...)
}
