package claims

import (
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// Embedded is a NATS server within the process. It opens no port.
type Embedded struct{ nats *server.Server }

// Embed starts a server that keeps its streams in a folder and syncs each message, because the
// default syncs every two minutes. Claims are few, so that costs little.
func Embed(dir string) (*Embedded, error) {
	s, err := server.NewServer(&server.Options{ServerName: "plumb", DontListen: true, JetStream: true, StoreDir: dir,
		SyncAlways: true, NoLog: true, NoSigs: true})
	if err != nil {
		return nil, fmt.Errorf("cannot start the queue: %w", err)
	}
	s.Start()
	if !s.ReadyForConnections(30 * time.Second) {
		s.Shutdown()
		return nil, errors.New("cannot start the queue: it was not ready within 30 s")
	}
	return &Embedded{s}, nil
}

// Config returns the configuration of a job's queue in the server.
func (e *Embedded) Config(job string) Config { return Config{Job: job, conn: e.nats} }

// Close stops the server.
func (e *Embedded) Close() {
	e.nats.Shutdown()
	e.nats.WaitForShutdown()
}
