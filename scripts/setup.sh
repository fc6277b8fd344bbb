#!/bin/sh
# setup.sh installs what plumb needs and this machine lacks.
#
# In:  Debian or Ubuntu with Go and Node.js, and root or sudo where packages are missing.
# Out: a C compiler, EGL with its headers and Mesa's software driver, Chromium,
#      the Go modules of go.sum, the fonts in build/fonts, tldraw in build/page,
#      the explorer's pages in build/explorer,
#      Python packages for the client's tests in build/venv.
#
# With everything in place it only checks, which takes about a second.
set -eu

cd "$(dirname "$0")/.."

fail() {
	echo "cannot set up: $1" >&2
	exit 1
}

command -v go >/dev/null || fail "go is missing; want $(sed -n 's/^go /Go /p' go.mod) or later, see https://go.dev/dl"
for tool in node npm; do
	command -v $tool >/dev/null || fail "$tool is missing; want Node.js 18 or later with npm"
done

# installed PACKAGE succeeds if Debian's package is installed.
installed() { [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

# What cgo needs is looked for by its commands and not by names of packages, so that any compiler and any
# package of the headers will do. Drivers are looked for as packages: they are loaded by name at run time.
missing=""
command -v "${CC:-cc}" >/dev/null || missing="$missing gcc libc6-dev"
command -v pkg-config >/dev/null || missing="$missing pkg-config"
pkg-config --exists egl 2>/dev/null || missing="$missing libegl-dev"
# The Python client is tested in a virtual environment; Debian has the module venv in a package of its own.
python=${PLUMB_PYTHON:-python3}
command -v "$python" >/dev/null || missing="$missing python3 python3-venv"
! command -v "$python" >/dev/null || "$python" -c 'import ensurepip, venv' 2>/dev/null || missing="$missing python3-venv"
if command -v dpkg-query >/dev/null; then
	# fonts-liberation: the names of frames are in Arial, in place of which the reference had Liberation Sans.
	for package in libegl1 libegl-mesa0 libgl1-mesa-dri ca-certificates fonts-liberation; do
		installed $package || missing="$missing $package"
	done
	# Chromium is installed only where no browser of its kind is found, by any of these names: Ubuntu's package
	# chromium is a snap, which containers cannot run. Without tldraw no browser is needed.
	browser=${PLUMB_NO_TLDRAW:-}
	for program in chromium chromium-browser google-chrome-stable google-chrome; do
		command -v $program >/dev/null && browser=$program
	done
	[ -n "$browser" ] || missing="$missing chromium"
fi

if [ -n "$missing" ]; then
	command -v apt-get >/dev/null || fail "these Debian packages are missing and there is no apt-get:$missing"
	root=""
	if [ "$(id -u)" != 0 ]; then
		command -v sudo >/dev/null || fail "these packages are missing:$missing; want root or sudo to install them"
		root=sudo
	fi
	echo "setup: installing$missing" >&2
	$root apt-get update -qq >&2 || fail "apt-get update failed"
	# shellcheck disable=SC2086 # a list of packages
	$root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >&2 ||
		fail "apt-get could not install$missing"
fi

go mod download || fail "go mod download failed; want the modules of go.sum from the module proxy"
sh scripts/fonts.sh
[ -n "${PLUMB_NO_TLDRAW:-}" ] || sh scripts/page.sh # docs/tldraw-licence.md
sh scripts/explorer.sh
sh scripts/python.sh
