// What a saved page prints: its tables, and its list as small pictures.

import { count } from './format'
import { Overview } from './overview'
import { Bar, Score, who } from './parts'
import { pictureAddress } from './api'
import type { Saved } from './schema'

const most = 600

export const Printed = ({ of }: { of: Saved }) => (
	<main class="printed">
		<h1>{of.info.title}</h1>
		{of.partial && <p class="error">{of.partial}</p>}
		<p class="quiet">{of.remark}</p>
		{of.info.remarks.map((r, i) => (
			<p key={i} class="quiet">
				{r}
			</p>
		))}
		<Overview info={of.info} />
		<h2>{of.rows.rows.length > most ? `The first ${count(most)} of ${count(of.rows.rows.length)} listed results` : 'Results'}</h2>
		<div class="tiles">
			{of.rows.rows.slice(0, most).map((r) => {
				const src = pictureAddress(r.row, undefined, 320)
				return (
					<div key={r.row} class="tile">
						<span class="thumb">{src ? <img src={src} alt="" decoding="sync" /> : 'no picture'}</span>
						<Bar of={r.score} />
						<span class="tile-line">
							<Score of={r.score} /> <span class="tile-test">{r.error || r.test}</span>
						</span>
						<span class="tile-id">
							<bdi>{r.id}</bdi> <bdi>{who(r)}</bdi>
						</span>
					</div>
				)
			})}
		</div>
	</main>
)
