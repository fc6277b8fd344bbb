// The fonts of the editor.

import { getAssetUrls } from '@tldraw/assets/selfHosted'
import { allDefaultFontFaces } from 'tldraw'

/** The fonts as blob URLs: an export embeds them without asking for them again. */
export async function localFonts(): Promise<Record<string, string>> {
	const urls = getAssetUrls({ baseUrl: '/' }).fonts as Record<string, string>
	const used = new Set(allDefaultFontFaces.map((face) => face.src.url))
	const entries = Object.entries(urls).filter(([key]) => used.has(key))
	return Object.fromEntries(
		await Promise.all(
			entries.map(async ([key, url]) => {
				const reply = await fetch(url)
				if (!reply.ok) throw new Error(`cannot load font ${url}: ${reply.status}`)
				return [key, URL.createObjectURL(await reply.blob())]
			})
		)
	)
}
