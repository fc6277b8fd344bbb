// A scene as it came in, in any of its encodings: a list of shapes, {shapes,
// bindings, assets}, {records}, a store as in a .tldr file or getSnapshot(), or {document, session}.

import type { SerializedSchema, TLRecord } from 'tldraw'
import type { Content, Job } from './job'

interface Store {
	store?: Record<string, TLRecord>
	schema?: SerializedSchema
}

interface Source extends Store, Content {
	document?: Store
	session?: { currentPageId?: unknown }
}

/**
 * The scene of a job, whatever its encoding. Records without a schema count as partial. Throws if there is no
 * scene.
 */
export function content(job: Job): Content {
	const source = job.source as Source | Content['shapes'] | undefined
	if (source === undefined) return job
	if (Array.isArray(source)) return { shapes: source }
	if (has(source?.document)) {
		const page = source.session?.currentPageId
		return { ...stored(source.document), page: typeof page === 'string' ? page : undefined }
	}
	if (has(source?.store)) return stored(source)
	const schema = source?.schema ?? undefined
	if (has(source?.records)) return { records: source.records, schema, partial: schema === undefined } // written by hand
	if (has(source?.shapes)) return { shapes: source.shapes, bindings: source.bindings ?? undefined, assets: source.assets ?? undefined }
	throw new Error('got neither shapes, records, store nor document in it')
}

function has<T>(v: T | null | undefined): v is T {
	return v !== undefined && v !== null
}

/** The content of a store snapshot. */
function stored(s: Store): Content {
	return { records: Object.values(s.store ?? {}), schema: s.schema ?? undefined }
}
