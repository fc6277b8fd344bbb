package main

import (
	"slices"

	"github.com/alecthomas/kong"
)

// A flag that a command accepts but does not use would be ignored silently, so it ends the run with a usage
// error. Each command lists here the flags that have no effect in each of its uses. See docs/spec/cli.md#r7.

// unusedFlags lists flags that have no effect in one use of a command.
type unusedFlags struct {
	use   string   // the use, as in "cannot use --images with --suite aspire"
	names []string // names of flags, or "@group" for all flags of a group
}

// include reports whether a flag, or its whole group, is in the list.
func (u *unusedFlags) include(f *kong.Flag) bool {
	return slices.Contains(u.names, f.Name) || f.Group != nil && slices.Contains(u.names, "@"+f.Group.Key)
}

// flagUser is a command that does not use all of its flags in every use.
type flagUser interface{ unusedFlags() []unusedFlags }

// checkUnusedFlags returns a usageError for a flag on the command line that has no effect in this use of the
// command. It ignores flags that environment variables set, because these are meant for many commands.
func checkUnusedFlags(context *kong.Context) error {
	node := context.Selected()
	if node == nil {
		return nil
	}
	user, ok := node.Target.Addr().Interface().(flagUser)
	if !ok {
		return nil
	}
	all := user.unusedFlags()
	for _, element := range context.Path { // the commands and flags of the command line
		if element.Flag == nil { // a command
			continue
		}
		for _, unused := range all {
			if unused.include(element.Flag) {
				return usage("cannot use --%s %s: it has no effect there", element.Flag.Name, unused.use)
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
func (cmd *recordsCmd) unusedFlags() []unusedFlags {
	return []unusedFlags{{"with plumb records", join(answerNames, queueNames, canvasNames, sceneNames)}}
}

// unusedFlags lists the flags that have no effect beside the others of this plumb prompt, so that giving
// one is an error. Most flags belong to the prompts of one suite. "@" before a name stands for all
// flags of that group.
func (cmd *promptCmd) unusedFlags() []unusedFlags {
	all := []unusedFlags{{"with plumb prompt", join(answerNames, queueNames)}}
	if cmd.Suite != "aspire" || cmd.Images == "" {
		all = append(all, unusedFlags{"with these prompts", join(canvasNames, sceneNames)})
	}
	withSuite := "with --suite " + cmd.Suite
	switch cmd.Suite {
	case "aspire":
		all = append(all, unusedFlags{withSuite, join([]string{"format", "method", "@drawingbench"}, tangramOnly)})
	case "spatialab":
		all = append(all, unusedFlags{withSuite, join([]string{"mode", "input", "images", "fonts-dir", "@drawingbench"}, tangramOnly)})
	default:
		if suite := builtInSuites().Find(cmd.Suite); suite == nil || !suite.Questions {
			break
		}
		others := []string{"format", "mode", "input", "method", "images", "fonts-dir", "@drawingbench"}
		all = append(all, unusedFlags{withSuite, join(others, tangramOnly)})
	case "drawingbench":
		all = append(all, unusedFlags{withSuite, join([]string{"format", "mode", "input", "method", "images", "fonts-dir"}, tangramOnly)})
	case "tangram":
		all = append(all, unusedFlags{withSuite, join([]string{"format", "mode", "input", "method", "@drawingbench"}, jsonNames)})
		if cmd.Test == "outline" {
			all = append(all, unusedFlags{"with --test outline", []string{"setting"}})
		} else if cmd.Setting != "in-context" {
			all = append(all, unusedFlags{"with --setting " + cmd.Setting, []string{"seed"}})
		}
	}
	if cmd.Images == "" && !cmd.Rows {
		all = append(all, unusedFlags{"without --images", []string{"fonts-dir"}})
	}
	if cmd.Turn2 != "" {
		all = append(all, unusedFlags{"with --second-turn", jsonNames})
	}
	return all
}

// unusedFlags lists the flags that have no effect beside the others of this plumb score. With --server
// the daemon draws and scores by its own flags; only the pictures of a report are drawn in this process. So the
// flags of drawing and queue have no effect if there is a server and no report.
func (cmd *scoreCmd) unusedFlags() (all []unusedFlags) {
	if cmd.JudgeURL == "" {
		all = append(all, unusedFlags{"without --judge-url", judgeNames})
	}
	switch {
	case cmd.Server == "":
		all = append(all, unusedFlags{"without --server", []string{"token-env"}})
	case cmd.Report == "":
		ofDaemon := join(engineNames, []string{"workers"}, canvasNames, answerNames, sceneNames, queueNames)
		all = append(all, unusedFlags{"with --server", ofDaemon})
	}
	return all
}

// unusedFlags lists the flags of plumb serve that have no effect without a judge or shared memory.
func (cmd *serveCmd) unusedFlags() (all []unusedFlags) {
	if cmd.JudgeURL == "" {
		all = append(all, unusedFlags{"without --judge-url", judgeNames})
	}
	if !cmd.AllowClientShm {
		all = append(all, unusedFlags{"without --allow-client-shm", shmNames})
	}
	return all
}

// unusedFlags lists the flags that have no effect beside the others of this plumb render. Without --compare
// these are the flags of comparisons. With --suite, which draws answers, these are the flags of scenes.
func (cmd *renderCmd) unusedFlags() (all []unusedFlags) {
	if cmd.Compare == "" {
		all = append(all, unusedFlags{"without --compare", []string{"worst", "reference"}})
	}
	if cmd.Suite != "" {
		ofScenes := join(engineNames, canvasNames, queueNames, []string{"compare", "only", "bounds"})
		all = append(all, unusedFlags{"with --suite", ofScenes})
	} else {
		all = append(all, unusedFlags{"without --suite", join([]string{"tasks"}, answerNames)})
	}
	if cmd.Compare != "" {
		all = append(all, unusedFlags{"with --compare", []string{"out", "channels", "fidelity"}})
	}
	if cmd.Reference != "" {
		all = append(all, unusedFlags{"with --reference", chromeNames})
	}
	return all
}

// unusedFlags lists the flags that have no effect beside the others of this plumb bench, which never
// starts Chromium and so needs none of its flags.
func (cmd *benchCmd) unusedFlags() (all []unusedFlags) {
	if cmd.Compare {
		return nil // compare checks its flags itself
	}
	all = append(all, unusedFlags{"without --compare", []string{"rounds"}}, unusedFlags{"with plumb bench", chromeNames})
	if len(cmd.Files)+len(cmd.Items) > 0 {
		all = append(all, unusedFlags{"with files or --items", []string{"seed"}})
	}
	return all
}

// unusedFlags implements flagUser: the command reads result lines and scores nothing.
func (cmd *reportCmd) unusedFlags() []unusedFlags {
	return []unusedFlags{{"with plumb report", join(canvasNames, answerNames, sceneNames, queueNames, jsonNames)}}
}

// unusedFlags lists the flags that plumb agree has with others and does not use.
func (cmd *agreeCmd) unusedFlags() []unusedFlags {
	return []unusedFlags{{"with plumb agree", join(canvasNames, answerNames, sceneNames, queueNames)}}
}

// unusedFlags lists the flags that plumb tangram convert has with others and does not use.
func (cmd *convertCmd) unusedFlags() []unusedFlags {
	return []unusedFlags{{"with plumb tangram convert", join(canvasNames, answerNames, sceneNames, queueNames, jsonNames)}}
}

// unusedFlags lists the flags that plumb tangram items has with others and does not use.
func (cmd *itemsCmd) unusedFlags() []unusedFlags {
	return []unusedFlags{{"with plumb tangram items", join(canvasNames, answerNames, sceneNames, queueNames, jsonNames)}}
}

// unusedFlags implements flagUser: the command reads result lines alone.
func (cmd *compareCmd) unusedFlags() []unusedFlags {
	return []unusedFlags{{"with plumb compare", join(canvasNames, answerNames, sceneNames, queueNames, jsonNames)}}
}

// unusedFlags implements flagUser: the command reads result lines alone.
func (cmd *powerCmd) unusedFlags() []unusedFlags {
	return []unusedFlags{{"with plumb power", join(canvasNames, answerNames, sceneNames, queueNames, jsonNames)}}
}

// unusedFlags implements flagUser: the daemon under load has limits of its own.
func (cmd *loadCmd) unusedFlags() []unusedFlags {
	return []unusedFlags{{"with plumb load", join(canvasNames, answerNames, sceneNames, queueNames)}}
}

// unusedFlags implements flagUser: the command draws no scene and scores no answer.
func (cmd *vqaConvertCmd) unusedFlags() []unusedFlags {
	return []unusedFlags{{"with plumb vqa convert", join(canvasNames, answerNames, queueNames, sceneNames)}}
}
