package main

import (
	"encoding/json"
	"fmt"
	"runtime"

	"plumb/daemon/api"
)

// versionCmd is `plumb version`.
type versionCmd struct {
	JSON bool `name:"json" help:"Print one JSON object."`
}

// thisVersion returns the version, the commit and the Go release of this program.
func thisVersion() api.Version {
	return api.Version{Version: version, Commit: commit, Go: runtime.Version()}
}

// Run prints the program's version, the commit from which it was built and the version of Go, as text
// or with --json as JSON.
func (cmd *versionCmd) Run(std streams) error {
	version := thisVersion()
	if !cmd.JSON {
		fmt.Fprintf(std.out, "plumb %s (commit %s, %s)\n", version.Version, version.Commit, version.Go)
		return nil
	}
	return json.NewEncoder(std.out).Encode(struct {
		Version string `json:"version"`
		Commit  string `json:"commit"`
		Go      string `json:"go"`
	}{version.Version, version.Commit, version.Go})
}
