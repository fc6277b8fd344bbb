#!/bin/sh
# python.sh makes an environment in which the Python client is tested.
#
#	python.sh         build/venv, for the client's own tests
#	python.sh NAME    build/venv-NAME, with the real package of a trainer or evaluator; build/venv-deploy
#	                  is for scripts/deploy.sh
#
# In:  Python 3.10 or later with venv (3.11 for NAME, 3.13 for nemo_gym), PyPI: the
#      packages of clients/python/requirements/NAME.txt, each in one version and with
#      its sums. PLUMB_PYTHON chooses another python3. PLUMB_TORCH_INDEX names an index from
#      which torch is taken instead, such as one with builds for the CPU alone; what
#      comes from there is pinned by its version and not by its sum.
# Out: the environment. The client itself is not installed: tests take its source.
#      Exit code 3 where this machine has no Python for NAME. trl takes 6 GB, nemo_gym
#      1.4 GB, verifiers 0.6 GB, inspect, gem and openenv 0.4 GB each, openreward 0.2 GB,
#      skyrl 0.1 GB, verl 0.3 GB, checkouts 0.8 GB and lmms_eval 0.1 GB beside trl, ray 0.3 GB.
#
# All but build/venv are made and filled by uv, which build/venv has, and have no pip; its
# cache is build/uv, whose files the environments share. With everything in place the
# script only compares and ends.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
python=${PLUMB_PYTHON:-python3}
kind=${1:-test}
wanted="$root/clients/python/requirements/$kind.txt"
venv="$root/build/venv"
[ "$kind" = test ] || venv="$root/build/venv-$kind"

fail() {
	echo "cannot set up Python: $1" >&2
	exit 1
}

[ -f "$wanted" ] || fail "got $kind; want one of $(cd "$root/clients/python/requirements" && echo *.txt | sed 's/\.txt//g')"
# These run with the packages of trl's environment, and their own are found first.
base=""
case $kind in
verl | lmms_eval | checkouts)
	sh "$0" trl
	base="$root/build/venv-trl"
	;;
esac
[ "$kind" = test ] || sh "$0" # build/venv has uv

least=11 most=99 flags=""
case $kind in
test) least=10 ;;
gem) most=12 ;;
# nemo-gym names a patch release of 3.13 later than what distributions have.
nemo_gym) least=13 flags="--python-version 3.13.14" ;;
esac
# fits PYTHON succeeds if it runs and its version is from 3.$least to 3.$most.
fits() { command -v "$1" >/dev/null && "$1" -c "import sys; sys.exit(not $least <= sys.version_info.minor <= $most)" 2>/dev/null; }
if [ $least -gt 11 ] && ! fits "$python"; then
	for python in python3.$least "$HOME"/.pyenv/versions/3.$least.*/bin/python; do
		! fits "$python" || break
	done
	if ! fits "$python"; then
		echo "this machine has no Python 3.$least" >&2
		exit 3
	fi
fi
command -v "$python" >/dev/null || fail "$python is missing; want Python 3.10 or later"
version=$("$python" -c 'import sys; print("%d.%d.%d" % sys.version_info[:3])')
fits "$python" || fail "$python is Python $version; want 3.$least or later$([ $most = 99 ] || echo ", 3.$most at most")"

made="$version $("$python" -c 'import sys; print(sys.executable)') $(sha256sum <"$wanted" | cut -d' ' -f1)"
[ "$(cat "$venv/made-of" 2>/dev/null)" = "$made" ] && exit 0

rm -rf "$venv"
mkdir -p "$root/build"
uv="$root/build/venv/bin/uv"
if [ "$kind" = test ]; then
	"$python" -m venv "$venv" || fail "$python cannot make a virtual environment; want the package python3-venv"
else
	"$uv" venv -q --no-python-downloads --python "$("$python" -c 'import sys; print(sys.executable)')" "$venv" >&2 || fail "uv cannot make a virtual environment"
fi
# Only wheels are installed, because a source package would be built with the newest setuptools, which is not
# pinned. The packages below, which skyrl, verl, gem and checkouts need, exist as source packages only.
only="--only-binary :all:"
for package in func-timeout antlr4-python3-runtime pycosat zss cellpylib jieba langdetect timeout-decorator pylatexenc rouge-score docopt; do
	only="$only --no-binary $package"
done
# uv, of build/venv, is many times as fast as pip and links the files of its cache into
# each environment that has them, so that they take their space once.
# install FLAGS installs packages with pip or uv into the environment.
install() {
	# shellcheck disable=SC2086 # a list of flags
	if [ "$kind" = test ]; then
		"$venv/bin/python" -m pip install -q --disable-pip-version-check $only "$@" >&2
	else
		UV_CACHE_DIR="${UV_CACHE_DIR:-$root/build/uv}" "$uv" pip install -q --python "$venv/bin/python" $only "$@" >&2
	fi
}
if [ -n "${PLUMB_TORCH_INDEX:-}" ] && torch=$(grep -Eo '^(torch|torchvision)==[0-9.]*' "$wanted"); then
	# shellcheck disable=SC2086 # a list of packages
	install --index-url "$PLUMB_TORCH_INDEX" $torch || fail "uv could not install torch from PLUMB_TORCH_INDEX"
	# The list has NVIDIA's packages only for PyPI's torch, so they are left out with it.
	awk '/^[a-z]/ { drop = /^(torch|torchvision|triton|nvidia-|cuda-)/ } !drop' "$wanted" >"$venv/wanted.txt"
	wanted="$venv/wanted.txt"
fi
if [ -n "$base" ]; then
	# The file base.pth names the folder of trl's packages, so that the interpreter finds these too.
	site='import sysconfig; print(sysconfig.get_path("purelib"))'
	"$base/bin/python" -c "$site" >"$("$venv/bin/python" -c "$site")/base.pth"
	set -- --no-deps
else
	set --
fi
# shellcheck disable=SC2086 # flags may be empty
install --require-hashes $flags "$@" -r "$wanted" || fail "the packages of clients/python/requirements/$kind.txt could not be installed"
echo "$made" >"$venv/made-of" # last: an interrupted run is made anew
echo "python: packages of the $kind environment in ${venv#"$root"/}" >&2
