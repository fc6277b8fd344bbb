// Parts that several pages have.

import type { Got } from './api'
import { score, outcome } from './format'
import type { Row } from './schema'

// Waiting stands where an answer is not there yet, or is an error.
export function Waiting({ got }: { got: Got<unknown> }) {
	if (got.error) return <p class="error page">{got.error}</p>
	return (
		<p class="empty" role="status">
			Loading…
		</p>
	)
}

export const Score = ({ of }: { of: number | null }) => <span class={`score ${outcome(of)}`}>{score(of)}</span>

// Bar shows a score between 0 and 1 as a length.
export const Bar = ({ of }: { of: number | null }) => (
	<svg class={`bar ${outcome(of)}`} viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
		<rect class="track" width="100" height="4" />
		<rect width={100 * Math.max(0, Math.min(1, of ?? 0))} height="4" />
	</svg>
)

// who returns where a row's answer is from: model, arm, repeat and turn.
export const who = (r: Row) => [r.model, r.arm, r.repeat ? `repeat ${r.repeat}` : '', r.turn ? `turn ${r.turn}` : ''].filter(Boolean).join(' · ')
