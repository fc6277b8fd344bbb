// Compare: two series on the same questions.

import { useEffect, useState } from 'preact/hooks'
import { address, filterText, saved, savedPlaces, useGet } from './api'
import { useItem } from './item'
import { count, counted, p as probability, score } from './format'
import { useKeys } from './keys'
import { Score, Waiting } from './parts'
import { Picture } from './picture'
import { Scatter } from './plots'
import type { Against, Comparison, Info, Item, Pair, Paired, Pairs } from './schema'
import { go, state, useUrl } from './state'
import { reveal, useVirtual } from './virtual'

const rowHeight = 30
const chunk = 100
const most = 100_000

export function Compare({ info }: { info: Info }) {
	const s = useUrl()
	const a = info.series.some((x) => x.id === s.a) ? s.a : info.series[0]?.id
	const b = info.series.some((x) => x.id === s.b) ? s.b : (info.series.find((x) => x.id !== a)?.id ?? '')
	const params = { q: filterText(), a, b }
	const got = useGet<Comparison>(b ? address('compare', params) : undefined)
	const [range, setRange] = useState<[number, number]>()
	const v = got.value
	useEffect(() => setRange(undefined), [a, b, params.q])
	if (info.series.length < 2)
		return <p class="empty">There is one series alone. Give plumb view the results of another model or run too, and they stand side by side here.</p>
	const choose = (name: 'a' | 'b', title: string, is: string) => (
		<label>
			<span>{title}</span>
			<select value={is} onChange={(e) => go({ [name]: e.currentTarget.value, at: 0 })}>
				{info.series.map((x) => (
					<option key={x.id} value={x.id}>
						{x.name} ({count(x.rows)})
					</option>
				))}
			</select>
		</label>
	)
	return (
		<div class={got.busy ? 'page stale' : 'page'}>
			<div class="tools">
				{choose('a', 'A', a)}
				{choose('b', 'B', b)}
				<button onClick={() => go({ a: b, b: a })}>Swap</button>
			</div>
			{info.series.length > 2 && <Rivals a={a} b={b} />}
			{!v && <Waiting got={got} />}
			{v && got.error && <p class="error">{got.error}</p>}
			{v && v.pairs === 0 && <p class="empty">{v.remark}</p>}
			{v && v.pairs > 0 && (
				<>
						<section class="card">
							<h2>B − A on {counted(v.pairs, 'question')}</h2>
							<div class="scroll">
								<table class="figures">
									<thead>
										<tr>
											<th>test</th>
											{['pairs', 'A', 'B', 'B − A', '95 % interval', 'B higher', 'A higher', 'sign p', 'Wilcoxon p'].map((h) => (
												<th key={h} class="num">
													{h}
												</th>
											))}
										</tr>
									</thead>
									<tbody>
										{v.lines.map((l) => (
											<tr key={l.suite + l.test} class={l.test ? '' : 'total'}>
												<td>{!l.test ? 'all tests' : v.lines.some((x) => x.test && x.suite !== l.suite) ? `${l.suite} / ${l.test}` : l.test}</td>
												<Figures of={l} more />
											</tr>
										))}
									</tbody>
								</table>
							</div>
							{v.unpaired > 0 && <p class="quiet">{counted(v.unpaired, 'question has a score on one side alone and is', 'questions have a score on one side alone and are')} left out.</p>}
							{v.remark && <p class="quiet">{v.remark}</p>}
						</section>
					<List params={params} of={v} range={range} setRange={setRange} />
				</>
			)}
		</div>
	)
}

// Rivals lists all series beside A; one of them is chosen as B.
function Rivals({ a, b }: { a: string; b: string }) {
	const got = useGet<Against>(saved ? undefined : address('against', { q: filterText(), a }))
	const local = saved?.compared.filter((c) => c.a === a && c.comparison.lines.length).map((c) => ({ ...c.comparison.lines[0], id: c.b, name: c.comparison.names[1], unpaired: c.comparison.unpaired }))
	const lines = saved ? local : got.value?.lines
	return (
		<section class={got.busy ? 'card stale' : 'card'}>
			<h2>All series beside A</h2>
			{got.error && <p class="error">{got.error}</p>}
			{!lines && !got.error && <p class="quiet">Loading…</p>}
			{lines && (
				<div class="scroll">
					<table class="figures">
						<thead>
							<tr>
								<th>series</th>
								{['pairs', 'A', 'series', 'difference', '95 % interval', 'sign p', 'Wilcoxon p'].map((h) => (
									<th key={h} class="num">
										{h}
									</th>
								))}
							</tr>
						</thead>
						<tbody>
							{lines.map((l) => (
								<tr key={l.id} class={l.id === b ? 'now' : ''}>
									<td>
										<button class="link" aria-pressed={l.id === b} onClick={() => go({ a, b: l.id, at: 0 })}>
											<bdi>{l.name}</bdi>
										</button>
									</td>
									<Figures of={l} />
								</tr>
							))}
						</tbody>
					</table>
				</div>
			)}
			{got.value?.remark && <p class="quiet">{got.value.remark}</p>}
		</section>
	)
}

// Figures are the cells of a comparison.
const Figures = ({ of: l, more }: { of: Paired; more?: boolean }) => (
	<>
		<td class="num">{count(l.n)}</td>
		<td class="num">{score(l.a)}</td>
		<td class="num">{score(l.b)}</td>
		<td class={`num ${l.difference > 0 ? 'gain' : l.difference < 0 ? 'loss' : ''}`}>
			{l.difference > 0 ? '+' : ''}
			{score(l.difference)}
		</td>
		<td class="num">{l.low === null ? '–' : `${score(l.low)} to ${score(l.high)}`}</td>
		{more && <td class="num">{count(l.better)}</td>}
		{more && <td class="num">{count(l.worse)}</td>}
		<td class="num">{probability(l.sign)}</td>
		<td class="num">{probability(l.wilcoxon)}</td>
	</>
)

// List lists the pairs of a comparison, all or a range of them, beside a scatter plot and both pictures.
function List(p: { params: Record<string, string | undefined>; of: Comparison; range?: [number, number]; setRange: (r?: [number, number]) => void }) {
	const { of, setRange } = p
	const s = useUrl()
	const [held, hold] = useState<{ key: string; total: number; at: Record<number, Pair[]> }>({ key: '', total: 0, at: {} })
	const key = JSON.stringify([p.params, s.down])
	const first = useGet<Pairs>(address('pairs', { ...p.params, down: s.down, from: 0, n: chunk }))
	const all = first.value?.total ?? 0
	const wantedLow = p.range ? (s.down ? all - 1 - p.range[1] : p.range[0]) : 0
	const wanted = p.range ? p.range[1] - p.range[0] + 1 : all
	const [begin, end] = savedPlaces(p.params.a, p.params.b, s.down) ?? [0, all]
	const low = Math.max(wantedLow, begin)
	const total = Math.max(0, Math.min(most, Math.min(wantedLow + wanted, end) - low))
	const at = Math.max(0, Math.min(s.at, total - 1))
	const { list, scroller } = useVirtual(total, rowHeight)
	const shown = list.getVirtualItems()
	const from = shown.length ? low + shown[0].index : low
	const part = Math.floor(from / chunk)
	const now = useGet<Pairs>(all > 0 ? address('pairs', { ...p.params, down: s.down, from: part * chunk, n: 2 * chunk }) : undefined)
	useEffect(() => {
		if (now.value) hold({ key, total: now.value.total, at: { [now.value.from]: now.value.pairs } })
	}, [now.value])
	const pair = (i: number): Pair | undefined => {
		for (const [begin, pairs] of Object.entries(held.at)) if (low + i >= +begin && low + i < +begin + pairs.length) return pairs[low + i - +begin]
		return undefined
	}
	const move = (to: number) => {
		const i = Math.max(0, Math.min(total - 1, to))
		go({ at: i }, true)
		reveal(scroller.current, i, rowHeight)
	}
	const by = (n: number) => move(Math.min(state().at, total - 1) + n)
	useKeys({ j: () => by(1), k: () => by(-1), ArrowDown: () => by(1), ArrowUp: () => by(-1), Home: () => move(0), End: () => move(total - 1) })
	const chosen = total > 0 ? pair(at) : undefined
	return (
		<>
		<div class="columns pairs">
			<section class="card">
				<h2>Question by question</h2>
				<Scatter points={of.points} names={of.names} brush={(low, high) => setRange([low, high])} open={(r) => setRange([r, r])} />
				<p class="quiet">
					{of.points.length < of.pairs ? `${count(of.points.length)} of ${counted(of.pairs, 'question')}, evenly chosen. ` : ''}Drag a rectangle to list its questions.
				</p>
			</section>
			<section class="card">
				<div class="tools">
					<h2>
						{counted(total, p.range ? 'chosen question' : 'question')}
					</h2>
					<button onClick={() => go({ down: !s.down, at: 0 })}>{s.down ? 'largest gain of B first' : 'largest loss of B first'}</button>
					{p.range && <button onClick={() => setRange(undefined)}>Show all</button>}
				</div>
				{saved && total < wanted && (
					<p class="quiet">
						{total === 0 ? 'The saved page does not hold these questions; plumb view shows them.' : `The saved page holds ${count(total)} of these ${counted(wanted, 'question')}; plumb view shows the others.`}
					</p>
				)}
				{!saved && all > most && !p.range && <p class="quiet">The list shows the first {count(most)}; turn it around for the others.</p>}
				<div class="row head pair" aria-hidden="true">
					<span>B − A</span>
					<span>A</span>
					<span>B</span>
					<span>test</span>
					<span>id</span>
				</div>
				<div ref={scroller} class="list short" tabIndex={0} role="listbox" aria-label={counted(total, 'question')} aria-activedescendant={`pair-${at}`}>
					<div class="space" role="presentation" style={{ height: `${list.getTotalSize()}px` }}>
						{shown.map((v) => {
							const x = pair(v.index)
							return (
								<div key={v.key} id={`pair-${v.index}`} role="option" aria-selected={v.index === at} class={v.index === at ? 'row pair chosen line' : 'row pair line'}
									style={{ transform: `translateY(${v.start}px)`, height: `${rowHeight}px` }} onClick={() => move(v.index)}>
									{x && (
										<>
											<span class={x.b > x.a ? 'num gain' : x.b < x.a ? 'num loss' : 'num'}>
												{x.b > x.a ? '+' : ''}
												{score(x.b - x.a)}
											</span>
											<span class="num">{score(x.a)}</span>
											<span class="num">{score(x.b)}</span>
											<span>{x.test}</span>
											<bdi>{x.id}</bdi>
										</>
									)}
								</div>
							)
						})}
					</div>
				</div>
			</section>
		</div>
		<section class="card both">{chosen ? <Both of={chosen} /> : <p class="empty">{total > 0 ? 'Choose a question.' : 'There is no question to show.'}</p>}</section>
		</>
	)
}

// Both shows the two answers of a pair.
function Both({ of }: { of: Pair }) {
	const a = useItem(of.rowA)
	const b = useItem(of.rowB)
	return (
		<>
			<h2>
				<bdi>{of.id}</bdi>
			</h2>
			<div class="two">
				<One name="A" of={a.value} error={a.error} />
				<One name="B" of={b.value} error={b.error} />
			</div>
		</>
	)
}

// One shows the answer of one side, with its picture and metrics.
function One({ name, of, error }: { name: string; of?: Item; error?: string }) {
	if (error) return <p class="error">{error}</p>
	if (!of) return <p class="empty">Loading…</p>
	const panel = of.panels[of.first]
	return (
		<div>
			<p>
				{name} <Score of={of.score} /> <bdi class="quiet">{of.model}</bdi>{' '}
				<button class="link" onClick={() => go({ page: 'item', row: of.row })}>
					open
				</button>
			</p>
			{panel ? <Picture row={of.row} n={of.first} panel={panel} marks /> : <p class="remark">{of.problem || 'The item has no picture.'}</p>}
			{of.metrics.length > 0 && (
				<p class="quiet">
					{of.metrics
						.filter((m) => typeof m.value === 'number')
						.map((m) => `${m.name} ${(m.value as number).toFixed(3)}`)
						.join(' · ')}
				</p>
			)}
		</div>
	)
}
