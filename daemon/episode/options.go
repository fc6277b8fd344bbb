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
func badOption(option, format string, args ...any) *scoring.Error {
	return &scoring.Error{Code: "bad_field", Message: "cannot use " + option + ": " + fmt.Sprintf(format, args...)}
}

// wrongKind returns the error for a member of the wrong kind. want says what it must be.
func wrongKind(option string, value []byte, want string) *scoring.Error {
	return badOption(option, "got %s; want %s", jsoncut.Kind(value), want)
}

// ReadOptions reads what a reset chooses from the members of data, a JSON object that was checked before.
// Members that are null or do not concern episodes are passed over. path is put before the names of members
// in messages. After the first fault nothing more is read.
func ReadOptions(data []byte, path string) (opts Options, fault *scoring.Error) {
	jsoncut.Named(data, func(key, value []byte) error {
		if fault != nil || jsoncut.Null(value) {
			return nil
		}
		name := string(key)
		option := path + name
		chosen := true // whether the member is one that one-step episodes do not have
		switch name {
		case "label":
			opts.Label, chosen = bytes.Clone(value), false
		case "seed":
			opts.Seed, fault = readSeed(option, value)
			chosen = false
		case "suite":
			opts.Suite, fault = readString(option, value)
		case "split":
			opts.Split, fault = readString(option, value)
		case "test":
			opts.Test, fault = readString(option, value)
		case "index":
			opts.Index, fault = readInt(option, value)
		case "turns":
			opts.Turns, fault = readTurns(option, value)
		case "threshold":
			opts.Threshold, fault = readFloat(option, value)
		case "mode":
			opts.Mode, fault = readString(option, value)
		case "feedback":
			opts.Feedback, fault = readOneOf(option, value, feedbackNone, feedbackStatus, feedbackScore, feedbackFull)
		case "reward":
			opts.Reward, fault = readRule(option, value)
		case "images":
			fault = opts.readImages(option, value)
		case "action":
			var form string
			form, fault = readOneOf(option, value, "bare", "response")
			opts.Bare = form == "bare"
		case "answer":
			opts.Answer, fault = readBool(option, value)
		case "history":
			opts.History, fault = readHistory(option, value)
		default:
			chosen = false
		}
		opts.Chosen = opts.Chosen || chosen
		return nil
	})
	return opts, fault
}

// readString reads a string among the options of an episode's reset.
func readString(option string, value []byte) (string, *scoring.Error) {
	if value[0] != '"' {
		return "", wrongKind(option, value, "a string")
	}
	return string(jsoncut.Text(value)), nil
}

// readOneOf reads one of several words among the options of an episode's reset.
func readOneOf(option string, value []byte, list ...string) (string, *scoring.Error) {
	text, fault := readString(option, value)
	if fault == nil && !slices.Contains(list, text) {
		fault = badOption(option, "got %.40q; want one of %v", text, list)
	}
	return text, fault
}

// readInt reads a whole number among the options of an episode's reset.
func readInt(option string, value []byte) (*int, *scoring.Error) {
	n, err := strconv.Atoi(string(value))
	if err != nil {
		return nil, wrongKind(option, value, "a whole number")
	}
	return &n, nil
}

// readTurns reads how many turns an episode has at most; the limit is checked with the rules.
func readTurns(option string, value []byte) (int, *scoring.Error) {
	n, fault := readInt(option, value)
	switch {
	case fault != nil:
		return 0, fault
	case *n < 1:
		return 0, badOption(option, "got %d; want 1 or more", *n)
	}
	return *n, nil
}

// readSeed reads the seed by which an episode chooses its task.
func readSeed(option string, value []byte) (*uint64, *scoring.Error) {
	n, err := strconv.ParseUint(string(value), 10, 64)
	if err != nil {
		return nil, wrongKind(option, value, "a whole number, 0 or more")
	}
	return &n, nil
}

// readFloat reads a finite number among the options of an episode's reset.
func readFloat(option string, value []byte) (*float64, *scoring.Error) {
	x, err := strconv.ParseFloat(string(value), 64)
	if err != nil || math.IsInf(x, 0) || math.IsNaN(x) {
		return nil, wrongKind(option, value, "a number")
	}
	return &x, nil
}

// readBool reads true or false among the options of an episode's reset.
func readBool(option string, value []byte) (bool, *scoring.Error) {
	if s := string(value); s == "true" || s == "false" {
		return s == "true", nil
	}
	return false, wrongKind(option, value, "true or false")
}

// readHistory reads the earlier answers of an episode that a reset continues.
func readHistory(option string, value []byte) ([][]byte, *scoring.Error) {
	if value[0] != '[' {
		return nil, wrongKind(option, value, "a list of answers")
	}
	const limit = 1 << 10 // answers; New compares their number with the turns of the episode
	list, err := jsoncut.Elements(value, limit)
	if err != nil {
		return nil, badOption(option, "got more than %d answers; want at most as many as turns", limit)
	}
	for i := range list {
		list[i] = bytes.Clone(list[i])
	}
	return list, nil
}

// readImages reads the option that says which pictures observations have: all, first or none, or an
// object that names a region of shared memory into which they are written. option is its name in
// errors.
func (options *Options) readImages(option string, value []byte) (fault *scoring.Error) {
	if value[0] != '{' {
		options.Images, fault = readOneOf(option, value, imagesAll, imagesFirst, imagesNone)
		return fault
	}
	options.Images = imagesRegion
	jsoncut.Named(value, func(key, m []byte) error {
		if fault != nil {
			return nil
		}
		name := option + "." + string(key)
		var n *int
		switch string(key) {
		case "region":
			options.Region.Name, fault = readString(name, m)
		case "offset", "byte_size":
			if n, fault = readInt(name, m); fault != nil {
				return nil
			}
			if *n < 0 {
				fault = badOption(name, "got %d; want 0 or more bytes", *n)
			} else if string(key) == "offset" {
				options.Region.Offset = int64(*n)
			} else {
				options.Region.Size = int64(*n)
			}
		default:
			fault = badOption(name, "it is not known; want region, offset and byte_size")
		}
		return nil
	})
	// A region needs a name and a size.
	if fault == nil && (options.Region.Name == "" || options.Region.Size == 0) {
		fault = badOption(option, "want region, offset and byte_size")
	}
	return fault
}
