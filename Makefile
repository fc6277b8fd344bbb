# The two commands of the README are `make demo` and `make test`.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := build

# egl: GL functions come from libEGL alone, no X11. buildvcs: the version is set
# below, and a build must not fail in a checkout that git does not trust.
export GOFLAGS := -tags=egl -buildvcs=false

COMMIT := $(shell git rev-parse --short=12 HEAD 2>/dev/null || echo unknown)
LDFLAGS := -X main.commit=$(COMMIT)

# Packages with tests that inject faults; they are run once more with that tag.
FAULT := $(shell grep -rlE --include='*_test.go' --exclude-dir=build '^//go:build.*\bfault\b' . 2>/dev/null | xargs -r -n1 dirname | sort -u)

# Packages that ./... leaves out for the name of their folder.
HELPERS := ./testdata ./testdata/madeup

.PHONY: mutation bench-answers bench-dumps bench-pictures test-edits test-large view test-view demo demo-run test test-envs test-deploy test-ray build check setup vet format imports citations packages measure race bench load fidelity gpu-bundle clean

demo: setup build ## score the sample dump through the daemon, write build/report
	@sh scripts/demo.sh

demo-run: setup build ## ask a scripted endpoint about ASPIRE and DrawingBench, without key or network
	@sh scripts/demo-run.sh

test: setup vet imports ## every test but those of the targets test-*; the last line counts what was skipped; ENVS=1 adds real evaluators and trainers, the light ones of test-envs
	@broken() { echo '{"Action":"run-fail"}'; }; \
	{ go test -json -timeout 30m ./... || broken; \
	  if [ -n "$(FAULT)" ]; then go test -json -timeout 30m -tags "egl fault" $(FAULT) || broken; fi; \
	  if [ -n "$(ENVS)" ]; then sh scripts/envs.sh events || broken; fi; \
	} | go run ./scripts/testsum

# The Python packages inside the real evaluators and trainers, an environment for each:
# scripts/envs.sh. They take 9 GB, of which the light ones take 2 GB. Of the
# other targets only `make test ENVS=1` runs them, the light ones; CI does so.
ENV ?= all
test-envs: setup ## real evaluators and trainers; ENV=NAME, light, torch or all; the last line counts what was skipped
	@sh scripts/envs.sh $(ENV)

test-deploy: setup build ## the files of deploy by kubeconform, helm, promtool and Grafana's types, which the first run fetches and builds
	@sh scripts/deploy.sh

test-ray: setup build ## a run on a real Ray cluster of this machine
	@sh scripts/python.sh ray
	@PLUMB_BIN="$(CURDIR)/bin/plumb" build/venv-ray/bin/python -B clients/python/frameworks/run_ray.py

build: ## bin/plumb
	go build -trimpath -ldflags "$(LDFLAGS)" -o bin/plumb ./cmd/plumb

check: setup format vet imports citations measure race test test-view ## what a change must pass

setup: ## install what is missing; quick when nothing is
	@sh scripts/setup.sh

vet:
	go vet ./... $(HELPERS)
	@if [ -n "$(FAULT)" ]; then go vet -tags "egl fault" $(FAULT); fi

format:
	@unformatted=$$(gofmt -l $$(git ls-files -co --exclude-standard '*.go')); \
	if [ -n "$$unformatted" ]; then echo "not formatted by gofmt:"; echo "$$unformatted"; exit 1; fi

race:
	go test -race -short -timeout 60m ./...

imports: # fail on any import that imports.allow does not list
	@go list -f '{{$$p := .ImportPath}}{{$$p}}{{"\n"}}{{range .Imports}}{{$$p}} {{.}}{{"\n"}}{{end}}' ./... $(HELPERS) | \
	awk -v m="$$(go list -m)/" -f scripts/imports.awk imports.allow -

citations: # fail on a mention of a document or rule that is not there, and on a rule that nothing cites
	@go run ./scripts/house citations

packages: ## write the tables of packages in ARCHITECTURE.md from the packages' comments
	@go run ./scripts/house packages

measure: # sizes of packages, files and functions; fails on one beyond its limit
	@go run ./scripts/house measure

bench: setup build fidelity ## stages and sweeps, fidelity, the main job on this machine, Chromium beside the plain loop, and plumb beside other renderers and scorers
	@mkdir -p build/bench
	bin/plumb bench -o build/bench/results.json --html build/bench/index.html --trace build/bench/trace.json
	go run ./bench/balance -n 5000 -runs 3
	go run ./bench/chrome -every 6 -rounds 3
	sh scripts/peers.sh
	go run ./bench/peers -n 40 -rounds 3
	sh scripts/shapely.sh
	go run ./bench/tangram
	go run ./bench/runs

bench-dumps: build ## dumps of other tools beside plumb's own lines, with the build of BEFORE (a commit) beside this one
	@sh scripts/before.sh $(BEFORE)
	go run ./bench/dumps $(if $(BEFORE),-before build/before/plumb)

bench-answers: build ## many answers to few tasks, in process and over HTTP, with the build of BEFORE (a commit) beside this one
	@sh scripts/before.sh $(BEFORE)
	go run ./bench/answers $(if $(BEFORE),-before build/before/plumb)

bench-pictures: build ## images of answers in groups, as files and over HTTP, with the build of BEFORE (a commit) beside this one
	@sh scripts/before.sh $(BEFORE)
	go run ./bench/pictures $(if $(BEFORE),-before build/before/plumb)

test-large: build ## a log of inspect_ai and a document of HELM of 4 GB, read in bounded memory; needs 5 GB of disk
	go test -tags "egl large" -timeout 60m -v -run TestLarge ./cmd/plumb

# The packages whose tests are tested with mutants. All of them take some three hours. FLAGS
# are those of scripts/mutants: -kept runs only what survived before, -sample=N a random N of
# each package, -report runs nothing, -table=FILE writes the table to a file.
PKG ?= $(shell go list -f '{{.Dir}}' ./scoring/... ./daemon/dump ./daemon/queue ./daemon/judge ./render/scan ./render/metric | sed 's|^$(CURDIR)/||')
mutation: setup ## changes of the code of PKG="..." that no test of their package notices; fails below 90 % and on a survivor without a reason; goes on where it was stopped
	@sh scripts/mutation.sh $(FLAGS) -- $(PKG)

SCENES ?= build/view.jsonl
view: setup ## a window that shows SCENES=FILE as the device draws them, with what each tile costs
	@sh scripts/view.sh
	@if [ "$(SCENES)" = build/view.jsonl ]; then head -n 20 testdata/aspire/demo.jsonl >$(SCENES); fi
	go run -tags "egl view" ./bench/view $(SCENES)

test-view: setup ## the window under a virtual X server; part of make check
	@sh scripts/view.sh
	go vet -tags "egl view" ./bench/view
	go test -tags "egl view" ./bench/view

gpu-bundle: setup ## build/gpu-bundle, for a machine with an NVIDIA GPU and no Go
	@sh scripts/bundle.sh

test-edits: setup ## 20,000 made-up edits, and images of 1,200 of them, with caches of three sizes and without, on both backends; some 15 minutes
	go test -tags "egl edits" -timeout 60m -v -run TestMadeUpEdits ./render

load: setup build ## the daemon under the load of trainers: latency, throughput, restarts with lost contexts, kills, hostile clients
	go build -trimpath -tags "egl fault" -ldflags "$(LDFLAGS)" -o bin/plumb-fault ./cmd/plumb
	go run ./bench/daemon light
	go run ./bench/daemon rate
	go run ./bench/daemon -plumb bin/plumb-fault storm
	go run ./bench/daemon -args "--fidelity auto" kill
	go run ./bench/daemon hostile
	PLUMB_EPISODES=2000 go test -count 1 -run TestEpisodesThroughRestart ./daemon/api
	cd clients/python && PLUMB_EPISODES=2000 PLUMB_BIN="$(CURDIR)/bin/plumb" ../../build/venv/bin/python -B -m unittest tests.test_episode.Episodes.test_many_through_a_kill

fidelity: build ## native pictures beside the editor's, report in build/fidelity/report; every character of Unicode in each font; odd documents
	@go run ./bench/fidelity -out build/fidelity
	@go run ./bench/unicode -pictures build/fidelity/unicode
	@go run ./bench/odd -pictures build/fidelity/odd

clean: ## what was built; fonts and packages stay in build/fonts and build/npm
	rm -rf bin build/demo build/report build/fidelity build/gpu-bundle
