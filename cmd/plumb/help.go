package main

import (
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// examples are the command lines that the help of a command shows, by the name of the command. They
// run in a checkout of plumb, as they stand and in this order: some read what earlier ones wrote.
var examples = []struct {
	command string
	lines   []string
}{
	{"score", []string{
		"plumb score -o results.jsonl --report report testdata/aspire/demo.jsonl",
		"plumb score -o drawing.jsonl --tasks testdata/drawingbench/tasks.json testdata/drawingbench/answers.jsonl",
		`grep '"model":"careful"' testdata/vqa/answers.jsonl | plumb score --tasks spatialab=testdata/vqa/items.jsonl ` +
			`--tasks spaceeval=testdata/vqa/items.jsonl -o careful.jsonl -`,
		`grep '"model":"hasty"' testdata/vqa/answers.jsonl | plumb score --tasks spatialab=testdata/vqa/items.jsonl ` +
			`--tasks spaceeval=testdata/vqa/items.jsonl -o hasty.jsonl -`,
	}},
	{"records", []string{"plumb records testdata/aspire/demo.jsonl | head -n 3"}},
	{"report", []string{"plumb report --format markdown careful.jsonl hasty.jsonl"}},
	{"compare", []string{"plumb compare careful.jsonl hasty.jsonl"}},
	{"power", []string{"plumb power --difference 0.05 careful.jsonl hasty.jsonl"}},
	{"view", []string{
		"plumb view --save page.html --dump testdata/aspire/demo.jsonl results.jsonl",
		"plumb view --dump testdata/aspire/demo.jsonl results.jsonl",
	}},
	{"shard run", []string{
		"plumb score --plan -o large.jsonl testdata/aspire/demo.jsonl",
		"plumb shard run --manifest large.jsonl.job/manifest.jsonl --shard 0",
	}},
	{"render", []string{"head -n 3 testdata/aspire/demo.jsonl | plumb render --out pictures -"}},
	{"prompt", []string{
		"plumb prompt -o prompts.jsonl testdata/aspire/demo.jsonl",
		"plumb prompt --suite tangram --images pictures -o puzzles.jsonl testdata/tangram/instances.jsonl",
	}},
	{"run", []string{
		"plumb run aspire --model NAME --count 2 --dry-run",
		"plumb run aspire --model NAME --model-url https://HOST/v1 --max-total-tokens 1000000",
	}},
	{"aspire generate", []string{"plumb aspire generate --tests maze,balance --count 2 -o tasks.jsonl"}},
	{"tangram generate", []string{"plumb tangram generate --count 3 -o instances.jsonl"}},
	{"tangram items", []string{"plumb tangram items -o items.jsonl testdata/tangram/instances.jsonl"}},
	{"vqa convert", []string{"plumb vqa convert --suite spatialab --images images -o questions.jsonl FILE.parquet"}},
	{"agree", []string{`echo '{"judge":[1,0,1],"annotators":[[1,0,0],[1,1,1]]}' | plumb agree -`}},
	{"serve", []string{
		"plumb serve",
		"plumb serve --listen 0.0.0.0:8000 --tokens-file FILE --tldraw-use development",
	}},
	{"load", []string{"plumb load --concurrency 1,8 --plot latency.svg testdata/aspire/demo.jsonl"}},
	{"bench", []string{
		"plumb bench --quick -o bench.json --html bench.html",
		"plumb bench --compare OLD-PROGRAM NEW-PROGRAM",
	}},
}

// groupTitles are the headings of the groups of flags.
var groupTitles = []kong.Group{
	{Key: "limits", Title: "Limits (a size may end in kB, MB, GB, KiB, MiB or GiB):"},
	{Key: "drawing", Title: "Drawing and measuring:"},
	{Key: "dumps", Title: "Dumps of other tools:"},
	{Key: "jobs", Title: "Long runs, and runs that several processes share:"},
	{Key: "judge", Title: "Judge (a language model that judges open answers):"},
	{Key: "model", Title: "Model and requests:"},
	{Key: "tasks", Title: "Tasks:"},
	{Key: "arms", Title: "Ways of asking (several values are separated by commas):"},
	{Key: "episodes", Title: "Episodes of several turns:"},
	{Key: "pace", Title: "Pace of calls:"},
	{Key: "money", Title: "Limits on calls and costs:"},
	{Key: "look", Title: "Looking without calls:"},
	{Key: "batch", Title: "Batch API of the endpoint:"},
	{Key: "scoring", Title: "Scoring:"},
	{Key: "comparison", Title: "Comparison with the editor:"},
	{Key: "answers", Title: "Answers of a dump:"},
	{Key: "tangram", Title: "TangramPuzzle:"},
	{Key: "drawingbench", Title: "DrawingBench:"},
	{Key: "access", Title: "Access:"},
	{Key: "connections", Title: "Connections, start and stop:"},
	{Key: "shared memory", Title: "Shared memory:"},
	{Key: "traces", Title: "Traces and logs:"},
}

// completeHelp changes the help of all commands where that of kong, the command-line library, is not
// enough. It adds examples, shows the allowed values of a flag as its placeholder, and hides flags that
// the command refuses in every use.
func completeHelp(app *kong.Application) {
	for _, command := range app.Leaves(false) {
		name := strings.TrimPrefix(command.FullPath(), app.Name+" ")
		for _, e := range examples {
			if e.command == name {
				command.Detail = "Examples:\n\n\t" + strings.Join(e.lines, "\n\t")
			}
		}
		refused := refusedFlags(command)
		for _, flag := range command.Flags {
			if flag.PlaceHolder == "" && flag.Enum != "" {
				values := strings.Trim(flag.Enum, ",") // a comma at an end stands for the empty value
				flag.PlaceHolder = strings.ReplaceAll(values, ",", "|")
			}
			flag.Hidden = flag.Hidden || refused.include(flag)
		}
	}
}

// refusedFlags returns the flags that a command shares with others but refuses in every use. A command's
// method unusedFlags lists flags that have no effect, each list with the use in which that is so, such as
// "without --server". The list wanted here is that of the use "with plumb COMMAND".
func refusedFlags(command *kong.Node) unusedFlags {
	user, ok := command.Target.Addr().Interface().(flagUser)
	if !ok {
		return unusedFlags{}
	}
	lists := user.unusedFlags()
	i := slices.IndexFunc(lists, func(u unusedFlags) bool { return u.use == "with "+command.FullPath() })
	if i < 0 {
		return unusedFlags{}
	}
	return lists[i]
}

// flagHelp returns the help text of a flag: its own text, then the environment variable that sets it
// too, if there is one, and its default.
func flagHelp(flag *kong.Value) string {
	text := flag.Help
	if len(flag.Tag.Envs) > 0 {
		text += " Environment variable: " + strings.Join(flag.Tag.Envs, ", ") + "."
	}
	if flag.HasDefault && flag.Default != "" {
		text += " Default: " + flag.Default + "."
	}
	return text
}

// helpArguments turns the arguments of `plumb help COMMAND` into those of `plumb COMMAND --help`,
// which the command-line library understands. Other arguments it returns unchanged.
func helpArguments(args []string) []string {
	if len(args) == 0 || args[0] != "help" {
		return args
	}
	return append(slices.Clone(args[1:]), "--help")
}
