// What a saved page answers in place of a server: filters, counts and orders of the rows that it holds.

import type { Count, Filter, Histogram, Item, Range, Row, Rows, Saved, Selected, Series } from './schema'

// pictures are the pictures of a saved page, by Panel.picture.
let pictures: Record<string, string> | undefined

export const pictureOf = (s: Saved, row: number, panel?: number): string => {
	pictures ??= JSON.parse(document.getElementById('pictures')?.textContent ?? '{}')
	const item = s.items.find((i) => i.row === row)
	return pictures![item?.panels[panel ?? item.first]?.picture ?? ''] ?? ''
}

const facets = ['suite', 'test', 'model', 'mode', 'input', 'setting', 'format', 'method', 'status', 'note', 'failure', 'file']

// values returns the values that a row has for a facet.
function values(r: Row, series: Series | undefined, facet: string): string[] {
	switch (facet) {
		case 'suite':
			return [r.suite]
		case 'test':
			return [r.test]
		case 'status':
			return [r.status]
		case 'failure':
			return [r.error]
		case 'note':
			return r.notes.length ? r.notes : ['']
		case 'file':
			return [series?.file ?? '']
	}
	return [series?.words[facets.indexOf(facet) - 2] ?? '']
}

// within reports whether a value is in a range, true where there is no range. A missing value is in no range.
const within = (x: number | null | undefined, range: Range | undefined) =>
	range === undefined || (typeof x === 'number' && (range.low === undefined || x >= range.low) && (range.high === undefined || x <= range.high))

// metric returns the value of a metric as a number, null where it is none.
const metric = (item: Item | undefined, name: string): number | null => {
	const v = item?.metrics.find((m) => m.name === name)?.value
	return typeof v === 'number' ? v : typeof v === 'boolean' ? Number(v) : null
}

export class Local {
	private items: Map<number, Item>
	private series: Map<string, Series>
	private found: Map<string, Set<number>>

	constructor(private s: Saved) {
		this.items = new Map(s.items.map((i) => [i.row, i]))
		this.series = new Map(s.info.series.map((x) => [x.id, x]))
		this.found = new Map(Object.entries(s.found).map(([rule, rows]) => [rule, new Set(rows)]))
	}

	// fails lists the facets of a filter that a row does not match. Where another part of the filter does not
	// match, it returns two empty names, which keep the row out of the counts of all facets. The range of
	// scores is not looked at.
	private fails(r: Row, f: Filter): string[] {
		const item = this.items.get(r.row)
		const out = facets.filter((facet) => f.values?.[facet]?.length && !values(r, this.series.get(r.series), facet).some((v) => f.values![facet].includes(v)))
		const rest =
			(!f.id || r.id.includes(f.id)) && (!f.text || item?.answer.map((a) => a.text).join('').includes(f.text)) && within(r.time, f.time) &&
			(!f.metric || !f.between || within(metric(item, f.metric), f.between)) && (!f.rule || this.found.get(f.rule)?.has(r.row))
		return rest ? out : ['', '']
	}

	// select counts the rows of a filter. The counts of a facet are over the rows that match all other parts of
	// the filter, and the histogram is over those that match all but the range of scores.
	select(f: Filter): Selected {
		const { low, high } = this.s.selected.histogram
		const bars: number[] = this.s.selected.histogram.bars.map(() => 0)
		const histogram: Histogram = { low, high, bars, null: 0 }
		const counts = new Map(facets.map((facet) => [facet, new Map<string, number>()]))
		const out: Selected = { rows: 0, scored: 0, mean: null, counts: {}, more: {}, histogram, remark: '' }
		let sum = 0
		for (const r of this.s.rows.rows) {
			const fails = this.fails(r, f)
			if (fails.length === 0) {
				if (r.score === null) histogram.null++
				else bars[Math.max(0, Math.min(bars.length - 1, Math.floor(((r.score - low) / (high - low)) * bars.length)))]++
			}
			if (f.score && !within(r.score, f.score)) fails.push('score')
			if (fails.length > 1 || fails[0] === 'score') continue
			for (const facet of fails.length ? fails : facets)
				for (const v of values(r, this.series.get(r.series), facet)) counts.get(facet)!.set(v, (counts.get(facet)!.get(v) ?? 0) + 1)
			if (fails.length) continue
			out.rows++
			if (r.score !== null) {
				out.scored++
				sum += r.score
			}
		}
		if (out.scored) out.mean = sum / out.scored
		for (const [facet, of] of counts)
			out.counts[facet] = [...of].map(([value, n]): Count => ({ value, n })).sort((a, b) => b.n - a.n || (a.value < b.value ? -1 : 1))
		return out
	}

	// list returns part of the rows of a filter in an order; rows without a value come last.
	list(f: Filter, by: string, down: boolean, from: number, n: number): Rows {
		const key = (r: Row): number | string | null => {
			if (by.startsWith('metric:')) return metric(this.items.get(r.row), by.slice('metric:'.length))
			switch (by) {
				case 'score': case 'time': case 'cost':
					return r[by]
				case 'reward':
					return this.items.get(r.row)?.reward ?? null
				case 'id': case 'test': case 'model': case 'status':
					return r[by] || null
				case 'failure':
					return r.error || null
				case 'repeat': case 'turn':
					return r[by] || null
			}
			return r.row
		}
		const rows = this.s.rows.rows
			.filter((r) => this.fails(r, f).length === 0 && (!f.score || within(r.score, f.score)))
			.map((r) => ({ r, k: key(r) }))
			.sort((a, b) => {
				if (a.k === null || b.k === null) return Number(a.k === null) - Number(b.k === null) || a.r.row - b.r.row
				return (a.k < b.k ? -1 : a.k > b.k ? 1 : 0) * (down ? -1 : 1) || a.r.row - b.r.row
			})
		const value = (k: unknown) => (by.startsWith('metric:') ? (k as number | null) : null)
		return { total: rows.length, from, rows: rows.slice(from, from + n).map(({ r, k }) => ({ ...r, value: value(k) })) }
	}

	// item returns an item with its neighbours in the list.
	item(row: number, f: Filter, by: string, down: boolean): Item | undefined {
		const item = this.items.get(row)
		if (!item) return undefined
		const { rows } = this.list(f, by, down, 0, Infinity)
		const at = rows.findIndex((r) => r.row === row)
		return { ...item, position: at, total: rows.length, previous: at > 0 ? rows[at - 1].row : null, next: at >= 0 && at + 1 < rows.length ? rows[at + 1].row : null }
	}
}
