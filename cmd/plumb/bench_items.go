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

// itemSets returns the sets of benchmark items whose scoring is to be measured, one set for each test. They
// are those in the dumps of --items. Without the flag they are generated; --class may choose some by suite
// or test. Where files of scenes are given, only these are measured, and there are no items. It returns a
// usageError for a class that neither scenes nor items have, and for flags that exclude each other.
func (cmd *benchCmd) itemSets(config daemon.CoreConfig) (sets []items.Set, err error) {
	if len(cmd.Items)+len(cmd.Files) > 0 && len(cmd.Class) > 0 {
		return nil, usage("cannot use --class with files: want one or the other")
	}
	if len(cmd.Items) == 0 && (cmd.Suite != "" || len(cmd.Tasks) > 0) {
		return nil, usage("cannot use --suite or --tasks without --items DUMP: made-up items carry both")
	}
	if len(cmd.Items) > 0 {
		return cmd.readSets(config)
	}
	if len(cmd.Files) > 0 {
		return nil, nil
	}
	// Without files, items are made and chosen by the names of --class.
	perSet := fullItems
	if cmd.Quick {
		perSet = quickItems
	}
	all, err := items.MakeSets(perSet, cmd.Seed)
	if err != nil {
		return nil, err
	}
	known := map[string]bool{}
	for _, class := range scenes.Classes() {
		known[class.Name] = true
	}
	for _, set := range all {
		suite, _, _ := strings.Cut(set.Name, "/") // a set is named SUITE/TEST
		known[set.Name], known[suite] = true, true
		if len(cmd.Class) == 0 || slices.Contains(cmd.Class, set.Name) || slices.Contains(cmd.Class, suite) {
			sets = append(sets, set)
		}
	}
	// A name of neither a class of scenes nor a set of items is an error.
	for _, name := range cmd.Class {
		if !known[name] {
			names := slices.Sorted(maps.Keys(known))
			return nil, usage("cannot measure class %q: want some of %s", name, strings.Join(names, ", "))
		}
	}
	return sets, nil
}

// readSets reads the items of the dumps of --items into sets, one for each test. Items of the same
// test in several dumps are one set.
func (cmd *benchCmd) readSets(config daemon.CoreConfig) (sets []items.Set, err error) {
	cfg, err := daemon.Items(config)
	if err != nil {
		return nil, err
	}
	for _, path := range cmd.Items {
		read, err := items.Read(path, config.Lines, cfg)
		if err != nil {
			return nil, err
		}
		for _, set := range read {
			i := slices.IndexFunc(sets, func(other items.Set) bool { return other.Name == set.Name })
			if i < 0 {
				sets = append(sets, set)
				continue
			}
			sets[i].Lines = append(sets[i].Lines, set.Lines...)
		}
	}
	if len(sets) == 0 {
		return nil, usage("cannot measure %s: got no items; want at least one", strings.Join(cmd.Items, ", "))
	}
	return sets, nil
}

// measureItems measures how fast sets of items are scored: in this process, through a queue of its own,
// and over HTTP, through a daemon that it starts. Both run without Chromium, whose times would hide those
// of plumb itself.
func (cmd *benchCmd) measureItems(sets []items.Set, config daemon.CoreConfig, plan *record.Plan) ([]items.Class, error) {
	config.Engine.Fidelity = render.FidelityNative
	core, err := daemon.Open(config)
	if err != nil {
		return nil, err
	}
	defer core.Close()
	reward, err := scoring.ParseReward("clamp01") // the default of plumb score
	if err != nil {
		return nil, err
	}
	cfg := items.Config{Queue: core.Queue, Options: &queue.Options{Suite: cmd.Suite, Reward: reward}, Rounds: fullRounds,
		ForgetTallies: core.Engine.ForgetTallies, Serve: cmd.startDaemon, Report: plan.Report}
	if cmd.Quick {
		cfg.Rounds = quickRounds
	}
	return items.Measure(context.Background(), cfg, sets)
}

// startDaemon starts this program as a daemon for measurements over HTTP. Its flags give it the same engine as
// this process has, without Chromium.
func (cmd *benchCmd) startDaemon() (*spawn.Daemon, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	flags := []string{"--fidelity", render.FidelityNative, "--backend", cmd.Backend, "--raster", cmd.Raster, "--device", cmd.Device,
		"--workers", strconv.Itoa(cmd.Workers), "--batch", strconv.Itoa(int(cmd.Batch)), "--tally-cache", strconv.Itoa(int(cmd.Tallies))}
	if cmd.FontsDir != "" {
		flags = append(flags, "--fonts-dir", cmd.FontsDir)
	}
	return spawn.Start(self, flags...)
}
