// Lists of any length: only the rows in sight exist. The places of rows come from TanStack Virtual.

import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from '@tanstack/virtual-core'
import { useEffect, useLayoutEffect, useReducer, useRef, useState } from 'preact/hooks'
import { address, get, query } from './api'
import type { Row, Rows } from './schema'

export interface Virtual {
	list: Virtualizer<HTMLElement, HTMLElement>
	scroller: preact.RefObject<HTMLDivElement>
}

// useVirtual places rows of equal height; rows is their number, height is in px.
export function useVirtual(rows: number, height: number): Virtual {
	const [, redraw] = useReducer((n: number) => n + 1, 0)
	const scroller = useRef<HTMLDivElement>(null)
	const kept = useRef<Virtualizer<HTMLElement, HTMLElement>>()
	const options = {
		count: rows,
		getScrollElement: () => scroller.current as HTMLElement | null,
		estimateSize: () => height,
		overscan: 6,
		observeElementRect,
		observeElementOffset,
		scrollToFn: elementScroll,
		onChange: () => redraw(0),
	}
	const list = (kept.current ??= new Virtualizer<HTMLElement, HTMLElement>(options))
	list.setOptions(options)
	const last = useRef(height)
	if (last.current !== height) {
		last.current = height
		list.measure()
	}
	useLayoutEffect(() => list._didMount(), [])
	useLayoutEffect(() => list._willUpdate())
	return { list, scroller }
}

// reveal scrolls a list with rows of equal height by as little as shows the row.
export function reveal(on: HTMLElement | null, row: number, height: number) {
	if (!on) return
	const top = row * height
	if (top < on.scrollTop) on.scrollTop = top
	else if (top + height > on.scrollTop + on.clientHeight) on.scrollTop = top + height - on.clientHeight
}

const chunk = 100
const mostChunks = 8

// useRows holds the parts of the list that are in sight: row returns a row that is there, and want asks for a
// range. total is undefined until the first answer.
export function useRows(): { total?: number; error?: string; row: (i: number) => Row | undefined; want: (from: number, to: number) => void } {
	const key = JSON.stringify(query()) + address('')
	const [, redraw] = useReducer((n: number) => n + 1, 0)
	const [error, setError] = useState<string>()
	const held = useRef<{ key: string; total?: number; chunks: Map<number, Row[]>; stop: Map<number, AbortController> }>()
	if (held.current?.key !== key) {
		held.current?.stop.forEach((s) => s.abort())
		held.current = { key, total: undefined, chunks: new Map(), stop: new Map() }
	}
	const h = held.current
	const ask = (n: number) => {
		if (h.chunks.has(n) || h.stop.has(n)) return
		const stop = new AbortController()
		h.stop.set(n, stop)
		get<Rows>(address('rows', { ...query(), from: n * chunk, n: chunk }), stop.signal).then(
			(r) => {
				h.stop.delete(n)
				h.total = r.total
				h.chunks.set(n, r.rows)
				while (h.chunks.size > mostChunks) h.chunks.delete(h.chunks.keys().next().value!)
				setError(undefined)
				redraw(0)
			},
			(e) => {
				h.stop.delete(n)
				if (!stop.signal.aborted) setError(String(e.message ?? e))
			},
		)
	}
	useEffect(() => {
		setError(undefined)
		ask(0)
	}, [key])
	useEffect(() => () => held.current?.stop.forEach((s) => s.abort()), [])
	return {
		total: h.total,
		error,
		row: (i) => h.chunks.get(Math.floor(i / chunk))?.[i % chunk],
		want: (from, to) => {
			const first = Math.floor(Math.max(0, from) / chunk)
			const last = Math.floor(Math.max(0, to) / chunk)
			h.stop.forEach((s, n) => {
				if (n < first - 1 || n > last + 1) {
					s.abort()
					h.stop.delete(n)
				}
			})
			for (let n = first; n <= last; n++) ask(n)
		},
	}
}
