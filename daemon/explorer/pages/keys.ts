// Keys. Each part of a page adds its own while it is shown; the last one added answers first.

import { useLayoutEffect, useRef } from 'preact/hooks'

export type Keys = Record<string, (e: KeyboardEvent) => void>

const stack: Array<{ current: Keys }> = []

addEventListener('keydown', (e) => {
	if (e.ctrlKey || e.metaKey || e.altKey) return
	const on = e.target as HTMLElement
	const writes = on.matches('input, textarea, select, [contenteditable]')
	if (writes && e.key === 'Escape') {
		on.blur()
		return
	}
	if (writes && !(on as HTMLInputElement).type?.match(/checkbox|radio/)) return
	if (e.key === 'Enter' && on.matches('a, button, summary')) return
	if (e.key === ' ' && on.matches('button, summary, input')) return
	for (const keys of [...stack].reverse()) {
		const f = keys.current[e.key]
		if (f) {
			e.preventDefault()
			f(e)
			return
		}
	}
})

// useKeys answers keys while the component is shown, by the functions of its latest drawing.
export function useKeys(keys: Keys) {
	const entry = useRef(keys)
	entry.current = keys
	useLayoutEffect(() => {
		stack.push(entry)
		return () => void stack.splice(stack.indexOf(entry), 1)
	}, [])
}

// help is a table of the keys.
export const help: Array<[string, string]> = [
	['1 to 6', 'Overview, Items, One item, Compare, Suspects, Sensitivity'],
	['j k, ↓ ↑', 'next and previous row; in the grid also ← →'],
	['Enter', 'open the selected row'],
	['j k, ← →', 'on an item: its neighbours in the list'],
	['Home End', 'first and last row of the whole list'],
	['Page Up, Page Down', 'a screen of rows'],
	['/', 'search in ids'],
	['f', 'filters: show or hide, on narrow screens'],
	['g', 'grid or table'],
	['s b l d', 'on an item: pictures side by side, blinking, with a slider, difference'],
	['m', 'on an item: marks on or off'],
	['h', 'on an item: how its score answers to moves; there ← → ↑ ↓ read the map'],
	['u, Esc', 'back to the list'],
	['t', 'light, dark, or as the system says'],
	['?', 'this help'],
]
