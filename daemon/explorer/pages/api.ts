// Requests to the server. While it is away, or makes an index, they wait and are tried again.

import { useEffect, useState } from 'preact/hooks'
import type { Fault } from './schema'
import { clean, state } from './state'

export type Params = Record<string, string | number | boolean | undefined>

// address returns the URL of a route for the job of the page.
export function address(route: string, params: Params = {}): string {
	const p = new URLSearchParams()
	if (state().job) p.set('job', state().job)
	for (const [name, value] of Object.entries(params)) {
		if (value !== undefined && value !== '' && value !== false) p.set(name, value === true ? '1' : String(value))
	}
	return `api/${route}?${p}`
}

// query are the parameters of the filter and the order.
export const query = (): Params => ({ q: filterText(), sort: state().sort, down: state().down })

export const filterText = () => {
	const text = JSON.stringify(clean(state().q))
	return text === '{}' ? undefined : text
}

const kept = new Map<string, unknown>() // the last answers, by URL
const most = 60
let away = false
const watchers = new Set<(away: boolean) => void>()

function setAway(now: boolean) {
	if (now === away) return
	away = now
	if (!now) kept.clear() // the server may have other results now
	watchers.forEach((f) => f(now))
}

// useAway tells whether the server does not answer.
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

// get returns the answer to a request. It throws what the server says is wrong.
export async function get<T>(url: string, signal?: AbortSignal, fresh = false): Promise<T> {
	const known = kept.get(url)
	if (known !== undefined && !fresh) return known as T
	for (;;) {
		let r: Response
		try {
			r = await fetch(url, { signal })
		} catch (e) {
			if (signal?.aborted) throw e
			setAway(true)
			await pause(700, signal)
			continue
		}
		const body = (await r.json().catch(() => ({ error: `the server answers ${r.status} without JSON`, error_type: '' }))) as T | Fault
		setAway(false)
		if (r.status === 503) {
			await pause(500, signal)
			continue
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

// useGet asks for a URL whenever it changes; undefined asks for nothing.
export function useGet<T>(url: string | undefined, every = 0): Got<T> {
	const [got, set] = useState<Got<T> & { url?: string }>({ busy: true })
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
