// Plots, drawn by uPlot and, where they are as small as a word, as bars of SVG.

import { useEffect, useRef } from 'preact/hooks'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { counted } from './format'
import type { Histogram, Point } from './schema'

// colour returns a colour of the style sheet.
const colour = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim() || 'gray'

// usePlot makes a plot anew when its data, its width or the theme change.
function usePlot(make: (width: number) => [uPlot.Options, uPlot.AlignedData], of: unknown[]) {
	const holder = useRef<HTMLDivElement>(null)
	useEffect(() => {
		const on = holder.current!
		let plot: uPlot | undefined
		let width = 0
		const draw = () => {
			plot?.destroy()
			const [options, data] = make(on.clientWidth)
			plot = new uPlot(options, data, on)
		}
		const watch = new ResizeObserver(() => {
			if (on.clientWidth !== width && on.clientWidth > 0) {
				width = on.clientWidth
				draw()
			}
		})
		watch.observe(on)
		const theme = new MutationObserver(() => width && draw())
		theme.observe(document.documentElement, { attributeFilter: ['data-theme'] })
		return () => {
			watch.disconnect()
			theme.disconnect()
			plot?.destroy()
		}
	}, of)
	return holder
}

const axis = (): uPlot.Axis => ({
	stroke: colour('--faint-ink'),
	grid: { show: false },
	ticks: { stroke: colour('--line'), size: 4, width: 1 },
	font: '11px ' + colour('--sans'),
	gap: 3,
})

// ScoreHistogram shows how the scores are distributed; a range is chosen by dragging.
export function ScoreHistogram(p: { of: Histogram; low?: number; high?: number; choose: (low?: number, high?: number) => void }) {
	const { low, high, bars } = p.of
	const width = (high - low) / bars.length
	const holder = usePlot(
		(w) => [
			{
				width: w,
				height: 92,
				padding: [4, 6, 0, 6],
				legend: { show: false },
				cursor: { y: false, points: { show: false }, drag: { x: true, y: false, setScale: false } },
				scales: { x: { time: false, range: [low, high] }, y: { range: (_, __, max) => [0, Math.max(max, 1)] } },
				axes: [{ ...axis(), size: 20 }, { show: false }],
				series: [{}, { fill: colour('--bar'), stroke: colour('--bar'), width: 0, paths: uPlot.paths.bars!({ size: [0.9, 100, 1], align: 0 }), points: { show: false } }],
				hooks: {
					setSelect: [
						(u) => {
							if (u.select.width < 2) return
							const at = (x: number) => +u.posToVal(x, 'x').toPrecision(3)
							p.choose(at(u.select.left), at(u.select.left + u.select.width))
						},
					],
					ready: [
						(u) => {
							if (p.low === undefined && p.high === undefined) return
							const from = u.valToPos(Math.max(low, p.low ?? low), 'x')
							const to = u.valToPos(Math.min(high, p.high ?? high), 'x')
							u.setSelect({ left: from, width: Math.max(1, to - from), top: 0, height: u.over.clientHeight }, false)
						},
					],
				},
			},
			[bars.map((_, i) => low + (i + 0.5) * width), bars],
		],
		[JSON.stringify(p.of), p.low, p.high],
	)
	const total = bars.reduce((a, b) => a + b, 0)
	return (
		<div
			ref={holder}
			class="histogram"
			role="img"
			aria-label={`Distribution of ${total} scores from ${low} to ${high}; drag to choose a range, or use the fields of the filters`}
		/>
	)
}

// Scatter shows the scores of two series; a rectangle is chosen by dragging, a click opens a pair.
export function Scatter(p: { points: Point[]; names: string[]; open: (place: number) => void; brush: (low: number, high: number) => void }) {
	const holder = usePlot(
		(w) => {
			const sorted = [...p.points].sort((x, y) => x.a - y.a)
			const all = sorted.flatMap((x) => [x.a, x.b])
			const low = Math.min(0, ...all)
			const high = Math.max(1, ...all)
			const edge = (high - low) * 0.03
			const range: [number, number] = [low - edge, high + edge]
			const size = Math.min(w, 460)
			return [
				{
					width: size,
					height: size,
					legend: { show: false },
					cursor: { drag: { x: true, y: true, setScale: false }, points: { size: 9 } },
					scales: { x: { time: false, range }, y: { range } },
					axes: [
						{ ...axis(), size: 34, label: p.names[0], labelSize: 16, labelFont: '11px ' + colour('--sans') },
						{ ...axis(), size: 38, label: p.names[1], labelSize: 16, labelFont: '11px ' + colour('--sans') },
					],
					series: [{}, { stroke: colour('--accent'), fill: colour('--accent-faint'), paths: () => null, points: { show: true, size: 5, width: 1 } }],
					hooks: {
						drawClear: [
							(u) => {
								const c = u.ctx
								c.strokeStyle = colour('--line')
								c.setLineDash([4, 4])
								c.beginPath()
								c.moveTo(u.valToPos(range[0], 'x', true), u.valToPos(range[0], 'y', true))
								c.lineTo(u.valToPos(range[1], 'x', true), u.valToPos(range[1], 'y', true))
								c.stroke()
								c.setLineDash([])
							},
						],
						setSelect: [
							(u) => {
								if (u.select.width < 4 || u.select.height < 4) return
								const inside = sorted.filter((x) => {
									const left = u.valToPos(x.a, 'x')
									const top = u.valToPos(x.b, 'y')
									const s = u.select
									return left >= s.left && left <= s.left + s.width && top >= s.top && top <= s.top + s.height
								})
								if (inside.length) p.brush(Math.min(...inside.map((x) => x.r)), Math.max(...inside.map((x) => x.r)))
							},
						],
						ready: [
							(u) => {
								u.over.addEventListener('click', () => {
									const i = u.cursor.idx
									if (i !== null && i !== undefined && u.select.width < 4 && sorted[i]) p.open(sorted[i].r)
								})
							},
						],
					},
				},
				[sorted.map((x) => x.a), sorted.map((x) => x.b)],
			]
		},
		[p.points],
	)
	return <div ref={holder} class="scatter" role="img" aria-label={`${counted(p.points.length, 'question')}: score of ${p.names[0]} across, of ${p.names[1]} up`} />
}

// Bars is a histogram of the size of a word.
export function Bars({ of }: { of: number[] }) {
	const max = Math.max(1, ...of)
	return (
		<svg class="bars" viewBox={`0 0 ${of.length * 3} 16`} width={of.length * 3} height="16" aria-hidden="true">
			<path d={`M0 15.5h${of.length * 3}`} />
			{of.map((n, i) => n > 0 && <rect x={i * 3} y={16 - Math.max(1, (15 * n) / max)} width="2" height={Math.max(1, (15 * n) / max)} />)}
		</svg>
	)
}
