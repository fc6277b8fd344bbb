package tracetest

import (
	"encoding/json"
	"fmt"
	"math"
	"time"

	"plumb/daemon/trace/event"
)

// Events returns the events of a file that an event.Writer has written and closed, for tests to compare.
func Events(data []byte) ([]event.Event, error) {
	var read []struct {
		Name  string         `json:"name"`
		Phase string         `json:"ph"`
		At    float64        `json:"ts"`
		Took  float64        `json:"dur"`
		Group int            `json:"pid"`
		Row   int            `json:"tid"`
		Args  map[string]any `json:"args"`
	}
	if err := json.Unmarshal(data, &read); err != nil {
		return nil, fmt.Errorf("cannot read trace events: %w", err)
	}
	events := make([]event.Event, len(read))
	for i, r := range read {
		events[i] = event.Event{Name: r.Name, Phase: r.Phase, At: duration(r.At), Took: duration(r.Took),
			Group: r.Group, Row: r.Row, Args: r.Args}
	}
	return events, nil
}

func duration(micros float64) time.Duration { return time.Duration(math.Round(micros * 1000)) }
