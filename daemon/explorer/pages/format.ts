// How numbers and names are written.

export const count = (n: number) => n.toLocaleString('en-US')

// counted writes a number with what it counts.
export const counted = (n: number, one: string, many = one + 's') => `${count(n)} ${n === 1 ? one : many}`

// score writes a score with three decimals; a dash where there is none.
export const score = (x: number | null | undefined) => (x === null || x === undefined ? '–' : x.toFixed(3).replace(/^-(0\.0*)$/, '$1'))

// short writes any number with few digits.
export function short(x: number | null | undefined): string {
	if (x === null || x === undefined) return '–'
	if (Number.isInteger(x)) return String(x)
	const a = Math.abs(x)
	return a >= 1e6 || a < 1e-3 ? x.toExponential(2) : String(+x.toPrecision(4))
}

// p writes a probability.
export const p = (x: number | null) => (x === null ? '–' : x < 0.001 ? '< 0.001' : x.toFixed(3))

// percent writes a share.
export const percent = (n: number, of: number) => (of ? `${((100 * n) / of).toFixed(n && n * 1000 < of ? 2 : 1)} %` : '–')

// value writes the value of a metric.
export function value(v: unknown): string {
	if (v === null || v === undefined) return '–'
	if (typeof v === 'number') return Number.isInteger(v) ? String(v) : String(+v.toFixed(4))
	if (typeof v === 'string') return v
	if (typeof v === 'boolean') return v ? 'yes' : 'no'
	if (Array.isArray(v)) {
		if (v.length === 0) return 'none'
		if (v.every((x) => typeof x !== 'object' || x === null)) return v.map(value).join(', ')
		if (v.every((x) => Array.isArray(x))) return v.map((x) => `(${value(x)})`).join(' ')
	}
	return JSON.stringify(v)
}

// named writes the value of a facet; an empty value gets a name.
export const named = (facet: string, v: string) =>
	v !== '' ? v : facet === 'note' ? 'no notes' : facet === 'failure' ? 'scored' : `no ${facet}`

// outcome is the class of a score, which sets its colour.
export const outcome = (x: number | null | undefined) =>
	x === null || x === undefined ? 'unscored' : x >= 0.995 ? 'full' : x > 0 ? 'part' : 'none'
