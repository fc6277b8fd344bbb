// Overview: means of each test and series, failures, and the papers' tables.

import { address, filterText, saved, useGet } from './api'
import { count, score, short } from './format'
import { Bars, ScoreHistogram } from './plots'
import type { Cell, Info, Overview as Data, Series, SuiteTable, TextTable } from './schema'
import { clean, go, state } from './state'
import { Waiting } from './parts'

export function Overview({ info }: { info: Info }) {
	const got = useGet<Data>(address('overview', { q: filterText() }))
	const v = got.value
	if (!v) return <Waiting got={got} />
	return (
		<div class={got.busy ? 'page stale' : 'page'}>
			{got.error && <p class="error">{got.error}</p>}
			{v.remark && <p class="remark">{v.remark}</p>}
			{v.suites.length === 0 && <p class="empty">No results are selected.</p>}
			{v.suites.map((t) => (
				<Suite key={t.suite} of={t} info={info} range={[v.low, v.high]} />
			))}
			{v.failures.length > 0 && (
				<section class="card">
					<h2>Failures and how answers were read</h2>
					<div class="scroll">
						<table class="figures narrow">
							<thead>
								<tr>
									<th>what</th>
									<th>suite</th>
									<th class="num">results</th>
								</tr>
							</thead>
							<tbody>
								{v.failures.map((f) => (
									<tr key={f.kind + f.value + f.suite}>
										<td>
											<button class="link" onClick={() => open({ suite: [f.suite], [f.kind]: [f.value] })}>
												{f.value}
											</button>
											{f.kind === 'failure' && <span class="tag unscored">no score</span>}
										</td>
										<td>{f.suite || '–'}</td>
										<td class="num">{count(f.n)}</td>
									</tr>
								))}
							</tbody>
						</table>
					</div>
				</section>
			)}
			{v.papers.map((t, i) => (
				<Paper key={i} of={t} open={i === 0} />
			))}
		</div>
	)
}

// open goes to the items of a cell. The other parts of the filter stay.
const open = (values: Record<string, string[]>, score = state().q.score) => go({ page: 'items', at: 0, q: clean({ ...state().q, score, values: { ...state().q.values, ...values } }) })

function Suite({ of, info, range }: { of: SuiteTable; info: Info; range: [number, number] }) {
	const series = of.series.map((id) => info.series.find((s) => s.id === id)!)
	const costs = of.tests.some((t) => t.cells.some((c) => c.seconds !== null || c.cost !== null))
	return (
		<section class="card">
			<h2>{of.suite || 'No suite'}</h2>
			<div class="scroll">
				<table class="figures means">
					<caption>Mean ± standard error, distribution of scores, scored of all results{costs ? ', seconds per answer, cost' : ''}</caption>
					<thead>
						<tr>
							<th scope="col">test</th>
							{series.map((s) => (
								<th key={s.id} scope="col" class="series">
									{s.name}
								</th>
							))}
						</tr>
					</thead>
					<tbody>
						{of.tests.map((t) => (
							<tr key={t.kind + t.test} class={t.kind === 'test' ? '' : 'total'}>
								<th scope="row">
									{t.kind === 'test' ? (
										<button class="link" onClick={() => open({ suite: [of.suite], test: [t.test] })}>
											{t.test || 'no test'}
										</button>
									) : (
										t.test
									)}
								</th>
								{t.cells.map((c, i) => (
									<td key={i}>
										{c.n === 0 ? (
											<span class="quiet">–</span>
										) : t.kind === 'test' ? (
											<Mean of={c} open={() => open({ suite: [of.suite], test: [t.test], ...words(series[i], info) })} />
										) : (
											<Figures of={c} />
										)}
									</td>
								))}
							</tr>
						))}
					</tbody>
				</table>
			</div>
			<Distributions of={of} range={range} />
		</section>
	)
}

// most is how many tests of a suite have a large histogram.
const most = 24

// Distributions shows the scores of each test, of all series together. A range that is chosen by dragging opens
// its items.
function Distributions({ of, range: [low, high] }: { of: SuiteTable; range: [number, number] }) {
	const tests = of.tests.flatMap((t) => {
		const bars = t.cells.reduce<number[]>((sum, c) => (c.histogram.length ? c.histogram.map((n, i) => n + (sum[i] ?? 0)) : sum), [])
		return t.kind === 'test' && bars.some((n) => n > 0) ? [{ test: t.test, bars }] : []
	})
	if (tests.length === 0) return null
	return (
		<div class="multiples">
			{tests.slice(0, most).map((t) => (
				<figure key={t.test}>
					<figcaption>
						<bdi>{t.test || 'no test'}</bdi>
					</figcaption>
					<ScoreHistogram of={{ low, high, bars: t.bars, null: 0 }} choose={(from, to) => open({ suite: [of.suite], test: [t.test] }, { low: from, high: to })} />
				</figure>
			))}
			<p class="quiet">Scores of all series together. Drag over bars to list their results.{tests.length > most ? ` The first ${most} of ${tests.length} tests.` : ''}</p>
		</div>
	)
}

// words returns the filter's values that select a series.
const words = (s: Series, info: Info) => {
	const out: Record<string, string[]> = info.files.length > 1 ? { file: [s.file] } : {}
	for (const [i, facet] of ['model', 'mode', 'input', 'setting', 'format', 'method'].entries()) if (s.words[i] || facet === 'model') out[facet] = [s.words[i]]
	return out
}

function Mean({ of, open }: { of: Cell; open: () => void }) {
	return (
		<button class="link" onClick={open} aria-label={`mean ${score(of.mean)}, ${of.scored} of ${of.n} scored; open these items`}>
			<Figures of={of} />
		</button>
	)
}

const Figures = ({ of }: { of: Cell }) => (
	<span class="cell">
		<span class="mean">{score(of.mean)}</span>
		<span class="error-of">{of.error === null ? '' : `± ${score(of.error)}`}</span>
		{of.histogram.length > 0 ? <Bars of={of.histogram} /> : <span />}
		<span class={of.scored < of.n ? 'n warn' : 'n'}>{of.tests || (of.scored < of.n ? `${count(of.scored)} of ${count(of.n)}` : of.histogram.length > 0 ? count(of.n) : '')}</span>
		{of.seconds !== null && <span class="n">{short(of.seconds)} s</span>}
		{of.cost !== null && <span class="n">{short(of.cost)}</span>}
	</span>
)

function Paper({ of, open }: { of: TextTable; open: boolean }) {
	return (
		<details class="card" open={open}>
			<summary>
				<h2>{of.title}</h2>
			</summary>
			<div class="scroll">
				<table class="figures">
					<thead>
						<tr>
							{of.columns.map((c, i) => (
								<th key={i} class={i < of.text ? '' : 'num'}>
									{c}
								</th>
							))}
						</tr>
					</thead>
					<tbody>
						{of.rows.map((r, k) => (
							<tr key={k}>
								{r.map((c, i) => (
									<td key={i} class={i < of.text ? '' : 'num'}>
										{c}
									</td>
								))}
							</tr>
						))}
					</tbody>
				</table>
			</div>
			{of.note && <p class="quiet">{of.note}</p>}
			{!saved && <p class="quiet">Of all results of the file, whatever is selected.</p>}
		</details>
	)
}
