// Jobs through an editor that is mounted.

import { Box, type Editor, type TLAsset, type TLAssetId, type TLRecord, type TLShapeId } from 'tldraw'
import { work } from './frames'
import type { Answer, Drawn, Job, Picture } from './job'
import { checkLicence } from './licence'
import { change, clear, load } from './load'
import { content } from './source'
import { LimitError, LostError, Raster } from './raster'

/**
 * The key in a shape's meta that makes getShapeVisibility hide the shape. It is
 * random for every page, so that no scene can contain it.
 */
export const hiddenMark = `plumb:hidden:${crypto.getRandomValues(new Uint32Array(4)).join('-')}`

/** Whether the address of a file is the file itself. */
const brought = (src: string) => /^(data|blob):/i.test(src)

export class Exporter {
	private readonly base: ReadonlyMap<string, TLRecord>
	private readonly raster = new Raster()
	private blocked = 0 // requests that the page's policy stopped since the last answer
	private readonly refused = new Set<string>() // ids of this scene's assets whose files it did not bring along

	constructor(private readonly editor: Editor) {
		this.base = new Map(editor.store.allRecords().map((r) => [r.id, r]))
		document.addEventListener('securitypolicyviolation', () => this.blocked++)
	}

	/**
	 * The address of a file where the scene brought the file along, else null. The
	 * page could not reach another file, but the editor would wait for it.
	 */
	resolve(asset: TLAsset): string | null {
		const src = asset.props.src
		if (!src || brought(src)) return src ?? null
		this.refused.add(asset.id)
		return null
	}

	/**
	 * Loads a scene, draws its pictures and empties the editor. Errors of the scene are in the answer. The
	 * promise is rejected only where the page cannot go on: it has no licence, the canvas is lost, or the
	 * editor was not emptied.
	 */
	async run(job: Job): Promise<Answer> {
		checkLicence()
		const answer: Answer = { pictures: [], blocked: 0 }
		work(true)
		try {
			load(this.editor, content(job))
			for (const p of job.pictures) answer.pictures.push(await this.draw(p, job.mark))
		} catch (e) {
			if (e instanceof LostError) throw e
			answer.error = e instanceof Error ? e.message : String(e)
			answer.limit = e instanceof LimitError
		} finally {
			work(false)
			this.reset()
		}
		answer.blocked = this.blocked + this.refused.size
		this.blocked = 0
		this.refused.clear()
		return answer
	}

	/** All that the editor holds. */
	state(): string {
		const all = this.editor.store.allRecords()
		return JSON.stringify(all.sort((a, b) => (a.id < b.id ? -1 : 1)))
	}

	/**
	 * Draws one picture with the editor's own export, or measures its shapes. Where the editor exports nothing,
	 * the picture has a size but no pixels. visible tells whether it should have any.
	 */
	private async draw(p: Picture, mark: number): Promise<Drawn> {
		const ids = this.choose(p)
		if (p.measure) return this.measure(ids)
		this.checkFiles(ids)
		const svg = await this.editor.getSvgString(ids, {
			bounds: p.bounds && new Box(...p.bounds),
			padding: p.padding,
			scale: 1,
			pixelRatio: 1,
			background: false,
			darkMode: false,
		})
		if (!svg) {
			const visible = p.bounds && this.visible(ids, new Box(...p.bounds))
			return { w: Math.floor(p.bounds?.[2] ?? 0), h: Math.floor(p.bounds?.[3] ?? 0), bounds: p.bounds, visible }
		}
		const drawn = await this.raster.draw(svg, p, mark)
		return { ...drawn, visible: this.visible(ids, new Box(...drawn.bounds!)) }
	}

	/**
	 * Throws where a shape shows a file that the scene did not bring along. With a
	 * network the editor would draw it; here the shape would be empty.
	 */
	private checkFiles(ids: TLShapeId[]): void {
		const editor = this.editor
		for (const id of editor.getShapeAndDescendantIds(ids)) {
			const { assetId } = editor.getShape(id)!.props as { assetId?: TLAssetId | null }
			const asset = assetId && !editor.isShapeHidden(id) && editor.getAsset(assetId)
			if (!asset) continue
			const files = asset.type === 'bookmark' ? [asset.props.image, asset.props.favicon] : [asset.props.src]
			const away = files.find((src) => src && !brought(src))
			if (!away) continue
			this.refused.add(asset.id)
			throw new Error(`shape ${id} shows a file that is not part of the scene, ${away.slice(0, 80)}; want it as a data URL, as scenes reach no network`)
		}
	}

	/** Whether a shape whose opacity does not round down to 0 of 255 reaches into the picture. */
	private visible(ids: TLShapeId[], picture: Box): boolean {
		const editor = this.editor
		for (const id of editor.getShapeAndDescendantIds(ids)) {
			const shape = editor.getShape(id)!
			if (editor.isShapeHidden(id) || shape.type === 'group') continue
			const opacity = editor.getShapeAncestors(id).reduce((o, a) => o * a.opacity, shape.opacity)
			const box = editor.getShapeMaskedPageBounds(id)
			if (box && opacity * 255 >= 1 && box.collides(picture)) return true
		}
		return false
	}

	/** What shapes and their descendants take up, cut by their frames. */
	private measure(ids: TLShapeId[]): Drawn {
		const editor = this.editor
		const boxes: Box[] = []
		for (const id of editor.getShapeAndDescendantIds(ids)) {
			if (editor.isShapeHidden(id) || editor.getShape(id)!.type === 'group') continue
			const box = editor.getShapeMaskedPageBounds(id)
			if (box) boxes.push(box)
		}
		if (boxes.length === 0) return { w: 0, h: 0 }
		const { x, y, w, h } = Box.Common(boxes)
		return { w: 0, h: 0, bounds: [x, y, w, h] }
	}

	/**
	 * The ids to export: those of the picture, without excepted shapes and their descendants. Excepted shapes
	 * are also marked as hidden, because the editor exports the descendants of an id too. Throws for an unknown
	 * id.
	 */
	private choose(p: Picture): TLShapeId[] {
		const editor = this.editor
		const except = new Set(p.except as TLShapeId[] | undefined)
		const dropped = (id: TLShapeId) => except.has(id) || editor.getShapeAncestors(id).some((a) => except.has(a.id))
		for (const id of [...(p.ids ?? []), ...except]) {
			if (!editor.getShape(id as TLShapeId)) throw new Error(`there is no shape ${id}`)
		}
		for (const id of except) {
			const shape = editor.getShape(id)!
			change(editor, shape, { ...shape, meta: { ...shape.meta, [hiddenMark]: true } })
		}
		const ids = (p.ids ?? [...editor.getCurrentPageShapeIds()]) as TLShapeId[]
		return ids.filter((id) => !dropped(id))
	}

	/** Puts the editor back to where it was after it was mounted. */
	private reset(): void {
		clear(this.editor, this.base)
		const left = this.editor.store.allRecords()
		if (left.length !== this.base.size || left.some((r) => this.base.get(r.id) !== r)) {
			throw new Error(`the editor was not emptied: ${left.length} records; want ${this.base.size}`)
		}
	}
}
