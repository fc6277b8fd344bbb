#!/bin/sh
# envs.sh runs the Python packages inside the real evaluators and trainers.
#
#	envs.sh NAME...     some of them
#	envs.sh light       those without torch
#	envs.sh all
#
# In:  what scripts/python.sh needs for each, PLUMB_BIN is not read: the program is that
#      of the wheel plumb-bin.
# Out: build/venv-NAME with the wheels of build/wheels; one line for each on stdout, and
#      a last one that counts. What cannot run here, for want of a Python or of a
#      folder with sources, is skipped with its reason and counted. Exit code 1 where
#      one failed.
set -u

root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
light="inspect verifiers verifiers-0.3 openenv openreward skyrl gem"
case ${1:-all} in
light) set -- $light ;;
all) set -- $light nemo_gym verl trl ;;
esac

sh scripts/wheels.sh || exit 1
passed=0 failed=0 skipped=0
for name in "$@"; do
	# The same tests run for both versions of verifiers.
	tests="clients/python/frameworks/run_${name%-*}.py"
	venv="$root/build/venv-$name"
	if [ ! -f "$tests" ]; then
		echo "cannot test $name: there is no $tests" >&2
		exit 2
	fi
	reason=$(sh scripts/python.sh "$name" 2>&1 >/dev/null)
	case $? in
	0) ;;
	3)
		echo "skip $name: $reason"
		skipped=$((skipped + 1))
		continue
		;;
	*)
		echo "FAIL $name: $reason"
		failed=$((failed + 1))
		continue
		;;
	esac
	"$venv/bin/python" -m pip install -q --disable-pip-version-check --no-index --no-deps --force-reinstall build/wheels/*.whl || exit 1
	began=$(date +%s)
	if env -u PLUMB_URL PYTHONPYCACHEPREFIX="$root/build/pycache" PLUMB_BIN="$("$venv/bin/python" -c 'import plumb_bin; print(plumb_bin.program())')" \
		"$venv/bin/python" "$tests" >&2; then
		echo "ok   $name ($(($(date +%s) - began)) s)"
		passed=$((passed + 1))
	else
		echo "FAIL $name"
		failed=$((failed + 1))
	fi
done
echo "test-envs: $passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
