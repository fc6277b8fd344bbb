#!/bin/sh
# envs.sh runs the Python packages inside the real evaluators and trainers.
#
#	envs.sh NAME...     some of them
#	envs.sh light       those without torch
#	envs.sh torch       those with it
#	envs.sh all
#	envs.sh events      those without torch, with lines as those of `go test -json` on stdout; of
#	                    inspect and verifiers, which take minutes, the tests that `brief` names
#
# In:  what scripts/python.sh needs for each; PLUMB_BIN is not read: the program is that
#      of the wheel plumb-bin. PLUMB_NEMO_RL, PLUMB_OPEN_INSTRUCT, PLUMB_ROLL and
#      PLUMB_VLMEVALKIT name folders with sources that are on no package index.
# Out: build/venv-NAME with the wheels of build/wheels; the output of each in
#      build/envs/NAME.log, and on stderr where it failed; one line for each on stdout,
#      and a last one that counts. Two run at a time. Those for which this machine lacks
#      a Python or the folder with sources are skipped with the reason, and counted.
#      Exit code 1 where one failed.
set -u

root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
light="inspect verifiers verifiers-0.3 openenv openreward skyrl gem"
checkouts="nemo_rl open_instruct roll vlmevalkit"
torch="trl verl lmms_eval $checkouts"
logs="build/envs"

# kind NAME prints the name of the environment in which it runs: those of checkouts share one.
kind() {
	case " $checkouts " in
	*" $1 "*) echo checkouts ;;
	*) echo "$1" ;;
	esac
}

# prepare NAME makes its environment, or prints why it cannot. It returns 3 where this machine lacks a Python
# or the folder with sources, so that the run is skipped.
prepare() {
	folder=PLUMB_$(echo "$1" | tr '[:lower:]' '[:upper:]')
	if [ "$(kind "$1")" = checkouts ] && [ ! -d "$(printenv "$folder")" ]; then
		echo "$folder names no folder with its sources"
		return 3
	fi
	venv="build/venv-$(kind "$1")"
	sh scripts/python.sh "$(kind "$1")" 2>&1 || return $?
	UV_CACHE_DIR="${UV_CACHE_DIR:-$root/build/uv}" build/venv/bin/uv pip install -q --python "$venv/bin/python" --no-index --no-deps --reinstall build/wheels/*.whl 2>&1
}

# brief NAME prints which of its tests `make test` runs. Nothing is printed where it runs all.
brief() {
	case $1 in
	inspect) echo Inspect.test_install Inspect.test_every_task Inspect.test_two_turns Inspect.test_bad_label ;;
	verifiers) echo TaskClass Tasks.test_taskset_of_the_readme Tasks.test_what_could_not_be_scored_is_an_error Whiteboard.test_two_turns ;;
	esac
}

# run NAME TEST... runs the named tests of NAME, or all of them where none is named. A version in the name is
# cut off: both versions of verifiers have the same tests.
run() {
	name=$1
	shift
	python="$root/build/venv-$(kind "$name")/bin/python"
	env -u PLUMB_URL -u PYTHONDONTWRITEBYTECODE PYTHONPYCACHEPREFIX="$root/build/pycache" PLUMB_BIN="$("$python" -c 'import plumb_bin; print(plumb_bin.program())')" \
		"$python" "clients/python/frameworks/run_${name%-*}.py" "$@" >"$logs/$name.log" 2>&1
}

# --one NAME is how this script starts itself, below, to run two at a time.
if [ "${1:-}" = --one ]; then
	began=$(date +%s)
	# shellcheck disable=SC2046 # a list of names
	if run "$2" $([ -z "${PLUMB_ENVS_BRIEF:-}" ] || brief "$2"); then
		echo "ok   $2 ($(($(date +%s) - began)) s)"
	else
		cat "$logs/$2.log" >&2
		echo "FAIL $2"
	fi
	exit 0
fi

events=""
# shellcheck disable=SC2086 # lists of names
case ${1:-all} in
light) set -- $light ;;
torch) set -- $torch ;;
all) set -- $light nemo_gym $torch ;;
events)
	events=yes
	export PLUMB_ENVS_BRIEF=1
	set -- $light
	;;
esac
for name in "$@"; do
	if [ ! -f "clients/python/frameworks/run_${name%-*}.py" ]; then
		echo "cannot test $name: there is no clients/python/frameworks/run_${name%-*}.py" >&2
		exit 2
	fi
done

mkdir -p "$logs"
sh scripts/wheels.sh || exit 1
outcomes="$logs/told" # a file with one line for each name
ready=""              # names whose environment is made
: >"$outcomes"
for name in "$@"; do
	reason=$(prepare "$name")
	case $? in
	0) ready="$ready $name" ;;
	3) echo "skip $name: $reason" >>"$outcomes" ;;
	*) echo "FAIL $name: $reason" | tee /dev/stderr >>"$outcomes" ;;
	esac
done
[ -z "$ready" ] || printf '%s\n' $ready | xargs -n 1 -P 2 sh scripts/envs.sh --one >>"$outcomes"

if [ -n "$events" ]; then
	verdict=pass
	! grep -q '^FAIL' "$outcomes" || verdict=fail
	ran=$(sed -n 's/^ok   \([^ ]*\) .*/\1/p' "$outcomes")
	tr -d '"\\' <"$outcomes" | sed -n 's/^ok   \([^ ]*\) .*/{"Action":"pass","Package":"test-envs","Test":"\1"}/p
		s/^FAIL \([^ :]*\).*/{"Action":"fail","Package":"test-envs","Test":"\1"}/p
		s/^skip \([^ :]*\): \(.*\)/{"Action":"output","Package":"test-envs","Test":"\1","Output":"\2"}\n{"Action":"skip","Package":"test-envs","Test":"\1"}/p'
	printf '{"Action":"output","Package":"test-envs","Output":"%s\\ttest-envs\\t%s of %s real packages: %s\\n"}\n{"Action":"%s","Package":"test-envs"}\n' \
		"$([ $verdict = pass ] && echo "ok  " || echo FAIL)" "$(echo $ran | wc -w)" $# "$(echo $ran)" $verdict
else
	cat "$outcomes"
	echo "test-envs: $(grep -c '^ok' "$outcomes") passed, $(grep -c '^FAIL' "$outcomes") failed, $(grep -c '^skip' "$outcomes") skipped"
fi
! grep -q '^FAIL' "$outcomes"
