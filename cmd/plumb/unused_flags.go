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
		for _, i := range all {
			if slices.Contains(i.names, p.Flag.Name) || p.Flag.Group != nil && slices.Contains(i.names, "@"+p.Flag.Group.Key) {
				return usage("cannot use --%s %s: it has no effect there", p.Flag.Name, i.where)
			}
		}
	}
	return nil
}

// Names of flags by purpose.
var (
	engineNames  = join([]string{"backend", "fidelity", "raster", "device", "fonts-dir", "batch", "tally-cache", "tldraw"}, browserNames)
	browserNames = []string{"chrome", "chrome-pages", "chrome-sandbox", "chrome-memory", "chrome-start", "tldraw-use", "tldraw-host", "tldraw-license-key"}
	chromeNames  = join(browserNames, []string{"max-asset", "max-asset-pixels"})
	canvasNames  = []string{"max-pixels", "max-side", "max-coverage", "max-asset", "max-asset-pixels"}
	answerNames  = []string{"max-actions", "max-paint", "max-response"}
	sceneNames   = []string{"max-shapes", "max-points", "max-text", "max-coordinate"}
	queueNames   = []string{"deadline", "queue-max", "max-memory"}
	tangramOnly  = []string{"@tangram"}
	judgeNames   = []string{"@judge"}
)

func join(lists ...[]string) []string { return slices.Concat(lists...) }

// unusedFlags implements flagUser.
func (c *recordsCmd) unusedFlags() []unusedFlags {
	return []unusedFlags{{"with plumb records", join(answerNames, queueNames, canvasNames, sceneNames)}}
}

// unusedFlags implements flagUser.
func (c *promptCmd) unusedFlags() []unusedFlags {
	all := []unusedFlags{{"with plumb prompt", join(answerNames, queueNames)}}
	if c.Suite != "aspire" || c.Images == "" {
		all = append(all, unusedFlags{"with these prompts", join(canvasNames, sceneNames)})
	}
	with := "with --suite " + c.Suite
	switch c.Suite {
	case "aspire":
		all = append(all, unusedFlags{with, join([]string{"format", "method", "@drawingbench"}, tangramOnly)})
	case "spatialab":
		all = append(all, unusedFlags{with, join([]string{"mode", "input", "images", "fonts-dir", "@drawingbench"}, tangramOnly)})
	case "spaceeval":
		all = append(all, unusedFlags{with, join([]string{"format", "mode", "input", "method", "images", "fonts-dir", "@drawingbench"}, tangramOnly)})
	case "drawingbench":
		all = append(all, unusedFlags{with, join([]string{"format", "mode", "input", "method", "images", "fonts-dir"}, tangramOnly)})
	case "tangram":
		all = append(all, unusedFlags{with, []string{"format", "mode", "input", "method", "@drawingbench", "max-depth", "max-values"}})
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
		all = append(all, unusedFlags{"with --second-turn", []string{"max-depth", "max-values"}})
	}
	return all
}

// unusedFlags implements flagUser.
func (c *scoreCmd) unusedFlags() (all []unusedFlags) {
	if c.JudgeURL == "" {
		all = append(all, unusedFlags{"without --judge-url", judgeNames})
	}
	switch {
	case c.Server == "":
		all = append(all, unusedFlags{"without --server", []string{"token-env"}})
	case c.Report == "":
		all = append(all, unusedFlags{"with --server", join(engineNames, []string{"workers"}, canvasNames, answerNames, sceneNames, queueNames)})
	}
	return all
}

// unusedFlags implements flagUser.
func (c *serveCmd) unusedFlags() (all []unusedFlags) {
	if c.JudgeURL == "" {
		all = append(all, unusedFlags{"without --judge-url", judgeNames})
	}
	if !c.AllowClientShm {
		all = append(all, unusedFlags{"without --allow-client-shm", []string{"shm-socket", "shm-trust-loopback", "runtime-dir", "max-shm-regions", "max-shm-per-client", "max-shm-bytes", "shm-idle"}})
	}
	return all
}

// unusedFlags implements flagUser.
func (c *renderCmd) unusedFlags() (all []unusedFlags) {
	if c.Compare == "" {
		all = append(all, unusedFlags{"without --compare", []string{"worst", "reference"}})
	}
	if c.Suite != "" {
		all = append(all, unusedFlags{"with --suite", join(engineNames, canvasNames, queueNames, []string{"compare", "only", "bounds"})})
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

// unusedFlags implements flagUser.
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
	return []unusedFlags{{"with plumb report", join(canvasNames, answerNames, sceneNames, queueNames, []string{"max-depth", "max-values"})}}
}

// unusedFlags implements flagUser.
func (c *agreeCmd) unusedFlags() []unusedFlags {
	return []unusedFlags{{"with plumb agree", join(canvasNames, answerNames, sceneNames, queueNames)}}
}

// unusedFlags implements flagUser.
func (c *convertCmd) unusedFlags() []unusedFlags {
	return []unusedFlags{{"with plumb tangram convert", join(canvasNames, answerNames, sceneNames, queueNames, []string{"max-depth", "max-values"})}}
}

// unusedFlags implements flagUser.
func (c *itemsCmd) unusedFlags() []unusedFlags {
	return []unusedFlags{{"with plumb tangram items", join(canvasNames, answerNames, sceneNames, queueNames, []string{"max-depth", "max-values"})}}
}
