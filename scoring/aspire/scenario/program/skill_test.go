package program

import (
	"testing"

	"github.com/valyala/fastjson"

	"plumb/render"
	"plumb/scoring"
	"plumb/scoring/aspire"
	"plumb/scoring/aspire/scenario"
)

// scorer scores dump lines in process, pixels included.
type scorer struct {
	suite  *scoring.Suite
	engine *render.Engine
	worker *render.Worker
}

func newScorer(t *testing.T) *scorer {
	t.Helper()
	e, err := render.Open(render.Config{Backend: render.BackendCPU})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return &scorer{aspire.New(aspire.Config{}), e, e.Worker()}
}

// score returns the result of an answer.
func (s *scorer) score(t *testing.T, sc *scenario.Scenario, response string) scoring.Result {
	t.Helper()
	line, err := sc.AppendLine(nil, "m", &response)
	if err != nil {
		t.Fatal(err)
	}
	v, err := fastjson.ParseBytes(line)
	if err != nil {
		t.Fatal(err)
	}
	job, err := s.suite.Prepare(&scoring.Item{ID: sc.ID(), Suite: "aspire", Test: sc.Test, Fields: v}, nil)
	if err != nil {
		t.Fatalf("%s: %v", sc.ID(), err)
	}
	var ps []*render.Prepared
	for _, view := range job.Views() {
		p, err := s.worker.Prepare(view)
		if err != nil {
			t.Fatalf("%s: %v", sc.ID(), err)
		}
		defer p.Release()
		ps = append(ps, p)
	}
	tallies, err := s.engine.Measure(nil, ps)
	if err != nil {
		t.Fatal(err)
	}
	return job.Score(tallies)
}

// The programs differ in skill on every test, and exact solves each scenario,
// on the sample dump's scenarios and on others.
func TestSkill(t *testing.T) {
	s := newScorer(t)
	for _, seed := range []uint64{DemoSeed, 7} {
		for _, test := range scenario.Tests() {
			mean := map[string]float64{}
			for _, p := range All() {
				n := 0.0
				for i := range scenario.PerTest {
					sc, err := scenario.Make(seed, test, i)
					if err != nil {
						t.Fatal(err)
					}
					a := p.Answer(seed, sc)
					if a == nil {
						continue
					}
					r := s.score(t, sc, *a)
					if !r.Scored {
						t.Errorf("seed %d, %s/%s has no score: %v", seed, sc.ID(), p.Name, r.Err)
					}
					if p.Name == "exact" && r.Score < 0.95 {
						t.Errorf("seed %d, %s/exact scores %g; want nearly 1\n%s", seed, sc.ID(), r.Score, *a)
					}
					mean[p.Name] += r.Score
					n++
				}
				mean[p.Name] /= n
			}
			t.Logf("seed %d, %-8s %v", seed, test, mean)
			if !(mean["exact"] > mean["noisy"] && mean["noisy"] > mean["careless"]) {
				t.Errorf("seed %d, %s: means are %v; want exact > noisy > careless", seed, test, mean)
			}
		}
	}
}
