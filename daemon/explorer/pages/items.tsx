// Items: a table or a grid of pictures of any length.

import { useEffect, useRef, useState } from 'preact/hooks'
import { pictureAddress } from './api'
import { useSelected } from './filters'
import { count, counted, short } from './format'
import { useKeys } from './keys'
import { Bar, Score, who } from './parts'
import type { Info, Row } from './schema'
import { go, link, state, useUrl } from './state'
import { reveal, useRows, useVirtual } from './virtual'

// A list of more rows than this is shown in sections, because browsers bound the height of a page.
const section = 100_000
const rowHeight = 30
const cardHeight = 208
const cardWidth = 168

const orders: Array<[string, string]> = [
	['score', 'score'], ['reward', 'reward'], ['row', 'order of the file'], ['id', 'id'], ['test', 'test'], ['model', 'model'], ['status', 'status'],
	['failure', 'failure'], ['time', 'seconds'], ['cost', 'cost'], ['repeat', 'repeat'], ['turn', 'turn'],
]

export function Items({ info }: { info: Info }) {
	const s = useUrl()
	const rows = useRows()
	const total = rows.total ?? 0
	const at = Math.max(0, Math.min(s.at, total - 1))
	const from = Math.floor(at / section) * section
	const here = Math.min(section, total - from)
	const [wide, setWide] = useState(4)
	const lanes = s.view === 'grid' ? wide : 1
	const height = s.view === 'grid' ? cardHeight : rowHeight
	const { list, scroller } = useVirtual(Math.ceil(here / lanes), height)
	const shown = list.getVirtualItems()
	const focus = useRef(true)

	useEffect(() => {
		const on = scroller.current!
		const watch = new ResizeObserver(() => setWide(Math.max(1, Math.floor((on.clientWidth - 8) / cardWidth))))
		watch.observe(on)
		return () => watch.disconnect()
	}, [])
	const first = shown.length ? from + shown[0].index * lanes : 0
	const last = shown.length ? from + (shown[shown.length - 1].index + 1) * lanes - 1 : 0
	useEffect(() => {
		if (total > 0) rows.want(first, Math.min(last, total - 1))
	})
	useEffect(() => {
		if (total > 0 && focus.current) reveal(scroller.current, Math.floor((at - from) / lanes), height)
		focus.current = true
	}, [at, from, lanes, s.view, total])

	const clamp = (i: number) => Math.max(0, Math.min(total - 1, i))
	const move = (to: number) => go({ at: clamp(to) }, true)
	const by = (n: number) => move(clamp(state().at) + n) // two keys may come before the page is drawn anew
	const open = (i: number) => {
		const r = rows.row(i)
		if (r) go({ page: 'item', row: r.row, at: i })
	}
	const screen = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 300) / height) - 1) * lanes
	useKeys({
		j: () => by(1), k: () => by(-1), ArrowDown: () => by(lanes), ArrowUp: () => by(-lanes),
		...(lanes > 1 ? { ArrowRight: () => by(1), ArrowLeft: () => by(-1) } : {}),
		PageDown: () => by(screen), PageUp: () => by(-screen), Home: () => move(0), End: () => move(total - 1),
		Enter: () => open(clamp(state().at)), g: () => go({ view: s.view === 'grid' ? 'table' : 'grid' }),
	})
	return (
		<div class="page items">
			<Tools info={info} total={rows.total} at={at} move={move} />
			{rows.error && <p class="error">{rows.error}</p>}
			{s.view === 'table' && (
				<div class="row head" aria-hidden="true">
					<span>score</span>
					<span />
					<span class="col-test">test</span>
					<span class="col-id">id</span>
					<span class="col-who">model</span>
					<span class="col-status">read as</span>
					<span class="col-notes">notes</span>
				</div>
			)}
			<div
				ref={scroller} class={`list ${s.view}`} tabIndex={0} role="listbox" aria-label={counted(total, 'result')}
				aria-activedescendant={`row-${at}`}
			>
				{rows.total === 0 && <p class="empty">No results are selected. Take away a filter on the left.</p>}
				{rows.total === undefined && !rows.error && <p class="empty">Loading…</p>}
				<div class="space" role="presentation" style={{ height: `${list.getTotalSize()}px` }}>
					{shown.map((v) => (
						<div key={v.key} class="line" role="presentation" style={{ transform: `translateY(${v.start}px)`, height: `${height}px` }}>
							{Array.from({ length: Math.min(lanes, here - v.index * lanes) }, (_, lane) => {
								const i = from + v.index * lanes + lane
								const r = rows.row(i)
								const props = {
									r, i, chosen: i === at, total,
									pick: () => {
										focus.current = false
										move(i)
									},
								}
								return s.view === 'grid' ? <Card key={i} {...props} /> : <Line key={i} {...props} />
							})}
						</div>
					))}
				</div>
			</div>
		</div>
	)
}

interface Shown {
	r?: Row
	i: number
	chosen: boolean
	total: number
	pick: () => void
}

// open follows a click without loading the page anew.
const open = (e: MouseEvent, r: Row, i: number) => {
	if (e.ctrlKey || e.metaKey || e.shiftKey || e.button !== 0) return
	e.preventDefault()
	go({ page: 'item', row: r.row, at: i })
}

function Line({ r, i, chosen, total, pick }: Shown) {
	if (!r) return <div class="row waiting" id={`row-${i}`} role="option" aria-selected={chosen} aria-setsize={total} aria-posinset={i + 1} />
	return (
		<a id={`row-${i}`} class={chosen ? 'row chosen' : 'row'} role="option" aria-selected={chosen} aria-setsize={total} aria-posinset={i + 1} tabIndex={-1}
			href={link({ page: 'item', row: r.row, at: i })} onMouseDown={pick} onClick={(e) => open(e, r, i)}>
			<Score of={r.score} />
			<Bar of={r.score} />
			<span class="col-test">{r.test}</span>
			<span class="col-id" title={r.id}>
				<bdi>{r.id}</bdi>
			</span>
			<span class="col-who">
				<bdi>{who(r)}</bdi>
			</span>
			<span class="col-status">{r.error ? <span class="tag unscored">{r.error}</span> : r.status}</span>
			<span class="col-notes">{r.value !== null ? short(r.value) : r.notes.join(', ')}</span>
		</a>
	)
}

function Card({ r, i, chosen, total, pick }: Shown) {
	if (!r) return <div class="tile waiting" id={`row-${i}`} role="option" aria-selected={chosen} />
	return (
		<a id={`row-${i}`} class={chosen ? 'tile chosen' : 'tile'} role="option" aria-selected={chosen} aria-setsize={total} aria-posinset={i + 1} tabIndex={-1}
			href={link({ page: 'item', row: r.row, at: i })} onMouseDown={pick} onClick={(e) => open(e, r, i)}>
			<Thumb row={r.row} />
			<Bar of={r.score} />
			<span class="tile-line">
				<Score of={r.score} />
				<span class="tile-test">{r.error || r.test}</span>
			</span>
			<span class="tile-id" title={r.id}>
				<bdi>{r.id}</bdi>
			</span>
		</a>
	)
}

// Thumb is the picture of a row; rows that have none say so.
export function Thumb({ row, wide = 320 }: { row: number; wide?: number }) {
	const [lost, set] = useState(false)
	useEffect(() => set(false), [row])
	if (lost || !pictureAddress(row, undefined, wide)) return <span class="thumb lost">no picture</span>
	return (
		<span class="thumb">
			<img key={row} src={pictureAddress(row, undefined, wide)} alt="" decoding="async" onError={() => set(true)} />
		</span>
	)
}

function Tools(p: { info: Info; total?: number; at: number; move: (to: number) => void }) {
	const s = useUrl()
	const got = useSelected()
	const total = p.total ?? 0
	const sections = Math.ceil(total / section)
	const now = Math.floor(p.at / section)
	return (
		<div class="tools">
			<span class="total" role="status">
				{p.total === undefined ? 'counting…' : counted(total, 'result')}
				{got.value?.mean !== null && got.value?.mean !== undefined && <span class="quiet"> · mean {got.value.mean.toFixed(3)}</span>}
			</span>
			<label class="sort">
				<span>Sort by</span>
				<select value={s.sort} onChange={(e) => go({ sort: e.currentTarget.value, at: 0 })}>
					{orders.map(([by, name]) => (
						<option key={by} value={by}>
							{name}
						</option>
					))}
					{p.info.metrics.map((m) => (
						<option key={m} value={`metric:${m}`}>
							metric {m}
						</option>
					))}
				</select>
			</label>
			<button onClick={() => go({ down: !s.down, at: 0 })} aria-label={s.down ? 'Sorted from the highest; turn around' : 'Sorted from the lowest; turn around'}>
				{s.down ? '↓ highest first' : '↑ lowest first'}
			</button>
			<span class="switch" role="group" aria-label="View">
				<button aria-pressed={s.view === 'table'} onClick={() => go({ view: 'table' })}>
					Table
				</button>
				<button aria-pressed={s.view === 'grid'} onClick={() => go({ view: 'grid' })}>
					Grid
				</button>
			</span>
			{total > 0 && (
				<label class="jump">
					<span>Row</span>
					<input type="number" min="1" max={total} value={p.at + 1} aria-label="Number of the selected row" onChange={(e) => p.move(+e.currentTarget.value - 1)} />
				</label>
			)}
			{sections > 1 && (
				<span class="sections">
					<button disabled={now === 0} onClick={() => p.move((now - 1) * section)} aria-label="Previous section">
						‹
					</button>
					{count(now * section + 1)} to {count(Math.min(total, (now + 1) * section))}
					<button disabled={now === sections - 1} onClick={() => p.move((now + 1) * section)} aria-label="Next section">
						›
					</button>
				</span>
			)}
		</div>
	)
}
