package main

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"plumb/daemon/ask"
	"plumb/daemon/chat"
	"plumb/daemon/runs"
)

// sendFlags say what is sent beside the messages. See docs/spec/runs.md#r36.
type sendFlags struct {
	Temperature  string `placeholder:"T|none" group:"model" help:"Temperature; none sends no such member. Default: that of the paper, or none."`
	MaxTokens    string `placeholder:"N|none" group:"model" help:"Maximum number of tokens of a reply; none sends no such member. Default: that of the paper, or none."`
	TopP         string `name:"top-p" placeholder:"P|none" group:"model" help:"Top p (nucleus sampling); none sends no such member. Default: none."`
	SamplingSeed *int64 `placeholder:"N" group:"model" help:"Seed that is sent; repeat K gets N + K - 1. Default: none is sent."`
	TokensField  string `placeholder:"NAME" group:"model" help:"Name of the member that holds --max-tokens. Default: that of --provider."`
	Body         string `placeholder:"JSON" group:"model" help:"JSON object whose members are merged into each request last."`
	Provider     string `enum:"plain,openai,gemini,vllm,openrouter,anthropic" default:"plain" group:"model" help:"Whose request members switch reasoning off and on: plain (none), openai, gemini, vllm, openrouter or anthropic."`
	ReasoningOff string `placeholder:"JSON" group:"model" help:"JSON object with the request members of the modes default and cot, instead of the provider's."`
	ReasoningOn  string `placeholder:"JSON" group:"model" help:"JSON object with the request members of the mode reasoning, instead of the provider's."`
}

// provider is how a request asks an endpoint to reason or not.
type provider struct{ reasoningOff, reasoningOn, limitMember string }

// providers are the endpoints that are known. See docs/spec/runs.md#r37.
var providers = map[string]provider{
	"openai":     {`{"reasoning_effort":"none"}`, `{"reasoning_effort":"high"}`, "max_completion_tokens"},
	"gemini":     {`{"reasoning_effort":"none"}`, `{"reasoning_effort":"high"}`, "max_tokens"},
	"vllm":       {`{"chat_template_kwargs":{"enable_thinking":false}}`, `{"chat_template_kwargs":{"enable_thinking":true}}`, "max_tokens"},
	"openrouter": {`{"reasoning":{"enabled":false}}`, `{"reasoning":{"enabled":true}}`, "max_tokens"},
	"anthropic":  {`{}`, `{"thinking":{"type":"enabled","budget_tokens":8192}}`, "max_tokens"},
	"plain":      {`{}`, "", "max_tokens"},
}

// anthropicTokens is the least limit of a reply that may think in 8192 tokens.
const anthropicTokens = 16384

// paperSettings returns the temperature and the limit of reply tokens with which the paper of a benchmark
// suite asks its models. arm is the way of asking, on which they may depend. nil means that the paper
// does not say, and that no such member is sent. See docs/spec/runs.md#r36.
func paperSettings(suite string, arm ask.Arm) (temperature *float64, tokens *int64) {
	set := func(temperature float64, tokens int64) (*float64, *int64) { return &temperature, &tokens }
	switch {
	case suite == "drawingbench":
		return set(0.7, 4000)
	case suite != "spatialab":
		return nil, nil
	}
	usual := 0.0
	if arm.Format == "open" {
		usual = 0.7
	}
	switch {
	case arm.Method == "xolver":
		return set(0.1, 4096)
	case arm.Method == "cot", arm.Method == "self-reflection", arm.Format == "open":
		return set(usual, 1200)
	}
	return set(usual, 10) // room for the letter of an option
}

// settingsByArm returns a function that returns the settings of the requests to the model for each of the arms,
// which are ways of asking. Flags replace the members with which the provider's reasoning is switched off
// and on, and the name of the member that limits tokens. The error is a usageError.
func (flags *sendFlags) settingsByArm(suite string, arms []ask.Arm) (func(ask.Arm) runs.Settings, error) {
	provider := providers[flags.Provider] // a copy
	provider.reasoningOff = cmp.Or(flags.ReasoningOff, provider.reasoningOff)
	provider.reasoningOn = cmp.Or(flags.ReasoningOn, provider.reasoningOn)
	provider.limitMember = cmp.Or(flags.TokensField, provider.limitMember)
	if provider.reasoningOn == "" && slices.ContainsFunc(arms, func(a ask.Arm) bool { return a.Mode == ask.ModeReasoning }) {
		return nil, usage("cannot use --mode reasoning with --provider %s: want another --provider, or --reasoning-on "+
			"with the members that switch reasoning on", flags.Provider)
	}
	byArm := map[ask.Arm]runs.Settings{}
	for _, arm := range arms {
		settings, err := flags.settings(suite, arm, provider)
		if err != nil {
			return nil, err
		}
		byArm[arm] = settings
	}
	return func(a ask.Arm) runs.Settings { return byArm[a] }, nil
}

// settings returns the settings of requests for one way of asking (arm): those of the paper, replaced by flags, and
// the members that switch reasoning on or off.
func (flags *sendFlags) settings(suite string, arm ask.Arm, provider provider) (settings runs.Settings, err error) {
	temperature, tokens := paperSettings(suite, arm)
	if settings.Temperature, err = numberOrNone("temperature", flags.Temperature, temperature); err != nil {
		return settings, err
	}
	if settings.TopP, err = numberOrNone("top-p", flags.TopP, nil); err != nil {
		return settings, err
	}
	settings.MaxTokens, settings.Seed = tokens, flags.SamplingSeed
	if flags.MaxTokens == "none" {
		settings.MaxTokens = nil
	} else if flags.MaxTokens != "" {
		n, err := strconv.ParseInt(flags.MaxTokens, 10, 64)
		if err != nil || n < 1 {
			return settings, usage("cannot use --max-tokens %q: want a whole number from 1, or none", flags.MaxTokens)
		}
		settings.MaxTokens = &n
	}
	settings.TokensField = provider.limitMember
	reasoning := provider.reasoningOff
	if arm.Mode == ask.ModeReasoning {
		reasoning = provider.reasoningOn
		if flags.Provider == "anthropic" && flags.ReasoningOn == "" { // its own way to switch reasoning on
			settings.Temperature = nil       // its reasoning refuses one
			tokens := int64(anthropicTokens) // reasoning takes a part of the tokens
			if settings.MaxTokens != nil {
				tokens = max(tokens, *settings.MaxTokens)
			}
			settings.MaxTokens = &tokens
		}
	}
	settings.Extra, err = mergeObjects([]string{reasoning, flags.Body})
	return settings, err
}

// numberOrNone reads the value given for a flag: a number from 0, or the word none, for which it returns nil.
// Where the flag is not given (""), it returns the standard value.
func numberOrNone(flag, given string, standard *float64) (*float64, error) {
	switch given {
	case "":
		return standard, nil
	case "none":
		return nil, nil
	}
	x, err := strconv.ParseFloat(given, 64)
	if err != nil || x < 0 || x != x || x > 1e6 { // x != x: NaN
		return nil, usage("cannot use --%s %q: want a number from 0, or none", flag, given)
	}
	return &x, nil
}

// mergeObjects joins JSON objects, whose members are sent with each request. A member of a later object
// replaces that of an earlier one. It returns nil if there are no members, and a usageError for a text
// that is no object and for members that plumb itself sends.
func mergeObjects(objects []string) (json.RawMessage, error) {
	all := map[string]json.RawMessage{}
	for _, object := range objects {
		if strings.TrimSpace(object) == "" {
			continue
		}
		var members map[string]json.RawMessage
		if err := json.Unmarshal([]byte(object), &members); err != nil || members == nil {
			return nil, usage("cannot use %.80q: want a JSON object (--body, --reasoning-on, --reasoning-off)", object)
		}
		maps.Copy(all, members)
	}
	if len(all) == 0 {
		return nil, nil
	}
	data, err := json.Marshal(all)
	if err != nil {
		return nil, err
	}
	// A made-up request with these members: its check refuses members that plumb sends, such as messages.
	trial := &chat.Request{Model: "m", Messages: []chat.Message{chat.User(chat.Text("x"))}, Extra: data}
	if err := trial.Check(); err != nil {
		return nil, usageError{err}
	}
	return data, nil
}
