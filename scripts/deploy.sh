#!/bin/sh
# deploy.sh checks the files of deploy with the tools of those who will use them.
#
# In:  Go's module proxy and PyPI, for tools and schemas in one version each.
# Out: build/deploy/bin with kubeconform and helm, build/deploy/schemas with those of
#      Kubernetes and of KEDA; a line for each check on stdout, and what the tool said on
#      stderr where it failed. Exit code 1 where one failed. The first run builds the
#      tools, which takes minutes; later ones take seconds.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
out="build/deploy"
kubernetes=1.37.0
keda=v2.21.0
kubeconform=v0.8.0
mkdir -p "$out/bin" "$out/schemas"

# tool NAME PACKAGE VERSION: builds a tool, where it is not there in that version.
tool() {
	[ "$(cat "$out/bin/$1.version" 2>/dev/null)" != "$3" ] || return 0
	GOFLAGS="" GOBIN="$root/$out/bin" go install "$2@$3"
	echo "$3" >"$out/bin/$1.version"
	echo "deploy: $1 $3 in $out/bin" >&2
}
tool kubeconform github.com/yannh/kubeconform/cmd/kubeconform $kubeconform
tool helm helm.sh/helm/v4/cmd/helm v4.3.1

# Schemas that refuse unknown members: those of Kubernetes as kubernetes-validate has
# them, with references that are files, and that of KEDA's own definition.
sh scripts/python.sh deploy
python="$root/build/venv-deploy/bin/python"
if [ "$(cat "$out/schemas/made-of" 2>/dev/null)" != "$kubernetes $keda" ]; then
	from=$("$python" -c 'import kubernetes_validate as k; print(k.__path__[0])')/kubernetes-json-schema/v$kubernetes-local-strict
	for file in "$from"/_definitions.json "$from"/*-v1.json; do
		sed 's|"/api/_definitions|"_definitions|; s|"$id"|"x-id"|' "$file" >"$out/schemas/$(basename "$file")"
	done
	# module NAME VERSION: the folder of its sources.
	module() { GOFLAGS=-mod=mod go mod download -json "$1@$2" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p'; }
	script="$(module github.com/yannh/kubeconform $kubeconform)/scripts/openapi2jsonschema.py"
	definition="$(module github.com/kedacore/keda/v2 $keda)/config/crd/bases/keda.sh_scaledobjects.yaml"
	(cd "$out/schemas" && FILENAME_FORMAT='{kind}-{group}-{version}' "$python" "$script" "$definition" >&2)
	echo "$kubernetes $keda" >"$out/schemas/made-of"
fi

failed=0
# check NAME COMMAND...: what was checked, and whether it passed.
check() {
	name=$1
	shift
	if "$@" >"$out/said" 2>&1; then
		echo "ok   $name"
	else
		cat "$out/said" >&2
		echo "FAIL $name"
		failed=1
	fi
}
manifests() { "$out/bin/kubeconform" -strict -verbose -summary -schema-location "$out/schemas/{{.ResourceKind}}{{.KindSuffix}}.json" "$@"; }
# chart FLAG...: what the chart makes of values.
chart() { "$out/bin/helm" template plumb deploy/helm/plumb "$@" >"$out/chart.yaml" && manifests "$out/chart.yaml"; }

check "kubeconform: the manifests" manifests deploy/kubernetes/*.yaml
check "helm lint: the chart" "$out/bin/helm" lint --strict deploy/helm/plumb
check "helm template, kubeconform: the chart" chart
check "helm template, kubeconform: the chart without GPUs, scaled" chart --set gpus=0,autoscaling.enabled=true --set 'args={--tasks=aspire=/tasks/a.jsonl}'

exit $failed
