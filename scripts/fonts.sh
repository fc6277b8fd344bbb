#!/bin/sh
# fonts.sh puts the fonts of tldraw into build/fonts as TTF files.
#
# In:  the npm registry (packages pinned below), scripts/fonts.sha256.
# Out: build/fonts/*.ttf, 16 files, and the packages under build/npm.
#
# Fonts are never committed: they come from the package that ships them, and
# both what is downloaded and what is made of it is checked against the list.
# With everything in place the script only verifies the sums and ends.
set -eu

ASSETS=@tldraw/assets@4.2.0
WOFF2=wawoff2@2.0.1

root=$(cd "$(dirname "$0")/.." && pwd)
sums="$root/scripts/fonts.sha256"
npm="$root/build/npm"
out="$root/build/fonts"
src="$npm/node_modules/@tldraw/assets/fonts"

fail() {
	echo "cannot set up fonts: $1" >&2
	exit 1
}

# verify FOLDER ENDING: true when every listed file with this ending is there and right.
verify() {
	[ -d "$1" ] || return 1
	list=$(grep "\.$2\$" "$sums") || return 1
	(cd "$1" && echo "$list" | sha256sum -c --status 2>/dev/null)
}

verify "$out" ttf && exit 0

for tool in node npm sha256sum; do
	command -v "$tool" >/dev/null || fail "$tool is missing; want Node.js 18 or later with npm, and coreutils"
done

if ! verify "$src" woff2 || [ ! -d "$npm/node_modules/wawoff2" ]; then
	mkdir -p "$npm"
	npm install --prefix "$npm" --no-save --ignore-scripts --no-audit --no-fund --loglevel=error \
		"$ASSETS" "$WOFF2" >&2 || fail "npm could not install $ASSETS and $WOFF2"
	verify "$src" woff2 || fail "the fonts in $ASSETS are not those of scripts/fonts.sha256"
fi

# Converted beside the target and moved when complete: an interrupted run leaves nothing half done.
rm -rf "$out.part"
mkdir -p "$out.part"
node "$root/scripts/fonts.cjs" "$npm" "$src" "$out.part" || fail "the conversion from WOFF2 failed"
verify "$out.part" ttf || fail "the converted fonts are not those of scripts/fonts.sha256"
rm -rf "$out"
mv "$out.part" "$out"
echo "fonts: $(ls "$out" | wc -l) files in build/fonts" >&2
