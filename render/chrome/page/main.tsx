// The export page: one editor, fed by the program through window.plumb.
//
// In: jobs (job.ts), one at a time. Out: pixels. Between two jobs the editor is
// as it was after it was mounted; a page on which that fails says so and is
// thrown away.

import { createRoot } from 'react-dom/client'
import { allDefaultFontFaces, Tldraw, type Editor, type TLFontFace } from 'tldraw'
import 'tldraw/tldraw.css'
import { work } from './frames' // first: what comes after asks for frames
import { Exporter, hiddenMark } from './exporter'
import { localFonts } from './fonts'
import type { Job } from './job'

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
	work(false)
	exporter = new Exporter(editor)
	return exporter.version
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

window.plumb = { start, run: (job) => exporter.run(JSON.parse(job) as Job), state: () => exporter.state() }
