#!/bin/sh
# peers.sh installs the renderers that bench/peers measures beside plumb, into build/peers:
# resvg and Skia from npm, cairo from the system, Pillow, numpy and the source of
# Blend2D from PyPI. Quick when nothing is missing. The benchmark leaves out a renderer
# that could not be installed.
set -eu
cd "$(dirname "$0")/.."
out=build/peers
mkdir -p $out/node

# package COMMAND NAME... installs packages of the system if the command fails. A failed installation is not
# reported here: the step that needs the packages reports it.
package() {
	$1 2>/dev/null >&2 && return
	shift
	if [ "$(id -u)" = 0 ]; then as=; else as="sudo -n"; fi
	$as apt-get install -y --no-install-recommends "$@" >/dev/null || true
}

# compile NAME FLAGS compiles the measurement of a renderer in C, with vector instructions for its loop over
# the alpha of pixels.
compile() {
	name=$1
	shift
	cc -O3 -march=native -o $out/$name bench/peers/others/scenes.c bench/peers/others/$name.c "$@" || {
		rm -f $out/$name
		echo "peers: $name could not be compiled" >&2
	}
}

if ! cmp -s bench/peers/others/package-lock.json $out/node/package-lock.json; then
	cp bench/peers/others/package.json bench/peers/others/package-lock.json $out/node/
	# Where the registry does not serve the optional packages of other systems, npm ci
	# refuses the lockfile; npm install checks the same sums.
	(cd $out/node && { npm ci --no-audit --no-fund --silent || npm install --no-save --no-audit --no-fund --silent; }) && cp bench/peers/others/package-lock.json $out/node/ || {
		rm -f $out/node/package-lock.json # so that the next run tries again
		echo "peers: npm packages could not be installed" >&2
	}
fi
cp bench/peers/others/node.mjs bench/peers/others/pillow.py $out/
cp bench/peers/others/node.mjs $out/node/node.mjs
cc -O3 -march=native -shared -fPIC -I"$(dirname "$(readlink -f "$(command -v node)")")/../include/node" -o $out/addon.node bench/peers/others/addon.c || {
	rm -f $out/addon.node
	echo "peers: the sums for Node could not be compiled: its headers are missing" >&2
}
package "pkg-config --exists cairo" libcairo2-dev pkg-config
if pkg-config --exists cairo; then
	compile cairo $(pkg-config --cflags --libs cairo)
fi
pins=bench/peers/others/requirements.txt
if ! cmp -s $pins $out/python.pins; then
	python3 -m venv $out/venv && $out/venv/bin/pip install --quiet --require-hashes --only-binary :all: -r $pins && cp $pins $out/python.pins
fi

# The source package of the Python bindings holds all of Blend2D 0.12.0 and of its compiler
# asmjit. It is built as its own files say: -O2, every instruction set. The file is fetched
# without pip, which would run the set-up of the package, and install all that this needs,
# only to find its name.
pin=a88b1681568873266b39aefdc3b68023966c8ecbbbe6d8fe29d80a7dad28ee2b
index=${PIP_INDEX_URL:-https://pypi.org/simple}
blend2d=$out/blend2d-0.12.0
# fetch_blend2d downloads that package from the index and checks its sum.
fetch_blend2d() {
	python3 - "$index/blend2d-python/" blend2d_python-1.0.0.tar.gz "$blend2d" <<-'END' || return
		import re, sys, urllib.parse, urllib.request
		page, name, folder = sys.argv[1:]
		links = re.findall(r'href="([^"#]*/' + re.escape(name) + ')', urllib.request.urlopen(page, timeout=60).read().decode())
		urllib.request.urlretrieve(urllib.parse.urljoin(page, links[0]), folder + "/" + name)
	END
	echo "$pin  $blend2d/blend2d_python-1.0.0.tar.gz" | sha256sum -c --quiet
}
# build_blend2d makes the library, and writes the sum beside it when it is complete.
build_blend2d() {
	rm -rf $blend2d $out/blend2d && mkdir -p $blend2d || return
	package "cmake --version" cmake
	fetch_blend2d || return
	tar xzf $blend2d/blend2d_python-1.0.0.tar.gz -C $blend2d --strip-components=2 blend2d_python-1.0.0/3rdparty/blend2d blend2d_python-1.0.0/3rdparty/asmjit || return
	cmake -S $blend2d/blend2d -B $blend2d/lib -DCMAKE_BUILD_TYPE=Release -DBLEND2D_STATIC=ON -DASMJIT_DIR="$PWD/$blend2d/asmjit" >$blend2d/log 2>&1 || return
	cmake --build $blend2d/lib --parallel "$(getconf _NPROCESSORS_ONLN)" >>$blend2d/log 2>&1 || return
	echo "$pin" >$blend2d/pin
}
if [ "$(cat $blend2d/pin 2>/dev/null)" = "$pin" ] || build_blend2d; then
	compile blend2d -DBL_STATIC -I$blend2d/blend2d/src $blend2d/lib/libblend2d.a -lstdc++ -lm -pthread
else
	echo "peers: Blend2D could not be built" >&2
fi
