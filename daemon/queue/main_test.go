package queue_test

import (
	"log/slog"
	"os"
	"testing"
)

// The panics that tests provoke are not worth a log.
func TestMain(m *testing.M) {
	slog.SetDefault(slog.New(slog.DiscardHandler))
	os.Exit(m.Run())
}
