package budget

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Price of a model in USD per million tokens. See docs/spec/runs.md#r20.
type Price struct {
	Prompt, Completion float64
	Cached             *float64 // of prompt tokens that the endpoint had cached; nil for the same as others
	Batch              float64  // factor for calls of a batch; 0 means DefaultBatch
}

// DefaultBatch is the share of the price that a call of a batch costs.
const DefaultBatch = 0.5

// Tokens of a call.
type Tokens struct {
	Prompt, Completion int64
	Cached             int64 // of Prompt
}

// Of returns the cost of a call in USD by its tokens. The conversions to float64 prevent
// fused multiply-add, so that the sum is equal on every machine.
func (price *Price) Of(tokens Tokens) float64 {
	cached := price.Prompt
	if price.Cached != nil {
		cached = *price.Cached
	}
	const million = 1e6 // prices are for a million tokens
	fresh := float64(tokens.Prompt - tokens.Cached)
	return float64(fresh*price.Prompt)/million + float64(float64(tokens.Cached)*cached)/million + float64(float64(tokens.Completion)*price.Completion)/million
}

// InBatch returns the price of calls in a batch: all rates times the factor Batch, or DefaultBatch if
// that is 0. The factor of the new price is 1, because its rates hold it already.
func (price *Price) InBatch() *Price {
	factor := price.Batch
	if factor == 0 {
		factor = DefaultBatch
	}
	inBatch := &Price{Prompt: price.Prompt * factor, Completion: price.Completion * factor, Batch: 1}
	if price.Cached != nil {
		inBatch.Cached = new(*price.Cached * factor)
	}
	return inBatch
}

// ParsePrice reads IN:OUT or IN:OUT:CACHED, prices in USD per million tokens of prompts, of replies, and of
// prompts that the endpoint has cached.
func ParsePrice(text string) (*Price, error) {
	fields := strings.Split(text, ":")
	var x []float64
	for _, f := range fields {
		value, err := strconv.ParseFloat(f, 64)
		if err != nil || !amount(value) {
			break
		}
		x = append(x, value)
	}
	if len(x) != len(fields) || len(x) < 2 || len(x) > 3 {
		return nil, fmt.Errorf("got the price %q; want USD per million tokens as IN:OUT or IN:OUT:CACHED, such as 0.30:2.50", text)
	}
	price := &Price{Prompt: x[0], Completion: x[1]}
	if len(x) == 3 {
		price.Cached = &x[2]
	}
	return price, nil
}

func amount(x float64) bool { return x >= 0 && !math.IsInf(x, 0) }

// ReadPrices reads a file of prices, {"MODEL":{"in":..,"out":..,"cached":..,"batch":..}}, and returns
// the price of one model, in USD per million tokens. Members cached and batch may be missing. A model
// without a price is an error.
func ReadPrices(file []byte, model string) (*Price, error) {
	var all map[string]struct {
		In, Out, Cached, Batch *float64
	}
	if err := json.Unmarshal(file, &all); err != nil {
		return nil, fmt.Errorf("cannot read prices: %w; want {\"MODEL\":{\"in\":0.30,\"out\":2.50}}", err)
	}
	entry, ok := all[model]
	if !ok {
		return nil, fmt.Errorf("the prices have no model %q", model)
	}
	for _, rate := range []*float64{entry.In, entry.Out, entry.Cached, entry.Batch} {
		if rate != nil && !amount(*rate) {
			return nil, fmt.Errorf("the price of %q is %g; want 0 or more", model, *rate)
		}
	}
	if entry.In == nil || entry.Out == nil {
		return nil, fmt.Errorf("the price of %q has no in or no out; want both, in USD per million tokens", model)
	}
	price := &Price{Prompt: *entry.In, Completion: *entry.Out, Cached: entry.Cached}
	if entry.Batch != nil {
		price.Batch = *entry.Batch
	}
	return price, nil
}
