// The export page: one editor, fed by the program through window.plumb.
//
// In: jobs (job.ts), one at a time. Out: pixels. Between two jobs the editor is
// as it was after it was mounted; where that fails, the job is rejected and the
// program throws the page away.

import { createRoot } from 'react-dom/client'
import { allDefaultFontFaces, Tldraw, type Editor, type TLFontFace } from 'tldraw'
import 'tldraw/tldraw.css'
import { work } from './frames' // before the modules that ask for frames, which it replaces
import { Exporter, hiddenMark } from './exporter'
import { localFonts } from './fonts'
import { protocol, type Job } from './job'
import { licensed } from './licence'
import { loadImage } from './raster'

let exporter: Exporter

/** Mounts the editor and loads all of its fonts, so that no job waits for one. */
async function start(license: string): Promise<string> {
	const fonts = await localFonts()
	const editor = await new Promise<Editor>((mounted) => {
		createRoot(document.getElementById('root')!).render(
			<Tldraw
				hideUi
				autoFocus={false}
				licenseKey={license || undefined}
				assetUrls={{ fonts }}
				assets={{ upload: refuseUpload, resolve: (asset) => exporter.resolve(asset) }}
				options={{ maxShapesPerPage: 100_000, maxPages: 1 }}
				components={{ Canvas: null }}
				getShapeVisibility={(shape) => (shape.meta[hiddenMark] ? 'hidden' : 'inherit')}
				onMount={mounted}
			/>
		)
	})
	await Promise.all(allDefaultFontFaces.map((face) => editor.fonts.ensureFontIsLoaded(face)))
	await document.fonts.ready
	embedOnce(editor)
	await useFonts(editor)
	work(false)
	exporter = new Exporter(editor)
	return protocol
}

/** Scenes bring their files along; there is nowhere to put others. */
async function refuseUpload(): Promise<never> {
	throw new Error('no uploads')
}

/** An export embeds the fonts it uses; each is encoded once, not once per export. */
function embedOnce(editor: Editor): void {
	const known = new Map<TLFontFace, Promise<string>>()
	const encode = editor.fonts.toEmbeddedCssDeclaration.bind(editor.fonts)
	editor.fonts.toEmbeddedCssDeclaration = (face) => {
		const css = known.get(face) ?? encode(face)
		known.set(face, css)
		return css
	}
}

/** Images that keep the fonts in the browser's memory. */
const using: HTMLImageElement[] = []

/**
 * Draws with every font as an export does. The first text that an image draws
 * in an embedded font may lie one pixel higher than the same text drawn later,
 * when the browser has loaded that font. After these drawings the text of every
 * scene is drawn in the second way, whichever scene comes first.
 */
async function useFonts(editor: Editor): Promise<void> {
	for (const face of allDefaultFontFaces) {
		const css = await editor.fonts.toEmbeddedCssDeclaration(face)
		const style = `font: ${face.style ?? 'normal'} ${face.weight ?? 'normal'} 20px ${face.family}`
		const text = `<p xmlns="http://www.w3.org/1999/xhtml" style="${style}">x</p>`
		const content = `<style>${css}</style><foreignObject width="40" height="80">${text}</foreignObject>`
		using.push(await loadImage(`<svg xmlns="http://www.w3.org/2000/svg" width="40" height="80">${content}</svg>`))
	}
}

window.plumb = { start, licensed, run: (job) => exporter.run(JSON.parse(job) as Job), state: () => exporter.state() }
