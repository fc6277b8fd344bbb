#!/bin/sh
# view.sh installs what the debug viewer needs to be built and tested: headers of X11, and
# a virtual X server. Quick when nothing is missing.
set -eu
need="xvfb xauth libx11-dev libxrandr-dev libxinerama-dev libxcursor-dev libxi-dev libxxf86vm-dev libgl-dev"
missing=
for p in $need; do
	dpkg -s "$p" >/dev/null 2>&1 || missing="$missing $p"
done
[ -z "$missing" ] && exit 0
if [ "$(id -u)" = 0 ]; then as=; else as=sudo; fi
$as apt-get update -qq
$as apt-get install -y --no-install-recommends $missing >/dev/null
