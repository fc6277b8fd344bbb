// What the benchmark compares with: the editor as everybody mounts it, and an
// export as everybody writes it. One scene at a time, PNG out.

import { createRoot } from 'react-dom/client'
import { Box, Tldraw, type Editor, type TLShape, type TLShapeId } from 'tldraw'
import 'tldraw/tldraw.css'
import { localFonts } from './fonts'
import { protocol, type Answer, type Job } from './job'
import { licensed } from './licence'
import { content } from './source'

let editor: Editor

/** Mounts the editor and answers with the protocol. */
async function start(license: string): Promise<string> {
	const fonts = await localFonts()
	editor = await new Promise<Editor>((mounted) => {
		createRoot(document.getElementById('root')!).render(
			<Tldraw hideUi licenseKey={license || undefined} assetUrls={{ fonts }} onMount={mounted} />
		)
	})
	return protocol
}

/** Puts the shapes of a job in place of those of the last one, and exports each picture as a PNG. */
async function run(text: string): Promise<Answer> {
	const job = JSON.parse(text) as Job
	const { shapes, bindings } = content(job)
	editor.deleteShapes([...editor.getCurrentPageShapeIds()])
	editor.createShapes(shapes as unknown as TLShape[])
	editor.createBindings((bindings ?? []) as Parameters<Editor['createBindings']>[0])
	const answer: Answer = { pictures: [], blocked: 0 }
	for (const p of job.pictures) {
		const ids = (p.ids ?? [...editor.getCurrentPageShapeIds()]) as TLShapeId[]
		const { blob, width, height } = await editor.toImage(ids, {
			format: 'png',
			bounds: new Box(...p.bounds!),
			padding: 0,
			scale: 1,
			pixelRatio: 1,
			background: false,
			darkMode: false,
		})
		const url = await new Promise<string>((done) => {
			const reader = new FileReader()
			reader.onload = () => done(reader.result as string)
			reader.readAsDataURL(blob)
		})
		answer.pictures.push({ w: width, h: height, png: url.slice(url.indexOf(',') + 1) })
	}
	return answer
}

window.plumb = { start, licensed, run }
