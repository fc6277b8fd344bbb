package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
	"time"

	"plumb/daemon/judge"
	"plumb/scoring/plural"
	"plumb/scoring/vqa/verdict"
)

// judgeFlags name the language model that judges answers.
type judgeFlags struct {
	JudgeURL         string         `name:"judge-url" placeholder:"URL" group:"judge" help:"Base address of an OpenAI-compatible chat endpoint (https://HOST/v1) that judges open answers. Default: none, and open answers stay unjudged. See docs/judge.md."`
	JudgeModel       string         `placeholder:"NAME" group:"judge" help:"Name of the judge's model at the endpoint."`
	JudgeKeyEnv      string         `default:"PLUMB_JUDGE_KEY" placeholder:"NAME" group:"judge" help:"Environment variable that holds the endpoint's key. The key is sent to the endpoint and nowhere else."`
	JudgeCache       string         `type:"path" placeholder:"DIR" group:"judge" help:"Folder that keeps verdicts, so that a second run asks only for missing ones; processes may share it. Default: none, and verdicts are lost when the process ends."`
	JudgeMaxCost     money          `placeholder:"USD" group:"judge" help:"Maximum cost of this process's calls; needs --judge-price, or an endpoint that reports costs. Answers beyond it stay unjudged. Default: no limit."`
	JudgeMaxCalls    int64          `placeholder:"N" group:"judge" help:"Maximum number of calls of this process, failed ones included. Default: no limit."`
	JudgeMaxTotal    int64          `name:"judge-max-total-tokens" placeholder:"N" group:"judge" help:"Maximum number of tokens of this process, prompts and replies together. Default: no limit."`
	JudgePrice       price          `placeholder:"IN:OUT" group:"judge" help:"Price in USD per million tokens of prompts and of replies, such as 0.30:2.50. Costs that the endpoint reports take precedence."`
	JudgeConcurrency count          `default:"8" placeholder:"N" group:"judge" help:"Maximum number of calls at the same time. More is faster where the endpoint allows it."`
	JudgeTimeout     time.Duration  `default:"1m" placeholder:"TIME" group:"judge" help:"Longest wait for one reply."`
	JudgeDeadline    time.Duration  `default:"5m" placeholder:"TIME" group:"judge" help:"Longest wait of one line of a dump or stream for its verdict, retries included. Requests of trainers have --deadline for everything instead."`
	JudgeTries       count          `default:"5" placeholder:"N" group:"judge" help:"Maximum number of attempts for one reply. Status 408, 409, 425, 429, 5xx and broken connections are retried; Retry-After is honoured."`
	JudgeBackoff     time.Duration  `default:"1s" placeholder:"TIME" group:"judge" help:"Longest wait before the first retry. It doubles with each failure, up to 1 minute; the wait itself is random between 0 and it."`
	JudgePatience    *time.Duration `placeholder:"TIME" group:"judge" help:"How long questions wait for an endpoint that has stopped answering, before they are unjudged at once. Default: 2m for plumb score, 0s for plumb serve."`
	JudgeTemperature float64        `default:"0" placeholder:"T" group:"judge" help:"The judge's temperature, 0 to 2. The paper can also be read as 0.7."`
	JudgeMaxTokens   count          `default:"1200" placeholder:"N" group:"judge" help:"Maximum number of tokens of one reply. A judge that reasons first needs many."`
	JudgeFence       bool           `group:"judge" help:"Put the answer between random marker lines, against answers that address the judge. The prompt is then not the published one."`
}

// money is an amount in USD above 0.
type money float64

// UnmarshalText reads a finite amount above 0. It implements encoding.TextUnmarshaler, by which flags are read.
func (m *money) UnmarshalText(b []byte) error {
	x, err := strconv.ParseFloat(string(b), 64)
	if err != nil || !(x > 0) || math.IsInf(x, 0) {
		return fmt.Errorf("got %q; want an amount in USD above 0, such as 2.50", b)
	}
	*m = money(x)
	return nil
}

// price is the value of a flag IN:OUT, prices in USD per million tokens of prompts and of replies. Its price
// is nil where the flag is not given.
type price struct{ price *judge.Price }

// UnmarshalText reads IN:OUT, the prices in USD of a million tokens of prompts and of replies. Both are
// finite numbers of at least 0. It implements encoding.TextUnmarshaler, by which flags are read.
func (price *price) UnmarshalText(data []byte) error {
	in, out, both := strings.Cut(string(data), ":")
	prompt, errIn := strconv.ParseFloat(in, 64)
	completion, errOut := strconv.ParseFloat(out, 64)
	valid := both && errIn == nil && errOut == nil && prompt >= 0 && completion >= 0 // false for NaN too
	if !valid || math.IsInf(prompt+completion, 0) {
		return fmt.Errorf("got %q; want two prices in USD per million tokens, such as 0.30:2.50", data)
	}
	price.price = &judge.Price{Prompt: prompt, Completion: completion}
	return nil
}

// judgeConfig returns the configuration of the judge, a language model that judges open answers, or nil if no
// endpoint is named. It removes the endpoint's key from the environment, so that no child process gets
// it. scoresDumps is true for the scoring of dumps: then questions wait longer for a failing endpoint, and
// judging stops when the endpoint refuses requests for good. The error is a usageError.
func (flags *judgeFlags) judgeConfig(scoresDumps bool) (*judge.Config, error) {
	if flags.JudgeURL == "" {
		if flags.JudgeModel != "" {
			return nil, usage("cannot use --judge-model %q without --judge-url: want the judge's endpoint beside it", flags.JudgeModel)
		}
		return nil, nil
	}
	// Take the key out of the environment.
	key, set := os.LookupEnv(flags.JudgeKeyEnv)
	if !set && flags.JudgeKeyEnv != defaultKeyEnv {
		return nil, usage("cannot read the judge's key: the environment variable %s of --judge-key-env is not set", flags.JudgeKeyEnv)
	}
	os.Unsetenv(flags.JudgeKeyEnv)
	// Check numbers and times.
	if flags.JudgeMaxCalls < 0 || flags.JudgeMaxTotal < 0 {
		return nil, usage("cannot use --judge-max-calls %d and --judge-max-total-tokens %d: want 0 or more", flags.JudgeMaxCalls, flags.JudgeMaxTotal)
	}
	if !(flags.JudgeTemperature >= 0 && flags.JudgeTemperature <= 2) { // true for NaN too
		return nil, usage("cannot use --judge-temperature %v: want 0 to 2", flags.JudgeTemperature)
	}
	for name, d := range map[string]time.Duration{"timeout": flags.JudgeTimeout, "deadline": flags.JudgeDeadline, "backoff": flags.JudgeBackoff} {
		if d <= 0 {
			return nil, usage("cannot use --judge-%s %v: want a time above 0s", name, d)
		}
	}
	config := &judge.Config{URL: flags.JudgeURL, Model: flags.JudgeModel, Key: strings.TrimSpace(key), Read: verdict.Parse, Cache: flags.JudgeCache,
		Temperature: flags.JudgeTemperature, MaxTokens: int(flags.JudgeMaxTokens), Fence: flags.JudgeFence, Concurrency: int(flags.JudgeConcurrency),
		Tries: int(flags.JudgeTries), Timeout: flags.JudgeTimeout, Deadline: flags.JudgeDeadline, Backoff: flags.JudgeBackoff, Halt: scoresDumps,
		Budget: judge.Budget{Calls: flags.JudgeMaxCalls, Tokens: flags.JudgeMaxTotal, Cost: float64(flags.JudgeMaxCost)}, Price: flags.JudgePrice.price}
	// How long a question waits for an endpoint that fails.
	switch {
	case flags.JudgePatience != nil && *flags.JudgePatience >= 0:
		config.Patience = *flags.JudgePatience
	case flags.JudgePatience != nil:
		return nil, usage("cannot use --judge-patience %v: want 0s or more", *flags.JudgePatience)
	case scoresDumps:
		config.Patience = bulkPatience
	}
	return config, nil
}

// bulkPatience is how long the scoring of dumps waits for a judge's endpoint that fails. The help of
// --judge-patience names it.
const bulkPatience = 2 * time.Minute

// defaultKeyEnv is the default of --judge-key-env. This variable alone may be absent, because many
// endpoints need no key.
const defaultKeyEnv = "PLUMB_JUDGE_KEY"

// judgeUsageError returns an error of the judge as a usageError if the judge's configuration caused
// it, because that comes from flags, and otherwise unchanged.
func judgeUsageError(err error) error {
	if errors.Is(err, judge.ErrConfig) {
		return usageError{err}
	}
	return err
}

// writeJudgeStats prints the calls, verdicts and costs of the judge, or with --judge-dry-run the
// calls that there would be. Without a dry run it prints nothing if no answer needed a judge.
func writeJudgeStats(w io.Writer, stats judge.Stats, dryRun bool) {
	if dryRun {
		fmt.Fprintf(w, "judge: dry run: %s to judge, %d of them known; %s to make, about %s of prompts\n",
			plural.Of(stats.Asked, "answer"), stats.Cached, plural.Of(stats.DryRun, "call"), plural.Of(stats.PromptTokens, "token"))
		return
	}
	if stats.Asked == 0 {
		return
	}
	fmt.Fprintf(w, "judge: %s to judge: %d judged, %d known before, %d the same as others, %d unjudged\n",
		plural.Of(stats.Asked, "answer"), stats.Judged, stats.Cached, stats.Shared, stats.Failed)
	cost := "cost unknown (--judge-price)"
	if stats.Priced || stats.Calls == 0 {
		cost = fmt.Sprintf("%.4f USD", stats.Cost)
	}
	fmt.Fprintf(w, "judge: %s (%s again, %s without a verdict, %d lost), %s in, %d out, %s\n",
		plural.Of(stats.Calls, "call"), plural.Of(stats.Retries, "try", "tries"), plural.Of(stats.Unread, "reply", "replies"), stats.Lost, plural.Of(stats.PromptTokens, "token"), stats.CompletionTokens, cost)
	if stats.Unsaved > 0 {
		fmt.Fprintf(w, "judge: %s could not be kept in --judge-cache\n", plural.Of(stats.Unsaved, "verdict"))
	}
}
