package main

import (
	"slices"
	"strings"

	"plumb/scoring"
	"plumb/scoring/suites"
)

// builtInSuites returns all suites with the default limits. It is for commands, help and errors that
// need only the names and properties of suites.
func builtInSuites() scoring.Suites { return suites.New(suites.Config{}) }

// unknownSuite returns the usage error for a name that no suite has.
func unknownSuite(name string, suites scoring.Suites) error {
	return usage("cannot use suite %q: want one of %s", name, strings.Join(suites.Names(), ", "))
}

// inTurns returns the suites whose tasks can be asked in several turns.
func inTurns(suites scoring.Suites) scoring.Suites {
	return slices.DeleteFunc(slices.Clone(suites), func(suite *scoring.Suite) bool { return suite.Questions })
}

// listed writes words as a list in a sentence: listed(words, "or") is "a, b or c".
func listed(words []string, conjunction string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " " + conjunction + " " + words[last]
}
