// Suspects: rules that find where score and picture may disagree.

import { address, filterText, useGet } from './api'
import { count } from './format'
import { Waiting } from './parts'
import type { Suspects as Data } from './schema'
import { go, state } from './state'

export function Suspects() {
	const url = address('suspects', { q: filterText() })
	const got = useGet<Data>(url, 2500)
	const v = got.value
	if (!v) return <Waiting got={got} />
	return (
		<div class="page">
			<p class="lead">
				Where the score and the picture may disagree. Each rule is a filter: open it, look, and decide whether the model, the rule of the benchmark or the scorer is at
				fault.
			</p>
			{got.error && <p class="error">{got.error}</p>}
			{v.remark && <p class="remark">{v.remark}</p>}
			{v.scanning && (
				<p role="status">
					<progress value={v.scanned} max={v.of} /> {count(v.scanned)} of {count(v.of)} answers were looked at
				</p>
			)}
			<ul class="rules">
				{v.rules.map((r) => (
					<li key={r.name} class="card">
						<button class="rule" onClick={() => go({ page: 'items', at: 0, q: { ...state().q, rule: r.name } })} disabled={r.n === 0}>
							<span class={r.n ? 'found' : 'found nothing'}>{count(r.n)}</span>
							<span>
								<strong>{r.title}</strong> <code>{r.name}</code>
								<br />
								<span class="quiet">
									{r.doc}
									{r.answers && ' It looks at answers.'}
								</span>
							</span>
						</button>
					</li>
				))}
			</ul>
		</div>
	)
}
