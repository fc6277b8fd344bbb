package episode

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"

	"plumb/daemon/jsoncut"
	"plumb/scoring"
)

// The levels of feedback.
const (
	feedbackNone   = "none"
	feedbackStatus = "status" // how the answer was read, and notes
	feedbackScore  = "score"  // the score too, or the benchmark's own feedback
	feedbackFull   = "full"   // all metrics too
)

// The choices of pictures.
const (
	imagesAll    = "all"
	imagesFirst  = "first"
	imagesNone   = "none"
	imagesRegion = "region"
)

// Region is where in a client's shared memory pictures go, one after another.
type Region struct {
	Name         string
	Offset, Size int64 // bytes
}

// Options are what a reset chooses. Nil and "" mean that it does not say. See
// docs/spec/episodes.md#r5.
type Options struct {
	Label              []byte // a JSON value
	Suite, Split, Test string
	Index              *int
	Seed               *uint64
	Turns              int // 0 for the default
	Threshold          *float64
	Mode, Feedback     string
	Reward             Rule
	Images             string
	Region             Region
	Bare               bool     // an action without a response is itself the answer
	Answer             bool     // observations have the answer that was scored
	History            [][]byte // JSON of the answers of a lost episode
	// Chosen says that a member was given which one-step episodes do not have.
	Chosen bool
}

// badOption returns the error of a member that cannot be used.
func badOption(at, format string, args ...any) *scoring.Error {
	return &scoring.Error{Code: "bad_field", Message: "cannot use " + at + ": " + fmt.Sprintf(format, args...)}
}

// wanted returns the error for a member v of the wrong kind. want says what it must be.
func wanted(at string, v []byte, want string) *scoring.Error {
	return badOption(at, "got %s; want %s", jsoncut.Kind(v), want)
}

// ReadOptions reads what a reset chooses from the members of data, a JSON object that was checked before.
// Members that are null or do not concern episodes are passed over. path is put before the names of members
// in messages. After the first fault nothing more is read.
func ReadOptions(data []byte, path string) (opts Options, fault *scoring.Error) {
	jsoncut.Members(data, func(key, value []byte) error {
		if fault != nil || jsoncut.Null(value) {
			return nil
		}
		name := string(key)
		at := path + name
		chosen := true // a member that one-step episodes do not have
		switch name {
		case "label":
			opts.Label, chosen = bytes.Clone(value), false
		case "seed":
			opts.Seed, fault = readSeed(at, value)
			chosen = false
		case "suite":
			opts.Suite, fault = word(at, value)
		case "split":
			opts.Split, fault = word(at, value)
		case "test":
			opts.Test, fault = word(at, value)
		case "index":
			opts.Index, fault = whole(at, value)
		case "turns":
			opts.Turns, fault = readTurns(at, value)
		case "threshold":
			opts.Threshold, fault = number(at, value)
		case "mode":
			opts.Mode, fault = word(at, value)
		case "feedback":
			opts.Feedback, fault = oneOf(at, value, feedbackNone, feedbackStatus, feedbackScore, feedbackFull)
		case "reward":
			opts.Reward, fault = readRule(at, value)
		case "images":
			fault = opts.readImages(at, value)
		case "action":
			var form string
			form, fault = oneOf(at, value, "bare", "response")
			opts.Bare = form == "bare"
		case "answer":
			opts.Answer, fault = truth(at, value)
		case "history":
			opts.History, fault = readHistory(at, value)
		default:
			chosen = false
		}
		opts.Chosen = opts.Chosen || chosen
		return nil
	})
	return opts, fault
}

// word reads a string among the options of an episode's reset.
func word(at string, value []byte) (string, *scoring.Error) {
	if value[0] != '"' {
		return "", wanted(at, value, "a string")
	}
	return string(jsoncut.Text(value)), nil
}

// oneOf reads one of several words among the options of an episode's reset.
func oneOf(at string, v []byte, list ...string) (string, *scoring.Error) {
	text, fault := word(at, v)
	if fault == nil && !slices.Contains(list, text) {
		fault = badOption(at, "got %.40q; want one of %v", text, list)
	}
	return text, fault
}

// whole reads a whole number among the options of an episode's reset.
func whole(at string, v []byte) (*int, *scoring.Error) {
	n, err := strconv.Atoi(string(v))
	if err != nil {
		return nil, wanted(at, v, "a whole number")
	}
	return &n, nil
}

// readTurns reads how many turns an episode has at most; the limit is checked with the rules.
func readTurns(at string, v []byte) (int, *scoring.Error) {
	n, fault := whole(at, v)
	switch {
	case fault != nil:
		return 0, fault
	case *n < 1:
		return 0, badOption(at, "got %d; want 1 or more", *n)
	}
	return *n, nil
}

// readSeed reads the seed by which an episode chooses its task.
func readSeed(at string, v []byte) (*uint64, *scoring.Error) {
	n, err := strconv.ParseUint(string(v), 10, 64)
	if err != nil {
		return nil, wanted(at, v, "a whole number, 0 or more")
	}
	return &n, nil
}

// number reads a finite number among the options of an episode's reset.
func number(at string, v []byte) (*float64, *scoring.Error) {
	x, err := strconv.ParseFloat(string(v), 64)
	if err != nil || math.IsInf(x, 0) || math.IsNaN(x) || v[0] == '"' {
		return nil, wanted(at, v, "a number")
	}
	return &x, nil
}

// truth reads true or false among the options of an episode's reset.
func truth(at string, value []byte) (bool, *scoring.Error) {
	if s := string(value); s == "true" || s == "false" {
		return s == "true", nil
	}
	return false, wanted(at, value, "true or false")
}

// readHistory reads the earlier answers of an episode that a reset continues.
func readHistory(at string, value []byte) ([][]byte, *scoring.Error) {
	if value[0] != '[' {
		return nil, wanted(at, value, "a list of answers")
	}
	const most = 1 << 10 // answers; New compares their number with the turns of the episode
	list, err := jsoncut.Elements(value, most)
	if err != nil {
		return nil, badOption(at, "got more than %d answers; want at most as many as turns", most)
	}
	for i := range list {
		list[i] = bytes.Clone(list[i])
	}
	return list, nil
}

// readImages reads the option that says which pictures observations have: all, first or none, or an
// object that names a region of shared memory into which they are written. at is the option's name for
// errors.
func (options *Options) readImages(at string, v []byte) (fault *scoring.Error) {
	if v[0] != '{' {
		options.Images, fault = oneOf(at, v, imagesAll, imagesFirst, imagesNone)
		return fault
	}
	options.Images = imagesRegion
	jsoncut.Members(v, func(key, m []byte) error {
		if fault != nil {
			return nil
		}
		name := at + "." + string(key)
		var n *int
		switch string(key) {
		case "region":
			options.Region.Name, fault = word(name, m)
		case "offset", "byte_size":
			if n, fault = whole(name, m); fault == nil && *n < 0 {
				fault = badOption(name, "got %d; want 0 or more bytes", *n)
			}
			if fault == nil && string(key) == "offset" {
				options.Region.Offset = int64(*n)
			} else if fault == nil {
				options.Region.Size = int64(*n)
			}
		default:
			fault = badOption(name, "it is not known; want region, offset and byte_size")
		}
		return nil
	})
	// A region needs a name and a size.
	if fault == nil && (options.Region.Name == "" || options.Region.Size == 0) {
		fault = badOption(at, "want region, offset and byte_size")
	}
	return fault
}
