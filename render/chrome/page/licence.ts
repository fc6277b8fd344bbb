// The editor's own check of its licence key, which is neither changed nor avoided.
//
// Where the editor does not take the key for the page's host it hides itself some
// seconds after it was mounted and shows its word on the licence instead. The
// component would go on exporting through its object; this page does not.

/** Part of the error by which the program knows it (licence.go). */
const refused = 'plumb: the editor does not take the licence key'

/** Longer than the editor takes to hide itself, ms. */
const patience = 8000

/** Throws once the editor has hidden itself for want of a licence. */
export function checkLicence(): void {
	if (document.querySelector('[data-testid^="tl-license-"]')) throw new Error(refused)
}

/** Resolves when the editor has not hidden itself for so long that it will not. */
export async function licensed(): Promise<string> {
	for (const end = performance.now() + patience; performance.now() < end; ) {
		checkLicence()
		await new Promise((done) => setTimeout(done, 100))
	}
	return ''
}
