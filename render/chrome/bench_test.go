package chrome

import (
	"context"
	"testing"
)

func BenchmarkPhases(b *testing.B) {
	refs := references(b)
	p := open(b, Config{Hinted: true})
	reqs := make([]Request, len(refs))
	for i, r := range refs {
		reqs[i] = r.requests(b, picture{})["scene"]
	}
	b.ResetTimer()
	for i := range b.N {
		if _, err := p.Export(context.Background(), reqs[i%len(reqs)]); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPlain(b *testing.B) {
	refs := references(b)
	p := open(b, Config{Hinted: true, Version: "plain"})
	reqs := make([]Request, len(refs))
	for i, r := range refs {
		reqs[i] = r.requests(b, picture{})["list"]
	}
	b.ResetTimer()
	for i := range b.N {
		if _, err := p.Export(context.Background(), reqs[i%len(reqs)]); err != nil {
			b.Fatal(err)
		}
	}
}
