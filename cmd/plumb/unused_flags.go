package main

import (
	"slices"

	"github.com/alecthomas/kong"
)

// A flag that a command accepts but does not use would be ignored silently, so it ends
// the run with a usage error. Each command lists here the flags that have no effect in
// each of its uses. See docs/spec/cli.md#r7.

// unusedFlags lists flags that have no effect in one use of a command.
type unusedFlags struct {
	where string   // the use, as in "cannot use --images with --suite aspire"
	names []string // names of flags, or "@group" for all flags of a group
}

// include reports whether a flag, or its whole group, is in the list.
func (u *unusedFlags) include(f *kong.Flag) bool {
	return slices.Contains(u.names, f.Name) || f.Group != nil && slices.Contains(u.names, "@"+f.Group.Key)
}

// flagUser is a command that does not use all of its flags in every use.
type flagUser interface{ unusedFlags() []unusedFlags }

// checkUnusedFlags returns a usage error for a flag on the command line that the command does
// not use. It ignores flags that the environment sets.
func checkUnusedFlags(k *kong.Context) error {
	node := k.Selected()
	if node == nil {
		return nil
	}
	c, ok := node.Target.Addr().Interface().(flagUser)
	if !ok {
		return nil
	}
	all := c.unusedFlags()
	for _, p := range k.Path {
		if p.Flag == nil {
			continue
		}
		for _, unused := range all {
			if unused.include(p.Flag) {
				return usage("cannot use --%s %s: it has no effect there", p.Flag.Name, unused.where)
			}
		}
	}
	return nil
}

// Names of flags by purpose.
var (
	engineNames  = join([]string{"backend", "fidelity", "raster", "device", "fonts-dir", "batch", "tally-cache", "tldraw"}, browserNames)
	browserNames = []string{"chrome", "chrome-pages", "chrome-sandbox", "chrome-memory", "chrome-start",
		"tldraw-use", "tldraw-host", "tldraw-license-key"}
	chromeNames = join(browserNames, []string{"max-asset", "max-asset-pixels"})
	canvasNames = []string{"max-pixels", "max-side", "max-coverage", "max-asset", "max-asset-pixels"}
	answerNames = []string{"max-actions", "max-paint", "max-response"}
	sceneNames  = []string{"max-shapes", "max-points", "max-text", "max-coordinate"}
	queueNames  = []string{"deadline", "queue-max", "max-memory"}
	jsonNames   = []string{"max-depth", "max-values"}
	shmNames    = []string{"shm-socket", "shm-trust-loopback", "runtime-dir", "max-shm-regions", "max-shm-per-client",
		"max-shm-bytes", "shm-idle"}
	tangramOnly = []string{"@tangram"}
	judgeNames  = []string{"@judge"}
)

func join(lists ...[]string) []string { return slices.Concat(lists...) }

// unusedFlags implements flagUser: the command only reads dumps.
func (c *recordsCmd) unusedFlags() []unusedFlags {
	return []unusedFlags{{"with plumb records", join(answerNames, queueNames, canvasNames, sceneNames)}}
}

// unusedFlags implements flagUser: most flags belong to the prompts of one suite.
func (c *promptCmd) unusedFlags() []unusedFlags {
	all := []unusedFlags{{"with plumb prompt", join(answerNames, queueNames)}}
	if c.Suite != "aspire" || c.Images == "" {
		all = append(all, unusedFlags{"with these prompts", join(canvasNames, sceneNames)})
	}
	wanted := "with --suite " + c.Suite
	switch c.Suite {
	case "aspire":
		all = append(all, unusedFlags{wanted, join([]string{"format", "method", "@drawingbench"}, tangramOnly)})
	case "spatialab":
		all = append(all, unusedFlags{wanted, join([]string{"mode", "input", "images", "fonts-dir", "@drawingbench"}, tangramOnly)})
	case "spaceeval":
		others := []string{"format", "mode", "input", "method", "images", "fonts-dir", "@drawingbench"}
		all = append(all, unusedFlags{wanted, join(others, tangramOnly)})
	case "drawingbench":
		all = append(all, unusedFlags{wanted, join([]string{"format", "mode", "input", "method", "images", "fonts-dir"}, tangramOnly)})
	case "tangram":
		all = append(all, unusedFlags{wanted, join([]string{"format", "mode", "input", "method", "@drawingbench"}, jsonNames)})
		if c.Test == "outline" {
			all = append(all, unusedFlags{"with --test outline", []string{"setting"}})
		} else if c.Setting != "in-context" {
			all = append(all, unusedFlags{"with --setting " + c.Setting, []string{"seed"}})
		}
	}
	if c.Images == "" && !c.Rows {
		all = append(all, unusedFlags{"without --images", []string{"fonts-dir"}})
	}
	if c.Turn2 != "" {
		all = append(all, unusedFlags{"with --second-turn", jsonNames})
	}
	return all
}

// unusedFlags implements flagUser: with --server the daemon draws and scores by its own flags, but a
// report is drawn in this process.
func (c *scoreCmd) unusedFlags() (all []unusedFlags) {
	if c.JudgeURL == "" {
		all = append(all, unusedFlags{"without --judge-url", judgeNames})
	}
	switch {
	case c.Server == "":
		all = append(all, unusedFlags{"without --server", []string{"token-env"}})
	case c.Report == "":
		ofDaemon := join(engineNames, []string{"workers"}, canvasNames, answerNames, sceneNames, queueNames)
		all = append(all, unusedFlags{"with --server", ofDaemon})
	}
	return all
}

// unusedFlags lists the flags of plumb serve that have no use without a judge or shared memory.
func (c *serveCmd) unusedFlags() (all []unusedFlags) {
	if c.JudgeURL == "" {
		all = append(all, unusedFlags{"without --judge-url", judgeNames})
	}
	if !c.AllowClientShm {
		all = append(all, unusedFlags{"without --allow-client-shm", shmNames})
	}
	return all
}

// unusedFlags lists the flags that have no use with the others of this plumb render: those of comparisons
// without one, and those of scenes with --suite.
func (c *renderCmd) unusedFlags() (all []unusedFlags) {
	if c.Compare == "" {
		all = append(all, unusedFlags{"without --compare", []string{"worst", "reference"}})
	}
	if c.Suite != "" {
		ofScenes := join(engineNames, canvasNames, queueNames, []string{"compare", "only", "bounds"})
		all = append(all, unusedFlags{"with --suite", ofScenes})
	} else {
		all = append(all, unusedFlags{"without --suite", join([]string{"tasks", "tally-cache"}, answerNames)})
	}
	if c.Compare != "" {
		all = append(all, unusedFlags{"with --compare", []string{"out", "channels", "fidelity"}})
	}
	if c.Reference != "" {
		all = append(all, unusedFlags{"with --reference", chromeNames})
	}
	return all
}

// unusedFlags lists the flags that have no use with the others of this plumb bench.
func (c *benchCmd) unusedFlags() (all []unusedFlags) {
	if c.Compare {
		return nil // compare checks its flags itself
	}
	all = append(all, unusedFlags{"without --compare", []string{"rounds"}}, unusedFlags{"with plumb bench", chromeNames})
	if len(c.Files)+len(c.Items) > 0 {
		all = append(all, unusedFlags{"with files or --items", []string{"seed"}})
	}
	return all
}

// unusedFlags implements flagUser: the command reads result lines and scores nothing.
func (c *reportCmd) unusedFlags() []unusedFlags {
	return []unusedFlags{{"with plumb report", join(canvasNames, answerNames, sceneNames, queueNames, jsonNames)}}
}

// unusedFlags lists the flags that plumb agree has with others and does not use.
func (c *agreeCmd) unusedFlags() []unusedFlags {
	return []unusedFlags{{"with plumb agree", join(canvasNames, answerNames, sceneNames, queueNames)}}
}

// unusedFlags lists the flags that plumb tangram convert has with others and does not use.
func (c *convertCmd) unusedFlags() []unusedFlags {
	return []unusedFlags{{"with plumb tangram convert", join(canvasNames, answerNames, sceneNames, queueNames, jsonNames)}}
}

// unusedFlags lists the flags that plumb tangram items has with others and does not use.
func (c *itemsCmd) unusedFlags() []unusedFlags {
	return []unusedFlags{{"with plumb tangram items", join(canvasNames, answerNames, sceneNames, queueNames, jsonNames)}}
}

// unusedFlags implements flagUser: the command reads result lines alone.
func (c *compareCmd) unusedFlags() []unusedFlags {
	return []unusedFlags{{"with plumb compare", join(canvasNames, answerNames, sceneNames, queueNames, jsonNames)}}
}

// unusedFlags implements flagUser: the command reads result lines alone.
func (c *powerCmd) unusedFlags() []unusedFlags {
	return []unusedFlags{{"with plumb power", join(canvasNames, answerNames, sceneNames, queueNames, jsonNames)}}
}

// unusedFlags implements flagUser: the daemon under load has limits of its own.
func (c *loadCmd) unusedFlags() []unusedFlags {
	return []unusedFlags{{"with plumb load", join(canvasNames, answerNames, sceneNames, queueNames)}}
}

// unusedFlags implements flagUser: the command draws no scene and scores no answer.
func (c *vqaConvertCmd) unusedFlags() []unusedFlags {
	return []unusedFlags{{"with plumb vqa convert", join(canvasNames, answerNames, queueNames, sceneNames)}}
}
