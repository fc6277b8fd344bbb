#!/bin/sh
# deploy.sh checks the files of deploy with kubeconform, helm, promtool and Grafana's own types.
#
# In:  Go's module proxy and PyPI, for tools and schemas in one version each; promtool, that
#      of PATH or else of the distribution's package prometheus, which is unpacked and not
#      installed; bin/plumb, and build/venv for the client.
# Out: build/deploy/bin with kubeconform, helm, dashboard (scripts/dashboard) and promtool,
#      build/deploy/schemas with those of Kubernetes and of KEDA; a line for each check on
#      stdout, and the tool's output on stderr where it failed; a last line that counts.
#      Where there is no promtool and none to be had, its checks are skipped. Exit code 1
#      where one failed. The first run builds the tools, which takes minutes; later ones
#      take seconds.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
out="build/deploy"
kubernetes=1.37.0
keda=v2.21.0
kubeconform=v0.8.0
mkdir -p "$out/bin" "$out/schemas"

# tool NAME PACKAGE VERSION builds a tool, unless it is there in that version.
tool() {
	[ "$(cat "$out/bin/$1.version" 2>/dev/null)" != "$3" ] || return 0
	GOFLAGS="" GOBIN="$root/$out/bin" go install "$2@$3"
	echo "$3" >"$out/bin/$1.version"
	echo "deploy: $1 $3 in $out/bin" >&2
}
tool kubeconform github.com/yannh/kubeconform/cmd/kubeconform $kubeconform
tool helm helm.sh/helm/v4/cmd/helm v4.3.1
(cd scripts/dashboard && GOFLAGS="" go build -o "$root/$out/bin/dashboard" .)

# To build promtool from source takes the client libraries of every cloud, so it comes from a package.
if [ ! -x "$out/bin/promtool" ]; then
	if found=$(command -v promtool); then
		ln -s "$found" "$out/bin/promtool"
	elif command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null; then
		package=$(mktemp -d)
		# The lists of packages may be missing, as in a new container: then they are fetched first.
		if (cd "$package" && { apt-get download -q prometheus || { apt-get update -q && apt-get download -q prometheus; }; }) >"$out/said" 2>&1; then
			dpkg-deb -x "$package"/prometheus_*.deb "$package"
			mv "$package/usr/bin/promtool" "$out/bin/promtool"
			echo "deploy: $("$out/bin/promtool" --version 2>&1 | head -n 1) in $out/bin" >&2
		else
			cat "$out/said" >&2
		fi
		rm -rf "$package"
	fi
fi

# Schemas that refuse unknown members. Those of Kubernetes are in the Python package kubernetes-validate; their
# references become names of files, which kubeconform reads. KEDA's is made from its own definition.
sh scripts/python.sh deploy
python="$root/build/venv-deploy/bin/python"
if [ "$(cat "$out/schemas/made-of" 2>/dev/null)" != "$kubernetes $keda" ]; then
	from=$("$python" -c 'import kubernetes_validate as k; print(k.__path__[0])')/kubernetes-json-schema/v$kubernetes-local-strict
	for file in "$from"/_definitions.json "$from"/*-v1.json; do
		sed 's|"/api/_definitions|"_definitions|; s|"$id"|"x-id"|' "$file" >"$out/schemas/$(basename "$file")"
	done
	# module NAME VERSION prints the folder of its sources.
	module() { GOFLAGS=-mod=mod go mod download -json "$1@$2" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p'; }
	script="$(module github.com/yannh/kubeconform $kubeconform)/scripts/openapi2jsonschema.py"
	definition="$(module github.com/kedacore/keda/v2 $keda)/config/crd/bases/keda.sh_scaledobjects.yaml"
	(cd "$out/schemas" && FILENAME_FORMAT='{kind}-{group}-{version}' "$python" "$script" "$definition" >&2)
	echo "$kubernetes $keda" >"$out/schemas/made-of"
fi

passed=0
failed=0
skipped=0
# check NAME COMMAND... runs a check, prints whether it passed, and counts it.
check() {
	name=$1
	shift
	if "$@" >"$out/said" 2>&1; then
		echo "ok   $name"
		passed=$((passed + 1))
	else
		cat "$out/said" >&2
		echo "FAIL $name"
		failed=$((failed + 1))
	fi
}
# manifests FLAG... FILE... checks manifests against the schemas.
manifests() { "$out/bin/kubeconform" -strict -verbose -summary -schema-location "$out/schemas/{{.ResourceKind}}{{.KindSuffix}}.json" "$@"; }
# chart FLAG... checks the manifests that the chart makes with these flags of helm template.
chart() { "$out/bin/helm" template plumb deploy/helm/plumb "$@" >"$out/chart.yaml" && manifests "$out/chart.yaml"; }

check "kubeconform: the manifests" manifests deploy/kubernetes/*.yaml
check "helm lint: the chart" "$out/bin/helm" lint --strict deploy/helm/plumb
check "helm template, kubeconform: the chart" chart
check "helm template, kubeconform: the chart without GPUs, scaled" chart --set gpus=0,autoscaling.enabled=true --set 'args={--tasks=aspire=/tasks/a.jsonl}'

# The checks by promtool: rules, queries, and the daemon's metrics.
promtool="$out/bin/promtool"
# prom NAME COMMAND... is check where there is promtool; otherwise it counts the check as skipped.
prom() {
	if [ -x "$promtool" ]; then
		check "$@"
	else
		echo "skip $1: there is no promtool, and no package of it here"
		skipped=$((skipped + 1))
	fi
}
# scaling prints the queries by which KEDA scales, as recording rules: those of keda.yaml and of the last chart,
# which is the one with scaling.
scaling() {
	echo "groups: [{name: scaling, rules: ["
	sed -n 's/^ *query: \(.*\)$/{record: "query:scaling", expr: "\1"},/p' deploy/kubernetes/keda.yaml "$out/chart.yaml" | sort -u
	echo "]}]"
}
# queries FILE succeeds if the file has queries and promtool can read all of them.
queries() { grep -q expr: "$1" && "$promtool" check rules "$1"; }
# shown prints the metrics of a daemon after one sample that was scored and one that was not.
shown() {
	PLUMB_BIN="$root/bin/plumb" PYTHONPATH=clients/python build/venv/bin/python -B -c '
from plumb_client import Client, local

with local.Daemon(flags=["--backend", "cpu", "--fidelity", "native"]) as daemon:
    client = Client(daemon.url)
    client.score({"suite": "aspire", "test": "maze", "shapes": [], "task": {"target": [1, 2]}, "response": "x"})
    client.score({"suite": "spaceeval", "question": "Which?", "options": ["a", "b"], "answer_index": 0, "response": "the large one"})
    print(client.prometheus(), end="")
'
}
# linted FILE writes the metrics of a daemon to the file. It succeeds if they count both samples and promtool
# finds no fault in them.
linted() {
	shown >"$1" && grep -q "^plumb_samples_total.*scored" "$1" && grep -q "^plumb_sample_errors_total" "$1" && "$promtool" check metrics <"$1"
}
# board writes the queries of the dashboard, which Grafana's own types must be able to read.
board() { "$out/bin/dashboard" deploy/grafana/*.json >"$out/dashboard.yaml"; }

check "Grafana's types: the dashboard" board
prom "promtool: the queries of the dashboard" queries "$out/dashboard.yaml"
scaling >"$out/scaling.yaml"
prom "promtool: the queries of the scaling" queries "$out/scaling.yaml"
prom "promtool check rules: the alerts" "$promtool" check rules deploy/prometheus/rules.yaml
prom "promtool test rules: when the alerts fire" "$promtool" test rules deploy/prometheus/rules.test.yaml
prom "promtool check metrics: what a daemon shows" linted "$out/metrics.txt"

echo "test-deploy: $passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
