// One item: pictures, what made the score, what was read, and its neighbours.

import { useEffect, useState } from 'preact/hooks'
import { address, query, saved, useGet } from './api'
import { count, score, value } from './format'
import { useKeys } from './keys'
import { Bar, Score, Waiting, who } from './parts'
import { Overlay, Picture } from './picture'
import type { Asked, Item as Data } from './schema'
import { go, link, useUrl } from './state'

export const useItem = (row: number) => useGet<Data>(row >= 0 ? address('item', { ...query(), row }) : undefined)

const modes: Array<[string, string, string]> = [['side', 's', 'Side by side'], ['blink', 'b', 'Blink'], ['slider', 'l', 'Slider'], ['difference', 'd', 'Difference']]

export function ItemPage() {
	const s = useUrl()
	const got = useItem(s.row)
	const v = got.value
	const [marks, setMarks] = useState(true)
	const near = (row: number | null | undefined, by: number) => {
		if (row !== null && row !== undefined && v) go({ row, at: v.position + by }, true)
	}
	useKeys({
		j: () => near(v?.next, 1), k: () => near(v?.previous, -1), ArrowRight: () => near(v?.next, 1), ArrowLeft: () => near(v?.previous, -1),
		u: () => go({ page: 'items' }), Escape: () => go({ page: 'items' }), m: () => setMarks(!marks), h: () => go({ page: 'sensitivity', part: '' }),
		...Object.fromEntries(modes.map(([mode, key]) => [key, () => go({ mode }, true)])),
	})
	if (s.row < 0) return <p class="empty">Choose a result in Items; Enter opens it.</p>
	if (!v) return <Waiting got={got} />
	const before = v.panels.findIndex((p) => p.title === 'before')
	const after = v.panels.findIndex((p) => p.title === 'after')
	const pair = before >= 0 && after >= 0
	const side = (n: number) => ({ row: v.row, n, panel: v.panels[n] })
	return (
		<article class={got.busy ? 'page item stale' : 'page item'}>
			<header class="item-head">
				<Score of={v.score} />
				<h2>
					<bdi>{v.id}</bdi>
				</h2>
				<span class="quiet">
					{[v.suite, v.test].filter(Boolean).join(' / ')} <bdi>{who(v)}</bdi>
				</span>
				<nav class="neighbours" aria-label="Neighbours in the list">
					<button disabled={v.previous === null} onClick={() => near(v.previous, -1)} aria-label="Previous (k)">
						‹
					</button>
					{v.position >= 0 ? `${count(v.position + 1)} of ${count(v.total)}` : 'not in the list'}
					<button disabled={v.next === null} onClick={() => near(v.next, 1)} aria-label="Next (j)">
						›
					</button>
				</nav>
			</header>
			<Bar of={v.score} />
			{got.error && <p class="error">{got.error}</p>}
			{v.error && (
				<p class="error">
					No score: <code>{v.error}</code> {v.message}
				</p>
			)}
			{v.problem && <p class="remark">{v.problem}</p>}
			{v.panels.length > 0 && (
				<section>
					<div class="tools">
						{pair && (
							<span class="switch" role="group" aria-label="How the pictures before and after are shown">
								{modes.map(([mode, key, name]) => (
									<button key={mode} aria-pressed={s.mode === mode} title={`key ${key}`} onClick={() => go({ mode }, true)}>
										{name}
									</button>
								))}
							</span>
						)}
						{v.panels.some((p) => p.marks.length > 0) && (
							<button aria-pressed={marks} title="key m" onClick={() => setMarks(!marks)}>
								Marks
							</button>
						)}
						{v.parts.length > 0 && (
							<a class="button" href={link({ page: 'sensitivity', part: '' })} title="key h"
								onClick={(e) => {
									e.preventDefault()
									go({ page: 'sensitivity', part: '' })
								}}>
								Sensitivity
							</a>
						)}
					</div>
					{pair && <Overlay a={side(before)} b={side(after)} mode={s.mode} marks={marks} />}
					<div class="two">{v.panels.map((p, n) => !(pair && (n === before || n === after)) && <Picture key={n} row={v.row} n={n} panel={p} marks={marks} />)}</div>
				</section>
			)}
			<div class="columns">
				<section class="card">
					<h3>What made the score</h3>
					<table class="facts">
						<tbody>
							<tr>
								<th>score</th>
								<td>{v.score === null ? '–' : String(v.score)}</td>
								<td class="quiet" />
							</tr>
							<tr>
								<th>reward</th>
								<td>{v.reward === null ? '–' : String(v.reward)}</td>
								<td class="quiet" />
							</tr>
							<tr>
								<th>read as</th>
								<td>{v.status || '–'}</td>
								<td class="quiet" />
							</tr>
							{v.metrics.map((m) => (
								<tr key={m.name}>
									<th>{m.name}</th>
									<td class="wrap">{clipped(value(m.value))}</td>
									<td class="quiet">{m.formula}</td>
								</tr>
							))}
						</tbody>
					</table>
					{v.noteList.length > 0 && (
						<>
							<h3>Notes: what was changed or dropped</h3>
							<ul class="notes">
								{v.noteList.map((n, i) => (
									<li key={i}>
										<code>{n.code}</code> {n.path && <bdi class="path">{n.path}</bdi>} <bdi>{n.message}</bdi>
									</li>
								))}
							</ul>
						</>
					)}
				</section>
				<section class="card">
					<h3>Answer</h3>
					{v.reading && <p class="quiet">{v.reading}</p>}
					{v.answer.length > 0 ? (
						<pre class="answer" tabIndex={0} aria-label="The answer; the part that was read is marked">
							{v.answer.map((part, i) => (part.read ? <mark key={i}>{part.text}</mark> : <span key={i}>{part.text}</span>))}
						</pre>
					) : (
						<p class="empty">{v.line ? 'The answer is empty.' : 'The answer is not known.'}</p>
					)}
					{v.answerCut > 0 && <p class="quiet">{count(v.answerCut)} further bytes are not shown; the raw lines have them.</p>}
					{v.texts.map((t, i) => (
						<details key={i}>
							<summary>{t.title}</summary>
							<pre>{t.body}</pre>
						</details>
					))}
					{(saved ? v.prompt : v.line) && <Prompt of={v} />}
				</section>
			</div>
			<section class="card">
				<h3>Where it is from</h3>
				<table class="facts">
					<tbody>
						{v.arms.map(([name, text]) => (
							<tr key={name}>
								<th>{name}</th>
								<td class="wrap">
									<bdi>{text}</bdi>
								</td>
							</tr>
						))}
						<tr>
							<th>result</th>
							<td class="wrap">{v.file}</td>
						</tr>
						{v.line && (
							<tr>
								<th>answer</th>
								<td class="wrap">{v.line}</td>
							</tr>
						)}
					</tbody>
				</table>
				{v.command && (
					<p>
						This command scores it alone:
						<code class="command">{v.command}</code>
						<button onClick={() => navigator.clipboard?.writeText(v.command)}>Copy</button>
					</p>
				)}
				<details>
					<summary>Raw result line</summary>
					<pre>{v.raw}</pre>
				</details>
				{!saved && (
					<p>
						<a href={address('raw', { row: v.row })} target="_blank" rel="noopener">
							Both lines, whole, as text
						</a>
					</p>
				)}
			</section>
			{v.others.length > 0 && (
				<section class="card">
					<h3>Other answers to the same question</h3>
					<div class="scroll">
						<table class="figures">
							<tbody>
								{v.others.map((o) => (
									<tr key={o.row}>
										<td class="num">{score(o.score)}</td>
										<td>
											<a href={link({ row: o.row, at: -1 })}
												onClick={(e) => {
													e.preventDefault()
													go({ row: o.row })
												}}>
												<bdi>{who(o) || o.id}</bdi>
											</a>
										</td>
										<td>{o.error || o.status}</td>
									</tr>
								))}
							</tbody>
						</table>
					</div>
				</section>
			)}
		</article>
	)
}

// Prompt shows what the model was asked, and the pictures that it saw.
function Prompt({ of }: { of: Data }) {
	const [open, setOpen] = useState(false)
	useEffect(() => setOpen(false), [of.row])
	const got = useGet<Asked>(open && !saved ? address('asked', { row: of.row }) : undefined)
	const v = saved ? { text: of.prompt, of: of.promptOf, images: [] } : got.value
	return (
		<details open={open} onToggle={(e) => setOpen(e.currentTarget.open)}>
			<summary>What the model was asked</summary>
			{got.error && !saved && <p class="quiet">{got.error}</p>}
			{open && v && (
				<>
					<p class="quiet">{v.of}</p>
					{v.images.map((s, n) => (
						<figure key={n} class="picture seen">
							<figcaption>{[s.title, s.width ? `${s.width} × ${s.height} px` : ''].filter(Boolean).join(', ')}</figcaption>
							{s.error ? <p class="empty">not shown: {s.error}</p> : <img src={address('seen', { row: of.row, panel: n })} alt={`Picture that the model saw: ${s.title}`} />}
						</figure>
					))}
					<pre>{v.text}</pre>
				</>
			)}
		</details>
	)
}

// clipped cuts a long text.
const clipped = (s: string) => (s.length > 2000 ? s.slice(0, 2000) + ' …' : s)
