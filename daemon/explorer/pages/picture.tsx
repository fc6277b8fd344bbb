// Pictures with the marks that explain a score, and pictures laid over each other.

import { useEffect, useRef, useState } from 'preact/hooks'
import { pictureAddress } from './api'
import type { Mark, Panel } from './schema'

const finite = (...list: number[]) => list.every((x) => Number.isFinite(x) && Math.abs(x) <= 1e7)

// Marks draws marks in page units; u is the length of about one px of the screen. Marks that an SVG could not
// show are left out.
function Marks({ of, box, u }: { of: Mark[]; box: number[]; u: number }) {
	const good = of.filter((m) => finite(m.a[0], m.a[1], m.b[0], m.b[1], m.r, m.from, m.to))
	const placed: number[][] = []
	return (
		<>
			{good.map((m, i) => (
				<g key={i} class={`mark ${m.tone}`}>
					<path class="edge" d={path(m, u)} stroke-width={4.5 * u} />
					<path class={m.form === 'dot' ? 'solid' : m.form === 'wedge' ? 'sector' : ''} d={path(m, u)} stroke-width={2 * u}
						stroke-dasharray={m.form === 'gap' ? `${6 * u} ${5 * u}` : undefined} />
				</g>
			))}
			{good.map((m, i) => m.text && <Label key={i} of={m} box={box} u={u} placed={placed} />)}
		</>
	)
}

// Label writes a mark's text beside it, at the first of four places that no label in placed covers.
function Label({ of: m, box, u, placed }: { of: Mark; box: number[]; u: number; placed: number[][] }) {
	let [x, y] = m.a
	if (m.form === 'span' || m.form === 'gap' || m.form === 'dart') [x, y] = [(m.a[0] + m.b[0]) / 2, (m.a[1] + m.b[1]) / 2]
	if (m.form === 'ring') y -= m.r
	if (m.form === 'box') [x, y] = [Math.min(m.a[0], m.b[0]), Math.min(m.a[1], m.b[1])]
	if (m.form === 'wedge') {
		const middle = m.from + sweep(m) / 2
		x += m.r * Math.cos(middle)
		y += m.r * Math.sin(middle)
	}
	const w = 8.5 * u * [...m.text].length
	const h = 16 * u
	const places = [[8 * u, -6 * u - h], [8 * u, 6 * u], [-8 * u - w, -6 * u - h], [-8 * u - w, 6 * u]].map(([dx, dy]) => [
		Math.min(Math.max(x + dx, box[0] + 4 * u), box[0] + box[2] - 4 * u - w),
		Math.min(Math.max(y + dy, box[1] + 2 * u), box[1] + box[3] - 2 * u - h),
	])
	const free = ([px, py]: number[]) => !placed.some((q) => px < q[0] + q[2] && q[0] < px + w && py < q[1] + q[3] && q[1] < py + h)
	const [px, py] = places.find(free) ?? places[0]
	placed.push([px, py, w, h])
	return (
		<text class={`mark ${m.tone}`} x={px} y={py + 13 * u} font-size={15 * u} stroke-width={4 * u}>
			{m.text}
		</text>
	)
}

// sweep returns the angle of a wedge, signed, by the shorter way from one side to the other.
const sweep = (m: Mark) => {
	const d = (m.to - m.from) % (2 * Math.PI)
	return d > Math.PI ? d - 2 * Math.PI : d < -Math.PI ? d + 2 * Math.PI : d
}

// path returns the outline of a mark as the data of an SVG path.
function path(m: Mark, u: number): string {
	const [ax, ay] = m.a
	const [bx, by] = m.b
	const circle = (r: number) => `M${ax - r} ${ay}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`
	const line = `M${ax} ${ay}L${bx} ${by}`
	switch (m.form) {
		case 'dot':
			return circle(4.5 * u)
		case 'cross':
			return `M${ax - 9 * u} ${ay}h${18 * u}M${ax} ${ay - 9 * u}v${18 * u}`
		case 'ring':
			return circle(m.r)
		case 'box':
			return `M${ax} ${ay}H${bx}V${by}H${ax}Z`
		case 'dart': {
			const angle = Math.atan2(by - ay, bx - ax)
			const side = (turn: number) => `M${bx} ${by}L${bx + 11 * u * Math.cos(angle + turn)} ${by + 11 * u * Math.sin(angle + turn)}`
			return line + side(Math.PI - 0.45) + side(Math.PI + 0.45)
		}
		case 'wedge': {
			const to = m.from + sweep(m)
			const at = (t: number) => `${ax + m.r * Math.cos(t)} ${ay + m.r * Math.sin(t)}`
			return `M${ax} ${ay}L${at(m.from)}A${m.r} ${m.r} 0 0 ${sweep(m) < 0 ? 0 : 1} ${at(to)}Z`
		}
	}
	return line
}

// Picture shows one panel of a row. children are drawn above it in page units.
export function Picture(p: { row: number; n: number; panel: Panel; marks: boolean; children?: preact.ComponentChildren }) {
	const { box } = p.panel
	if (box.length < 4)
		return (
			<figure class="picture">
				<figcaption>{p.panel.title}</figcaption>
				<p class="empty">not shown: {p.panel.error}</p>
			</figure>
		)
	const u = Math.max(box[2], 1.4 * box[3]) / 640
	return (
		<figure class="picture">
			<figcaption>
				{p.panel.title}
				{p.panel.cover && (
					<span class="legend">
						<i class="covered" /> covered <i class="uncovered" /> beside <i class="beneath" /> beneath
					</span>
				)}
			</figcaption>
			<svg viewBox={box.join(' ')} role="img" aria-label={`Picture: ${p.panel.title}`}>
				<rect class="paper" x={box[0]} y={box[1]} width={box[2]} height={box[3]} />
				{!p.panel.error && <image href={pictureAddress(p.row, p.n, 760)} x={box[0]} y={box[1]} width={box[2]} height={box[3]} preserveAspectRatio="none" />}
				{p.panel.lost.map((l, i) => (
					<g key={i} class="lost">
						<polygon points={l.corners.join(' ')} stroke-width={1.5 * u}>
							<title>{l.why}</title>
						</polygon>
						<text x={l.corners[0] + 6 * u} y={l.corners[1] + 18 * u} font-size={14 * u}>
							not drawn: {l.name}
						</text>
					</g>
				))}
				{p.children}
				{p.marks && <Marks of={p.panel.marks} box={box} u={u} />}
			</svg>
			{p.panel.error && <p class="error">not drawn: {p.panel.error}</p>}
			{p.panel.lost.length > 0 && (
				<details class="quiet">
					<summary>{p.panel.lost.length} shapes are not drawn</summary>
					<ul>
						{p.panel.lost.map((l, i) => (
							<li key={i}>
								<bdi>{l.name}</bdi>: {l.why}
							</li>
						))}
					</ul>
				</details>
			)}
		</figure>
	)
}

// side is one of two pictures that are compared.
export interface Side {
	row: number
	n: number
	panel: Panel
}

const same = (a: Side, b: Side) => a.panel.box.length === 4 && a.panel.box.every((x, i) => x === b.panel.box[i])

// Overlay lays b over a: blinking, behind a slider, or as their difference.
export function Overlay({ a, b, mode, marks }: { a: Side; b: Side; mode: string; marks: boolean }) {
	const [part, setPart] = useState(50)
	const [second, setSecond] = useState(false)
	useEffect(() => {
		if (mode !== 'blink') return
		const t = setInterval(() => setSecond((x) => !x), 650)
		return () => clearInterval(t)
	}, [mode])
	if (mode === 'side' || !same(a, b))
		return (
			<>
				{mode !== 'side' && <p class="remark">The two pictures show different parts of the page and cannot be laid over each other.</p>}
				<div class="two">
					<Picture {...a} marks={marks} />
					<Picture {...b} marks={marks} />
				</div>
			</>
		)
	if (mode === 'difference') return <Difference a={a} b={b} />
	const [x, y, w, h] = a.panel.box
	const shown = mode === 'blink' ? (second ? b : a) : b
	if (mode === 'blink') return <Picture {...shown} marks={marks} />
	return (
		<div class="slider">
			<Picture {...b} marks={marks}>
				<defs>
					<clipPath id="left">
						<rect x={x} y={y} width={(w * part) / 100} height={h} />
					</clipPath>
				</defs>
				<image clip-path="url(#left)" href={pictureAddress(a.row, a.n, 760)} x={x} y={y} width={w} height={h} preserveAspectRatio="none" />
				<path class="divide" d={`M${x + (w * part) / 100} ${y}v${h}`} stroke-width={w / 400} />
			</Picture>
			<input type="range" min="0" max="100" value={part} aria-label={`Share of the picture ${a.panel.title} that is shown, from the left`} onInput={(e) => setPart(+e.currentTarget.value)} />
		</div>
	)
}

// Difference shows the pixels where two pictures differ by more than 6 of 255, over a faint copy of the second.
function Difference({ a, b }: { a: Side; b: Side }) {
	const canvas = useRef<HTMLCanvasElement>(null)
	const [said, set] = useState('')
	const urls = [a, b].map((s) => pictureAddress(s.row, s.n, 760))
	useEffect(() => {
		let gone = false
		const load = (src: string) =>
			new Promise<HTMLImageElement>((ok, fail) => {
				const i = new Image()
				i.onload = () => ok(i)
				i.onerror = () => fail(new Error('a picture could not be loaded'))
				i.src = src
			})
		Promise.all(urls.map(load)).then(
			([p, q]) => {
				const on = canvas.current
				if (gone || !on) return
				on.width = q.naturalWidth
				on.height = q.naturalHeight
				const c = on.getContext('2d', { willReadFrequently: true })!
				const pixels = (i: HTMLImageElement) => {
					c.drawImage(i, 0, 0, on.width, on.height)
					return c.getImageData(0, 0, on.width, on.height)
				}
				const before = pixels(p).data
				const out = pixels(q)
				const d = out.data
				let changed = 0
				for (let i = 0; i < d.length; i += 4) {
					const by = Math.max(Math.abs(d[i] - before[i]), Math.abs(d[i + 1] - before[i + 1]), Math.abs(d[i + 2] - before[i + 2]))
					if (by > 6) {
						changed++
						d[i] = 214
						d[i + 1] = 30
						d[i + 2] = 120
						d[i + 3] = Math.min(255, 120 + by)
					} else d[i + 3] = 60
				}
				c.putImageData(out, 0, 0)
				set(`${((100 * changed) / (on.width * on.height)).toFixed(2)} % of the pixels differ`)
			},
			(e) => !gone && set(e.message),
		)
		return () => void (gone = true)
	}, urls)
	return (
		<figure class="picture">
			<figcaption>
				difference of {a.panel.title} and {b.panel.title} <span class="quiet">{said}</span>
			</figcaption>
			<canvas ref={canvas} class="difference" role="img" aria-label={`Difference of the two pictures: ${said}`} />
		</figure>
	)
}
