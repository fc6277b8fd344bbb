// The editor's own check of its licence key, which is neither changed nor avoided.
//
// Where the editor does not take the key for the page's host it hides itself some
// seconds after it was mounted and shows a notice about the licence instead. Its
// object would still export pictures; this page then refuses to.

/** The error's text, by which the program recognises it (licence.go). */
const refused = 'plumb: the editor does not take the licence key'

/** Longer than the editor takes to hide itself, ms. */
const patience = 8000

/** Throws once the editor has hidden itself for want of a licence. */
export function checkLicence(): void {
	if (document.querySelector('[data-testid^="tl-license-"]')) throw new Error(refused)
}

/** Resolves when the editor has stayed visible for longer than it takes to hide itself. */
export async function licensed(): Promise<string> {
	for (const end = performance.now() + patience; performance.now() < end; ) {
		checkLicence()
		await new Promise((done) => setTimeout(done, 100))
	}
	return ''
}
