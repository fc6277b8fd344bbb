// The state of a page is its URL: what is shown can be sent to others, reloaded and gone back to.

import { useEffect, useState } from 'preact/hooks'
import type { Filter } from './schema'

export type Page = 'overview' | 'items' | 'item' | 'compare' | 'suspects' | 'sensitivity'

export const pages: Page[] = ['overview', 'items', 'item', 'compare', 'suspects', 'sensitivity']

export interface State {
	page: Page
	job: string
	q: Filter
	sort: string
	down: boolean
	view: 'table' | 'grid'
	at: number // place of the selected row in the list
	row: number // the row of the pages item and sensitivity; -1 for none
	mode: string // how pictures are laid over each other
	a: string // series of the comparison
	b: string
	part: string
	metric: string // of the heat map; '' for the score
	step: number // 0 for the suite's own
}

const none: State = {
	page: 'overview', job: '', q: {}, sort: 'score', down: false, view: 'table', at: 0, row: -1, mode: 'side', a: '', b: '', part: '', metric: '', step: 0,
}

// A saved page is a file, whose query cannot be changed: its state is behind the #.
const saved: string | undefined = JSON.parse(document.getElementById('saved')?.textContent ?? 'null')?.state

function read(): State {
	const p = new URLSearchParams(saved === undefined ? location.search : location.hash.slice(1) || saved)
	const s: Record<string, unknown> = { ...none }
	for (const [name, value] of p) {
		switch (typeof none[name as keyof State]) {
			case 'string':
				s[name] = value
				break
			case 'number':
				if (Number.isFinite(+value)) s[name] = +value
				break
			case 'boolean':
				s[name] = value === '1'
				break
			case 'object':
				try {
					const q = JSON.parse(value)
					if (q && typeof q === 'object' && !Array.isArray(q)) s.q = q
				} catch {
					// A link that was cut off has no whole filter, and selects everything.
				}
		}
	}
	const state = s as unknown as State
	if (!pages.includes(state.page)) state.page = 'overview'
	if (state.view !== 'grid') state.view = 'table'
	return state
}

function url(s: State): string {
	const p = new URLSearchParams()
	for (const [name, value] of Object.entries(s)) {
		const text = name === 'q' ? JSON.stringify(clean(s.q)) : value === true ? '1' : value === false ? '' : String(value)
		const usual = name === 'q' ? '{}' : none[name as keyof State] === false ? '' : String(none[name as keyof State])
		if (text !== usual) p.set(name, text)
	}
	const text = p.toString()
	if (saved !== undefined) return '#' + text
	return location.pathname + (text ? '?' + text : '')
}

// clean returns a filter without the parts that select everything.
export function clean(q: Filter): Filter {
	const out: Record<string, unknown> = {}
	for (const [name, value] of Object.entries(q)) {
		if (name === 'values') {
			const kept = Object.entries(value as Record<string, string[]>).filter(([, list]) => Array.isArray(list) && list.length > 0)
			if (kept.length) out.values = Object.fromEntries(kept)
		} else if (name !== 'epoch' && value !== undefined && value !== '') out[name] = value
	}
	return out as Filter
}

let current = read()
const listeners = new Set<() => void>()

export const state = () => current

// go changes the state. With replace the browser's history gets no new entry, as for moves of a selection.
export function go(patch: Partial<State>, replace = false) {
	const next = { ...current, ...patch }
	const to = url(next)
	current = next
	if (to !== (saved === undefined ? location.pathname + location.search : location.hash)) {
		if (replace) history.replaceState(null, '', to)
		else history.pushState(null, '', to)
	}
	listeners.forEach((f) => f())
}

// link returns the address of a changed state.
export const link = (patch: Partial<State>) => url({ ...current, ...patch })

addEventListener('popstate', () => {
	current = read()
	listeners.forEach((f) => f())
})

export function useUrl(): State {
	const [, set] = useState(current)
	useEffect(() => {
		const f = () => set(current)
		listeners.add(f)
		f()
		return () => void listeners.delete(f)
	}, [])
	return current
}

// filtered changes the filter and goes back to the top of the list.
export const filtered = (patch: Partial<Filter>) => go({ q: clean({ ...current.q, ...patch }), at: 0 })

// toggled adds a value of a facet to the filter, or removes it. With alone an added value replaces the others
// of the facet.
export function toggled(facet: string, value: string, alone = false) {
	const values = { ...current.q.values }
	const list = values[facet] ?? []
	values[facet] = list.includes(value) ? list.filter((v) => v !== value) : alone ? [value] : [...list, value]
	filtered({ values })
}
