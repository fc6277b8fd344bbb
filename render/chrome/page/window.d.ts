import type { Answer } from './job'

declare global {
	interface Window {
		/** How the program reaches the page. */
		plumb: {
			/** Mounts the editor with a licence key, "" for none. Answers with protocol (job.ts). */
			start(license: string): Promise<string>
			/** Waits until the editor has checked its licence key; rejects where it does not accept the key. */
			licensed(): Promise<string>
			/** Runs a Job, given as JSON. */
			run(job: string): Promise<Answer>
			/** All that the editor holds, for tests. */
			state?(): string
		}
	}
}
