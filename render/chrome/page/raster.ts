// SVG to pixels, as the editor's own bitmap export does it: the browser draws
// the SVG as an image onto a canvas of the export's size.

import type { Drawn, Picture } from './job'
import { base64, encodeRuns } from './pixels'

/** The picture exceeds a limit of the program. */
export class LimitError extends Error {}

/** The canvas is lost, so the page can draw no scene any more. */
export class LostError extends Error {}

/**
 * Rows below the picture that prove it: a canvas can lose what was drawn on it, and no error tells of
 * that. The first row is filled before the picture is drawn and the last one after it, both with the
 * job's colour. The one between them is an SVG, drawn the way the picture is. The program looks for
 * them (proof.go).
 */
const proofRows = 3

/** The colour of the SVG in the second row of the proof. */
const proofColor = '#2f6fb7'

/** Bytes of runs beyond which a picture goes out as PNG. */
const maxRuns = 4 << 20

export class Raster {
	private readonly canvas = document.createElement('canvas')
	// Pixels are read back after every drawing, so they stay in memory.
	private readonly context = this.canvas.getContext('2d', { willReadFrequently: true })!
	private readonly runs = new Uint8Array(maxRuns)
	private sample?: HTMLImageElement // the SVG of the proof

	/**
	 * Draws an SVG onto the canvas, with the rows of proof below it in the colour mark, and returns its
	 * pixels as runs, or as a PNG where these would be long. A picture of less than a pixel has none.
	 * Throws LimitError beyond the picture's limits, and LostError if the canvas has lost its content.
	 */
	async draw(svg: { svg: string; width: number; height: number }, p: Picture, mark: number): Promise<Drawn> {
		const w = Math.floor(svg.width)
		const h = Math.floor(svg.height)
		if (!(w <= p.maxSide && h <= p.maxSide && w * h <= p.maxPixels)) {
			throw new LimitError(`picture of ${svg.width} x ${svg.height} px`)
		}
		const bounds = /viewBox="([^"]*)"/.exec(svg.svg)![1].split(' ').map(Number) as Drawn['bounds']
		if (w < 1 || h < 1) return { w, h, bounds }
		const image = await loadImage(svg.svg)
		this.sample ??= await loadImage(
			`<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><rect width="8" height="8" fill="${proofColor}"/></svg>`
		)
		this.size(w, h + proofRows)
		this.context.fillStyle = '#' + mark.toString(16).padStart(6, '0')
		this.context.fillRect(0, h, w, 1)
		this.context.drawImage(image, 0, 0, w, h)
		this.context.drawImage(this.sample, 0, h + 1, w, 1)
		this.context.fillRect(0, h + 2, w, 1)
		const px = this.context.getImageData(0, 0, w, h + proofRows).data
		if (this.context.isContextLost()) throw new LostError('the canvas was lost')
		const runs = encodeRuns(new Uint32Array(px.buffer, px.byteOffset, w * (h + proofRows)), this.runs)
		if (runs) return { w, h, bounds, runs: base64(runs) }
		return { w, h, bounds, png: await this.png() }
	}

	/** Makes the canvas empty and of this size. */
	private size(w: number, h: number): void {
		if (this.canvas.width === w && this.canvas.height === h) {
			this.context.clearRect(0, 0, w, h)
			return
		}
		this.canvas.width = w
		this.canvas.height = h
	}

	/** The canvas as a PNG in base64. */
	private async png(): Promise<string> {
		const blob = await new Promise<Blob | null>((done) => this.canvas.toBlob(done, 'image/png'))
		if (!blob) throw new LimitError(`picture of ${this.canvas.width} x ${this.canvas.height} px that the browser cannot encode`)
		return base64(new Uint8Array(await blob.arrayBuffer()))
	}
}

/**
 * The SVG as an image that is ready to be drawn. Where the browser refuses the SVG, the error names the
 * character that XML does not allow, if there is one.
 */
export async function loadImage(svg: string): Promise<HTMLImageElement> {
	const image = new Image()
	image.src = 'data:image/svg+xml;charset=utf-8,' + encodeURIComponent(svg.toWellFormed()) // half a surrogate pair is shown as U+FFFD
	try {
		await image.decode()
	} catch {
		const bad = /[^\t\n\r\u0020-\uFFFD\u{10000}-\u{10FFFF}]/u.exec(svg)?.[0].codePointAt(0)
		const why = bad === undefined ? '' : `: its text has U+${bad.toString(16).toUpperCase().padStart(4, '0')}, which no XML can hold`
		throw new Error('the browser cannot draw the exported SVG' + why)
	}
	return image
}
