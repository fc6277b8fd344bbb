// Loads a scene into the editor, and removes it again.

import * as tldraw from 'tldraw'
import { type Editor, type RecordsDiff, type SerializedSchema, toRichText, type TLBinding, type TLPageId, type TLRecord, type TLShape, type TLShapeId, type UnknownRecord } from 'tldraw'
import type { Content, LooseShape } from './job'

/** The versions of tldraw 4.2.0, put in by build.mjs. */
declare const SCHEMA_4_2: SerializedSchema

/** Puts a scene on the editor's page. Throws what the editor refuses. */
export function load(editor: Editor, job: Content): void {
	if (job.records) loadRecords(editor, job)
	if (job.assets) editor.createAssets(job.assets)
	if (job.shapes) create(editor, job.shapes, job.bindings ?? [])
}

/**
 * Puts records into the store, migrated to this version: assets, the shapes of the page that is shown,
 * and their bindings. Nothing is computed for them but for those in job.created.
 */
function loadRecords(editor: Editor, job: Content): void {
	const store = Object.fromEntries(job.records!.map((r) => [r.id, r]))
	const migrated = editor.store.migrateSnapshot({ store, schema: job.schema ?? SCHEMA_4_2 }).store
	const added: Record<string, TLRecord> = {}
	for (const r of Object.values(migrated) as TLRecord[]) if (r.typeName === 'asset') added[r.id] = r
	const created = new Set<string>(job.created)
	for (let shape of shown(editor, Object.values(migrated) as TLRecord[], job.page)) {
		if (job.partial) shape = completed(editor, shape)
		added[shape.id] = created.has(shape.id) ? asCreated(editor, shape) : shape
	}
	for (const r of Object.values(migrated) as TLRecord[]) {
		if (r.typeName !== 'binding' || !added[r.fromId] || !added[r.toId]) continue
		added[r.id] = job.partial ? completedBinding(editor, r) : r
	}
	apply(editor, { added, removed: {}, updated: {} })
}

/**
 * The shapes of the page that is shown, moved to the editor's own page. That is the page with the id, else
 * the one that the instance record names, else the first by index. Shapes below no known page are kept.
 */
function shown(editor: Editor, records: TLRecord[], page?: string): TLShape[] {
	const pages = records.filter((r) => r.typeName === 'page').sort((a, b) => (a.index < b.index ? -1 : 1))
	for (const r of records) if (r.typeName === 'instance') page ??= r.currentPageId
	const current = pages.find((p) => p.id === page) ?? pages[0]
	const others = new Set<string>(pages.filter((p) => p !== current).map((p) => p.id))
	const shapes = new Map(records.filter((r) => r.typeName === 'shape').map((s) => [s.id as string, s]))
	const home = editor.getCurrentPageId()
	const kept: TLShape[] = []
	for (const s of shapes.values()) {
		let root: TLShape = s
		for (let n = 0; n <= shapes.size && shapes.has(root.parentId); n++) root = shapes.get(root.parentId)!
		if (others.has(root.parentId)) continue
		kept.push(shapes.has(s.parentId) ? s : { ...s, parentId: home as TLPageId })
	}
	return kept
}

/** A shape with the defaults of what its record leaves out. */
function completed(editor: Editor, s: TLShape): TLShape {
	const base = { typeName: 'shape', x: 0, y: 0, rotation: 0, index: 'a1', isLocked: false, opacity: 1, meta: {} }
	const shape = known(editor, s as unknown as LooseShape & { id: string })
	const props = { ...editor.getShapeUtil(s).getDefaultProps(), ...shape.props }
	return { ...base, ...shape, props } as unknown as TLShape
}

/** A binding with the defaults of what its record leaves out. */
function completedBinding(editor: Editor, b: TLBinding): TLBinding {
	return { ...b, meta: b.meta ?? {}, props: { ...editor.getBindingUtil(b).getDefaultProps(), ...b.props } }
}

/** A shape with what the editor computes when it creates one, and with no other change. */
function asCreated(editor: Editor, shape: TLShape): TLShape {
	return editor.getShapeUtil(shape).onBeforeCreate?.(shape) ?? shape
}

/** Changes records without the editor reacting to it. */
function apply(editor: Editor, diff: RecordsDiff<TLRecord>): void {
	editor.store.applyDiff(diff, { runCallbacks: false })
}

/** Changes one shape without the editor reacting to it. */
export function change(editor: Editor, from: TLShape, to: TLShape): void {
	apply(editor, { added: {}, removed: {}, updated: { [to.id]: [from, to] } } as RecordsDiff<TLRecord>)
}

/**
 * Creates shapes as a model wrote them, and bindings, with the editor's own functions. A shape without an id
 * gets one from its position; a parent that is not among the shapes is dropped. Throws for a shape that the
 * editor does not create.
 */
function create(editor: Editor, shapes: LooseShape[], bindings: NonNullable<Content['bindings']>): void {
	const partials = shapes.map((s, i) => known(editor, { ...s, id: s.id ?? `shape:new-${i}` }))
	const ids = new Set<string>(partials.map((s) => s.id))
	for (const s of partials) if (s.parentId && !ids.has(s.parentId)) delete s.parentId
	editor.createShapes(partials as unknown as TLShape[])
	for (const s of partials) if (!editor.getShape(s.id as TLShapeId)) throw new Error(`shape ${s.id} was not created`)
	editor.createBindings(bindings as Parameters<Editor['createBindings']>[0])
}

/** A shape with the fields and properties that the editor knows; others have no meaning there. */
function known(editor: Editor, s: LooseShape & { id: string }): LooseShape & { id: string } {
	const out: Record<string, unknown> = {}
	for (const key of ['id', 'type', 'x', 'y', 'rotation', 'index', 'parentId', 'opacity'] as const) {
		if (s[key] !== undefined) out[key] = s[key]
	}
	const defaults = editor.getShapeUtil(s.type as TLShape['type']).getDefaultProps() as Record<string, unknown>
	const props: Record<string, unknown> = {}
	for (const [key, value] of Object.entries(s.props ?? {})) if (Object.hasOwn(defaults, key)) props[key] = value
	if (props.segments) props.segments = packed(props.segments as Segments)
	const text = s.props?.text // plain text, which older versions of tldraw have in place of rich text
	if (Object.hasOwn(defaults, 'richText') && !props.richText && typeof text === 'string') props.richText = toRichText(text)
	return { ...out, props } as unknown as LooseShape & { id: string }
}

type Segments = { type: 'free' | 'straight'; points?: { x: number; y: number; z?: number }[] }[]

/** Freehand lines as this version keeps them: since tldraw 5 their points are packed. */
function packed(segments: Segments): unknown {
	const { compressLegacySegments } = tldraw as { compressLegacySegments?: (s: Segments) => unknown }
	if (!compressLegacySegments || !Array.isArray(segments) || segments.some((s) => !Array.isArray(s?.points))) return segments
	return compressLegacySegments(segments.map((s) => ({ ...s, points: s.points!.map((p) => ({ ...p, z: p.z ?? 1 })) })))
}

/** Puts the store back to the records in base: removes what was added, and undoes what was changed. */
export function clear(editor: Editor, base: ReadonlyMap<string, UnknownRecord>): void {
	const removed: Record<string, TLRecord> = {}
	const added: Record<string, TLRecord> = {}
	const updated: Record<string, [TLRecord, TLRecord]> = {}
	for (const r of editor.store.allRecords()) {
		const before = base.get(r.id) as TLRecord | undefined
		if (!before) removed[r.id] = r
		else if (before !== r) updated[r.id] = [r, before]
	}
	for (const [id, r] of base) if (!editor.store.has(id as TLRecord['id'])) added[id] = r as TLRecord
	apply(editor, { added, removed, updated } as RecordsDiff<TLRecord>)
	editor.clearHistory()
}
