// Requests to the server. While it does not answer, or makes an index, they wait and are tried again.

import { useEffect, useState } from 'preact/hooks'
import { Local, pictureOf } from './local'
import type { Compared, Fault, Filter, Saved } from './schema'
import { clean, state } from './state'

export type Params = Record<string, string | number | boolean | undefined>

// saved is what a saved page holds in place of a server; undefined where there is one.
export const saved: Saved | undefined = JSON.parse(document.getElementById('saved')?.textContent ?? 'null') ?? undefined

const local = saved && new Local(saved)

// answer returns the answer of a saved page to a request.
function answer(s: Saved, url: string): unknown {
	const [route, text] = url.slice('api/'.length).split('?')
	const p = new URLSearchParams(text)
	const from = Number(p.get('from') ?? 0)
	const n = Number(p.get('n') ?? 100)
	const f: Filter = JSON.parse(p.get('q') ?? '{}')
	const by = p.get('sort') ?? 'score'
	const down = p.get('down') === '1'
	const compared = s.compared.find((c) => c.a === p.get('a') && c.b === p.get('b'))
	switch (route) {
		case 'info':
			return s.info
		case 'select':
			return local!.select(f)
		case 'overview':
			return s.overview
		case 'suspects':
			return { ...s.suspects, scanning: false }
		case 'rows':
			return local!.list(f, by, down, from, n)
		case 'item': {
			const item = local!.item(Number(p.get('row')), f, by, down)
			if (item) return item
			break
		}
		case 'compare':
			if (compared) return compared.comparison
			break
		case 'pairs':
			if (compared) {
				const [first] = placesOf(compared, down)
				const pairs = down === compared.down ? compared.pairs.pairs : compared.pairs.pairs.toReversed()
				const begin = Math.max(from, first)
				return { total: compared.pairs.total, from: begin, pairs: pairs.slice(begin - first, Math.max(0, from + n - first)) }
			}
	}
	throw new Error('The saved page does not hold this; plumb view shows it.')
}

// placesOf returns the place of the first saved pair in the list of all pairs, and the place after the last one.
// A list the other way round ends with the saved pairs.
const placesOf = (c: Compared, down: boolean): [number, number] => {
	const { total, pairs } = c.pairs
	return down === c.down ? [0, pairs.length] : [total - pairs.length, total]
}

// savedPlaces returns placesOf for two series of a saved page, undefined where there is a server.
export const savedPlaces = (a: string | undefined, b: string | undefined, down: boolean): [number, number] | undefined => {
	const compared = saved?.compared.find((c) => c.a === a && c.b === b)
	return compared && placesOf(compared, down)
}

// pictureAddress returns the address of a picture of a row. Without a panel it is the picture that is shown
// first.
export const pictureAddress = (row: number, panel: number | undefined, w: number): string =>
	saved ? pictureOf(saved, row, panel) : address('picture', { row, panel, w })

// address returns the URL of a route for the job of the page.
export function address(route: string, params: Params = {}): string {
	const p = new URLSearchParams()
	if (state().job) p.set('job', state().job)
	for (const [name, value] of Object.entries(params)) {
		if (value !== undefined && value !== '' && value !== false) p.set(name, value === true ? '1' : String(value))
	}
	return `api/${route}?${p}`
}

// query returns the parameters of the filter and the order.
export const query = (): Params => ({ q: filterText(), sort: state().sort, down: state().down })

// filterText returns the filter as JSON, undefined where it selects everything.
export const filterText = () => {
	const text = JSON.stringify(clean(state().q))
	return text === '{}' ? undefined : text
}

const kept = new Map<string, unknown>() // the last answers, by URL, at most this many
const most = 60
let away = false
const watchers = new Set<(away: boolean) => void>()

function setAway(now: boolean) {
	if (now === away) return
	away = now
	if (!now) kept.clear() // the server may have other results now
	watchers.forEach((f) => f(now))
}

// useAway returns whether the server does not answer.
export function useAway(): boolean {
	const [is, set] = useState(away)
	useEffect(() => {
		watchers.add(set)
		return () => void watchers.delete(set)
	}, [])
	return is
}

const pause = (ms: number, signal?: AbortSignal) =>
	new Promise<void>((ok, fail) => {
		const t = setTimeout(ok, ms)
		signal?.addEventListener('abort', () => (clearTimeout(t), fail(signal.reason)))
	})

// get returns the answer to a request. An error of the server is thrown with its text. fresh asks again for an
// answer that is kept.
export async function get<T>(url: string, signal?: AbortSignal, fresh = false): Promise<T> {
	if (saved) return answer(saved, url) as T
	const known = kept.get(url)
	if (known !== undefined && !fresh) return known as T
	for (;;) {
		let r: Response
		let text: string
		try {
			r = await fetch(url, { signal })
			text = await r.text()
		} catch (e) {
			if (signal?.aborted) throw e
			setAway(true)
			await pause(700, signal)
			continue
		}
		setAway(false)
		if (r.status === 503) {
			await pause(500, signal)
			continue
		}
		let body: T | Fault
		try {
			body = JSON.parse(text)
		} catch {
			throw new Error(`the server answers ${r.status} without JSON`)
		}
		if (!r.ok) throw new Error((body as Fault).error)
		if (!fresh) {
			kept.set(url, body)
			if (kept.size > most) kept.delete(kept.keys().next().value!)
		}
		return body as T
	}
}

export interface Got<T> {
	value?: T // of this request or, while it is under way, of the one before
	error?: string
	busy: boolean
}

// atOnce returns what is known of a URL before a request: the answer of a saved page, else nothing yet.
function atOnce<T>(url: string | undefined): Got<T> {
	if (!saved || url === undefined) return { busy: true }
	try {
		return { value: answer(saved, url) as T, busy: false }
	} catch (e) {
		return { error: String((e as Error).message), busy: false }
	}
}

// useGet asks for a URL whenever it changes, and then again every so many ms if every is not 0; undefined asks
// for nothing.
export function useGet<T>(url: string | undefined, every = 0): Got<T> {
	const [got, set] = useState<Got<T> & { url?: string }>(() => atOnce<T>(url))
	useEffect(() => {
		if (url === undefined) return
		const stop = new AbortController()
		let timer = 0
		set((g) => ({ ...g, busy: true }))
		const ask = () =>
			get<T>(url, stop.signal, every > 0).then(
				(value) => {
					set({ value, busy: false, url })
					if (every > 0) timer = window.setTimeout(ask, every)
				},
				(e) => stop.signal.aborted || set({ error: String(e.message ?? e), busy: false, url }),
			)
		ask()
		return () => {
			stop.abort()
			clearTimeout(timer)
		}
	}, [url, every])
	return got
}
