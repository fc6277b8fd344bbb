// What passes between the program and the page. The Go side of it is job.go
// and answer.go; both change together.

import type { SerializedSchema, TLAsset, TLBinding, TLRecord, TLShape } from 'tldraw'

/**
 * The version of these types; start() answers with it. The program refuses a page that was made for another
 * version.
 */
export const protocol = 'plumb-5'

/** A scene and the pictures that are wanted of it. */
export interface Job extends Content {
	/** The scene as it came in (source.ts), in place of Content. */
	source?: unknown
	pictures: Picture[]
	/** Colour of the proof that every picture carries (raster.ts), 0xRRGGBB; another one in every job. */
	mark: number
}

/** A scene. */
export interface Content {
	/** Store records: shapes, bindings and assets, and pages, of which one is shown. */
	records?: TLRecord[]
	/** The versions that records were written with; absent: those of tldraw 4.2.0. */
	schema?: SerializedSchema
	/** Records may lack properties that have a default, and have some that the editor does not know. */
	partial?: boolean
	/** The page that is shown, where records have several; else the first by index. */
	page?: string
	/** Ids among records that are being created: what the editor computes then is computed. */
	created?: string[]
	/** Shapes and bindings to create, as for the editor's createShapes and createBindings. */
	shapes?: LooseShape[]
	bindings?: Partial<TLBinding>[]
	/** The files that shapes refer to. */
	assets?: TLAsset[]
}

/** A shape partial as a model wrote it; what the editor does not know is left out. */
export interface LooseShape {
	id?: string
	type?: string
	parentId?: string
	props?: Record<string, unknown>
	[key: string]: unknown
}

/** One picture: shapes, and the part of the page over which they are drawn. */
export interface Picture {
	/** Ids to draw with their descendants; absent: everything. */
	ids?: string[]
	/** Ids that are not drawn, with their descendants, even where ids name them. */
	except?: string[]
	/** Only the box of what would be drawn is wanted; bounds and padding do not count. */
	measure?: boolean
	/** x, y, w, h in page units; absent: what ids cover. */
	bounds?: [number, number, number, number]
	/** Added on all sides, in page units. */
	padding: number
	/** Largest area, px, and side, px. */
	maxPixels: number
	maxSide: number
}

/** What comes back. */
export interface Answer {
	/** Why there are no pictures: the editor's own words. */
	error?: string
	/** The error is a limit of the program, and not a fault of the scene. */
	limit?: boolean
	pictures: Drawn[]
	/** Requests that the page's own policy stopped since the last answer. */
	blocked: number
}

/** A picture's pixels, not premultiplied, in one of two encodings. */
export interface Drawn {
	w: number
	h: number
	/** The part of the page that it shows, or the box that was measured; absent when there is nothing. */
	bounds?: [number, number, number, number]
	/** A shape that is not transparent reaches into the picture, so that an empty one is suspicious. */
	visible?: boolean
	/** Base64 of runs (pixels.ts) of the picture and of the rows of proof below it; absent: nothing is drawn. */
	runs?: string
	/** Base64 of a PNG of the same, for pictures with more detail than runs can shorten. */
	png?: string
}
