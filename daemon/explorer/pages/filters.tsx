// The filters on the left: what is selected, and how many each value would leave.

import { useEffect, useState } from 'preact/hooks'
import { address, filterText, saved, useGet } from './api'
import { count, counted, named } from './format'
import { ScoreHistogram } from './plots'
import type { Info, Range, Selected } from './schema'
import { filtered, go, toggled, useUrl } from './state'

const titles: Record<string, string> = {
	suite: 'Suite', test: 'Test', model: 'Model', mode: 'Mode', input: 'Input', setting: 'Setting', format: 'Format', method: 'Method',
	status: 'How the answer was read', note: 'Notes', failure: 'Failure', file: 'File',
}

export const useSelected = () => useGet<Selected>(address('select', { q: filterText() }))

export function Filters(p: { info: Info; close: () => void }) {
	const s = useUrl()
	const got = useSelected()
	const v = got.value
	return (
		<aside class="filters" aria-label="Filters">
			<div class="filters-head">
				<strong>{v ? count(v.rows) : '…'}</strong> of {saved ? counted(saved.rows.rows.length, 'listed result') : counted(p.info.rows, 'result')}
				{Object.keys(s.q).length > 0 && (
					<button class="plain" onClick={() => go({ q: {}, at: 0 })}>
						Clear all
					</button>
				)}
				<button class="plain close" onClick={p.close} aria-label="Close the filters">
					✕
				</button>
			</div>
			{got.error && <p class="error">{got.error}</p>}
			{v?.remark && <p class="remark">{v.remark}</p>}
			{s.q.rule && (
				<p>
					<button class="chip" onClick={() => filtered({ rule: undefined })} aria-label={`Remove the rule ${s.q.rule}`}>
						rule: {s.q.rule} ✕
					</button>
				</p>
			)}
			<Find name="id" label="Id contains" id="find-id" hint="part of an id" />
			{p.info.answers && <Find name="text" label="Answer contains" id="find-text" hint="text of answers" />}
			<section>
				<h3>Score</h3>
				{v && <ScoreHistogram of={v.histogram} low={s.q.score?.low} high={s.q.score?.high} choose={(low, high) => filtered({ score: { low, high } })} />}
				<Between label="score" of={s.q.score} set={(score) => filtered({ score })} />
				{v && v.histogram.null > 0 && <p class="quiet">{count(v.histogram.null)} without a score</p>}
			</section>
			{v && Object.keys(titles).map((facet) => <Facet key={facet} facet={facet} of={v} />)}
			{p.info.metrics.length > 0 && (
				<section>
					<h3>
						<label for="metric">Metric</label>
					</h3>
					<select
						id="metric"
						value={s.q.metric ?? ''}
						onChange={(e) => filtered({ metric: e.currentTarget.value || undefined, between: e.currentTarget.value ? {} : undefined })}
					>
						<option value="">any</option>
						{p.info.metrics.map((m) => (
							<option key={m}>{m}</option>
						))}
					</select>
					{s.q.metric && <Between label={s.q.metric} of={s.q.between} set={(between) => filtered({ between: between ?? {} })} />}
				</section>
			)}
			<section>
				<h3>Seconds per answer</h3>
				<Between label="seconds" of={s.q.time} set={(time) => filtered({ time })} />
			</section>
		</aside>
	)
}

// Find is a field that searches in ids or in answers.
function Find(p: { name: 'id' | 'text'; label: string; id: string; hint: string }) {
	const s = useUrl()
	const [text, set] = useState(s.q[p.name] ?? '')
	useEffect(() => set(s.q[p.name] ?? ''), [s.q[p.name]])
	return (
		<form
			class="find"
			role="search"
			onSubmit={(e) => {
				e.preventDefault()
				filtered({ [p.name]: text || undefined })
			}}
		>
			<label for={p.id}>{p.label}</label>
			<input id={p.id} type="search" value={text} placeholder={p.hint} spellcheck={false} autocomplete="off"
				onInput={(e) => set(e.currentTarget.value)} onChange={() => filtered({ [p.name]: text || undefined })} />
		</form>
	)
}

// Between is a range of numbers with two fields.
function Between(p: { label: string; of?: Range; set: (r?: Range) => void }) {
	const change = (patch: Range) => {
		const r = { ...p.of, ...patch }
		p.set(r.low === undefined && r.high === undefined ? undefined : r)
	}
	const field = (name: 'low' | 'high', title: string) => (
		<input type="number" step="any" placeholder={title} aria-label={`${p.label}: ${title}`} value={p.of?.[name] ?? ''}
			onChange={(e) => change({ [name]: e.currentTarget.value === '' ? undefined : +e.currentTarget.value })} />
	)
	return (
		<div class="between">
			{field('low', 'from')}–{field('high', 'to')}
			{p.of && (
				<button class="plain" onClick={() => p.set(undefined)} aria-label={`Remove the range of ${p.label}`}>
					✕
				</button>
			)}
		</div>
	)
}

const few = 8 // values of a facet that are shown at first

// Facet lists the values of a facet with the number of results of each.
function Facet(p: { facet: string; of: Selected }) {
	const s = useUrl()
	const [all, setAll] = useState(false)
	const chosen = s.q.values?.[p.facet] ?? []
	const list = [...(p.of.counts[p.facet] ?? [])]
	for (const v of chosen) if (!list.some((c) => c.value === v)) list.unshift({ value: v, n: 0 })
	if (list.length < 2 && chosen.length === 0) return null
	const shown = all ? list : list.filter((c, i) => i < few || chosen.includes(c.value))
	const most = Math.max(1, ...list.map((c) => c.n))
	const more = p.of.more[p.facet] ?? 0
	return (
		<fieldset>
			<legend>{titles[p.facet]}</legend>
			{shown.map((c) => (
				<label key={c.value} class="value">
					<input type="checkbox" checked={chosen.includes(c.value)} onChange={() => toggled(p.facet, c.value)} />
					<span class="name" title={c.value}>
						{named(p.facet, c.value)}
					</span>
					<span class="n">{count(c.n)}</span>
					<svg class="share" viewBox="0 0 100 2" preserveAspectRatio="none" aria-hidden="true">
						<rect width={(100 * c.n) / most} height="2" />
					</svg>
				</label>
			))}
			{list.length > shown.length && (
				<button class="plain" onClick={() => setAll(true)}>
					{list.length - shown.length} more
				</button>
			)}
			{all && list.length > few && (
				<button class="plain" onClick={() => setAll(false)}>
					fewer
				</button>
			)}
			{all && more > 0 && <p class="quiet">and {count(more)} rarer ones</p>}
		</fieldset>
	)
}
