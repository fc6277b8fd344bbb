#!/bin/sh
# fonts.sh puts the fonts of tldraw into build/fonts as TTF files, and the system's font
# in which the names of frames are drawn.
#
# In:  the npm registry (versions pinned in scripts/fonts, with checksums),
#      scripts/fonts.sha256, Debian's package fonts-liberation.
# Out: build/fonts/*.ttf, 16 files and LiberationSans-Regular.ttf, and the
#      packages under build/npm. Without Liberation Sans frames are not drawn
#      natively; the script then prints a warning and succeeds.
#
# Fonts are never committed: they come from the package that ships them, and
# both what is downloaded and what is made of it is checked against the list.
# With everything in place the script only verifies the sums and ends.
set -eu

# The font of the names of frames, from Liberation 1.07.4: with it pictures equal the reference in every pixel.
HEADING=LiberationSans-Regular.ttf
HEADING_SHA256=f8ace1f892b2bd9dc1792ba7f097fa7588f84fed48321480e04de5390828221f

root=$(cd "$(dirname "$0")/.." && pwd)
sums="$root/scripts/fonts.sha256"
pins="$root/scripts/fonts"
npm="$root/build/npm"
out="$root/build/fonts"
src="$npm/node_modules/@tldraw/assets/fonts"

fail() {
	echo "cannot set up fonts: $1" >&2
	exit 1
}

# verify FOLDER ENDING succeeds if every listed file with this ending is there with its sum.
verify() {
	[ -d "$1" ] || return 1
	list=$(grep "\.$2\$" "$sums") || return 1
	(cd "$1" && echo "$list" | sha256sum -c --status 2>/dev/null)
}

# right FILE succeeds if the file is the font of headings in that version.
right() {
	[ -f "$1" ] && echo "$HEADING_SHA256  $1" | sha256sum -c --status 2>/dev/null
}

# heading copies the font of headings from where Debian installs it, or else out of
# the package, which it downloads and does not install.
heading() {
	right "$out/$HEADING" && return
	from=/usr/share/fonts/truetype/liberation/$HEADING
	if ! right "$from" && command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null; then
		mkdir -p "$root/build/liberation"
		(cd "$root/build/liberation" && rm -f fonts-liberation_*.deb &&
			apt-get download fonts-liberation >/dev/null 2>&1 && dpkg-deb -x fonts-liberation_*.deb .) ||
			echo "fonts: cannot download the package fonts-liberation; does apt-get update succeed?" >&2
		from=$root/build/liberation$from
	fi
	if right "$from"; then
		cp "$from" "$out/$HEADING"
	else
		echo "fonts: $HEADING of fonts-liberation 1.07.4 (Debian 12) is missing; frames are not drawn natively" >&2
	fi
}

if verify "$out" ttf; then
	heading
	exit 0
fi

for tool in node npm sha256sum; do
	command -v "$tool" >/dev/null || fail "$tool is missing; want Node.js 18 or later with npm, and coreutils"
done

packages=$(cd "$pins" && sha256sum package.json package-lock.json)
if ! verify "$src" woff2 || [ "$(cat "$npm/installed" 2>/dev/null)" != "$packages" ]; then
	mkdir -p "$npm"
	rm -f "$npm/installed"
	cp "$pins/package.json" "$pins/package-lock.json" "$npm/"
	npm ci --prefix "$npm" --ignore-scripts --no-audit --no-fund --loglevel=error >&2 ||
		fail "npm could not install the packages of scripts/fonts/package-lock.json"
	verify "$src" woff2 || fail "the fonts of @tldraw/assets are not those of scripts/fonts.sha256"
	echo "$packages" >"$npm/installed"
fi

# Converted beside the target and moved when complete: an interrupted run leaves nothing half done.
rm -rf "$out.part"
mkdir -p "$out.part"
node "$root/scripts/fonts.cjs" "$npm" "$src" "$out.part" || fail "the conversion from WOFF2 failed"
verify "$out.part" ttf || fail "the converted fonts are not those of scripts/fonts.sha256"
rm -rf "$out"
mv "$out.part" "$out"
heading
echo "fonts: $(ls "$out" | wc -l) files in build/fonts" >&2
