#!/bin/sh
# python.sh makes an environment in which the Python client is tested.
#
#	python.sh         build/venv, for the client's own tests
#	python.sh NAME    build/venv-NAME, where the client meets a trainer's real package
#
# In:  Python 3.10 or later with venv (3.11 for NAME), PyPI: the packages of
#      clients/python/requirements/NAME.txt, each in one version and with its sums.
#      PLUMB_PYTHON chooses another python3. PLUMB_TORCH_INDEX names an index from
#      which torch is taken instead, such as one with builds for the CPU alone; what
#      comes from there is pinned by its version and not by its sum.
# Out: the environment. The client itself is not installed: tests take its source.
#      trl takes 6 GB, verifiers 0.6 GB, skyrl 0.1 GB, verl 0.3 GB beside trl, ray 0.3 GB.
#
# With everything in place the script only compares and ends.
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
# verl runs in the environment of trl, with its own packages before those.
base=""
if [ "$kind" = verl ]; then
	sh "$0" trl
	base="$root/build/venv-trl"
fi

command -v "$python" >/dev/null || fail "$python is missing; want Python 3.10 or later"
version=$("$python" -c 'import sys; print("%d.%d.%d" % sys.version_info[:3])')
minor=11
[ "$kind" != test ] || minor=10
"$python" -c "import sys; sys.exit(sys.version_info < (3, $minor))" || fail "$python is Python $version; want 3.$minor or later"

made="$version $("$python" -c 'import sys; print(sys.executable)') $(sha256sum <"$wanted" | cut -d' ' -f1)"
[ "$(cat "$venv/made-of" 2>/dev/null)" = "$made" ] && exit 0

rm -rf "$venv"
mkdir -p "$root/build"
"$python" -m venv "$venv" || fail "$python cannot make a virtual environment; want the package python3-venv"
# Wheels alone: a source package would be built with whatever setuptools is newest.
# Of two packages, which skyrl and verl need, there is nothing else.
pip() {
	"$venv/bin/python" -m pip install -q --disable-pip-version-check --only-binary :all: \
		--no-binary func-timeout,antlr4-python3-runtime "$@" >&2
}
if [ -n "${PLUMB_TORCH_INDEX:-}" ] && torch=$(grep -o '^torch==[0-9.]*' "$wanted"); then
	pip --index-url "$PLUMB_TORCH_INDEX" "$torch" || fail "pip could not install $torch from PLUMB_TORCH_INDEX"
	# What PyPI's torch brings for NVIDIA is left out with it.
	awk '/^[a-z]/ { drop = /^(torch|triton|nvidia-|cuda-)/ } !drop' "$wanted" >"$venv/wanted.txt"
	wanted="$venv/wanted.txt"
fi
if [ -n "$base" ]; then
	# Named by a file of the environment, so that the interpreter finds both.
	site='import sysconfig; print(sysconfig.get_path("purelib"))'
	"$base/bin/python" -c "$site" >"$("$venv/bin/python" -c "$site")/base.pth"
	set -- --no-deps
else
	set --
fi
pip --require-hashes "$@" -r "$wanted" || fail "pip could not install clients/python/requirements/$kind.txt"
echo "$made" >"$venv/made-of" # last: an interrupted run is made anew
echo "python: packages of the $kind environment in ${venv#"$root"/}" >&2
