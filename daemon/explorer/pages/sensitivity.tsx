// Sensitivity: how a score changes with small moves of what the answer placed.

import { useMemo, useState } from 'preact/hooks'
import { address, useGet } from './api'
import { score, short } from './format'
import { useItem } from './item'
import { useKeys } from './keys'
import { Score, Waiting } from './parts'
import { Picture } from './picture'
import type { Item, Sensitivity as Data } from './schema'
import { go, useUrl } from './state'

const steps = 10

// ramp are the colours of scores from low to high: dark blue, green, yellow; readable without red and green.
const ramp = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]]

function colour(t: number): [number, number, number] {
	const x = Math.max(0, Math.min(1, t)) * (ramp.length - 1)
	const i = Math.min(ramp.length - 2, Math.floor(x))
	return ramp[i].map((c, k) => Math.round(c + (ramp[i + 1][k] - c) * (x - i))) as [number, number, number]
}

export function Sensitivity() {
	const s = useUrl()
	const item = useItem(s.row)
	const v = item.value
	const got = useGet<Data>(v && v.parts.length > 0 ? address('sensitivity', { row: s.row, part: s.part, metric: s.metric, steps, step: s.step || undefined }) : undefined)
	useKeys({ u: () => go({ page: 'item' }), Escape: () => go({ page: 'item' }) })
	if (s.row < 0) return <p class="empty">Choose a result in Items first; h opens this page from an item.</p>
	if (!v) return <Waiting got={item} />
	return (
		<div class="page">
			<header class="item-head">
				<Score of={v.score} />
				<h2>
					<bdi>{v.id}</bdi>
				</h2>
				<span class="quiet">
					{v.suite} / {v.test}
				</span>
				<button class="link" onClick={() => go({ page: 'item' })}>
					back to the item
				</button>
			</header>
			{v.parts.length === 0 ? (
				<p class="empty">{v.problem || 'The answer places nothing that can be moved.'}</p>
			) : (
				<>
					<div class="tools">
						<label>
							<span>Map of</span>
							<select value={s.metric} onChange={(e) => go({ metric: e.currentTarget.value })}>
								<option value="">score</option>
								{v.metrics
									.filter((m) => typeof m.value === 'number' || typeof m.value === 'boolean')
									.map((m) => (
										<option key={m.name}>{m.name}</option>
									))}
							</select>
						</label>
						<label>
							<span>Move</span>
							<select value={s.part} onChange={(e) => go({ part: e.currentTarget.value })}>
								<option value="">everything that the answer placed</option>
								{v.parts.map((p) => (
									<option key={p.name}>{p.name}</option>
								))}
							</select>
						</label>
						<label>
							<span>by steps of</span>
							<select value={String(s.step || got.value?.step || '')} onChange={(e) => go({ step: +e.currentTarget.value })}>
								{[0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50].map((x) => (
									<option key={x} value={x}>
										{x}
									</option>
								))}
							</select>{' '}
							{got.value?.unit ?? 'px'}
						</label>
					</div>
					{got.error && <p class="error">{got.error}</p>}
					{got.value?.remark && <p class="remark">{got.value.remark}</p>}
					{!got.value && !got.error && (
						<p class="empty" role="status">
							Scoring {(2 * steps + 1) ** 2} moved answers…
						</p>
					)}
					{got.value && <Heat of={got.value} item={v} />}
				</>
			)}
		</div>
	)
}

// Heat shows the map of scores, alone and over the picture, and what it says in words.
function Heat({ of, item }: { of: Data; item: Item }) {
	const side = 2 * of.steps + 1
	const known = of.scores.filter((x): x is number => x !== null)
	const low = known.length ? Math.min(...known) : 0
	const high = known.length ? Math.max(...known) : 0
	const [held, hold] = useState<{ of: Data; at?: number }>() // the chosen cell, which counts on its own map alone
	const over = held?.of === of ? held.at : undefined
	const setOver = (at?: number) => hold({ of, at })
	const [clear, setClear] = useState(false)
	const url = useMemo(() => {
		const c = document.createElement('canvas')
		c.width = c.height = side
		const ctx = c.getContext('2d')!
		const data = ctx.createImageData(side, side)
		of.scores.forEach((x, i) => {
			if (x === null) return
			data.data.set([...colour(high > low ? (x - low) / (high - low) : 0.5), 255], 4 * i)
		})
		ctx.putImageData(data, 0, 0)
		return c.toDataURL()
	}, [of])
	const middle = (of.scores.length - 1) / 2
	const probe = (dx: number, dy: number) => {
		const i = over ?? middle
		const to = [(i % side) + dx, Math.floor(i / side) + dy]
		if (to.every((x) => x >= 0 && x < side)) setOver(to[1] * side + to[0])
	}
	useKeys({ ArrowLeft: () => probe(-1, 0), ArrowRight: () => probe(1, 0), ArrowUp: () => probe(0, -1), ArrowDown: () => probe(0, 1), Home: () => setOver(undefined) })
	const named = item.panels.findIndex((p) => p.title === 'after')
	const after = named < 0 && item.panels.length > 0 ? item.first : named
	const [ox, oy, ux, uy] = item.panels[after]?.axes.length === 4 ? item.panels[after].axes : [0, 0, 1, 1]
	const parts = of.part ? item.parts.filter((p) => p.name === of.part) : item.parts
	const x = ox + (ux * parts.reduce((a, p) => a + p.x, 0)) / parts.length
	const y = oy + (uy * parts.reduce((a, p) => a + p.y, 0)) / parts.length
	const reach = (of.steps + 0.5) * of.step * Math.abs(ux)
	const move = (i: number) => [((i % side) - of.steps) * of.step, (Math.floor(i / side) - of.steps) * (of.up ? -of.step : of.step)].map((d) => short(d)).join(', ')
	const what = of.metric || 'score'
	const best = of.scores.findIndex((v) => v === high)
	// cliff is the largest change between two neighbours.
	let cliff = 0
	of.scores.forEach((v, i) => {
		for (const j of [i % side < side - 1 ? i + 1 : -1, i + side]) {
			const w = of.scores[j]
			if (v !== null && w !== null && w !== undefined) cliff = Math.max(cliff, Math.abs(v - w))
		}
	})
	return (
		<div class="columns heat">
			<section class="card">
				<h3>{of.metric ? <code>{of.metric}</code> : 'Score'} after moves of up to {short(of.steps * of.step)} {of.unit}</h3>
				<svg class="map" viewBox={`0 0 ${side} ${side}`} role="img" aria-label={`Heat map: ${what} from ${score(low)} to ${score(high)}; in place ${score(of.base)}`}
					onMouseLeave={() => setOver(undefined)}
					onMouseMove={(e) => {
						const b = e.currentTarget.getBoundingClientRect()
						const col = Math.floor(((e.clientX - b.left) / b.width) * side)
						const row = Math.floor(((e.clientY - b.top) / b.height) * side)
						if (col >= 0 && col < side && row >= 0 && row < side) setOver(row * side + col)
					}}>
					<image href={url} width={side} height={side} />
					<rect class="here" x={of.steps} y={of.steps} width="1" height="1" />
					{over !== undefined && <rect class="over" x={over % side} y={Math.floor(over / side)} width="1" height="1" />}
				</svg>
				<div class="scale">
					<span>{score(low)}</span>
					<svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
						{Array.from({ length: 50 }, (_, i) => (
							<rect key={i} x={i * 2} width="2.1" height="6" fill={`rgb(${colour(i / 49).join(',')})`} />
						))}
					</svg>
					<span>{score(high)}</span>
				</div>
				<p aria-live="polite">{over !== undefined ? `moved by ${move(over)}: ${score(of.scores[over])}` : `in place: ${score(of.base)}`}</p>
				<p class="quiet">
					{known.length} of {of.scores.length} moves have a value, made in {Math.round(of.millis)} ms.
					{known.length > 0 && high === low && ` The ${what} does not answer to these moves: a plateau.`}
					{high > low && ` Highest: ${score(high)} at ${move(best)}. Largest change between neighbours: ${score(cliff)}${cliff > 0.25 * (of.metric ? high - low : 1) ? ': a cliff.' : '.'}`}
				</p>
			</section>
			{after >= 0 && (
				<section class="card">
					<div class="tools">
						<h3>Over the picture</h3>
						<button aria-pressed={clear} onClick={() => setClear(!clear)}>
							{clear ? 'show the map' : 'hide the map'}
						</button>
					</div>
					<Picture row={item.row} n={after} panel={item.panels[after]} marks>
						{!clear && <image class="heat-over" href={url} x={x - reach} y={y - reach} width={2 * reach} height={2 * reach} />}
					</Picture>
					<p class="quiet">The map lies where the middle of what is moved would stand.</p>
				</section>
			)}
		</div>
	)
}
