// Sensitivity: how a score answers to small moves of what the answer placed.

import { useEffect, useMemo, useState } from 'preact/hooks'
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
	const got = useGet<Data>(v && v.parts.length > 0 ? address('sensitivity', { row: s.row, part: s.part, steps, step: s.step || undefined }) : undefined)
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
							<select value={String(s.step || got.value?.step || 2)} onChange={(e) => go({ step: +e.currentTarget.value })}>
								{[0.5, 1, 2, 5, 10, 20, 50].map((x) => (
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

function Heat({ of, item }: { of: Data; item: Item }) {
	const side = 2 * of.steps + 1
	const known = of.scores.filter((x): x is number => x !== null)
	const low = Math.min(...known)
	const high = Math.max(...known)
	const [over, setOver] = useState<number>()
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
	useEffect(() => setOver(undefined), [of])
	const after = item.panels.findIndex((p) => p.title === 'after')
	const parts = of.part ? item.parts.filter((p) => p.name === of.part) : item.parts
	const x = parts.reduce((a, p) => a + p.x, 0) / parts.length
	const y = parts.reduce((a, p) => a + p.y, 0) / parts.length
	const reach = (of.steps + 0.5) * of.step
	const at = over === undefined ? undefined : [((over % side) - of.steps) * of.step, (Math.floor(over / side) - of.steps) * of.step]
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
				<h3>Score after moves of up to {short(of.steps * of.step)} {of.unit}</h3>
				<svg class="map" viewBox={`0 0 ${side} ${side}`} role="img" aria-label={`Heat map: scores from ${score(low)} to ${score(high)}; the answer itself scores ${score(of.base)}`}
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
				<p aria-live="polite">{at ? `moved by ${short(at[0])}, ${short(at[1])}: ${score(of.scores[over!])}` : `in place: ${score(of.base)}`}</p>
				<p class="quiet">
					{known.length} of {of.scores.length} moves have a score, made in {Math.round(of.millis)} ms. Best: {score(high)} at {short(((best % side) - of.steps) * of.step)},{' '}
					{short((Math.floor(best / side) - of.steps) * of.step)}. Largest change between neighbours: {score(cliff)}
					{high === low ? '. The score does not answer to these moves: a plateau.' : cliff > 0.25 ? ': a cliff.' : '.'}
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
					<p class="quiet">The map lies where the middle of {of.part ? 'the moved shape' : 'the moved shapes'} would stand.</p>
				</section>
			)}
		</div>
	)
}
