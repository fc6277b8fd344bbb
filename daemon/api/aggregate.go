package api

import (
	"fmt"

	"github.com/valyala/fasthttp"

	"plumb/daemon/jsoncut"
	"plumb/daemon/reward"
)

// aggregateMetrics answers POST /aggregate_metrics, in which NeMo Gym sends all verify responses of a
// benchmark as {"verify_responses":[...]}, with the means of their rewards and numbers.
func (server *Server) aggregateMetrics(ctx *fasthttp.RequestCtx) {
	body, ok := server.readObject(ctx)
	if !ok {
		return
	}
	// Find the list in the body.
	var value []byte
	jsoncut.Named(body, func(key, v []byte) error {
		if string(key) == "verify_responses" {
			value = v
		}
		return nil
	})
	if jsoncut.Null(value) {
		server.fail(ctx, fasthttp.StatusUnprocessableEntity, "bad_field", "cannot use verify_responses: got "+jsoncut.Kind(value)+"; want a list")
		return
	}
	rows, fault := server.list("verify_responses", value)
	if fault != nil {
		server.fail(ctx, statusOfField(fault), fault.Code, fault.Message)
		return
	}
	// Add up its elements.
	var all reward.Aggregate
	for i, row := range rows {
		if row[0] != '{' {
			e := badField(fmt.Sprintf("verify_responses[%d]", i), row, "a verify response")
			server.fail(ctx, fasthttp.StatusUnprocessableEntity, e.Code, e.Message)
			return
		}
		all.Add(row)
	}
	ctx.SetContentType("application/json")
	ctx.SetBody(all.AppendJSON(nil))
}
