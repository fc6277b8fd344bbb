#!/bin/sh
# run.sh tries plumb on this machine. In the project it is scripts/bundle-run.sh.
#
#	./run.sh         what works here, then the sample dump with a report
#	./run.sh check   the device against the oracle: the tests of the GL stages, lost
#	                 contexts, and the sample dump on the GPU and on the CPU; exit 1
#	                 where anything fails or a score differs
#	./run.sh bench   stages, sweeps, ceilings and a trace: bench.json, bench.html and
#	                 trace.json; flags of plumb bench may follow
#	./run.sh device  the Go benchmarks of the device's packages: times of batches on the device
#	./run.sh all     gpu.sh: the checks and the measurements, with all results in files
#	./run.sh ARGS    plumb ARGS: ./run.sh score my-dump.jsonl
set -eu

here=$(cd "$(dirname "$0")" && pwd)
PLUMB_FONTS="$here/fonts"
export PLUMB_FONTS
plumb="$here/plumb"

# scores SAMPLES BACKEND prints the results of the samples without the field that names the backend, the only
# one that may differ.
scores() {
	"$plumb" score --backend "$2" --fidelity native -o - "$1" | sed 's/"backend":"[a-z]*",*//'
}

case ${1-} in
"")
	"$plumb" doctor
	"$plumb" score --report "$here/report" -o "$here/results.jsonl" "$here/samples/aspire.jsonl"
	echo "report: file://$here/report/index.html"
	;;
check)
	"$plumb" doctor --backend gl
	for check in egl gpu; do
		echo "check: $check"
		"$here/checks/$check" -test.timeout 20m
	done
	echo "check: gpu-faults"
	"$here/checks/gpu-faults" -test.timeout 20m -test.run 'Fault|Poison'
	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
	scores "$here/samples/aspire.jsonl" gl >"$work/gl"
	scores "$here/samples/aspire.jsonl" cpu >"$work/cpu"
	# Shaders add integers and do not divide, so that both ways give the same bytes: no tolerance is needed.
	if ! cmp -s "$work/gl" "$work/cpu"; then
		echo "check failed: scores of the GPU and of the CPU differ:" >&2
		diff "$work/gl" "$work/cpu" | head -n 6 | cut -c1-400 >&2
		exit 1
	fi
	n=$(wc -l <"$work/gl")
	if [ "$n" -ne "$(wc -l <"$here/samples/aspire.jsonl")" ]; then
		echo "check failed: $n results" >&2
		exit 1
	fi
	echo "check: $n scores are equal on the GPU and on the CPU"
	;;
bench)
	shift
	"$plumb" bench --backend gl -o "$here/bench.json" --html "$here/bench.html" --trace "$here/trace.json" "$@"
	;;
all)
	shift
	exec "$here/gpu.sh" "$@"
	;;
device)
	"$here/checks/gpu" -test.run '^$' -test.bench . -test.benchtime 2s
	;;
*)
	exec "$plumb" "$@"
	;;
esac
