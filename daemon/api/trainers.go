package api

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"plumb/daemon/queue"
	"plumb/daemon/reward"
	"plumb/scoring"
)

// trainer is the contract of a trainer: how a request becomes samples, and how their results become the reply.
// A new trainer is one of these in a file of its own, a row in trainers, a row in queries with the options of
// its address, its part of the OpenAPI description in contracts, and a section of docs/trainers.md.
type trainer struct {
	name       string // of the adapter, for --unscorable and --prepare
	path       string
	metric     string // the route's name in metrics and logs
	wantsLines bool   // decode and encode need result lines
	// retryAfterWait: a lone sample whose turn did not come before its deadline is answered with
	// 504, whatever the policy.
	retryAfterWait bool
	// faultIsAnswer: encode answers for a label that cannot be used, in place of status 422.
	faultIsAnswer bool
	// policies that --unscorable may choose, the default first. What is not among them
	// would break the trainer. None: encode shows each failure in its place.
	policies    []reward.Policy
	preparation reward.Steps // of text preparation, by default

	// answerOtherwise answers a request in another way than by decode and encode, and reports whether it
	// did; nil for never.
	answerOtherwise func(s *Server, ctx *fasthttp.RequestCtx, body []byte) bool
	// decode reads the samples of x.body, a checked JSON object.
	decode func(s *Server, x *exchange) *scoring.Error
	// encode writes the reply, of type application/json.
	encode     func(x *exchange) []byte
	moreRoutes map[string]route // further routes of the contract
}

// trainers lists the contracts of all trainers.
func trainers() []*trainer {
	return []*trainer{&nativeRoute, &openRLHFRoute, &slimeRoute, &nemoGymRoute, &openEnvRoute}
}

// exchange is one request of a trainer.
type exchange struct {
	// The request.
	body        []byte // a checked JSON object
	query       *fasthttp.Args
	options     *queue.Options
	preparation reward.Steps
	policy      reward.Policy

	// What decode reads of it.
	samples    []sample
	batch      bool          // the samples came as a list
	wantsLines bool          // results have their lines
	timeout    time.Duration // longest time for scoring, 0 for none of its own

	// What becomes of the samples, in their order.
	fault        *scoring.Error // of a label; then there are no results
	results      []graded
	outcomes     []reward.Outcome
	wantsTimings bool // the request wants times in the reply
}

// train answers one request of a trainer: it decodes the samples, scores them, and encodes the reply.
// The whole request is refused if it cannot be read, or if a label cannot be used and the trainer does
// not take that as an answer. It is also refused if a sample has no score and the policy is error.
func (server *Server) train(ctx *fasthttp.RequestCtx, trainer *trainer) {
	body, ok := server.readObject(ctx)
	if !ok {
		return
	}
	if trainer.answerOtherwise != nil && trainer.answerOtherwise(server, ctx, body) {
		return
	}
	opt, steps, ok := server.trainerOptions(ctx, trainer.name)
	if !ok {
		return
	}
	// Decode the samples.
	exchange := &exchange{body: body, query: ctx.QueryArgs(), options: opt, preparation: steps, policy: server.cfg.Policies[trainer.name],
		wantsLines: trainer.wantsLines, wantsTimings: wantsTimings(ctx)}
	if !server.parseSamples(ctx, opt, body, func() *scoring.Error { return trainer.decode(server, exchange) }) {
		return
	}
	// Score them.
	life, gone := server.clients.wait(server.life, ctx.Conn())
	defer gone()
	switch err := server.run(trailOf(ctx), life, exchange); {
	case errors.Is(err, errTimeout):
		server.fail(ctx, fasthttp.StatusGatewayTimeout, "deadline", err.Error())
		return
	case err != nil:
		server.failWith(ctx, err)
		return
	case exchange.fault != nil && !trainer.faultIsAnswer:
		server.fail(ctx, statusOfField(exchange.fault), exchange.fault.Code, exchange.fault.Message)
		return
	case trainer.retryAfterWait && server.failIfWaitedTooLong(ctx, exchange.results):
		return
	}
	// A sample without a score, which the policy makes an error of the request.
	if failure := exchange.refused(); failure != nil {
		status := statusOf(failure.Code)
		if status == fasthttp.StatusOK {
			status = fasthttp.StatusUnprocessableEntity
		}
		server.fail(ctx, status, failure.Code, failure.Message)
		return
	}
	// Encode the reply.
	if exchange.fault == nil {
		server.reportTimes(ctx, exchange.results, exchange.wantsLines)
	}
	ctx.SetContentType("application/json")
	ctx.SetBody(trainer.encode(exchange))
}

// errTimeout is the error of a request that took longer than its own timeout_s.
var errTimeout = errors.New("cannot step in time: timeout_s is over")

// run scores the samples of one request of a trainer, and sets exchange.results and
// exchange.outcomes. A label that cannot be used becomes exchange.fault, and there are no results
// then. err is the error of the queue, or errTimeout if the request's own time is over.
func (server *Server) run(trail *trail, life context.Context, exchange *exchange) (err error) {
	if exchange.timeout > 0 {
		var cancel context.CancelFunc
		life, cancel = context.WithTimeout(life, exchange.timeout)
		defer cancel()
	}
	exchange.results, exchange.fault, err = server.grade(trail, life, exchange.samples, exchange.options, exchange.wantsLines)
	if errors.Is(err, context.DeadlineExceeded) && exchange.timeout > 0 {
		return errTimeout
	}
	if err != nil || exchange.fault != nil {
		return err
	}
	server.addNotes(exchange.samples, exchange.results, exchange.options, exchange.wantsLines)
	for i := range exchange.results {
		exchange.outcomes = append(exchange.outcomes, reward.Of(&exchange.results[i].result, exchange.options.Reward))
	}
	return nil
}

// refused returns the error of the first sample without a score where the adapter's policy is error, else nil.
func (exchange *exchange) refused() *scoring.Error {
	if exchange.policy != reward.Error {
		return nil
	}
	if i := slices.IndexFunc(exchange.outcomes, func(o reward.Outcome) bool { return o.Failed }); i >= 0 {
		return exchange.outcomes[i].Err
	}
	return nil
}

// ParsePolicies reads the values of --unscorable, each ADAPTER=POLICY: what the route of a trainer answers for
// a sample without a score. An adapter that is not named keeps its default, the first of its policies.
func ParsePolicies(args []string) (map[string]reward.Policy, error) {
	chosen, allowed := map[string]reward.Policy{}, map[string][]reward.Policy{}
	for _, t := range trainers() {
		if t.policies != nil {
			chosen[t.name], allowed[t.name] = t.policies[0], t.policies
		}
	}
	for _, arg := range args {
		name, value, _ := strings.Cut(arg, "=")
		policies, ok := allowed[name]
		if !ok {
			known := adapters(func(t *trainer) bool { return t.policies != nil })
			return nil, fmt.Errorf("cannot use --unscorable %.60q: want ADAPTER=POLICY, with ADAPTER one of %s", arg, known)
		}
		i := slices.IndexFunc(policies, func(p reward.Policy) bool { return p.String() == value })
		if i < 0 {
			return nil, fmt.Errorf("cannot use --unscorable %.60q: got the policy %.20q; want one of %s", arg, value, policyNames(policies))
		}
		chosen[name] = policies[i]
	}
	return chosen, nil
}

// ParsePrepare reads the values of --prepare, each ADAPTER=STEP[,STEP...]: the steps by which the route of a
// trainer prepares a model's text before scoring. An adapter that is not named keeps its default steps.
func ParsePrepare(args []string) (map[string]reward.Steps, error) {
	all := map[string]reward.Steps{}
	for _, t := range trainers() {
		all[t.name] = t.preparation
	}
	for _, arg := range args {
		name, value, _ := strings.Cut(arg, "=")
		if _, ok := all[name]; !ok {
			known := adapters(func(*trainer) bool { return true })
			return nil, fmt.Errorf("cannot use --prepare %.60q: want ADAPTER=STEP[,STEP...], with ADAPTER one of %s", arg, known)
		}
		steps, err := reward.ParseSteps(value)
		if err != nil {
			return nil, fmt.Errorf("cannot use --prepare %.60q: %w", arg, err)
		}
		all[name] = steps
	}
	return all, nil
}

// DefaultPolicies writes the default policy of each adapter, for the help of --unscorable.
func DefaultPolicies() string {
	return adapterDefaults(func(t *trainer) string {
		if t.policies == nil {
			return ""
		}
		return t.policies[0].String()
	})
}

// DefaultSteps writes the default steps of the adapters that have any, for the help of --prepare.
func DefaultSteps() string {
	return adapterDefaults(func(t *trainer) string { return t.preparation.String() })
}

// adapterDefaults returns "ADAPTER=VALUE, ..." for the adapters for which value does not return "".
func adapterDefaults(value func(*trainer) string) string {
	var list []string
	for _, t := range trainers() {
		if v := value(t); v != "" {
			list = append(list, t.name+"="+v)
		}
	}
	return strings.Join(list, ", ")
}

// adapters returns the names of the trainers' adapters that are wanted, in alphabetical order.
func adapters(wanted func(*trainer) bool) string {
	var names []string
	for _, t := range trainers() {
		if wanted(t) {
			names = append(names, t.name)
		}
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// policyNames returns the names of policies, separated by commas, for a message.
func policyNames(list []reward.Policy) string {
	var names []string
	for _, p := range list {
		names = append(names, p.String())
	}
	return strings.Join(names, ", ")
}
