#!/bin/sh
# requirements.sh writes the lists of Python packages anew: for each NAME.in, which
# names what is wanted, NAME.txt with every package in one version and the sums of
# its files, for every platform and Python version that plumb supports.
#
# In:  uv (pip install uv), PyPI. A version that NAME.txt has is kept; with --upgrade
#      all are the newest.
# Out: clients/python/requirements/*.txt, bench/peers/others/requirements.txt,
#      bench/tangram/requirements.txt.
set -eu

cd "$(dirname "$0")/.."

# compile FILE.in PYTHON FLAGS writes FILE.txt. PYTHON is the oldest version that the list is for.
compile() {
	in=$1 python=$2 out=${1%.in}.txt
	shift 2
	uv pip compile --quiet --universal --generate-hashes --no-annotate --no-python-downloads \
		--custom-compile-command "sh scripts/requirements.sh" --python-version "$python" ${upgrade:-} "$@" "$in" -o "$out" >/dev/null
	echo "requirements: $(grep -c '^[a-zA-Z]' "$out") packages in $out" >&2
}

upgrade=${1:-}
compile clients/python/requirements/test.in 3.10
for name in trl verifiers verifiers-0.3 skyrl ray inspect openenv openreward gem deploy; do
	compile clients/python/requirements/$name.in 3.11
done
compile clients/python/requirements/nemo_gym.in 3.13.14
# Pins of these contradict those of TRL, in whose environment they run: their lists name
# every package that they need beside it.
for name in verl lmms_eval checkouts; do
	compile clients/python/requirements/$name.in 3.11 --no-deps
done
compile bench/peers/others/requirements.in 3.10
compile bench/tangram/requirements.in 3.10
