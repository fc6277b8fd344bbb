// Frames without a screen.
//
// The editor waits for frames while it exports, and counts its time by them.
// Nobody sees the page, so while there is work a frame comes as soon as it is
// asked for, and none comes otherwise, so that an idle page takes no processor time.

declare const scheduler: { postTask(f: () => void, options: { delay: number }): Promise<void> }

/** Time between frames, ms, where a frame's callback asks for the next frame. */
const beat = 4

let waiting = new Map<number, FrameRequestCallback>()
let last = 0
let working = true // while the editor is mounted
let inFrame = false

const now = new MessageChannel() // asks for a frame at once: browsers delay timers, but not messages
now.port1.onmessage = () => frame()

/** Calls the callbacks that wait for a frame, unless there is no work. */
function frame(): void {
	if (!working) return
	const due = waiting
	waiting = new Map()
	const time = performance.now()
	inFrame = true
	for (const f of due.values()) {
		try {
			f(time)
		} catch (e) {
			reportError(e) // as the browser does; the other callbacks still run
		}
	}
	inFrame = false
}

window.requestAnimationFrame = (f) => {
	waiting.set(++last, f)
	if (inFrame) scheduler.postTask(frame, { delay: beat })
	else now.port2.postMessage(0)
	return last
}
window.cancelAnimationFrame = (id) => void waiting.delete(id)

/** Sets whether there is work, and so whether frames come. */
export function work(on: boolean): void {
	working = on
	if (on && waiting.size > 0) now.port2.postMessage(0)
}
