#!/bin/sh
# gpu.sh measures a machine with an NVIDIA GPU: what works, all checks of the GPU
# against the oracle, the sweeps, the trace.
#
#	bench/gpu.sh [DIR [FLAG...]]
#
# In:  in the bundle (build/gpu-bundle/gpu.sh) the binaries beside it; in a
#      checkout the bundle, which is made first where it is missing (needs Go).
#      FLAGs go to `plumb bench`: --quick, --device N.
# Out: DIR (results beside this file unless named): doctor.txt, checks.txt,
#      bench.json, bench.txt, bench.html, trace.json, cpu.json, compare.txt,
#      machine.txt, gpu.txt (the text files in one, to be read), and DIR.tar.gz of all of it.
#      Exit 1 where a step failed; the other steps are run all the same.
# Set PLUMB_SOFTWARE=1 to try it on a machine without a GPU.
set -u

here=$(cd "$(dirname "$0")" && pwd)
if [ ! -x "$here/plumb" ]; then
	root=$(cd "$here/.." && pwd)
	[ -x "$root/build/gpu-bundle/plumb" ] || make -C "$root" gpu-bundle || exit 1
	[ $# -gt 0 ] || set -- "$root/build/gpu-results"
	exec "$root/build/gpu-bundle/gpu.sh" "$@"
fi
out=${1-$here/results}
[ $# -eq 0 ] || shift
command="./gpu.sh DIR $*"
mkdir -p "$out" || exit 1
out=$(cd "$out" && pwd)
PLUMB_FONTS="$here/fonts"
export PLUMB_FONTS
failed=0

# step NAME FILE COMMAND... runs a step, keeps its output in FILE, and prints whether it failed.
step() {
	name=$1
	file=$2
	shift 2
	echo "gpu: $name"
	begin=$(date +%s)
	if "$@" >"$out/$file" 2>&1; then
		echo "gpu: $name: done in $(($(date +%s) - begin)) s"
	else
		failed=1
		echo "gpu: $name FAILED, see $out/$file:" >&2
		tail -n 5 "$out/$file" >&2
	fi
}

commit=$(cat "$here/commit" 2>/dev/null || echo unknown)

# machine prints what the machine is.
machine() {
	date -u
	uname -a
	grep -m1 'model name' /proc/cpuinfo
	nproc
	echo "commit $commit"
	# A machine without nvidia-smi is no failure; its message is kept.
	nvidia-smi 2>&1 || true
}

# hardware fails on a software driver, which would pass every check but says nothing about the GPU.
hardware() {
	"$here/plumb" doctor --backend gl --fidelity native || return 1
	[ -n "${PLUMB_SOFTWARE-}" ] && return 0
	if "$here/plumb" doctor --backend gl --fidelity native | grep -q 'backend gl.*software true'; then
		echo "the GL device is software: install the GPU's driver with its EGL, or see --device"
		return 1
	fi
}

step machine machine.txt machine
step doctor doctor.txt hardware
step checks checks.txt "$here/run.sh" check
step sweeps bench.txt "$here/plumb" bench --backend gl "$@" -o "$out/bench.json" --html "$out/bench.html" --trace "$out/trace.json"
# The digests of results on the CPU's oracle: equal to the GPU's, bit for bit.
step oracle cpu.txt "$here/plumb" bench --backend cpu --sweep none "$@" -o "$out/cpu.json"
step comparison compare.txt "$here/plumb" bench --compare -o "$out/compare.json" "$out/cpu.json" "$out/bench.json"
if grep -q DIFFERENT "$out/compare.txt"; then
	failed=1
	echo "gpu: results of the GPU and of the oracle differ, see $out/compare.txt" >&2
fi
{
	echo "# $command, of the bundle of commit $commit"
	cat "$out/machine.txt"
	for part in doctor checks bench cpu compare; do
		echo
		echo "# $part.txt"
		cat "$out/$part.txt"
	done
} >"$out/gpu.txt"
tar -czf "$out.tar.gz" -C "$(dirname "$out")" "$(basename "$out")" && echo "gpu: results in $out.tar.gz"
exit $failed
