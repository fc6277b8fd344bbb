// The explorer's page: heading, filters, and the page that the URL names.

import { render } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { address, query, saved, useAway, useGet } from './api'
import { Compare } from './compare'
import { Filters } from './filters'
import { ItemPage } from './item'
import { Items } from './items'
import { help, useKeys } from './keys'
import { Printed } from './printed'
import { Overview } from './overview'
import type { Info } from './schema'
import { Sensitivity } from './sensitivity'
import { go, link, pages, type Page, useUrl } from './state'
import { Suspects } from './suspects'
import './style.css'

const titles: Record<Page, string> = { overview: 'Overview', items: 'Items', item: 'One item', compare: 'Compare', suspects: 'Suspects', sensitivity: 'Sensitivity' }

const themes = ['', 'light', 'dark']

function App({ printing }: { printing?: boolean }) {
	const s = useUrl()
	const [loading, setLoading] = useState(true)
	const away = useAway()
	const got = useGet<Info>(address('info') + (away ? '&away=1' : ''), loading || away ? 600 : 0)
	const info = got.value
	const [theme, setTheme] = useState(localStorage.getItem('theme') ?? '')
	const [open, setOpen] = useState(false)
	const [helping, setHelping] = useState(false)
	useEffect(() => {
		if (info) setLoading(info.loading !== null && info.loading.error === '')
	}, [info])
	useEffect(() => {
		if (info && !s.job && info.jobs.length === 1 && info.jobs[0]) go({ job: info.jobs[0] }, true)
	}, [info, s.job])
	useEffect(() => {
		if (theme) document.documentElement.dataset.theme = theme
		else delete document.documentElement.dataset.theme
		localStorage.setItem('theme', theme)
	}, [theme])
	useEffect(() => {
		document.querySelector('nav [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' }) // on narrow screens
		document.title = `${saved?.partial ? 'partial: ' : ''}${titles[s.page]} · ${s.job || info?.title || 'plumb explorer'}`
	}, [s.page, s.job, info?.title])
	const turn = () => setTheme(themes[(themes.indexOf(theme) + 1) % themes.length])
	useKeys({
		...Object.fromEntries(pages.map((page, i) => [String(i + 1), () => go({ page })])),
		'/': () => {
			setOpen(true)
			setTimeout(() => document.getElementById('find-id')?.focus())
		},
		'?': () => setHelping(true), t: turn, f: () => setOpen(!open),
	})
	const ready = info && info.loading === null && info.files.length > 0
	const filtering = saved ? s.page === 'items' : s.page !== 'item' && s.page !== 'sensitivity'
	if (printing && saved && (s.page === 'overview' || s.page === 'items')) return <Printed of={saved} />
	return (
		<>
			<a class="skip" href="#main" onClick={(e) => (e.preventDefault(), document.getElementById('main')?.focus())}>
				Skip to the results
			</a>
			<header class="top">
				<span class="brand">plumb</span>
				<span class="title" title={info?.title}>
					{info && (info.jobs.length > 1 || s.job) ? (
						<select aria-label="Results" value={s.job} onChange={(e) => go({ job: e.currentTarget.value, q: {}, at: 0, row: -1, a: '', b: '' })}>
							{!s.job && <option value="">choose results</option>}
							{info.jobs.map((j) => (
								<option key={j}>{j}</option>
							))}
						</select>
					) : (
						<bdi>{info?.title}</bdi>
					)}
				</span>
				<nav aria-label="Pages">
					{pages.map((page, i) => saved && page === 'sensitivity' ? null : (
						<a key={page} href={link({ page })} aria-current={s.page === page ? 'page' : undefined} title={`key ${i + 1}`}
							onClick={(e) => {
								if (e.ctrlKey || e.metaKey || e.shiftKey) return
								e.preventDefault()
								go({ page })
							}}>
							{titles[page]}
						</a>
					))}
				</nav>
				<span class="actions">
					{ready && filtering && (
						<button class="open-filters" onClick={() => setOpen(!open)} aria-expanded={open}>
							Filters
						</button>
					)}
					{ready && !saved && (
						<a class="button" href={address('save', { ...query(), a: s.a, b: s.b, items: 100, state: location.search.slice(1) })} download title="One file with the selection, its first 100 items and their pictures">
							Save
						</a>
					)}
					<button onClick={turn} aria-label={`Colours: ${theme || 'as the system'}; change`}>
						{theme === 'dark' ? '☾' : theme === 'light' ? '☀' : '◐'}
					</button>
					<button onClick={() => setHelping(true)} aria-label="Help: the keys">
						?
					</button>
				</span>
			</header>
			{saved?.partial && (
				<p class="banner" role="alert">
					{saved.partial}
				</p>
			)}
			{saved && <p class="banner quiet">{saved.remark}</p>}
			{away && (
				<p class="banner" role="alert">
					The server does not answer. The page goes on when it is back.
				</p>
			)}
			{ready && info.remarks.length > 0 && (
				<details class="banner quiet">
					<summary>{info.remarks.length === 1 ? info.remarks[0] : `${info.remarks.length} remarks`}</summary>
					<ul>
						{info.remarks.map((r, i) => (
							<li key={i}>{r}</li>
						))}
					</ul>
				</details>
			)}
			<div class={open ? 'body open' : 'body'}>
				{ready && filtering && <Filters info={info} close={() => setOpen(false)} />}
				<main id="main" tabIndex={-1}>
					{!ready ? <Opening info={info} error={got.error} /> : <Shown page={s.page} info={info} />}
				</main>
			</div>
			{helping && <Help close={() => setHelping(false)} />}
		</>
	)
}

function Shown({ page, info }: { page: Page; info: Info }) {
	switch (page) {
		case 'items':
			return <Items info={info} />
		case 'item':
			return <ItemPage />
		case 'compare':
			return <Compare info={info} />
		case 'suspects':
			return <Suspects />
		case 'sensitivity':
			return <Sensitivity />
	}
	return <Overview info={info} />
}

// Opening stands while nothing can be shown yet.
function Opening({ info, error }: { info?: Info; error?: string }) {
	if (error) return <p class="error page">{error}</p>
	const l = info?.loading
	if (l?.error) return <p class="error page">{l.error}</p>
	if (info && !l)
		return (
			<div class="page">
				<h2>Results</h2>
				{info.jobs.length === 0 && <p class="empty">There are no results here yet.</p>}
				<ul class="rules">
					{info.jobs.map((j) => (
						<li key={j} class="card">
							<button class="link" onClick={() => go({ job: j, q: {}, at: 0, row: -1 })}>
								{j}
							</button>
						</li>
					))}
				</ul>
			</div>
		)
	return (
		<div class="empty" role="status">
			{l && l.total > 0 ? (
				<>
					<p>
						Making the {l.what}: {Math.ceil(l.done / 1e6)} of {Math.ceil(l.total / 1e6)} MB
					</p>
					<progress value={l.done} max={l.total} />
				</>
			) : (
				<p>Opening…</p>
			)}
		</div>
	)
}

function Help({ close }: { close: () => void }) {
	useKeys({ Escape: close, '?': close })
	useEffect(() => (document.querySelector('.help button') as HTMLElement | null)?.focus(), [])
	return (
		<div class="shade" onClick={close}>
			<div class="help card" role="dialog" aria-modal="true" aria-label="Keys" onClick={(e) => e.stopPropagation()}>
				<div class="tools">
					<h2>Keys</h2>
					<button onClick={close} aria-label="Close the help">
						✕
					</button>
				</div>
				<table class="facts">
					<tbody>
						{help.map(([keys, what]) => (
							<tr key={keys}>
								<th>
									<kbd>{keys}</kbd>
								</th>
								<td>{what}</td>
							</tr>
						))}
					</tbody>
				</table>
			</div>
		</div>
	)
}

const root = document.getElementById('app')!
render(<App />, root)
// A printed list has all of its rows, and not only those in sight.
let theme: string | undefined
addEventListener('beforeprint', () => {
	theme = document.documentElement.dataset.theme
	document.documentElement.dataset.theme = 'light'
	render(<App printing />, root)
})
addEventListener('afterprint', () => {
	if (theme) document.documentElement.dataset.theme = theme
	else delete document.documentElement.dataset.theme
	render(<App />, root)
})
