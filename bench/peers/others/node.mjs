// Draws scenes with a renderer for Node and sums their alpha. In: the renderer's
// name and a file of scenes as lines {"w","h","svg","fills":[{"d","rgb"}]}. Out:
// one line of JSON per request line on stdin; the time of reading SVG and path data is
// counted apart too.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'

const [name, file] = process.argv.slice(2)
const scenes = readFileSync(file, 'utf8').trim().split('\n').map((l) => JSON.parse(l))

const { sums } = createRequire(import.meta.url)('../addon.node')

function centre(pix, w) {
	const [sum, sx, sy] = sums(pix, w)
	return { alpha: sum / 255, x: sx / sum + 0.5, y: sy / sum + 0.5 }
}

// parse runs f and adds its processor time to parsing: other renderers get no text to read.
let parsing = 0
function parse(f) {
	const cpu = process.cpuUsage(), result = f(), used = process.cpuUsage(cpu)
	parsing += (used.user + used.system) / 1e6
	return result
}

const renderers = {
	async resvg() {
		const { Resvg } = await import('@resvg/resvg-js')
		return (s) => {
			const tree = parse(() => new Resvg(s.svg, { font: { loadSystemFonts: false } }))
			return centre(tree.render().pixels, s.w)
		}
	},
	async skia() {
		const { createCanvas, Path2D } = await import('@napi-rs/canvas')
		let canvas, context
		return (s) => {
			if (!canvas || canvas.width !== s.w || canvas.height !== s.h) {
				canvas = createCanvas(s.w, s.h)
				context = canvas.getContext('2d')
			}
			context.clearRect(0, 0, s.w, s.h)
			const paths = parse(() => s.fills.map((f) => new Path2D(f.d)))
			s.fills.forEach((f, i) => {
				context.fillStyle = `rgb(${f.rgb})`
				context.fill(paths[i])
			})
			return centre(context.getImageData(0, 0, s.w, s.h).data, s.w)
		}
	},
}
const draw = await renderers[name]()

for await (const _ of createInterface({ input: process.stdin })) {
	parsing = 0
	const cpu = process.cpuUsage(), start = performance.now()
	const centres = scenes.map(draw)
	const wall = (performance.now() - start) / 1000, used = process.cpuUsage(cpu)
	console.log(JSON.stringify({ centres, wall, core: (used.user + used.system) / 1e6, parsing, rss: process.resourceUsage().maxRSS / 1024 }))
}
