package api

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"

	"github.com/valyala/fasthttp"

	"plumb/scoring"
)

// written is the OpenAPI description as it is written by hand, without the contracts of trainers
// and the schemas of pixel metrics.
//
//go:embed openapi.json
var written []byte

// contracts has a file for each trainer, NAME.json: an object whose members paths and schemas are
// parts of the OpenAPI description.
//
//go:embed contracts
var contracts embed.FS

// document is the whole OpenAPI description. Tests compare the daemon with it.
var document = describe(written)

// openAPI answers GET /openapi.json.
func (server *Server) openAPI(ctx *fasthttp.RequestCtx) {
	ctx.SetContentType("application/json")
	ctx.SetBody(document)
}

// describe fills the OpenAPI description that is written by hand with what follows from tables: the
// contracts of trainers and the schemas of pixel metrics. So a trainer needs only its row and its own
// files, and a metric its row.
func describe(document []byte) []byte {
	var mask, pair, maskNames, paths, schemas []byte
	scoring.PixelMetricSchemas(func(name, schema string) {
		mask = fmt.Appendf(mask, "%q:%s,", name, schema)
		maskNames = fmt.Appendf(maskNames, "%q,", name)
	})
	for _, m := range pairMetrics {
		pair = fmt.Appendf(pair, `%q:{"type":"number","nullable":true},`, m.name)
	}
	for _, t := range trainers() {
		contract := readContract(t.name)
		paths = appendMembers(paths, contract.Paths)
		schemas = appendMembers(schemas, contract.Schemas)
	}
	// Replace the first place of each placeholder, in this order.
	for _, r := range []struct {
		placeholder string
		members     []byte
	}{
		{`"TrainerPaths": {}`, paths},
		{`"TrainerSchemas": {}`, schemas},
		{`"MaskMetrics": {}`, mask},  // in an object of schemas
		{`"PairMetrics": {}`, pair},  // in another one
		{`"MaskMetrics"`, maskNames}, // in a list of required members
	} {
		document = bytes.Replace(document, []byte(r.placeholder), bytes.TrimSuffix(r.members, []byte(",")), 1)
	}
	return document
}

// trainerContract is the part of the OpenAPI description that describes one trainer: two JSON objects, of
// which Schemas may be missing.
type trainerContract struct {
	Paths, Schemas json.RawMessage
}

// readContract returns the contract of a trainer. A trainer without one is a bug of ours.
func readContract(name string) (contract trainerContract) {
	b, err := contracts.ReadFile("contracts/" + name + ".json")
	if err == nil {
		err = json.Unmarshal(b, &contract)
	}
	if err != nil {
		panic(fmt.Sprintf("BUG: contract of the trainer %s: %v", name, err))
	}
	return contract
}

// appendMembers appends the members of a JSON object, without its braces, and a comma. It appends nothing
// if there is no object.
func appendMembers(dst []byte, object json.RawMessage) []byte {
	if object == nil {
		return dst
	}
	return append(append(dst, object[1:len(object)-1]...), ',')
}
