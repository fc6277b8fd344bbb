// The encoding of pixels for the program. A whiteboard has large even areas and thin
// edges, so runs of equal pixels are smaller than a PNG and made far more quickly.
//
// The encoding is a list of runs over the picture's pixels, rows from the top:
// a varint v, then v & 1 ? (v >> 1) pixels one by one : one pixel (v >> 1)
// times. A pixel is four bytes, R G B A. Varints are seven bits per byte, low
// ones first, the top bit set on all but the last.

/**
 * Writes 32-bit pixels into out as runs, and returns the part that they take; null when out is too small.
 * Three equal pixels or more become one pixel that is repeated; what is between, pixels one by one.
 */
export function encodeRuns(px: Uint32Array, out: Uint8Array): Uint8Array | null {
	const words = new DataView(out.buffer, out.byteOffset, out.byteLength)
	const n = px.length
	const limit = out.length
	let at = 0
	let i = 0
	while (i < n) {
		const v = px[i]
		let end = i + 1
		while (end < n && px[end] === v) end++
		if (end - i >= 3 || end === n) {
			if (at + 9 > limit) return null
			at = varint(out, at, (end - i) * 2)
			words.setUint32(at, v, true)
			at += 4
			i = end
			continue
		}
		// Pixels one by one, up to the next three that are equal.
		while (end < n && !(end + 2 < n && px[end] === px[end + 1] && px[end] === px[end + 2])) end++
		if (at + 5 + (end - i) * 4 > limit) return null
		at = varint(out, at, (end - i) * 2 + 1)
		for (; i < end; i++) {
			words.setUint32(at, px[i], true)
			at += 4
		}
	}
	return out.subarray(0, at)
}

/** Writes a varint at a place and returns the place behind it. */
function varint(out: Uint8Array, at: number, v: number): number {
	while (v >= 128) {
		out[at++] = (v % 128) | 128
		v = Math.floor(v / 128)
	}
	out[at++] = v
	return at
}

/** Base64 of bytes. */
export function base64(bytes: Uint8Array): string {
	const native = (bytes as { toBase64?: () => string }).toBase64
	if (native) return native.call(bytes)
	let s = ''
	for (let i = 0; i < bytes.length; i += 0x8000) s += String.fromCharCode(...bytes.subarray(i, i + 0x8000))
	return btoa(s)
}
